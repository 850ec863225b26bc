//! The incidents that are remembered, and those that had to be dropped.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::compact::compact;
use super::identity::Identity;
use super::relation::{Claim, Lines, Spot, are_forms, are_one, claim, names_any};
use super::remembered::Remembered;
use super::sighting::{MAX_REPEATS, Sighting};
use super::{Consequence, Incident};
use crate::corpus::Failure;

/// The most incidents that are remembered.
const MAX_INCIDENTS: usize = 1024;
/// How many are dropped when there are too many.
const DROPPED_AT_ONCE: usize = 128;
/// The most consequences that are listed for all of them.
const MAX_ALL_CONSEQUENCES: usize = 4096;
/// The most places of repeats that are kept for all incidents.
const MAX_ALL_REPEATS: usize = 4096;
/// The most kinds of consequences that are told apart for one incident.
const MAX_KINDS: usize = 32;
/// The most `*` consequences of one incident whose writers are kept.
const MAX_SUMMED_UP: usize = 128;
/// The most incidents of one rule that a torn traceback is compared with.
const MAX_TORN: usize = 16;
/// The most symptoms without a root that one may still come for.
const MAX_SYMPTOMS: usize = 64;

/// The name of an incident in the memory: the order in which they came.
pub(super) type Number = u64;

/// All incidents.
#[derive(Debug, Default)]
pub(super) struct Memory<'c> {
    incidents: BTreeMap<Number, Remembered<'c>>,
    by_frame: HashMap<(u64, Option<u64>), Number>,
    by_what: HashMap<u64, Vec<Number>>,
    /// Those that follow from something, but stand alone; the newest last.
    symptoms: VecDeque<Number>,
    clock: u64,
    listed: usize,
    repeats: usize,
    dropped: Vec<Incident<'c>>,
    /// The newest incident that was given by [`take_new`](Self::take_new).
    given: Number,
}

impl<'c> Memory<'c> {
    pub(super) fn get(&self, number: Number) -> Option<&Remembered<'c>> {
        self.incidents.get(&number)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Remembered<'c>> {
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

