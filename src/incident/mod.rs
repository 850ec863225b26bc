//! Failures into incidents: the root, its repeats, its consequences.
//!
//! A [`Tracker`] is given each failure as it is found and says what is to be told of it now. What
//! it remembers are incidents: at most 1,024, each cut to about 1 KiB. Time is data.
//!
//! - [`identity`]: whether two failures are the same;
//! - [`relation`]: whether one follows from the other;
//! - [`sighting`]: a failure as often as it was seen;
//! - [`memory`]: the incidents, each a [`remembered`] one;
//! - [`tracker`]: what is held, what is said, what is forgotten.

mod compact;
mod identity;
mod memory;
mod ranks;
mod relation;
mod remembered;
mod sighting;
#[cfg(test)]
mod tests;
mod tracker;

use std::sync::Arc;
use std::time::Duration;

use crate::corpus::Failure;
use crate::traceback::stamp::Stamp;

pub use ranks::RankSet;
pub use tracker::{ReadPlace, Tracker};

/// How far the input has been read, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The number of the last line read.
    pub line: u64,
    /// The time since the start.
    pub time: Duration,
}

/// Whether the input comes as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As it is written: a consequence waits for its root for a second or 200 lines.
    Stream,
    /// It lies there: a consequence waits to the end.
    Saved,
}

/// Something to be told under the failure that was just read.
#[derive(Clone, Debug)]
pub enum Say<'c> {
    /// A new incident, which a rule knows.
    Root(Box<Failure<'c>>),
    /// More of the same, said at a pause.
    Again {
        /// The rule.
        id: &'c str,
        /// How often it was seen in all.
        count: u64,
        /// The ranks that it was seen on.
        ranks: RankSet,
    },
    /// A failure that follows from a root already told.
    Consequence {
        /// The rule of the consequence.
        id: &'c str,
        /// The title of the root.
        root_title: String,
        /// Where the root was printed.
        place: Place,
    },
}

/// Where a root was printed, as seen from its consequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before the consequence.
    Above,
    /// After it: the root's annotation comes directly before what is said of the consequence.
    Below,
}

/// A failure with its repeats and consequences.
#[derive(Clone, Debug)]
pub struct Incident<'c> {
    /// The failure as it was first seen, its texts cut to about 1 KiB in all.
    pub root: Failure<'c>,
    /// The file that it was first seen in; `None` for the standard input.
    pub file: Option<Arc<str>>,
    /// How often it was seen in another file than before, the first one counted.
    pub files: u64,
    /// How often it was seen.
    pub count: u64,
    /// The ranks that it was seen on.
    pub ranks: RankSet,
    /// The line where it was first seen.
    pub first_line: u64,
    /// The line where it was last seen.
    pub last_line: u64,
    /// Where it was first seen on other ranks and in other files; a few for each incident.
    pub repeats: Vec<Repeat>,
    /// Its consequences, the first 100 kinds.
    pub consequences: Vec<Consequence<'c>>,
    /// How many consequences there were in all.
    pub consequences_count: u64,
}

/// Where a failure was seen again: on another rank, or in another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The rank that it was seen on.
    pub rank: Option<u32>,
    /// The file; `None` for the standard input.
    pub file: Option<Arc<str>>,
    /// The line.
    pub line: u64,
    /// When it was written, where the text says so.
    pub time: Option<Stamp>,
}

/// Consequences of one kind and rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consequence<'c> {
    /// The rule.
    pub id: &'c str,
    /// The exception's type.
    pub exception: Option<String>,
    /// The rank that it was seen on.
    pub rank: Option<u32>,
    /// The file that it was first seen in; `None` for the standard input.
    pub file: Option<Arc<str>>,
    /// The line where it was first seen.
    pub line: u64,
    /// When that was written, where the text says so.
    pub time: Option<Stamp>,
    /// How often it was seen.
    pub count: u64,
}
