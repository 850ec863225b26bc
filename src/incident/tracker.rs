//! What is held back, what is said, and when.

use std::sync::Arc;
use std::time::Duration;

use super::candidate::Candidate;
use super::launcher::joins;
use super::memory::{IncidentNumber, Memory};
use super::relation::{Origin, claim, is_consequence, waits};
use super::{Grouping, Incident, Mode, Moment, Notice, RootPlace};
use crate::bug;
use crate::corpus::Failure;

/// How long a consequence is held for its root to come, in a stream.
const HOLD: Duration = Duration::from_secs(1);
/// How many lines it is held, in a stream.
const HOLD_LINES: u64 = 200;
/// The most consequences that are held; beyond, the oldest stands alone.
const MAX_HELD: usize = 256;
/// A root further up than this many lines has usually left the screen.
const SCREEN_LINES: u64 = 40;

/// Turns failures into incidents and tells what is to be said.
///
/// Call [`take_dropped`](Self::take_dropped) after each call that is given failures, or incidents
/// that had to be dropped add up.
#[derive(Debug)]
pub struct Tracker<'c> {
    mode: Mode,
    grouping: Grouping,
    file: Option<Arc<str>>,
    origin: Origin,
    /// How many files and jobs were begun.
    begun: u32,
    memory: Memory<'c>,
    held: Vec<PendingConsequence<'c>>,
    /// How many tracebacks and log lines were taken.
    taken: u64,
}

/// A file that a tracker was told of, and the job that it belongs to.
#[derive(Clone, Debug)]
pub struct ReadPlace {
    file: Option<Arc<str>>,
    origin: Origin,
}

/// A consequence whose root has not come.
#[derive(Debug)]
struct PendingConsequence<'c> {
    candidate: Candidate<'c>,
    since: Moment,
    /// How many had been taken when its rule was last seen.
    taken: u64,
}

