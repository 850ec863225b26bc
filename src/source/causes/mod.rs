//! What the source tells of failures that are not about an object that cannot be pickled.
//!
//! - [`late`]: a definition that another process does not find;
//! - [`exception`]: an `__init__` that cannot be called with what the exception keeps;
//! - [`keyword`]: a start method given by a word that is not taken;
//! - [`renamed`]: a type that a call made under another name; [`first_set`]: what sets the start
//!   method before it can be chosen;
//! - [`sample`]: what returns `None` for a sample; [`cuda`]: what uses CUDA before a fork.

mod cuda;
mod exception;
mod first_set;
mod keyword;
mod late;
mod renamed;
mod sample;

pub(super) use cuda::first_use;
pub(super) use exception::exception;
pub(super) use first_set::first_set;
pub(super) use keyword::{KEYWORDS, keyword};
pub(super) use late::definition;
pub(super) use renamed::renamed;
pub(super) use sample::{datasets, sample};
