//! A second stream of the command: what it prints on stderr, where that goes elsewhere.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};

use super::LINGER;
use crate::input::{Clock, Event, READ_SIZE, Source, Wait};

/// Reads a second stream, in a thread of its own.
pub(crate) struct Side {
    output: OwnedFd,
    /// Closed by the other side when the command has ended.
    end: OwnedFd,
    ended: Option<Instant>,
    buffer: Box<[u8]>,
}

enum Reading {
    Bytes(usize),
    Quiet,
    Eof,
}

impl Side {
    pub(super) fn new(output: OwnedFd, end: OwnedFd) -> Self {
        Self {
            output,
            end,
            ended: None,
            buffer: vec![0; READ_SIZE].into_boxed_slice(),
        }
    }

    fn wait(&mut self, wait: Wait) -> io::Result<Reading> {
        let limit = match (self.ended, wait) {
            (Some(ended), _) => Some(LINGER.saturating_sub(ended.elapsed())),
            (None, Wait::AtMost(limit)) => Some(limit),
            (None, Wait::Forever) => None,
        };
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        loop {
            let mut fds = [
                PollFd::new(&self.output, PollFlags::IN),
                PollFd::new(&self.end, PollFlags::IN),
            ];
            // An end that was seen would stay readable.
            let count = if self.ended.is_some() { 1 } else { 2 };
            match poll(&mut fds[..count], limit.as_ref()) {
                Ok(0) if self.ended.is_some() => return Ok(Reading::Eof),
                Ok(0) => return Ok(Reading::Quiet),
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            if !fds[0].revents().is_empty() {
                return match read(&self.output, &mut *self.buffer) {
                    Ok(0) | Err(Errno::IO) => Ok(Reading::Eof),
                    Ok(count) => Ok(Reading::Bytes(count)),
                    Err(Errno::INTR | Errno::AGAIN) => continue,
                    Err(error) => Err(error.into()),
                };
            }
            self.ended = Some(Instant::now());
            return Ok(Reading::Quiet);
        }
    }
}

impl Source for Side {
    fn next(&mut self, wait: Wait) -> io::Result<Event<'_>> {
        Ok(match self.wait(wait)? {
            Reading::Bytes(count) => Event::Bytes(&self.buffer[..count]),
            Reading::Quiet => Event::Quiet,
            Reading::Eof => Event::Eof,
        })
    }

    fn clock(&self) -> Clock {
        Clock::real()
    }
}