impl<'c> Tracker<'c> {
    /// Makes a tracker that has seen nothing.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            grouping: Grouping::default(),
            file: None,
            origin: Origin::default(),
            begun: 0,
            memory: Memory::default(),
            held: Vec::new(),
            taken: 0,
        }
    }

    /// Counts the same failure in each part of what is read as one of its own.
    #[must_use]
    pub fn within(self, grouping: Grouping) -> Self {
        Self { grouping, ..self }
    }

    /// Hands out no incidents without a rule that had to be dropped: nobody asks for them.
    #[must_use]
    pub fn without_unknown(mut self) -> Self {
        self.memory.forgets_unknown = true;
        self
    }

    /// Begins a file that is a job of its own: what is held stands alone, and nothing in it follows
    /// from what stood in another.
    pub fn begin(&mut self, file: Option<Arc<str>>) -> Vec<Notice<'c>> {
        let mut notices = self.release(|_| true);
        notices.extend(self.first_failure());
        self.begun += 1;
        self.origin.job = self.begun;
        self.origin.has_ranks = false;
        self.begin_beside(file);
        notices
    }

    /// Notes that the files of this job are those of its ranks, by their names.
    pub fn set_of_ranks(&mut self) {
        self.origin.has_ranks = true;
    }

    /// Begins another file of the same job: one that another process of it wrote.
    pub fn begin_beside(&mut self, file: Option<Arc<str>>) {
        self.begun += 1;
        self.origin.file = self.begun;
        self.file = file;
    }

    /// Returns the file that is being read, to come back to it after another one.
    pub fn place(&self) -> ReadPlace {
        ReadPlace {
            file: self.file.clone(),
            origin: self.origin,
        }
    }

    /// Goes on with a file that was begun before.
    pub fn resume(&mut self, place: &ReadPlace) {
        self.file.clone_from(&place.file);
        self.origin = place.origin;
    }

    /// Takes the failures of one traceback or log line and returns what is to be told now.
    pub fn push(&mut self, failures: Vec<Failure<'c>>, now: Moment) -> Vec<Notice<'c>> {
        self.taken += 1;
        let mut notices = self.tick(now);
        for failure in failures {
            bug::provoke("track", [&failure.message]);
            self.push_one(failure, now, &mut notices);
        }
        notices
    }

    /// Says what has been held long enough.
    pub fn tick(&mut self, now: Moment) -> Vec<Notice<'c>> {
        if self.mode == Mode::Saved || self.held.is_empty() {
            return Vec::new();
        }
        self.release(|since| now.time >= since.time + HOLD || now.line >= since.line + HOLD_LINES)
    }

    /// Returns the time at which [`tick`](Self::tick) will have something to say, if nothing is read.
    pub fn next_deadline(&self) -> Option<Duration> {
        let since = self.held.iter().map(|h| h.since.time).min();
        since
            .filter(|_| self.mode == Mode::Stream)
            .map(|since| since + HOLD)
    }

    /// Says at a pause how often each failure was seen, where it reached 2, 10, 100, 1,000 ….
    pub fn pause(&mut self, now: Moment) -> Vec<Notice<'c>> {
        let mut notices = self.tick(now);
        self.say_again(&mut notices);
        notices
    }

    /// Says at the end all that is left to say.
    pub fn finish(&mut self) -> Vec<Notice<'c>> {
        let mut notices = self.release(|_| true);
        self.say_again(&mut notices);
        notices.extend(self.first_failure());
        if self.mode == Mode::Saved {
            self.memory.join_launchers(self.grouping);
        }
        notices
    }

    /// Returns the incidents that began since this was last called, as they are now.
    pub fn take_new(&mut self) -> Vec<Incident<'c>> {
        self.memory.take_new()
    }

    /// Hands out, once, the incidents that had to be dropped from memory.
    pub fn take_dropped(&mut self) -> Vec<Incident<'c>> {
        self.memory.take_dropped()
    }

    /// Ends it as [`finish`](Self::finish) does, and returns all incidents that were not handed out
    /// before, in the order in which they came.
    pub fn into_incidents(mut self) -> Vec<Incident<'c>> {
        self.finish();
        self.memory.into_incidents()
    }

    fn push_one(&mut self, failure: Failure<'c>, now: Moment, notices: &mut Vec<Notice<'c>>) {
        let grouping = match self.grouping {
            Grouping::All if self.mode == Mode::Saved && joins(&failure, self.origin) => {
                Grouping::Job
            }
            grouping => grouping,
        };
        let candidate = Candidate::new(failure, self.origin, self.file.clone(), grouping);
        let at = candidate.spot();
        let is_consequence = is_consequence(&candidate.failure);
        let root = is_consequence.then(|| self.memory.root_of(&candidate.failure, at));
        if let Some(root) = root.flatten() {
            notices.extend(self.attach(root, &candidate, RootPlace::Above));
            self.settle(root, RootPlace::Above, notices);
            return;
        }
        let same = self.memory.same(&candidate);
        if let Some(number) = same.or_else(|| self.memory.same_consequence(&candidate.failure, at))
        {
            self.memory.again(number, candidate, self.mode);
            self.settle(number, RootPlace::Above, notices);
        } else if is_consequence {
            self.hold(candidate, now, notices);
        } else {
            self.stand(candidate, self.taken, notices);
        }
    }

    /// Makes a failure an incident of its own; what was held for it follows. Its rule was last
    /// seen when so many had been taken.
    fn stand(&mut self, candidate: Candidate<'c>, taken: u64, notices: &mut Vec<Notice<'c>>) {
        if candidate.failure.diagnosis.is_some() {
            let failure = Box::new(candidate.failure.clone());
            notices.push(if taken < self.taken {
                Notice::LateRoot(failure)
            } else {
                Notice::Root(failure)
            });
        }
        let number = self.memory.insert(candidate);
        self.settle(number, RootPlace::Below, notices);
    }

    /// Returns an incident the consequences that came before it.
    fn settle(&mut self, root: IncidentNumber, place: RootPlace, notices: &mut Vec<Notice<'c>>) {
        // A consequence may have consequences in turn.
        while let Some(at) = self.held.iter().position(|held| {
            let Candidate { failure, .. } = &held.candidate;
            let root = self.memory.get(root);
            root.is_some_and(|r| r.claim_of(failure, held.candidate.spot()).is_some())
        }) {
            let PendingConsequence { candidate, .. } = self.held.remove(at);
            notices.extend(self.attach(root, &candidate, place));
        }
        self.memory.adopt(root);
    }

    /// Adds a consequence to an incident; returns what is to be said if it is the first of its kind.
    fn attach(
        &mut self,
        root: IncidentNumber,
        candidate: &Candidate<'c>,
        place: RootPlace,
    ) -> Option<Notice<'c>> {
        if !self.memory.attach(root, candidate) {
            return None;
        }
        let id = candidate.failure.id()?;
        let entry = self.memory.get(root)?;
        let root = &entry.incident.root;
        root.rule()?;
        let (line, root_line) = (candidate.failure.at.line, root.at.line);
        let is_of_file = entry.last_seen.origin == candidate.origin;
        let is_far = is_of_file && line > root_line.saturating_add(SCREEN_LINES);
        let place = match place {
            RootPlace::Above if is_far => RootPlace::FarAbove(root_line),
            // Known only later, since its traceback has a prefix.
            RootPlace::Below if is_of_file && line > root_line => RootPlace::Above,
            place => place,
        };
        let root_title = root.advice().title;
        Some(Notice::Consequence {
            id,
            root_title,
            place,
        })
    }

    /// Holds a consequence back until its root comes, or the form of it that tells more.
    fn hold(&mut self, candidate: Candidate<'c>, now: Moment, notices: &mut Vec<Notice<'c>>) {
        let Some(rule) = candidate.failure.rule() else {
            return;
        };
        for held in &mut self.held {
            if held.candidate.failure.id() == Some(&rule.id) {
                held.taken = self.taken;
            }
        }
        let waits = waits(&candidate.failure);
        let mut held = self.held.iter_mut();
        if let Some(held) = held.find(|held| held.candidate.is_repeated_by(&candidate)) {
            held.candidate.add(&candidate);
            return;
        }
        let mut held = self.held.iter();
        if let Some(at) = held.position(|held| held.candidate.is_told_by(&candidate)) {
            self.held[at].candidate.add_form(candidate);
            if !waits {
                let held = self.held.remove(at);
                self.stand(held.candidate, held.taken, notices);
            }
            return;
        }
        if !waits {
            self.stand(candidate, self.taken, notices);
            return;
        }
        if self.held.len() >= MAX_HELD {
            let oldest = self.held.remove(0);
            self.stand(oldest.candidate, oldest.taken, notices);
        }
        self.held.push(PendingConsequence {
            candidate,
            since: now,
            taken: self.taken,
        });
    }

    /// Lets what was held long enough stand alone, or follow from what stands by then.
    fn release(&mut self, is_due: impl Fn(Moment) -> bool) -> Vec<Notice<'c>> {
        let mut notices = Vec::new();
        while let Some(at) = self.held.iter().position(|held| is_due(held.since)) {
            let held = self.held.remove(self.first_of(at));
            self.stand(held.candidate, held.taken, &mut notices);
        }
        notices
    }

    /// Returns the held failure that another one follows from, without following from it in turn. If it
    /// would, the clearer claim counts, then the line before: a traceback with a prefix ends late.
    fn first_of(&self, at: usize) -> usize {
        let claim_of = |consequence: usize, root: usize| {
            let (consequence, root) = (
                &self.held[consequence].candidate,
                &self.held[root].candidate,
            );
            claim(
                &consequence.failure,
                consequence.spot(),
                &root.failure,
                root.extent(),
            )
        };
        let is_before = |one: usize, other: usize| {
            let (one, other) = (
                self.held[one].candidate.spot(),
                self.held[other].candidate.spot(),
            );
            one.origin == other.origin && one.line < other.line
        };
        let is_root = |&other: &usize| {
            let (own, reverse) = (claim_of(at, other), claim_of(other, at));
            other != at
                && own.is_some()
                && (own > reverse || own == reverse && is_before(other, at))
        };
        (0..self.held.len()).find(is_root).unwrap_or(at)
    }

    /// Says at the end of a job which rank failed first, where no rule does.
    fn first_failure(&mut self) -> Option<Notice<'c>> {
        let incident = self.memory.first_failure(self.origin.job)?;
        Some(Notice::First {
            rank: incident.root.facts.rank?,
            failure: Box::new(incident.root.clone()),
            victims: incident.victims,
        })
    }

    fn say_again(&mut self, notices: &mut Vec<Notice<'c>>) {
        for entry in self.memory.iter_mut() {
            let count = entry.incident.seen.count;
            if let Some(id) = entry.incident.root.id()
                && count >= next_step(entry.told)
            {
                notices.push(Notice::Again {
                    id,
                    count,
                    ranks: entry.incident.seen.ranks.clone(),
                });
                entry.told = count;
            }
        }
    }
}

/// Returns the count at which to speak again: 2, then powers of ten.
fn next_step(told: u64) -> u64 {
    let mut step = if told < 2 { 2 } else { 10 };
    while step <= told {
        step = step.saturating_mul(10);
    }
    step
}
