//! What is held back, what is said, and when.

use std::sync::Arc;
use std::time::Duration;

use super::memory::{Memory, Number, is_symptom};
use super::relation::{Origin, are_one, claim, names_any, waits};
use super::sighting::Sighting;
use super::{Incident, Mode, Moment, Place, Say};
use crate::corpus::Failure;

/// How long a consequence is held for its root to come, in a stream.
const HOLD: Duration = Duration::from_secs(1);
/// How many lines it is held, in a stream.
const HOLD_LINES: u64 = 200;
/// The most consequences that are held; beyond, the oldest stands alone.
const MAX_HELD: usize = 256;

/// Turns failures into incidents and says what is to be told.
///
/// Call [`take_dropped`](Self::take_dropped) after each call that is given failures, or incidents
/// that had to be dropped add up.
#[derive(Debug)]
pub struct Tracker<'c> {
    mode: Mode,
    file: Option<Arc<str>>,
    origin: Origin,
    /// How many files and jobs were begun.
    begun: u32,
    memory: Memory<'c>,
    held: Vec<Held<'c>>,
}

/// A file that a tracker was told of, and the job that it belongs to.
#[derive(Clone, Debug)]
pub struct ReadPlace {
    file: Option<Arc<str>>,
    origin: Origin,
}

/// A consequence whose root has not come.
#[derive(Debug)]
struct Held<'c> {
    sighting: Sighting<'c>,
    since: Moment,
}

