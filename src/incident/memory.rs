//! The incidents that are remembered, and those that had to be dropped.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::candidate::{Candidate, keep_form};
use super::compact::compact;
use super::entry::{Followers, IncidentEntry};
use super::identity::Identity;
use super::relation::{Claim, Spot, are_forms, are_one, claim, is_consequence};
use super::{Consequence, Incident, Mode};
use crate::corpus::Failure;

/// The most incidents that are remembered.
const MAX_INCIDENTS: usize = 512;
/// How many are dropped when there are too many.
const DROPPED_AT_ONCE: usize = 64;
/// The most consequences that are listed for all of them.
const MAX_ALL_CONSEQUENCES: usize = 4096;
/// The most places of repeats that are kept for all incidents.
const MAX_ALL_REPEATS: usize = 4096;
/// The most `*` consequences of one incident whose writers are kept.
const MAX_SUMMED_UP: usize = 128;
/// The most incidents of one rule that a torn traceback is compared with.
const MAX_TORN: usize = 16;
/// The most consequences without a root that one may still come for.
const MAX_CONSEQUENCES: usize = 64;

/// The name of an incident in the memory: the order in which they came.
pub(super) type IncidentNumber = u64;

/// All incidents.
#[derive(Debug, Default)]
pub(super) struct Memory<'c> {
    incidents: BTreeMap<IncidentNumber, IncidentEntry<'c>>,
    by_frame: HashMap<(u64, Option<u64>), IncidentNumber>,
    by_what: HashMap<u64, Vec<IncidentNumber>>,
    /// Those that follow from something, but stand alone; the newest last.
    consequences: VecDeque<IncidentNumber>,
    /// How many times something was added; no incident is as young as it.
    clock: u64,
    /// How many consequences the incidents list.
    listed: usize,
    /// How many places of repeats they note.
    repeats: usize,
    dropped: Vec<Incident<'c>>,
    /// Whether those that no rule knows are not handed out when they are dropped.
    pub(super) forgets_unknown: bool,
    /// The newest incident that was handed out by [`take_new`](Self::take_new).
    given: IncidentNumber,
}

impl<'c> Memory<'c> {
    pub(super) fn get(&self, number: IncidentNumber) -> Option<&IncidentEntry<'c>> {
        self.incidents.get(&number)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (IncidentNumber, &IncidentEntry<'c>)> {
        self.incidents
            .iter()
            .map(|(number, entry)| (*number, entry))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut IncidentEntry<'c>> {
        self.incidents.values_mut()
    }