    /// Gives all incidents in the order in which they came.
    pub(super) fn into_incidents(self) -> Vec<Incident<'c>> {
        self.dropped
            .into_iter()
            .chain(self.incidents.into_values().map(|r| r.incident))
            .collect()
    }

    /// Finds the incident of the same failure.
    pub(super) fn same(&self, sighting: &Sighting) -> Option<Number> {
        let Identity { what, frame, .. } = sighting.identity;
        if let Some(number) = self.by_frame.get(&(what, frame)) {
            return Some(*number);
        }
        let is_same = |n: &&Number| {
            let r = self.incidents.get(n);
            r.is_some_and(|r| {
                r.identity.is_torn(&sighting.identity)
                    && r.heard.origin == sighting.origin
                    && r.heard.are_near(sighting.spot())
            })
        };
        self.by_what
            .get(&what)?
            .iter()
            .rev()
            .take(MAX_TORN)
            .find(is_same)
            .copied()
    }

    /// Finds an incident near by that is the same symptom (a lost peer, a launcher's summary) of a
    /// root that nobody printed, or the same failure in other words.
    pub(super) fn same_symptom(&self, failure: &Failure<'c>, at: Spot) -> Option<Number> {
        let rule = failure.rule()?;
        let is_same = |n: &&Number| {
            let Some(r) = self.incidents.get(n) else {
                return false;
            };
            let root = &r.incident.root;
            let is_same_rule = root.id() == failure.id();
            (is_same_rule && names_any(rule) || are_one(root, failure)) && r.heard.are_near(at)
        };
        self.symptoms.iter().rev().find(is_same).copied()
    }

    /// Remembers a new incident; drops others if there are too many.
    pub(super) fn insert(&mut self, sighting: Sighting<'c>) -> Number {
        if self.incidents.len() >= MAX_INCIDENTS {
            self.drop_some();
        }
        let Sighting {
            mut failure,
            identity,
            origin,
            file,
            count,
            ranks,
            first_line,
            last_line,
            mut repeats,
        } = sighting;
        repeats.truncate(MAX_ALL_REPEATS.saturating_sub(self.repeats));
        self.repeats += repeats.len();
        compact(&mut failure);
        self.clock += 1;
        if is_symptom(&failure) {
            if self.symptoms.len() >= MAX_SYMPTOMS {
                self.symptoms.pop_front();
            }
            self.symptoms.push_back(self.clock);
        }
        let incident = Incident {
            first_line,
            root: failure,
            file,
            files: 1,
            count,
            ranks,
            last_line,
            repeats,
            consequences: Vec::new(),
            consequences_count: 0,
        };
        let remembered = Remembered {
            identity,
            told: 1,
            active: self.clock,
            heard: Lines {
                origin,
                first: incident.first_line,
                last: last_line,
                time: incident.root.time,
            },
            incident,
            kinds: Vec::new(),
            summed_up: Vec::new(),
            closed: None,
        };
        self.incidents.insert(self.clock, remembered);
        self.by_frame
            .insert((identity.what, identity.frame), self.clock);
        self.by_what
            .entry(identity.what)
            .or_default()
            .push(self.clock);
        self.clock
    }

    /// Counts one more of an incident's root.
    pub(super) fn again(&mut self, number: Number, sighting: &Sighting) {
        self.clock += 1;
        if let Some(r) = self.incidents.get_mut(&number) {
            r.active = self.clock;
            r.heard.last = sighting.last_line;
            let is_elsewhere = match sighting.failure.facts.rank {
                Some(rank) => !r.incident.ranks.contains(rank),
                None => r.heard.origin != sighting.origin,
            };
            if is_elsewhere
                && r.incident.repeats.len() < MAX_REPEATS
                && self.repeats < MAX_ALL_REPEATS
            {
                self.repeats += 1;
                r.incident.repeats.push(sighting.repeat());
            }
            if r.heard.origin != sighting.origin {
                r.heard = sighting.lines();
                r.incident.files += 1;
            }
            r.summed_up.clear();
            r.closed = None;
            let is_counted = r.identity.is_same(&sighting.identity)
                || !are_forms(&r.incident.root, &sighting.failure);
            let Incident {
                count,
                ranks,
                last_line,
                ..
            } = &mut r.incident;
            *count += if is_counted { sighting.count } else { 0 };
            *last_line = sighting.last_line;
            ranks.extend(&sighting.ranks);
        }
    }

    /// Finds the incident that a failure follows from: that which it names most clearly, then the
    /// one last heard of.
    pub(super) fn root_of(&self, symptom: &Failure<'c>, at: Spot) -> Option<Number> {
        let all = self.incidents.iter();
        let claims = all.filter_map(|(n, r)| Some((r.claimed_by(symptom, at)?, r.active, *n, r)));
        let (claim, _, number, best) =
            claims.max_by_key(|(claim, active, ..)| (*claim, *active))?;
        if claim > Claim::Any || best.incident.root.rule().is_some() {
            return Some(number);
        }
        // A root that can be told is better than a silent one beside it.
        let beside = self.incidents.iter().filter(|(_, r)| {
            r.incident.root.rule().is_some()
                && best.heard.are_near(r.last_spot())
                && r.claimed_by(symptom, at).is_some()
        });
        Some(
            beside
                .max_by_key(|(_, r)| r.active)
                .map_or(number, |(n, _)| *n),
        )
    }

    /// Adds a consequence to an incident; gives whether it is the first of its kind.
    pub(super) fn attach(&mut self, number: Number, sighting: &Sighting<'c>) -> bool {
        self.clock += 1;
        let symptom = &sighting.failure;
        let (Some(r), Some(rule)) = (self.incidents.get_mut(&number), symptom.rule()) else {
            return false;
        };
        let by_any = claim(symptom, sighting.spot(), &r.incident.root, r.heard) == Some(Claim::Any);
        r.active = self.clock;
        if r.heard.origin == sighting.origin {
            r.heard.last = r.heard.last.max(sighting.last_line);
        }
        if by_any && r.summed_up.len() < MAX_SUMMED_UP {
            r.summed_up.push((&rule.id, symptom.facts.rank));
            if symptom.facts.rank.is_none() && r.incident.root.facts.rank.is_some() {
                r.closed = Some(sighting.last_line);
            }
        }
        let consequence = Consequence {
            id: &rule.id,
            exception: symptom
                .exception
                .as_ref()
                .map(|e| e.chars().take(100).collect()),
            rank: symptom.facts.rank,
            file: sighting.file.clone(),
            line: symptom.at.line,
            time: symptom.time,
            count: sighting.count - sighting.repeats.len() as u64,
        };
        let others = sighting.repeats.iter().map(|repeat| Consequence {
            rank: repeat.rank,
            file: repeat.file.clone(),
            line: repeat.line,
            time: repeat.time,
            count: 1,
            ..consequence.clone()
        });
        let others: Vec<_> = others.collect();
        for consequence in std::iter::once(consequence).chain(others) {
            self.listed += r
                .incident
                .list(consequence, self.listed < MAX_ALL_CONSEQUENCES);
        }
        let is_first = !r.kinds.iter().any(|kind| kind.id == rule.id) && r.kinds.len() < MAX_KINDS;
        if is_first {
            r.kinds.push(rule);
        }
        is_first
    }

    /// Turns incidents that stood alone into consequences of a root that came later.
    pub(super) fn adopt(&mut self, root: Number) {
        let Some(r) = self.incidents.get(&root) else {
            return;
        };
        let follows = |n: &&Number| {
            let other = self.incidents.get(n).filter(|_| **n != root);
            other.is_some_and(|o| r.claimed_by(&o.incident.root, o.first_spot()).is_some())
        };
        let adopted: Vec<Number> = self.symptoms.iter().filter(follows).copied().collect();
        for number in adopted {
            let Some(Remembered {
                incident,
                identity,
                kinds,
                heard,
                ..
            }) = self.forget(number)
            else {
                continue;
            };
            let Incident {
                root: failure,
                file,
                count,
                ranks,
                first_line,
                last_line,
                repeats,
                consequences,
                consequences_count,
                files: _,
            } = incident;
            self.attach(
                root,
                &Sighting {
                    failure,
                    identity,
                    origin: heard.origin,
                    file,
                    count,
                    ranks,
                    first_line,
                    last_line,
                    repeats,
                },
            );
            let Some(r) = self.incidents.get_mut(&root) else {
                continue;
            };
            let listed: u64 = consequences.iter().map(|c| c.count).sum();
            for consequence in consequences {
                self.listed += r
                    .incident
                    .list(consequence, self.listed < MAX_ALL_CONSEQUENCES);
            }
            r.incident.consequences_count += consequences_count.saturating_sub(listed);
            for kind in kinds {
                if !r.kinds.iter().any(|k| k.id == kind.id) && r.kinds.len() < MAX_KINDS {
                    r.kinds.push(kind);
                }
            }
        }
    }

    fn forget(&mut self, number: Number) -> Option<Remembered<'c>> {
        let r = self.incidents.remove(&number)?;
        self.symptoms.retain(|n| *n != number);
        let Identity { what, frame, .. } = r.identity;
        if self.by_frame.get(&(what, frame)) == Some(&number) {
            self.by_frame.remove(&(what, frame));
        }
        if let Some(numbers) = self.by_what.get_mut(&what) {
            numbers.retain(|n| *n != number);
            if numbers.is_empty() {
                self.by_what.remove(&what);
            }
        }
        self.listed -= r.incident.consequences.len();
        self.repeats -= r.incident.repeats.len();
        Some(r)
    }

    /// Drops the incidents that nothing was heard of for longest, unknown ones first.
    fn drop_some(&mut self) {
        let key = |(n, r): (&Number, &Remembered)| (r.incident.root.rule().is_some(), r.active, *n);
        let mut order: Vec<_> = self.incidents.iter().map(key).collect();
        order.sort_unstable();
        for (_, _, number) in order.into_iter().take(DROPPED_AT_ONCE) {
            let dropped = self.forget(number).map(|r| r.incident);
            self.dropped.extend(dropped);
        }
    }
}

/// Whether a failure follows from another one, by its rule.
pub(super) fn is_symptom(failure: &Failure) -> bool {
    failure
        .rule()
        .is_some_and(|rule| !rule.consequence_of.is_empty())
}
