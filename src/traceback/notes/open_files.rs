//! How many files the shell that a program was started from lets it open: a note for the exceptions that
//! come of it.
//!
//! ```text
//! OSError: [Errno 24] Too many open files
//! pickfix run: open files: 1024; could be: 65535
//! ```

use super::super::{Exception, Traceback};

/// As a rule this is enough, and some programs try each number up to the limit.
const ENOUGH: u64 = 65535;

/// What the exceptions say: the system's words, and those of a socket that could not hand over a file.
const SAID: [&str; 2] = ["Too many open files", " items of ancdata"];

/// The limit of open files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFiles {
    /// How many a process may have open: `ulimit -n`.
    pub limit: u64,
    /// The most that the limit may be raised to: `ulimit -Hn`; `None` for any number.
    pub highest: Option<u64>,
}

impl OpenFiles {
    /// What the note begins with.
    pub(crate) const NOTE: &str = "pickfix run: open files: ";

    /// Returns whether an exception says that too many files are open.
    pub(crate) fn is_of(exception: &Exception) -> bool {
        let is_said = |line: &String| SAID.iter().any(|said| line.contains(said));
        exception.message.iter().any(is_said)
    }

    /// Adds the note to the exceptions that it belongs to.
    pub(super) fn add_notes(self, traceback: &mut Traceback) {
        for exception in &mut traceback.exceptions {
            if Self::is_of(exception) {
                exception.notes.push(self.note());
            }
        }
    }

    fn note(self) -> String {
        let enough = ENOUGH.max(self.limit.saturating_mul(2));
        let could_be = self.highest.unwrap_or(u64::MAX).min(enough);
        format!("{}{}; could be: {could_be}", Self::NOTE, self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_as_far_as_it_helps_and_may_be() {
        for (limit, highest, note) in [
            (1024, Some(1_048_576), "1024; could be: 65535"),
            (1024, None, "1024; could be: 65535"),
            (1024, Some(4096), "1024; could be: 4096"),
            (4096, Some(4096), "4096; could be: 4096"),
            (100_000, Some(1_048_576), "100000; could be: 200000"),
        ] {
            let note = format!("pickfix run: open files: {note}");
            assert_eq!(OpenFiles { limit, highest }.note(), note);
        }
    }
}
