//! Who sifts which part, and how far ahead of the one that is read.

use std::sync::{Condvar, Mutex, MutexGuard};

/// What the threads that read one file know together.
#[derive(Debug)]
pub(super) struct Order {
    state: Mutex<State>,
    changed: Condvar,
    parts: u64,
    /// How many parts may be sifted ahead of the one whose turn it is.
    ahead: u64,
}

#[derive(Debug)]
struct State {
    /// The part that is taken next.
    next: u64,
    /// The part whose turn it is.
    turn: u64,
    is_over: bool,
}

impl Order {
    pub(super) fn new(parts: u64, ahead: u64) -> Self {
        Self {
            state: Mutex::new(State {
                next: 0,
                turn: 0,
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

    /// Takes the next part, once it is not too far ahead; `None` if there is none, or all is over.
    pub(super) fn take(&self) -> Option<u64> {
        let is_early = |state: &mut State| {
            !state.is_over && state.next < self.parts && state.next >= state.turn + self.ahead
        };
        let mut state = self
            .changed
            .wait_while(self.state(), is_early)
            .expect("nothing panics under the lock");
        if state.is_over || state.next >= self.parts {
            return None;
        }
        state.next += 1;
        Some(state.next - 1)
    }

    /// The turn of a part is over.
    pub(super) fn end_turn(&self) {
        self.state().turn += 1;
        self.changed.notify_all();
    }
}

/// Ends the order when it is dropped: nobody waits any more.
pub(super) enum End<'o> {
    /// The reader has returned, or panicked.
    Reader(&'o Order),
    /// A worker has panicked: its part never comes.
    Worker(&'o Order),
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        let order = match self {
            Self::Worker(_) if !std::thread::panicking() => return,
            Self::Reader(order) | Self::Worker(order) => order,
        };
        order.state().is_over = true;
        order.changed.notify_all();
    }
}
