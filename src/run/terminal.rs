//! The user's terminal: raw while the command has it, and as it was on every way out.

use std::io;

use rustix::process::getpgrp;
use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};

/// The terminal on standard input.
pub(super) struct UserTerminal {
    /// Its settings before it was made raw.
    saved: Termios,
    is_raw: bool,
}

impl UserTerminal {
    /// Reads its settings.
    pub(super) fn of_stdin() -> io::Result<Self> {
        Ok(Self {
            saved: tcgetattr(stdin())?,
            is_raw: false,
        })
    }

    /// Returns its settings before it was made raw.
    pub(super) fn saved(&self) -> &Termios {
        &self.saved
    }

    /// Returns whether keys come one by one, for the command to make of them what it likes.
    pub(super) fn is_raw(&self) -> bool {
        self.is_raw
    }

    /// Makes it raw, where it is ours to use; returns whether it is.
    pub(super) fn take(&mut self) -> bool {
        if !is_foreground() {
            return false;
        }
        if !self.is_raw {
            // The shell may have other settings since.
            if let Ok(now) = tcgetattr(stdin()) {
                self.saved = now;
            }
            let mut raw = self.saved.clone();
            raw.make_raw();
            self.is_raw = tcsetattr(stdin(), OptionalActions::Now, &raw).is_ok();
        }
        true
    }

    /// Makes it what it was.
    pub(super) fn give_back(&mut self) {
        if std::mem::take(&mut self.is_raw) {
            restore(&self.saved);
        }
    }
}

impl Drop for UserTerminal {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Gives the terminal on standard input these settings.
pub(super) fn restore(settings: &Termios) {
    // A terminal that is gone needs nothing.
    let _ = tcsetattr(stdin(), OptionalActions::Now, settings);
}

/// Returns whether our process group has the terminal; one in the background must not touch it.
fn is_foreground() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp())
}
