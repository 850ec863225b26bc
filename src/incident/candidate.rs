//! A failure that is neither an incident yet nor part of one.

use std::sync::Arc;

use super::identity::Identity;
use super::relation::{Extent, Origin, Spot, are_one};
use super::{Grouping, Location, Occurrences};
use crate::corpus::{Diagnosis, Failure, Rule};

/// A failure as often as it was seen.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'c> {
    pub(super) failure: Failure<'c>,
    pub(super) identity: Identity,
    /// Where it was first seen.
    pub(super) origin: Origin,
    pub(super) seen: Occurrences,
}

impl<'c> Candidate<'c> {
    pub(super) fn new(
        failure: Failure<'c>,
        origin: Origin,
        file: Option<Arc<str>>,
        grouping: Grouping,
    ) -> Self {
        let first = Location {
            rank: failure.facts.rank,
            file,
            line: failure.at.line,
            time: failure.time,
        };
        Self {
            identity: Identity::of(&failure, origin.part(grouping)),
            failure,
            origin,
            seen: Occurrences::new(first),
        }
    }

    /// Returns the lines from where it was first seen to where it was last.
    pub(super) fn extent(&self) -> Extent {
        Extent {
            origin: self.origin,
            first: self.seen.first_line,
            last: self.seen.last_line,
            time: self.failure.time,
        }
    }

    /// Returns where the failure stood, for the tracker.
    pub(super) fn spot(&self) -> Spot {
        Spot {
            origin: self.origin,
            line: self.failure.at.line,
            time: self.failure.time,
        }
    }

    /// Returns where the failure stood, for the reader.
    pub(super) fn location(&self) -> Location {
        Location {
            rank: self.failure.facts.rank,
            file: self.seen.file.clone(),
            line: self.failure.at.line,
            time: self.failure.time,
        }
    }

    /// Returns whether another consequence is the same failure once more.
    pub(super) fn is_repeated_by(&self, other: &Self) -> bool {
        let (failure, others) = (&self.failure, &other.failure);
        let follows_from_any = || {
            let rule = failure.rule().filter(|_| failure.id() == others.id());
            rule.is_some_and(Rule::follows_from_any) && self.extent().is_near(other.spot())
        };
        // A line and the exception that says the same are two forms of one.
        failure.exception.is_none() == others.exception.is_none()
            && (self.identity.is_same(&other.identity)
                || self.identity.is_torn(&other.identity)
                || follows_from_any())
    }

    /// Returns whether another consequence near by is this one in another form.
    pub(super) fn is_told_by(&self, other: &Self) -> bool {
        are_one(&self.failure, &other.failure) && self.extent().is_near(other.spot())
    }

    /// Adds another one of the same failure.
    pub(super) fn add(&mut self, other: &Self) {
        self.seen.merge(other, other.origin != self.origin, true);
        self.seen.last_line = self.seen.last_line.max(other.seen.last_line);
    }

    /// Adds the same failure in other words.
    pub(super) fn add_form(&mut self, other: Self) {
        self.seen.count = self.seen.count.max(other.seen.count);
        self.seen.ranks.extend(&other.seen.ranks);
        self.seen.last_line = self.seen.last_line.max(other.seen.last_line);
        if keep_form(&mut self.failure, other.failure) {
            self.identity = other.identity;
        }
    }
}

/// Keeps of the same failure in two forms that which tells more, with where in the user's code it
/// was; returns whether that is the other one.
pub(super) fn keep_form<'c>(kept: &mut Failure<'c>, mut other: Failure<'c>) -> bool {
    let worth = |Failure {
                     diagnosis, facts, ..
                 }: &Failure| {
        let is_specific = diagnosis.as_ref().is_some_and(Diagnosis::has_own_cause);
        (is_specific, facts.user_frame.is_some())
    };
    let is_better = worth(&other) > worth(kept);
    if is_better {
        std::mem::swap(kept, &mut other);
    }
    let frame = &mut kept.facts.user_frame;
    if frame.is_none() {
        *frame = other.facts.user_frame;
    }
    is_better
}
