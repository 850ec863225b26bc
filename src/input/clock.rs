//! The time that the stream lives in: real, or a script's.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The time since its source was made; clones show the same time.
#[derive(Clone, Debug)]
pub struct Clock(ClockKind);

#[derive(Clone, Debug)]
enum ClockKind {
    Real(Instant),
    Scripted(Rc<Cell<Duration>>),
}

impl Clock {
    /// Starts a clock of real time.
    pub fn real() -> Self {
        Self(ClockKind::Real(Instant::now()))
    }

    /// Starts a clock that stands still until it is moved by [`advance`](Self::advance).
    pub fn scripted() -> Self {
        Self(ClockKind::Scripted(Rc::default()))
    }

    /// Returns the time since the clock was started.
    pub fn now(&self) -> Duration {
        match &self.0 {
            ClockKind::Real(start) => start.elapsed(),
            ClockKind::Scripted(time) => time.get(),
        }
    }

    /// Moves a scripted clock on; a real one cannot be moved and goes on as it does.
    pub fn advance(&self, by: Duration) {
        if let ClockKind::Scripted(time) = &self.0 {
            time.set(time.get() + by);
        }
    }
}
