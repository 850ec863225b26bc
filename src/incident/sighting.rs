//! A failure as often as it was seen, before it is an incident or part of one.

use std::sync::Arc;

use super::identity::Identity;
use super::relation::{Lines, Origin, Spot};
use super::{RankSet, Repeat};
use crate::corpus::{Diagnosis, Failure};

/// The most places of repeats that are kept for one failure.
pub(super) const MAX_REPEATS: usize = 64;

/// A failure as often as it was seen.
#[derive(Clone, Debug)]
pub(super) struct Sighting<'c> {
    pub(super) failure: Failure<'c>,
    pub(super) identity: Identity,
    pub(super) origin: Origin,
    pub(super) file: Option<Arc<str>>,
    pub(super) count: u64,
    pub(super) ranks: RankSet,
    pub(super) first_line: u64,
    pub(super) last_line: u64,
    /// Where it was seen besides.
    pub(super) repeats: Vec<Repeat>,
}

impl<'c> Sighting<'c> {
    pub(super) fn new(failure: Failure<'c>, origin: Origin, file: Option<Arc<str>>) -> Self {
        let mut ranks = RankSet::default();
        failure
            .facts
            .rank
            .into_iter()
            .for_each(|rank| ranks.insert(rank));
        let (identity, line) = (Identity::of(&failure), failure.at.line);
        Self {
            failure,
            identity,
            origin,
            file,
            count: 1,
            ranks,
            first_line: line,
            last_line: line,
            repeats: Vec::new(),
        }
    }

    /// Gives the lines from the first to the last.
    pub(super) fn lines(&self) -> Lines {
        Lines {
            origin: self.origin,
            first: self.first_line,
            last: self.last_line,
            time: self.failure.time,
        }
    }

    /// Gives where it was first seen.
    pub(super) fn spot(&self) -> Spot {
        Spot {
            origin: self.origin,
            line: self.failure.at.line,
            time: self.failure.time,
        }
    }

    /// Gives where it was seen, as a place of another one like it.
    pub(super) fn repeat(&self) -> Repeat {
        Repeat {
            rank: self.failure.facts.rank,
            file: self.file.clone(),
            line: self.failure.at.line,
            time: self.failure.time,
        }
    }

    /// Adds another sighting of the same failure.
    pub(super) fn add(&mut self, other: &Self) {
        self.count += other.count;
        let is_elsewhere = match other.failure.facts.rank {
            Some(rank) => !self.ranks.contains(rank),
            None => other.origin != self.origin,
        };
        if is_elsewhere && self.repeats.len() < MAX_REPEATS {
            self.repeats.push(other.repeat());
        }
        self.ranks.extend(&other.ranks);
        self.last_line = self.last_line.max(other.last_line);
    }

    /// Adds the same failure in other words; those that tell more are kept, with where in the
    /// user's code it was.
    pub(super) fn add_form(&mut self, other: Self) {
        let worth = |failure: &Failure| {
            let is_specific = failure.diagnosis.as_ref();
            let is_specific = is_specific.is_some_and(Diagnosis::has_own_cause);
            (is_specific, failure.facts.user_frame.is_some())
        };
        self.count = self.count.max(other.count);
        self.ranks.extend(&other.ranks);
        self.last_line = self.last_line.max(other.last_line);
        let mut less = other.failure;
        if worth(&less) > worth(&self.failure) {
            std::mem::swap(&mut self.failure, &mut less);
            self.identity = other.identity;
        }
        let frame = &mut self.failure.facts.user_frame;
        if frame.is_none() {
            *frame = less.facts.user_frame;
        }
    }
}
