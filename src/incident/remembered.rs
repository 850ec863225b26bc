//! An incident in memory, and what claims to follow from it.

use super::identity::Identity;
use super::relation::{Claim, Lines, NEAR, Spot, claim, claim_by_name, names_only_any};
use super::{Consequence, Incident};
use crate::corpus::{Failure, Rule};

/// The most consequences that are listed for one incident.
const MAX_CONSEQUENCES: usize = 100;

/// An incident, and what is needed to go on with it.
#[derive(Debug)]
pub(super) struct Remembered<'c> {
    pub(super) incident: Incident<'c>,
    pub(super) identity: Identity,
    /// The count that was last told.
    pub(super) told: u64,
    /// When it was last heard of.
    pub(super) active: u64,
    /// The lines from where its root was last seen to the last consequence in that file.
    pub(super) heard: Lines,
    /// The kinds of consequences that it has.
    pub(super) kinds: Vec<&'c Rule>,
    /// Who gave which `*` consequence since the root was last seen, and where.
    pub(super) summed_up: Vec<(&'c str, Option<u32>)>,
    /// The line where the launcher told that the job failed.
    pub(super) closed: Option<u64>,
}

impl<'c> Remembered<'c> {
    /// Says how clearly a failure claims to follow from this incident or a consequence of it.
    pub(super) fn claimed_by(&self, symptom: &Failure<'c>, at: Spot) -> Option<Claim> {
        if !self.heard.are_of_job(at) {
            return None;
        }
        let (rule, root) = (symptom.rule()?, &self.incident.root);
        let by_kind =
            |kind: &&'c Rule| claim_by_name(rule, kind).filter(|claim| *claim > Claim::Any);
        match claim(symptom, at, root, self.heard) {
            Some(Claim::Any) if self.is_past(symptom, at) => None,
            None if root.id() == symptom.id() => None,
            None if names_only_any(rule) => None,
            None => self.kinds.iter().filter_map(by_kind).max(),
            claim => claim,
        }
    }

    /// Gives where its root was first seen, or was in the file in which it was last heard of.
    pub(super) fn first_spot(&self) -> Spot {
        Spot {
            origin: self.heard.origin,
            line: self.heard.first,
            time: self.heard.time,
        }
    }

    /// Gives where its root was last seen.
    pub(super) fn last_spot(&self) -> Spot {
        Spot {
            line: self.incident.last_line,
            ..self.first_spot()
        }
    }

    /// Whether the job of this incident is over: its launcher has said so, or the same writer has
    /// said the same before, and then the log went on.
    fn is_past(&self, symptom: &Failure<'c>, at: Spot) -> bool {
        let is_said = |(id, rank): &(&str, Option<u32>)| {
            Some(*id) == symptom.id() && *rank == symptom.facts.rank
        };
        at.origin == self.heard.origin
            && at.line > self.heard.last.saturating_add(NEAR)
            && (self.closed.is_some() || self.summed_up.iter().any(is_said))
    }
}

impl<'c> Incident<'c> {
    /// Counts a consequence and lists it, if there is `room`; gives how many the list gained.
    pub(super) fn list(&mut self, consequence: Consequence<'c>, room: bool) -> usize {
        self.consequences_count += consequence.count;
        let is_same = |c: &&mut Consequence| {
            c.id == consequence.id
                && c.rank == consequence.rank
                && c.exception == consequence.exception
                && c.file == consequence.file
        };
        if let Some(same) = self.consequences.iter_mut().find(is_same) {
            same.count += consequence.count;
        } else if room && self.consequences.len() < MAX_CONSEQUENCES {
            self.consequences.push(consequence);
            return 1;
        }
        0
    }
}
