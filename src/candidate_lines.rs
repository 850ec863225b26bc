//! The lines of a chunk that may matter: what the gate leaves of it.

use crate::gate::Gate;
use crate::line::{line_end, line_start};

/// The most lines of one chunk that are listed; behind the last one the gate is asked again.
const MOST_LINES: usize = 4096;

/// The lines of a chunk that may matter, found beforehand and perhaps by another thread.
#[derive(Debug, Default)]
pub struct CandidateLines {
    /// Where they start, in bytes from the start of the chunk, in order.
    starts: Vec<usize>,
    /// How far the gate has searched, in bytes from the start of the chunk.
    searched: usize,
    /// Whether that is not all of it.
    is_cut: bool,
}

impl CandidateLines {
    /// Searches a chunk, whose first byte is the first of a line.
    pub fn find(&mut self, gate: &Gate, chunk: &[u8]) {
        self.starts.clear();
        let mut from = 0;
        while self.starts.len() < MOST_LINES {
            let Some(hit) = gate.find(b"", &chunk[from..]) else {
                from = chunk.len();
                break;
            };
            self.starts.push(from + line_start(&chunk[from..], hit));
            from = line_end(&chunk[from + hit..]).map_or(chunk.len(), |len| from + hit + len);
        }
        self.searched = from;
        self.is_cut = from < chunk.len();
    }

    /// Returns whether no line may matter.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Adds a chunk that follows this one, if all of this one was searched; returns whether it was.
    pub fn join(&mut self, next: &Self) -> bool {
        if self.is_cut {
            return false;
        }
        self.starts
            .extend(next.starts.iter().map(|start| self.searched + start));
        self.searched += next.searched;
        self.is_cut = next.is_cut;
        true
    }

    /// Returns whether a line of the chunk, which starts at `at`, may matter.
    pub fn holds(&self, gate: &Gate, at: usize, line: &[u8]) -> bool {
        if at < self.searched {
            self.starts.binary_search(&at).is_ok()
        } else {
            gate.find(b"", line).is_some()
        }
    }

    /// Returns the start of the first line from `at`, a line start, on that may matter.
    pub fn next(&self, gate: &Gate, chunk: &[u8], at: usize) -> Option<usize> {
        let index = self.starts.partition_point(|start| *start < at);
        self.starts.get(index).copied().or_else(|| {
            let from = at.max(self.searched);
            let hit = gate.find(b"", &chunk[from..])?;
            Some(from + line_start(&chunk[from..], hit))
        })
    }
}
