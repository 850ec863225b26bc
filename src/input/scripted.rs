//! A source that plays a script, for tests: time and reads are data, and nothing sleeps.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use super::{Clock, Event, Signal, Source, Wait};

/// One thing that happens in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// One read brings these bytes; an empty one is left out.
    Bytes(Vec<u8>),
    /// Nothing is readable for as long as the reader likes to wait. A reader that would wait for
    /// ever notices nothing of it.
    Quiet,
    /// Time passes before what comes next, and nothing is readable meanwhile.
    Advance(Duration),
    /// Another FILE begins.
    NextFile(String),
    /// A signal comes.
    Stopped(Signal),
}

impl Step {
    /// Gives a step that brings this text.
    pub fn text(text: &str) -> Self {
        Self::Bytes(text.as_bytes().to_vec())
    }
}

/// Looks at all the bytes given so far.
type Check = Box<dyn FnMut(&[u8])>;

/// Plays steps in order, then [`Event::Eof`] for ever.
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
        assert_eq!(source.next(Wait::Forever).unwrap(), Event::Bytes(b"a"));
        assert_eq!(source.now(), Duration::from_secs(9));
    }

    #[test]
    fn the_check_sees_what_was_delivered_before_each_event() {
        use std::cell::RefCell;
        use std::rc::Rc;
        let seen = Rc::new(RefCell::new(Vec::new()));
        let log = Rc::clone(&seen);
        let mut source =
            Scripted::cut(b"abc", 2).before_each(move |all| log.borrow_mut().push(all.to_vec()));
        while source.next(Wait::Forever).unwrap() != Event::Eof {}
        assert_eq!(
            *seen.borrow(),
            [b"".to_vec(), b"ab".to_vec(), b"abc".to_vec()]
        );
    }
}
