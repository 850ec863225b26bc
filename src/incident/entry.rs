//! An incident in the memory, and what claims to follow from it.

use super::candidate::Candidate;
use super::identity::Identity;
use super::relation::{Claim, Extent, NEAR, Spot, claim, claim_by_name, names_only_any};
use super::{Consequence, Incident};
use crate::corpus::{Failure, Rule};

/// The most consequences that are listed for one incident.
const MAX_CONSEQUENCES: usize = 100;
/// The most kinds of consequences that are told apart for one incident.
const MAX_KINDS: usize = 32;

/// An incident, and what is needed to go on with it.
#[derive(Debug)]
pub(super) struct IncidentEntry<'c> {
    pub(super) incident: Incident<'c>,
    pub(super) identity: Identity,
    /// The count that was last told.
    pub(super) told: u64,
    /// When it was last heard of.
    pub(super) active: u64,
    /// The lines from where its root was last seen to the last consequence in that file.
    pub(super) last_seen: Extent,
    /// The kinds of consequences that it has.
    pub(super) kinds: Vec<&'c Rule>,
    /// Who gave which `*` consequence since the root was last seen, and where.
    pub(super) summed_up: Vec<(&'c str, Option<u32>)>,
    /// The line where the launcher told that the job failed.
    pub(super) closed: Option<u64>,
}

/// What follows from the root of an incident.
pub(super) struct Followers<'c> {
    pub(super) consequences: Vec<Consequence<'c>>,
    /// How many consequences there were in all.
    pub(super) count: u64,
    pub(super) kinds: Vec<&'c Rule>,
}

impl<'c> IncidentEntry<'c> {
    /// Makes an incident of a failure, which was told once.
    pub(super) fn new(candidate: Candidate<'c>, active: u64) -> Self {
        Self {
            identity: candidate.identity,
            told: 1,
            active,
            last_seen: candidate.extent(),
            incident: Incident {
                root: candidate.failure,
                seen: candidate.seen,
                consequences: Vec::new(),
                consequences_count: 0,
                victims: 0,
            },
            kinds: Vec::new(),
            summed_up: Vec::new(),
            closed: None,
        }
    }

    /// Takes its root apart from what follows from it: both are to be part of another incident.
    pub(super) fn split(self) -> (Candidate<'c>, Followers<'c>) {
        let Incident {
            root,
            seen,
            consequences,
            consequences_count,
            victims: _,
        } = self.incident;
        let candidate = Candidate {
            failure: root,
            identity: self.identity,
            origin: self.last_seen.origin,
            seen,
        };
        let followers = Followers {
            consequences,
            count: consequences_count,
            kinds: self.kinds,
        };
        (candidate, followers)
    }

    /// Notes a kind of consequences; returns whether it is new.
    pub(super) fn add_kind(&mut self, kind: &'c Rule) -> bool {
        let is_new = self.kinds.len() < MAX_KINDS && !self.kinds.iter().any(|k| k.id == kind.id);
        if is_new {
            self.kinds.push(kind);
        }
        is_new
    }

    /// Returns how clearly a failure claims to follow from this incident or a consequence of it.
    pub(super) fn claim_of(&self, consequence: &Failure<'c>, at: Spot) -> Option<Claim> {
        if !self.last_seen.is_of_job(at) {
            return None;
        }
        let (rule, root) = (consequence.rule()?, &self.incident.root);
        let by_kind =
            |kind: &&'c Rule| claim_by_name(rule, kind).filter(|claim| *claim > Claim::Any);
        match claim(consequence, at, root, self.last_seen) {
            Some(Claim::Any) if self.is_past(consequence, at) => None,
            None if root.id() == consequence.id() => None,
            None if names_only_any(rule) => None,
            None => self.kinds.iter().filter_map(by_kind).max(),
            claim => claim,
        }
    }

    /// Returns whether a failure of the same kind was open beside its root: writers without a prefix mixed their
    /// lines, and may have lost some of their frames to each other, or what stood in a message.
    pub(super) fn is_beside(&self, candidate: &Candidate<'c>) -> bool {
        let (root, other) = (&self.incident.root, &candidate.failure);
        let last = root.at.end_line.max(self.last_seen.last);
        let (stack, others) = (&root.facts.stack, &other.facts.stack);
        // The head of one may stand within the message of the other, which then ends there.
        let is_cut = || {
            let is_next = other.at.line == last.saturating_add(1);
            is_next && stack == others && !stack.is_empty()
        };
        let is_placeless = |failure: &Failure<'c>| {
            failure.facts.user_frame.is_none() || failure.facts.stack.is_empty()
        };
        let took_turns = || {
            let overlap = other.at.line <= last && root.at.line <= other.at.end_line;
            overlap && (is_placeless(root) || is_placeless(other) || stack.shares_with(others))
        };
        self.identity.is_alike(&candidate.identity)
            && root.prefix.is_none()
            && other.prefix.is_none()
            && root.exception.is_some()
            && root.exception == other.exception
            && (took_turns() || is_cut())
    }

    /// Returns whether one of the two is the worker's part of a failure and the other all of it, as a program
    /// prints the one before it raises the other.
    pub(super) fn is_partial(&self, candidate: &Candidate<'c>) -> bool {
        let (root, other) = (&self.incident.root.facts, &candidate.failure.facts);
        self.identity.what == candidate.identity.what
            && !root.stack.is_empty()
            && root.stack == other.stack
            && root.user_frame.is_some() != other.user_frame.is_some()
    }

    /// Returns where its root was first seen, or was in the file in which it was last heard of.
    pub(super) fn first_spot(&self) -> Spot {
        Spot {
            origin: self.last_seen.origin,
            line: self.last_seen.first,
            time: self.last_seen.time,
        }
    }

    /// Returns where its root was last seen.
    pub(super) fn last_spot(&self) -> Spot {
        Spot {
            line: self.incident.seen.last_line,
            ..self.first_spot()
        }
    }

    /// Returns whether the job of this incident is over: its launcher has said so, or the same writer has
    /// said the same before, and then the log went on.
    fn is_past(&self, consequence: &Failure<'c>, at: Spot) -> bool {
        let is_said = |(id, rank): &(&str, Option<u32>)| {
            Some(*id) == consequence.id() && *rank == consequence.facts.rank
        };
        at.origin == self.last_seen.origin
            && at.line > self.last_seen.last.saturating_add(NEAR)
            && (self.closed.is_some() || self.summed_up.iter().any(is_said))
    }
}

impl<'c> Incident<'c> {
    /// Counts a consequence and lists it, if there is `room`; returns whether the list grew.
    pub(super) fn list(&mut self, consequence: Consequence<'c>, room: bool) -> bool {
        self.consequences_count += consequence.count;
        let is_same = |c: &&mut Consequence| {
            c.id == consequence.id
                && c.first.rank == consequence.first.rank
                && c.exception == consequence.exception
                && c.first.file == consequence.first.file
        };
        if let Some(same) = self.consequences.iter_mut().find(is_same) {
            same.count += consequence.count;
        } else if room && self.consequences.len() < MAX_CONSEQUENCES {
            self.consequences.push(consequence);
            return true;
        }
        false
    }
}
