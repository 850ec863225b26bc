//! A source that plays a script, for tests: time and reads are data, and nothing sleeps.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use super::{Clock, Event, Signal, Source, Wait};

/// One thing that happens in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// One read brings these bytes; an empty one is left out.
    Bytes(Vec<u8>),
    /// Nothing is readable for as long as the reader likes to wait. A reader that would wait
    /// forever notices nothing of it.
    Quiet,
    /// Time passes before what comes next, and nothing is readable meanwhile.
    Advance(Duration),
    /// Another FILE begins.
    NextFile(String),
    /// A signal comes.
    Stopped(Signal),
}

impl Step {
    /// Returns a step that brings this text.
    pub fn text(text: &str) -> Self {
        Self::Bytes(text.as_bytes().to_vec())
    }
}

/// Looks at all the bytes given so far.
type Check = Box<dyn FnMut(&[u8])>;

/// Plays steps in order, then [`Event::Eof`] from there on.
pub struct Scripted {
    steps: VecDeque<Step>,
    current: Step,
    clock: Clock,
    delivered: Vec<u8>,
    before_each: Option<Check>,
}

impl Scripted {
    /// Takes the steps to play.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: steps.into_iter().collect(),
            current: Step::Quiet,
            clock: Clock::scripted(),
            delivered: Vec::new(),
            before_each: None,
        }
    }

    /// Cuts this text into reads of at most `size` bytes.
    pub fn cut(text: &[u8], size: usize) -> Self {
        Self::new(text.chunks(size).map(|chunk| Step::Bytes(chunk.to_vec())))
    }

    /// Calls this before each event with all bytes given so far, where a real source could block:
    /// the place to assert that all of them have been written.
    #[must_use]
    pub fn before_each(mut self, check: impl FnMut(&[u8]) + 'static) -> Self {
        self.before_each = Some(Box::new(check));
        self
    }
}

impl Source for Scripted {
    fn next(&mut self, wait: Wait) -> io::Result<Event<'_>> {
        if let Some(check) = &mut self.before_each {
            check(&self.delivered);
        }
        let mut left = match wait {
            Wait::Forever => None,
            Wait::AtMost(limit) => Some(limit),
        };
        loop {
            let Some(step) = self.steps.pop_front() else {
                return Ok(Event::Eof);
            };
            match (&step, left) {
                (Step::Bytes(bytes), _) if bytes.is_empty() => continue,
                (Step::Quiet, None) => continue,
                (Step::Quiet, Some(limit)) => self.clock.advance(limit),
                (Step::Advance(by), Some(limit)) if *by >= limit => {
                    self.clock.advance(limit);
                    self.steps
                        .push_front(Step::Advance(by.saturating_sub(limit)));
                    return Ok(Event::Quiet);
                }
                (Step::Advance(by), _) => {
                    self.clock.advance(*by);
                    left = left.map(|limit| limit.saturating_sub(*by));
                    continue;
                }
                (Step::Bytes(bytes), _) => self.delivered.extend_from_slice(bytes),
                (Step::NextFile(_) | Step::Stopped(_), _) => {}
            }
            self.current = step;
            return Ok(match &self.current {
                Step::Bytes(bytes) => Event::Bytes(bytes),
                Step::Quiet | Step::Advance(_) => Event::Quiet,
                Step::NextFile(name) => Event::NextFile(name),
                Step::Stopped(signal) => Event::Stopped(*signal),
            });
        }
    }

    fn clock(&self) -> Clock {
        self.clock.clone()
    }
}

/// A writer that keeps what is written; clones share it, so a check can look while others write.
#[derive(Clone, Debug, Default)]
pub struct Tape(Rc<RefCell<Vec<u8>>>);

impl Tape {
    /// Returns what was written so far.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.borrow().clone()
    }
}

impl io::Write for Tape {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENTH: Wait = Wait::AtMost(Duration::from_millis(100));

    #[test]
    fn steps_come_in_order_and_then_the_end() {
        let mut source = Scripted::new([
            Step::text("a"),
            Step::NextFile("b.log".into()),
            Step::text("b"),
        ]);
        assert_eq!(source.next(Wait::Forever).unwrap(), Event::Bytes(b"a"));
        assert_eq!(
            source.next(Wait::Forever).unwrap(),
            Event::NextFile("b.log")
        );
        assert_eq!(source.next(TENTH).unwrap(), Event::Bytes(b"b"));
        assert_eq!(source.next(TENTH).unwrap(), Event::Eof);
        assert_eq!(source.next(Wait::Forever).unwrap(), Event::Eof);
    }

    #[test]
    fn a_pause_is_quiet_for_each_wait_that_fits_into_it() {
        let mut source =
            Scripted::new([Step::Advance(Duration::from_millis(250)), Step::text("a")]);
        let clock = source.clock();
        assert_eq!(source.next(TENTH).unwrap(), Event::Quiet);
        assert_eq!(source.next(TENTH).unwrap(), Event::Quiet);
        assert_eq!(source.next(TENTH).unwrap(), Event::Bytes(b"a"));
        assert_eq!(clock.now(), Duration::from_millis(250));
    }

    #[test]
    fn who_waits_for_ever_sees_no_quiet_but_the_time_passes() {
        let mut source = Scripted::new([
            Step::Quiet,
            Step::Advance(Duration::from_secs(9)),
            Step::text("a"),
        ]);
        let clock = source.clock();
        assert_eq!(source.next(Wait::Forever).unwrap(), Event::Bytes(b"a"));
        assert_eq!(clock.now(), Duration::from_secs(9));
    }

    #[test]
    fn the_check_can_compare_what_came_with_what_was_written() {
        use crate::out::Out;

        let tape = Tape::default();
        let seen = tape.clone();
        let mut source =
            Scripted::cut(b"abc", 2).before_each(move |given| assert_eq!(seen.bytes(), given));
        let mut out = Out::new(tape.clone());
        while let Event::Bytes(bytes) = source.next(Wait::Forever).unwrap() {
            out.forward(bytes).unwrap();
        }
        assert_eq!(tape.bytes(), b"abc");
    }
}
