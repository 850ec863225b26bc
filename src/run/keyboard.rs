//! What is typed, on its way to the command's terminal.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::PollFlags;
use rustix::io::{Errno, read, write};
use rustix::stdio::stdin;

/// How much is read at once, in bytes.
const SIZE: usize = 4096;

/// Carries what is typed, no faster than the command's terminal takes it.
#[derive(Default)]
pub(super) struct Keyboard {
    waiting: Vec<u8>,
    is_closed: bool,
}

impl Keyboard {
    /// Returns what to wait for, if anything is to be read.
    pub(super) fn wants(&self) -> Option<BorrowedFd<'static>> {
        (self.waiting.is_empty() && !self.is_closed).then(stdin)
    }

    /// Returns what to wait for on the command's terminal besides its output.
    pub(super) fn writes(&self) -> PollFlags {
        if self.waiting.is_empty() {
            PollFlags::empty()
        } else {
            PollFlags::OUT
        }
    }

    /// Reads what was typed, and passes it on.
    pub(super) fn read(&mut self, to: &OwnedFd) {
        let mut bytes = [0; SIZE];
        match read(stdin(), &mut bytes) {
            Ok(0) => self.is_closed = true,
            Ok(count) => {
                self.waiting.extend_from_slice(&bytes[..count]);
                self.write(to);
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            // The terminal is gone; a SIGHUP says so too.
            Err(_) => self.is_closed = true,
        }
    }

    /// Passes on what waits.
    pub(super) fn write(&mut self, to: &OwnedFd) {
        while !self.waiting.is_empty() {
            match write(to.as_fd(), &self.waiting) {
                Ok(count) => drop(self.waiting.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.waiting.clear(),
            }
        }
    }
}
