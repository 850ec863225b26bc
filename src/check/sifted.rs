//! The lines of a chunk that may matter: what the gate leaves of it.

use crate::gate::Gate;
use crate::lines::{Position, line_end, line_start};

/// The most lines of one chunk that are listed; behind the last one the gate is asked again.
const MAX_WANTED: usize = 4096;

/// The lines of a chunk that may matter, found beforehand and perhaps by another thread.
#[derive(Debug, Default)]
pub(super) struct Sifted {
    wanted: Vec<Wanted>,
    /// How far the gate has searched, in bytes from the start of the chunk.
    pub(super) searched: usize,
    /// The newlines up to there.
    pub(super) newlines: u64,
    /// Whether that is not all of it.
    is_cut: bool,
}

/// A line that may matter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Where it starts, in bytes from the start of the chunk.
    pub(super) at: usize,
    /// The newlines before it.
    pub(super) newlines: u64,
}

impl Sifted {
    /// Searches a chunk.
    pub(super) fn sift(&mut self, gate: &Gate, chunk: &[u8]) {
        self.wanted.clear();
        let (mut from, mut newlines) = (0, 0);
        while self.wanted.len() < MAX_WANTED {
            let Some(hit) = gate.find(b"", &chunk[from..]) else {
                break;
            };
            let at = from + line_start(&chunk[from..], hit);
            newlines += Position::newlines(&chunk[from..at]);
            self.wanted.push(Wanted { at, newlines });
            let Some(len) = line_end(&chunk[from + hit..]) else {
                from = chunk.len();
                break;
            };
            from += hit + len;
            newlines += 1;
        }
        if self.wanted.len() < MAX_WANTED && from < chunk.len() {
            newlines += Position::newlines(&chunk[from..]);
            from = chunk.len();
        }
        (self.searched, self.newlines) = (from, newlines);
        self.is_cut = from < chunk.len();
    }

    /// Whether no line may matter.
    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Gives the newlines of the chunk; `None` if it was not searched to its end.
    pub(super) fn newlines(&self) -> Option<u64> {
        (!self.is_cut).then_some(self.newlines)
    }

    /// Adds a chunk that follows this one, if all of this one was searched.
    pub(super) fn join(&mut self, next: &Self) -> bool {
        if self.is_cut {
            return false;
        }
        let wanted = next.wanted.iter().map(|wanted| Wanted {
            at: self.searched + wanted.at,
            newlines: self.newlines + wanted.newlines,
        });
        self.wanted.extend(wanted);
        self.searched += next.searched;
        self.newlines += next.newlines;
        self.is_cut = next.is_cut;
        true
    }

    /// Gives the first line from `at` on that may matter.
    pub(super) fn next(&self, at: usize) -> Option<Wanted> {
        let index = self.wanted.partition_point(|wanted| wanted.at < at);
        self.wanted.get(index).copied()
    }
}
