//! From an exception to its diagnosis: which rules may fit it, which do, which of them is chosen.
//!
//! [`candidates`] picks the `[[match]]`es whose type and literals are there, [`ask`] asks them,
//! [`marks`] tells which frames they ask for in vain, [`precedence`] chooses among those that hold,
//! [`diagnose`] goes the whole way.

pub(crate) mod any_of;
pub(crate) mod ask;
mod candidates;
mod capture_test;
pub(crate) mod comparison;
pub(crate) mod context;
pub(crate) mod diagnose;
pub(crate) mod diagnosis;
pub(crate) mod failure;
pub(crate) mod frame_pattern;
mod marks;
pub(crate) mod message;
mod outlook;
pub(crate) mod pattern;
pub(crate) mod precedence;
mod sequence;
pub(crate) mod template;
mod template_match;
pub(crate) mod type_name;
pub(crate) mod version_range;
pub(crate) mod when;
