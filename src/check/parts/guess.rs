//! The lines of a part that are read before it is known how the part before it ends.
//!
//! Where a log is full of failures, to read its lines takes far longer than to sift them. So the
//! thread that has sifted such a part reads it too, from a little before it on, with nothing open:
//! what is open at the start of the part has nearly always begun by then. Whether it had is known
//! when the part's turn comes. If the one who reads in order stands at its start as the guess did,
//! line for line, what was found holds; else the part is read again.

use std::io;

use super::super::scan::{Scanner, Standing};
use super::read::Reader;
use super::sift::{Sifter, Stretch};
use super::{BLOCK, read_at};
use crate::analysis::Failures;
use crate::lines::{Position, line_end};
use crate::traceback::lanes::Learned;

/// How far before a part the lines are read, in bytes: twice as far as a lane waits for others.
const BEFORE: u64 = 128 * 1024;

/// What was found in a part, if all was as it was taken to be.
pub(super) struct Guess<'c> {
    start: Standing,
    found: Vec<Failures<'c>>,
    end: Standing,
    /// Whether the last lines were passed without being seen.
    has_passed: bool,
}

/// What a guess starts from.
pub(super) struct Start {
    /// The newlines before the part.
    pub(super) newlines: u64,
    /// The prefixes that were known at the start of some part before.
    pub(super) learned: Learned,
}

/// Whether a part has so much to read that a guess is worth it.
pub(super) fn is_worth_it(part: &[Stretch]) -> bool {
    let len = |stretch: &Stretch| stretch.len;
    let wanted = part.iter().filter(|s| s.may_matter()).map(len);
    4 * wanted.sum::<u64>() > part.iter().map(len).sum()
}

impl<'c> Guess<'c> {
    /// Reads a part.
    pub(super) fn read(
        sifter: &Sifter<'_>,
        part: &[Stretch],
        from: &Start,
        scanner: &mut Scanner<'c>,
    ) -> io::Result<Option<Self>> {
        let Some(first) = part.first() else {
            return Ok(None);
        };
        let before = before(sifter, first.offset)?;
        let number = 1 + from.newlines - before.newlines;
        scanner.begin_at(before.offset, number, &from.learned);
        let mut reader = Reader::new(sifter.file, sifter.gate, scanner);
        reader.has_passed = before.offset > 0;
        if before.len > 0 {
            reader.read(&before, &mut |_| ())?;
        }
        let start = reader.scanner.standing();
        let mut found = Vec::new();
        for stretch in part {
            reader.read(stretch, &mut |failures| found.push(failures))?;
        }
        Ok(Some(Self {
            start,
            found,
            end: reader.scanner.standing(),
            has_passed: reader.has_passed,
        }))
    }

    /// Tells what was found, if the reader stands where the guess began; whether that is so.
    pub(super) fn holds(
        mut self,
        reader: &mut Reader<'_, '_, 'c>,
        found: &mut dyn FnMut(Failures<'c>),
    ) -> bool {
        let holds = reader.scanner.stands_like(&mut self.start);
        if holds {
            self.found.into_iter().for_each(found);
            reader.scanner.take_over(self.end);
            reader.has_passed = self.has_passed;
        }
        holds
    }
}

/// Gives the lines before an offset, where a line starts.
fn before(sifter: &Sifter<'_>, offset: u64) -> io::Result<Stretch> {
    let reach = offset.min(BEFORE);
    let mut text = vec![0; usize::try_from(reach).unwrap_or(BLOCK)];
    let len = read_at(sifter.file, &mut text, offset - reach)?;
    // The first byte may be in the middle of a line.
    let cut = if reach == offset {
        0
    } else {
        line_end(&text[..len]).unwrap_or(len)
    };
    Ok(Stretch {
        offset: offset - reach + cut as u64,
        len: (len - cut) as u64,
        newlines: Position::newlines(&text[cut..len]),
        sifted: None,
    })
}
