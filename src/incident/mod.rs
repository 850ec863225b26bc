//! Failures into incidents: the root, its repeats, its consequences.
//!
//! A [`Tracker`] is given each failure as it is found and says what is to be told of it now. What
//! it remembers are incidents: at most 512, each cut to about 1 KiB. Time is data.
//!
//! - [`identity`]: whether two failures are the same;
//! - [`relation`]: whether one follows from the other;
//! - [`candidate`]: a failure that is not yet an incident or part of one; [`compact`]: one cut to 1 KiB;
//! - [`occurrences`]: how often one was seen, on which [`ranks`], and where;
//! - [`first`]: which rank failed first, where no rule knows why;
//! - [`launcher`]: the launcher's file, joined with its ranks';
//! - [`memory`]: the incidents, each an [`entry`];
//! - [`tracker`]: what is held, what is said, what is forgotten.

mod candidate;
mod compact;
mod entry;
mod first;
mod identity;
mod launcher;
mod memory;
mod occurrences;
mod ranks;
mod relation;
#[cfg(test)]
mod tests;
mod tracker;

use std::time::Duration;

use crate::corpus::Failure;

pub use occurrences::{Location, Occurrences};
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

/// Within what the same failure is one incident.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// All that is read.
    #[default]
    All,
    /// A job: the files of its ranks, or a file alone.
    Job,
    /// A file.
    File,
}

/// What is to be told under the failure that was just read.
#[derive(Clone, Debug)]
pub enum Notice<'c> {
    /// A new incident, which a rule knows.
    Root(Box<Failure<'c>>),
    /// The same, of one that waited for its root in vain, while other failures were printed below it.
    LateRoot(Box<Failure<'c>>),
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
        place: RootPlace,
    },
    /// The rank that failed first, where no rule knows why: said at the end of a job, once.
    First {
        /// The rank.
        rank: u32,
        /// Its failure.
        failure: Box<Failure<'c>>,
        /// How many other ranks died of it.
        victims: u64,
    },
}

/// Where a root was printed, as seen from its consequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootPlace {
    /// Before the consequence, on the same screen or in another file.
    Above,
    /// Further up in the same input, at this line.
    FarAbove(u64),
    /// After it: the root's annotation comes directly before what is said of the consequence.
    Below,
}

/// A failure with its repeats and consequences.
#[derive(Clone, Debug)]
pub struct Incident<'c> {
    /// The failure as it was first seen, its texts cut to about 1 KiB in all.
    pub root: Failure<'c>,
    /// How often it was seen, and where.
    pub seen: Occurrences,
    /// Its consequences, the first 100 kinds.
    pub consequences: Vec<Consequence<'c>>,
    /// How many consequences there were in all.
    pub consequences_count: u64,
    /// How many other ranks died of it, where no rule knows it and it is certain that it came first;
    /// else 0. Counted to about 64.
    pub victims: u64,
}

/// Consequences of one kind and rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consequence<'c> {
    /// The rule.
    pub id: &'c str,
    /// The exception's type.
    pub exception: Option<String>,
    /// Where it was first seen.
    pub first: Location,
    /// How often it was seen.
    pub count: u64,
}