    pub(super) fn take_new(&mut self) -> Vec<Incident<'c>> {
        let new = self.incidents.range(self.given + 1..);
        let new: Vec<_> = new.map(|(_, r)| r.incident.clone()).collect();
        self.given = self.clock;
        new
    }

    pub(super) fn take_dropped(&mut self) -> Vec<Incident<'c>> {
        std::mem::take(&mut self.dropped)
    }

    /// Returns all incidents in the order in which they came.
    pub(super) fn into_incidents(self) -> Vec<Incident<'c>> {
        self.dropped
            .into_iter()
            .chain(self.incidents.into_values().map(|r| r.incident))
            .collect()
    }

    /// Finds the incident of the same failure.
    pub(super) fn same(&self, candidate: &Candidate) -> Option<IncidentNumber> {
        let Identity { what, frame, .. } = candidate.identity;
        if let Some(number) = self.by_frame.get(&(what, frame)) {
            return Some(*number);
        }
        let is_same = |n: &&IncidentNumber| {
            let r = self.incidents.get(n);
            r.is_some_and(|r| {
                let is_near =
                    r.last_seen.origin == candidate.origin && r.last_seen.is_near(candidate.spot());
                let is_torn = || r.identity.is_torn(&candidate.identity);
                is_near && (is_torn() || r.is_beside(candidate) || r.is_partial(candidate))
            })
        };
        let keys = candidate.identity.keys();
        let alike = keys.filter_map(|key| self.by_what.get(&key));
        let mut alike = alike.flat_map(|numbers| numbers.iter().rev().take(MAX_TORN));
        alike.find(is_same).copied()
    }

    /// Finds an incident near by that is the same consequence (a lost peer, a launcher's summary) of a
    /// root that nobody printed, or the same failure in other words.
    pub(super) fn same_consequence(
        &self,
        failure: &Failure<'c>,
        at: Spot,
    ) -> Option<IncidentNumber> {
        let rule = failure.rule()?;
        let is_same = |n: &&IncidentNumber| {
            let Some(r) = self.incidents.get(n) else {
                return false;
            };
            let root = &r.incident.root;
            let is_same_rule = root.id() == failure.id();
            (is_same_rule && rule.follows_from_any() || are_one(root, failure))
                && r.last_seen.is_near(at)
        };
        self.consequences.iter().rev().find(is_same).copied()
    }

    /// Remembers a new incident; drops others if there are too many.
    pub(super) fn insert(&mut self, mut candidate: Candidate<'c>) -> IncidentNumber {
        if self.incidents.len() >= MAX_INCIDENTS {
            self.drop_some();
        }
        compact(&mut candidate.failure);
        let repeats = &mut candidate.seen.repeats;
        repeats.truncate(MAX_ALL_REPEATS.saturating_sub(self.repeats));
        self.repeats += repeats.len();
        self.clock += 1;
        if is_consequence(&candidate.failure) {
            if self.consequences.len() >= MAX_CONSEQUENCES {
                self.consequences.pop_front();
            }
            self.consequences.push_back(self.clock);
        }
        self.index(self.clock, &candidate.identity);
        let entry = IncidentEntry::new(candidate, self.clock);
        self.incidents.insert(self.clock, entry);
        self.clock
    }

    /// Counts one more of an incident's root.
    pub(super) fn again(
        &mut self,
        number: IncidentNumber,
        mut candidate: Candidate<'c>,
        mode: Mode,
    ) {
        self.clock += 1;
        let Some(entry) = self.incidents.get_mut(&number) else {
            return;
        };
        entry.active = self.clock;
        // What was told in two forms happened once.
        if !entry.identity.is_same(&candidate.identity)
            && (are_forms(&entry.incident.root, &candidate.failure) || entry.is_partial(&candidate))
        {
            candidate.seen.count = 0;
            // In a stream, what was told could not wait for this one.
            if mode == Mode::Stream && entry.last_seen.origin == candidate.origin {
                let mut form = candidate.failure.clone();
                compact(&mut form);
                if keep_form(&mut entry.incident.root, form) {
                    self.identify(number, candidate.identity);
                }
            }
        }
        self.keep_whole(number, &candidate);
        let Some(entry) = self.incidents.get_mut(&number) else {
            return;
        };
        let is_other_file = entry.last_seen.origin != candidate.origin;
        let seen = &mut entry.incident.seen;
        let room = self.repeats < MAX_ALL_REPEATS;
        self.repeats += usize::from(seen.merge(&candidate, is_other_file, room));
        seen.last_line = candidate.seen.last_line;
        entry.last_seen.last = candidate.seen.last_line;
        if is_other_file {
            seen.files += 1;
            entry.last_seen = candidate.extent();
        }
        entry.summed_up.clear();
        entry.closed = None;
    }

    /// Keeps of the same failure that whose traceback is whole, where mixed lines tore the other.
    fn keep_whole(&mut self, number: IncidentNumber, candidate: &Candidate<'c>) {
        let Some(entry) = self.incidents.get_mut(&number) else {
            return;
        };
        let is_one = entry.is_beside(candidate) || entry.is_partial(candidate);
        let (own, other) = (entry.identity.frame, candidate.identity.frame);
        let root = &mut entry.incident.root;
        let is_part = || root.facts.stack.is_part_of(&candidate.failure.facts.stack);
        if own == other || !is_one || own.is_some() && !is_part() {
            return;
        }
        *root = candidate.failure.clone();
        compact(root);
        self.identify(number, candidate.identity);
    }

    /// Finds the incident that a failure follows from: that which it names most clearly, then the
    /// one last heard of.
    pub(super) fn root_of(&self, consequence: &Failure<'c>, at: Spot) -> Option<IncidentNumber> {
        let all = self.incidents.iter();
        let claims = all.filter_map(|(n, r)| Some((r.claim_of(consequence, at)?, r.active, *n, r)));
        let (claim, _, number, best) =
            claims.max_by_key(|(claim, active, ..)| (*claim, *active))?;
        if claim > Claim::Any || best.incident.root.rule().is_some() {
            return Some(number);
        }
        // A root that can be told is better than a silent one beside it.
        let beside = self.incidents.iter().filter(|(_, r)| {
            r.incident.root.rule().is_some()
                && best.last_seen.is_near(r.last_spot())
                && r.claim_of(consequence, at).is_some()
        });
        Some(
            beside
                .max_by_key(|(_, r)| r.active)
                .map_or(number, |(n, _)| *n),
        )
    }

    /// Adds a consequence to an incident; returns whether it is the first of its kind.
    pub(super) fn attach(&mut self, number: IncidentNumber, candidate: &Candidate<'c>) -> bool {
        self.clock += 1;
        let Candidate {
            failure,
            origin,
            seen,
            ..
        } = candidate;
        let (Some(entry), Some(rule)) = (self.incidents.get_mut(&number), failure.rule()) else {
            return false;
        };
        let root = &entry.incident.root;
        let claim = claim(failure, candidate.spot(), root, entry.last_seen);
        let rank = failure.facts.rank;
        if claim == Some(Claim::Any) && entry.summed_up.len() < MAX_SUMMED_UP {
            entry.summed_up.push((&rule.id, rank));
            if rank.is_none() && root.facts.rank.is_some() {
                entry.closed = Some(seen.last_line);
            }
        }
        entry.active = self.clock;
        if entry.last_seen.origin == *origin {
            entry.last_seen.last = entry.last_seen.last.max(seen.last_line);
        }
        let exception = failure.exception.as_ref();
        let exception: Option<String> = exception.map(|e| e.chars().take(100).collect());
        let own = (candidate.location(), seen.count - seen.repeats.len() as u64);
        let repeats = seen.repeats.iter().map(|repeat| (repeat.clone(), 1));
        for (first, count) in std::iter::once(own).chain(repeats) {
            let consequence = Consequence {
                id: &rule.id,
                exception: exception.clone(),
                first,
                count,
            };
            let room = self.listed < MAX_ALL_CONSEQUENCES;
            self.listed += usize::from(entry.incident.list(consequence, room));
        }
        entry.add_kind(rule)
    }

    /// Turns incidents that stood alone into consequences of a root that came later.
    pub(super) fn adopt(&mut self, root: IncidentNumber) {
        let Some(entry) = self.incidents.get(&root) else {
            return;
        };
        let follows = |n: &&IncidentNumber| {
            let other = self.incidents.get(n).filter(|_| **n != root);
            other.is_some_and(|o| entry.claim_of(&o.incident.root, o.first_spot()).is_some())
        };
        let adopted: Vec<IncidentNumber> =
            self.consequences.iter().filter(follows).copied().collect();
        for number in adopted {
            self.absorb(root, number);
        }
    }

    /// Makes an incident a consequence of another one.
    pub(super) fn absorb(&mut self, root: IncidentNumber, number: IncidentNumber) {
        if let Some((candidate, followers)) = self.forget(number).map(IncidentEntry::split) {
            self.attach(root, &candidate);
            self.inherit(root, followers);
        }
    }

    /// Makes an incident one more of another one.
    pub(super) fn repeat(&mut self, first: IncidentNumber, number: IncidentNumber) {
        if let Some((candidate, followers)) = self.forget(number).map(IncidentEntry::split) {
            self.again(first, candidate, Mode::Saved);
            self.inherit(first, followers);
        }
    }

    /// Gives an incident what followed from one that is now part of it.
    fn inherit(&mut self, number: IncidentNumber, followers: Followers<'c>) {
        let Some(entry) = self.incidents.get_mut(&number) else {
            return;
        };
        let Followers {
            consequences,
            count,
            kinds,
        } = followers;
        let listed: u64 = consequences.iter().map(|c| c.count).sum();
        for consequence in consequences {
            let room = self.listed < MAX_ALL_CONSEQUENCES;
            self.listed += usize::from(entry.incident.list(consequence, room));
        }
        entry.incident.consequences_count += count.saturating_sub(listed);
        for kind in kinds {
            entry.add_kind(kind);
        }
    }

    /// Finds the failure that took the ranks of a job down, where no rule knows it and nothing else
    /// can have; notes how many it took. Returns it once.
    pub(super) fn first_failure(&mut self, job: u32) -> Option<&Incident<'c>> {
        let of_job = |entry: &&mut IncidentEntry| entry.last_seen.origin.job == job;
        let all = self.incidents.values_mut().filter(of_job);
        let mut fatal = all.filter(|entry| entry.is_fatal());
        let (entry, None) = (fatal.next()?, fatal.next()) else {
            return None;
        };
        if entry.incident.victims > 0 {
            return None;
        }
        entry.incident.victims = entry.victims()?;
        Some(&entry.incident)
    }

    /// Gives an incident another identity.
    pub(super) fn identify(&mut self, number: IncidentNumber, identity: Identity) {
        if let Some(entry) = self.incidents.get_mut(&number) {
            let before = std::mem::replace(&mut entry.identity, identity);
            self.unindex(number, &before);
            self.index(number, &identity);
        }
    }

    /// Lets an incident be found by what it is.
    fn index(&mut self, number: IncidentNumber, identity: &Identity) {
        let Identity { what, frame, .. } = *identity;
        self.by_frame.insert((what, frame), number);
        for key in identity.keys() {
            self.by_what.entry(key).or_default().push(number);
        }
    }

    fn forget(&mut self, number: IncidentNumber) -> Option<IncidentEntry<'c>> {
        let r = self.incidents.remove(&number)?;
        self.consequences.retain(|n| *n != number);
        self.unindex(number, &r.identity);
        self.listed -= r.incident.consequences.len();
        self.repeats -= r.incident.seen.repeats.len();
        Some(r)
    }

    fn unindex(&mut self, number: IncidentNumber, identity: &Identity) {
        let Identity { what, frame, .. } = *identity;
        if self.by_frame.get(&(what, frame)) == Some(&number) {
            self.by_frame.remove(&(what, frame));
        }
        for key in identity.keys() {
            if let Some(numbers) = self.by_what.get_mut(&key) {
                numbers.retain(|n| *n != number);
                if numbers.is_empty() {
                    self.by_what.remove(&key);
                }
            }
        }
    }

    /// Drops the incidents that nothing was heard of for longest, unknown ones first.
    fn drop_some(&mut self) {
        let key = |(n, r): (&IncidentNumber, &IncidentEntry)| {
            (r.incident.root.rule().is_some(), r.active, *n)
        };
        let mut order: Vec<_> = self.incidents.iter().map(key).collect();
        order.sort_unstable();
        for (_, _, number) in order.into_iter().take(DROPPED_AT_ONCE) {
            let dropped = self.forget(number).map(|r| r.incident);
            let is_wanted = |i: &Incident| !self.forgets_unknown || i.root.rule().is_some();
            self.dropped.extend(dropped.filter(is_wanted));
        }
    }
}