impl<'c> Tracker<'c> {
    /// Makes a tracker that has seen nothing.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            file: None,
            origin: Origin::default(),
            begun: 0,
            memory: Memory::default(),
            held: Vec::new(),
        }
    }

    /// Begins a file that is a job of its own: what is held stands alone, and nothing in it follows
    /// from what stood in another.
    pub fn begin(&mut self, file: Option<Arc<str>>) -> Vec<Say<'c>> {
        let says = self.release(|_| true);
        self.begun += 1;
        self.origin.job = self.begun;
        self.begin_beside(file);
        says
    }

    /// Begins another file of the same job: one that another process of it wrote.
    pub fn begin_beside(&mut self, file: Option<Arc<str>>) {
        self.begun += 1;
        self.origin.file = self.begun;
        self.file = file;
    }

    /// Gives the file that is being read, to come back to it after another one.
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

    /// Takes the failures of one traceback or log line and says what is to be told now.
    pub fn push(&mut self, failures: Vec<Failure<'c>>, now: Moment) -> Vec<Say<'c>> {
        let mut says = self.tick(now);
        for failure in failures {
            self.push_one(failure, now, &mut says);
        }
        says
    }

    /// Says what has been held long enough.
    pub fn tick(&mut self, now: Moment) -> Vec<Say<'c>> {
        if self.mode == Mode::Saved || self.held.is_empty() {
            return Vec::new();
        }
        self.release(|since| now.time >= since.time + HOLD || now.line >= since.line + HOLD_LINES)
    }

    /// Gives the time at which [`tick`](Self::tick) will have something to say, if nothing is read.
    pub fn next_deadline(&self) -> Option<Duration> {
        let since = self.held.iter().map(|h| h.since.time).min();
        since
            .filter(|_| self.mode == Mode::Stream)
            .map(|since| since + HOLD)
    }

    /// Says at a pause how often each failure was seen, where it reached 2, 10, 100, 1,000 ….
    pub fn pause(&mut self, now: Moment) -> Vec<Say<'c>> {
        let mut says = self.tick(now);
        self.say_again(&mut says);
        says
    }

    /// Says at the end all that is left to say.
    pub fn finish(&mut self) -> Vec<Say<'c>> {
        let mut says = self.release(|_| true);
        self.say_again(&mut says);
        says
    }

    /// Gives the incidents that began since this was last called, as they are now.
    pub fn take_new(&mut self) -> Vec<Incident<'c>> {
        self.memory.take_new()
    }

    /// Hands out, once, the incidents that had to be dropped from memory.
    pub fn take_dropped(&mut self) -> Vec<Incident<'c>> {
        self.memory.take_dropped()
    }

    /// Gives all incidents that were not handed out before, in the order in which they came.
    ///
    /// What is held and was not [`finish`](Self::finish)ed stands alone.
    pub fn into_incidents(mut self) -> Vec<Incident<'c>> {
        self.release(|_| true);
        self.memory.into_incidents()
    }

    fn push_one(&mut self, failure: Failure<'c>, now: Moment, says: &mut Vec<Say<'c>>) {
        let sighting = Sighting::new(failure, self.origin, self.file.clone());
        let at = sighting.spot();
        let is_symptom = is_symptom(&sighting.failure);
        let root = is_symptom.then(|| self.memory.root_of(&sighting.failure, at));
        if let Some(root) = root.flatten() {
            says.extend(self.attach(root, &sighting, Place::Above));
            self.settle(root, Place::Above, says);
            return;
        }
        let same = self.memory.same(&sighting);
        if let Some(number) = same.or_else(|| self.memory.same_symptom(&sighting.failure, at)) {
            self.memory.again(number, &sighting);
            self.settle(number, Place::Above, says);
        } else if is_symptom {
            self.hold(sighting, now, says);
        } else {
            self.stand(sighting, says);
        }
    }

    /// Makes a failure an incident of its own; what was held for it follows.
    fn stand(&mut self, sighting: Sighting<'c>, says: &mut Vec<Say<'c>>) {
        if sighting.failure.diagnosis.is_some() {
            says.push(Say::Root(Box::new(sighting.failure.clone())));
        }
        let number = self.memory.insert(sighting);
        self.settle(number, Place::Below, says);
    }

    /// Gives an incident the consequences that came before it.
    fn settle(&mut self, root: Number, place: Place, says: &mut Vec<Say<'c>>) {
        // A consequence may have consequences in turn.
        while let Some(at) = self.held.iter().position(|held| {
            let Sighting { failure, .. } = &held.sighting;
            let root = self.memory.get(root);
            root.is_some_and(|r| r.claimed_by(failure, held.sighting.spot()).is_some())
        }) {
            let Held { sighting, .. } = self.held.remove(at);
            says.extend(self.attach(root, &sighting, place));
        }
        self.memory.adopt(root);
    }

    /// Adds a consequence to an incident, and says so if it is the first of its kind.
    fn attach(&mut self, root: Number, sighting: &Sighting<'c>, place: Place) -> Option<Say<'c>> {
        if !self.memory.attach(root, sighting) {
            return None;
        }
        let id = sighting.failure.id()?;
        let root = &self.memory.get(root)?.incident.root;
        root.rule()?;
        let root_title = root.advice().title;
        Some(Say::Consequence {
            id,
            root_title,
            place,
        })
    }

    /// Holds a consequence back until its root comes, or the form of it that tells more.
    fn hold(&mut self, sighting: Sighting<'c>, now: Moment, says: &mut Vec<Say<'c>>) {
        let Some(rule) = sighting.failure.rule() else {
            return;
        };
        let waits = waits(&sighting.failure);
        let is_same = |held: &&mut Held| {
            let Held {
                sighting: other, ..
            } = held;
            let same_rule = other.failure.id() == Some(&rule.id);
            other.identity.is_same(&sighting.identity)
                || other.identity.is_torn(&sighting.identity)
                || same_rule && names_any(rule) && other.lines().are_near(sighting.spot())
        };
        if let Some(held) = self.held.iter_mut().find(is_same) {
            held.sighting.add(&sighting);
            return;
        }
        let is_form = |held: &Held| {
            are_one(&held.sighting.failure, &sighting.failure)
                && held.sighting.lines().are_near(sighting.spot())
        };
        if let Some(at) = self.held.iter().position(is_form) {
            self.held[at].sighting.add_form(sighting);
            if !waits {
                let held = self.held.remove(at);
                self.stand(held.sighting, says);
            }
            return;
        }
        if !waits {
            self.stand(sighting, says);
            return;
        }
        if self.held.len() >= MAX_HELD {
            let oldest = self.held.remove(0);
            self.stand(oldest.sighting, says);
        }
        self.held.push(Held {
            sighting,
            since: now,
        });
    }

    /// Lets what was held long enough stand alone, or follow from what stands by then.
    fn release(&mut self, is_due: impl Fn(Moment) -> bool) -> Vec<Say<'c>> {
        let mut says = Vec::new();
        while let Some(at) = self.held.iter().position(|held| is_due(held.since)) {
            let held = self.held.remove(self.first_of(at));
            self.stand(held.sighting, &mut says);
        }
        says
    }

    /// Gives the held failure that another one follows from, without following from it in turn.
    fn first_of(&self, at: usize) -> usize {
        let follows = |symptom: usize, root: usize| {
            let (symptom, root) = (&self.held[symptom].sighting, &self.held[root].sighting);
            claim(
                &symptom.failure,
                symptom.spot(),
                &root.failure,
                root.lines(),
            )
            .is_some()
        };
        let is_root = |&other: &usize| other != at && follows(at, other) && !follows(other, at);
        (0..self.held.len()).find(is_root).unwrap_or(at)
    }

    fn say_again(&mut self, says: &mut Vec<Say<'c>>) {
        for remembered in self.memory.iter_mut() {
            let count = remembered.incident.count;
            if let Some(id) = remembered.incident.root.id()
                && count >= next_step(remembered.told)
            {
                says.push(Say::Again {
                    id,
                    count,
                    ranks: remembered.incident.ranks.clone(),
                });
                remembered.told = count;
            }
        }
    }
}

/// Gives the count at which to speak again: 2, then powers of ten.
fn next_step(told: u64) -> u64 {
    let mut step = if told < 2 { 2 } else { 10 };
    while step <= told {
        step = step.saturating_mul(10);
    }
    step
}
