//! The lines of a part to its failures.

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::time::Duration;

use super::sift::Stretch;
use super::{BLOCK, read_at};
use crate::candidate_lines::CandidateLines;
use crate::history::HISTORY_BYTES;
use crate::reader::{LineReader, Sink};

/// How much of a file's first line is looked at where it cannot matter, in bytes.
const FIRST_LINE: u64 = 4096;

/// Reads the lines that matter.
pub(super) struct PartReader<'f, 's, 'c> {
    file: &'f File,
    lines: &'s mut LineReader<'c>,
    block: Vec<u8>,
    /// Whether lines were passed whose bytes were not seen.
    has_passed: bool,
}

impl<'f, 's, 'c> PartReader<'f, 's, 'c> {
    pub(super) fn new(file: &'f File, lines: &'s mut LineReader<'c>) -> Self {
        Self {
            file,
            lines,
            block: Vec::new(),
            has_passed: false,
        }
    }

    pub(super) fn read(
        &mut self,
        stretch: &Stretch,
        sink: &mut impl Sink<'c, Error = Infallible>,
    ) -> io::Result<()> {
        if !stretch.may_matter() && self.lines.is_idle() {
            if stretch.offset == 0 {
                let len = self.fill(0, stretch.len.min(FIRST_LINE))?;
                self.lines.see_start(&self.block[..len]);
            }
            self.lines.pass_over(stretch.len, stretch.newlines);
            self.has_passed = true;
            return Ok(());
        }
        if self.has_passed {
            self.has_passed = false;
            let before = stretch.offset.min(HISTORY_BYTES as u64);
            let len = self.fill(stretch.offset - before, before)?;
            self.lines.remember(&self.block[..len]);
        }
        let mut at = stretch.offset;
        let end = stretch.offset + stretch.len;
        while at < end {
            let len = self.fill(at, (end - at).min(BLOCK as u64))?;
            if len == 0 {
                // The file has shrunk.
                return Ok(());
            }
            at += len as u64;
            let block = &self.block[..len];
            let found;
            let candidates = match &stretch.candidates {
                Some(candidates) if len as u64 == stretch.len => candidates,
                _ => {
                    let mut here = CandidateLines::default();
                    here.find(self.lines.engine().gate(), block);
                    found = here;
                    &found
                }
            };
            let Ok(()) = self.lines.chunk(block, candidates, Duration::ZERO, sink);
        }
        Ok(())
    }

    /// Reads bytes of the file to the start of the block; returns how many.
    fn fill(&mut self, offset: u64, len: u64) -> io::Result<usize> {
        let len = usize::try_from(len).expect("a block or less");
        if self.block.len() < len {
            self.block.resize(len, 0);
        }
        read_at(self.file, &mut self.block[..len], offset)
    }
}
