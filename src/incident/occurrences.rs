//! How often a failure was seen, and where.

use std::sync::Arc;

use super::RankSet;
use super::candidate::Candidate;
use crate::traceback::stamp::Stamp;

/// The most places of repeats that are kept for one failure.
const MAX_REPEATS: usize = 64;

/// How often a failure was seen, and where.
#[derive(Clone, Debug)]
pub struct Occurrences {
    /// How often it was seen, at least once.
    pub count: u64,
    /// The ranks that it was seen on.
    pub ranks: RankSet,
    /// The file that it was first seen in; `None` for the standard input.
    pub file: Option<Arc<str>>,
    /// How often it was seen in another file than before, the first one counted.
    pub files: u64,
    /// The line of that file where it was first seen.
    pub first_line: u64,
    /// The line where it was last seen, of the file that was read then.
    pub last_line: u64,
    /// Where it was first seen on other ranks and in other files, at most 64; none of them is the
    /// first of all.
    pub repeats: Vec<Location>,
}

/// Where a failure was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The rank that it was seen on.
    pub rank: Option<u32>,
    /// The file; `None` for the standard input.
    pub file: Option<Arc<str>>,
    /// The line.
    pub line: u64,
    /// When it was written, where the text says so.
    pub time: Option<Stamp>,
}

impl Occurrences {
    /// Starts with the first one.
    pub(super) fn new(first: Location) -> Self {
        let mut ranks = RankSet::default();
        first.rank.into_iter().for_each(|rank| ranks.insert(rank));
        Self {
            count: 1,
            ranks,
            file: first.file,
            files: 1,
            first_line: first.line,
            last_line: first.line,
            repeats: Vec::new(),
        }
    }

    /// Adds those of the same failure on other ranks or in another file; returns whether their
    /// place was noted, which needs `room`.
    pub(super) fn merge(&mut self, other: &Candidate, is_other_file: bool, room: bool) -> bool {
        let location = other.location();
        let is_elsewhere = match location.rank {
            Some(rank) => !self.ranks.contains(rank),
            None => is_other_file,
        };
        let is_noted = is_elsewhere && room && self.repeats.len() < MAX_REPEATS;
        if is_noted {
            self.repeats.push(location);
        }
        self.count += other.seen.count;
        self.ranks.extend(&other.seen.ranks);
        is_noted
    }
}
