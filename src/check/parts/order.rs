//! Who reads which part, and what of the parts before it is known.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard};

use super::guess::Start;
use crate::traceback::lanes::Learned;

/// After so many guesses in a row that did not hold no more are made.
const MOST_MISSES: u32 = 8;

/// What the threads that read one file know together.
#[derive(Debug)]
pub(super) struct Order {
    state: Mutex<State>,
    changed: Condvar,
    parts: u64,
    /// How many parts may be read ahead of the one whose turn it is.
    ahead: u64,
}

#[derive(Debug)]
struct State {
    /// The part that is taken next.
    next: u64,
    /// The part whose turn it is.
    turn: u64,
    /// The newlines before parts, without a gap from the turn on.
    before: BTreeMap<u64, u64>,
    /// The newlines of parts of which it is not known how many are before them.
    early: BTreeMap<u64, u64>,
    learned: Learned,
    misses: u32,
    is_over: bool,
}

impl Order {
    pub(super) fn new(parts: u64, ahead: u64) -> Self {
        Self {
            state: Mutex::new(State {
                next: 0,
                turn: 0,
                before: BTreeMap::from([(0, 0)]),
                early: BTreeMap::new(),
                learned: Learned::default(),
                misses: 0,
                is_over: false,
            }),
            changed: Condvar::new(),
            parts,
            ahead,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics under the lock")
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed
            .wait(state)
            .expect("nothing panics under the lock")
    }

    /// Takes the next part, once it is not too far ahead; `None` if there is none, or all is over.
    pub(super) fn take(&self) -> Option<u64> {
        let mut state = self.state();
        while !state.is_over && state.next < self.parts && state.next >= state.turn + self.ahead {
            state = self.wait(state);
        }
        if state.is_over || state.next >= self.parts {
            return None;
        }
        state.next += 1;
        Some(state.next - 1)
    }

    /// Tells the newlines of a part that was taken.
    pub(super) fn count(&self, part: u64, newlines: u64) {
        let mut state = self.state();
        state.early.insert(part, newlines);
        while let Some((&last, &before)) = state.before.last_key_value()
            && let Some(more) = state.early.remove(&last)
        {
            state.before.insert(last + 1, before + more);
        }
        self.changed.notify_all();
    }

    /// Gives what a guess starts from, once the newlines before the part are known; `None` if
    /// guesses are not worth it.
    pub(super) fn start(&self, part: u64) -> Option<Start> {
        let mut state = self.state();
        while !state.is_over && !state.before.contains_key(&part) {
            state = self.wait(state);
        }
        let newlines = *state.before.get(&part)?;
        (state.misses < MOST_MISSES).then(|| Start {
            newlines,
            learned: state.learned.clone(),
        })
    }

    /// The turn of a part is over. `held` says whether a guess of it held, where there was one.
    pub(super) fn end_turn(&self, held: Option<bool>, learned: impl FnOnce() -> Learned) {
        let mut state = self.state();
        state.turn += 1;
        let turn = state.turn;
        state.before.retain(|part, _| *part >= turn);
        match held {
            Some(true) => state.misses = 0,
            Some(false) => state.misses += 1,
            None => {}
        }
        state.learned = learned();
        self.changed.notify_all();
    }

    /// Nobody need wait any more.
    fn end(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }
}

/// Ends the order when the reader stops, or when a worker panics: then nobody must wait for it.
pub(super) struct End<'o> {
    order: &'o Order,
    is_reader: bool,
}

impl<'o> End<'o> {
    pub(super) fn of_reader(order: &'o Order) -> Self {
        Self {
            order,
            is_reader: true,
        }
    }

    pub(super) fn of_worker(order: &'o Order) -> Self {
        Self {
            order,
            is_reader: false,
        }
    }
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        if self.is_reader || std::thread::panicking() {
            self.order.end();
        }
    }
}
