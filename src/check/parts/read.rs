//! The lines of a part to its failures.

use std::fs::File;
use std::io;

use super::super::scan::Scanner;
use super::super::sifted::Sifted;
use super::sift::Stretch;
use super::{BLOCK, read_at};
use crate::analysis::Failures;
use crate::gate::Gate;
use crate::lines::HISTORY_BYTES;

/// Reads the lines that matter.
pub(super) struct Reader<'f, 's, 'c> {
    file: &'f File,
    gate: &'f Gate,
    scanner: &'s mut Scanner<'c>,
    block: Vec<u8>,
    /// Whether lines were passed whose bytes were not seen.
    has_passed: bool,
}

impl<'f, 's, 'c> Reader<'f, 's, 'c> {
    pub(super) fn new(file: &'f File, gate: &'f Gate, scanner: &'s mut Scanner<'c>) -> Self {
        Self {
            file,
            gate,
            scanner,
            block: Vec::new(),
            has_passed: false,
        }
    }

    pub(super) fn read(
        &mut self,
        stretch: &Stretch,
        found: &mut dyn FnMut(Failures<'c>),
    ) -> io::Result<()> {
        if !stretch.may_matter() && self.scanner.is_idle() {
            self.scanner.pass(stretch.len, stretch.newlines);
            self.has_passed = true;
            return Ok(());
        }
        if self.has_passed {
            self.has_passed = false;
            let before = stretch.offset.min(HISTORY_BYTES as u64);
            self.fill(stretch.offset - before, before)?;
            self.scanner.remember(&self.block);
        }
        let mut at = stretch.offset;
        let end = stretch.offset + stretch.len;
        while at < end {
            let len = (end - at).min(BLOCK as u64);
            self.fill(at, len)?;
            if self.block.is_empty() {
                // The file has shrunk.
                return Ok(());
            }
            at += self.block.len() as u64;
            match &stretch.sifted {
                Some(sifted) if self.block.len() as u64 == stretch.len => {
                    self.scanner.chunk(&self.block, sifted, found);
                }
                _ => {
                    let mut sifted = Sifted::default();
                    sifted.sift(self.gate, &self.block);
                    self.scanner.chunk(&self.block, &sifted, found);
                }
            }
        }
        Ok(())
    }

    fn fill(&mut self, offset: u64, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).expect("a block or less");
        self.block.resize(len, 0);
        let read = read_at(self.file, &mut self.block, offset)?;
        self.block.truncate(read);
        Ok(())
    }
}
