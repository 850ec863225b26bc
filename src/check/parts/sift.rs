//! Which lines of a part may matter: the gate, at memory speed.

use std::fs::File;
use std::io;

use super::{BLOCK, PartPlan, read_at};
use crate::candidate_lines::CandidateLines;
use crate::gate::{Gate, LONGEST_NEEDLE};
use crate::line::{last_line_end, line_end, newlines};

/// The size of a stretch, in bytes: so much is read again for a line that matters.
const STRETCH: usize = 64 * 1024;

/// How much is read beyond a part for the rest of its last line, in bytes: few lines are longer.
const LINE: usize = 4 * 1024;

/// Some whole lines of the file; the last one of the file may lack its newline.
#[derive(Debug)]
pub(super) struct Stretch {
    /// Where they start, in bytes.
    pub(super) offset: u64,
    pub(super) len: u64,
    pub(super) newlines: u64,
    /// What is known of them; `None` for a line that is too long for that and may matter.
    pub(super) candidates: Option<CandidateLines>,
}

/// Notes which lines of a part may matter.
pub(super) struct Sifter<'f> {
    pub(super) file: &'f File,
    pub(super) plan: PartPlan,
    pub(super) gate: &'f Gate,
}

impl Sifter<'_> {
    /// Sifts the lines that start in a part.
    pub(super) fn part(&self, number: u64, block: &mut [u8]) -> io::Result<Vec<Stretch>> {
        let start = number * self.plan.part;
        let end = (start + self.plan.part).min(self.plan.len);
        let mut stretches = Vec::new();
        let Some(mut at) = self.line_start(start, end, block)? else {
            return Ok(stretches);
        };
        while at < end {
            let left = (self.plan.len - at).min(end - at + LINE as u64);
            let wanted = usize::try_from(left).map_or(BLOCK, |left| left.min(BLOCK));
            let len = read_at(self.file, &mut block[..wanted], at)?;
            if len == 0 {
                break;
            }
            let is_end = at + len as u64 >= self.plan.len || len < wanted;
            // Up to the last line that starts in this part.
            let mut whole = if is_end {
                len
            } else {
                last_line_end(&block[..len])
            };
            if at + whole as u64 > end {
                let inside = usize::try_from(end - at).expect("less than a block");
                let last = inside.saturating_sub(1);
                whole = line_end(&block[last..whole]).map_or(whole, |len| last + len);
            }
            if whole == 0 {
                at = self.long_line(at, block, &mut stretches)?;
                continue;
            }
            self.sift(at, &block[..whole], &mut stretches);
            at += whole as u64;
        }
        Ok(stretches)
    }

    /// Finds the first line that starts in a part.
    fn line_start(&self, start: u64, end: u64, block: &mut [u8]) -> io::Result<Option<u64>> {
        if start == 0 {
            return Ok(Some(0));
        }
        // A newline just before the part makes a line start at its first byte.
        let mut at = start - 1;
        let mut most = LINE;
        while at + 1 < end {
            let len = read_at(self.file, &mut block[..most], at)?;
            if len == 0 {
                break;
            }
            if let Some(found) = line_end(&block[..len]) {
                let found = at + found as u64;
                return Ok((found < end).then_some(found));
            }
            at += len as u64;
            most = STRETCH;
        }
        Ok(None)
    }

    /// Sifts a line that is longer than a block; returns where the next one starts.
    fn long_line(&self, start: u64, block: &mut [u8], to: &mut Vec<Stretch>) -> io::Result<u64> {
        let mut at = start;
        let mut before = Vec::new();
        let mut may_matter = false;
        loop {
            let len = read_at(self.file, block, at)?;
            let end = line_end(&block[..len]);
            let piece = &block[..end.unwrap_or(len)];
            at += piece.len() as u64;
            may_matter = may_matter || self.gate.find(&before, piece).is_some();
            before.clear();
            before.extend_from_slice(&piece[piece.len().saturating_sub(LONGEST_NEEDLE)..]);
            if end.is_some() || len == 0 || at >= self.plan.len {
                to.push(Stretch {
                    offset: start,
                    len: at - start,
                    newlines: u64::from(end.is_some()),
                    candidates: (!may_matter).then(CandidateLines::default),
                });
                // Nothing more can be read: the part is over.
                return Ok(if len == 0 { u64::MAX } else { at });
            }
        }
    }

    /// Sifts whole lines, stretch by stretch; neighbours become one, unless just one of the two has a
    /// line that matters.
    fn sift(&self, offset: u64, lines: &[u8], to: &mut Vec<Stretch>) {
        let mut at = 0;
        while at < lines.len() {
            let rest = &lines[at..];
            let len = match rest.get(..STRETCH).map(last_line_end) {
                None => rest.len(),
                Some(0) => line_end(rest).unwrap_or(rest.len()),
                Some(len) => len,
            };
            let mut candidates = CandidateLines::default();
            candidates.find(self.gate, &rest[..len]);
            let stretch = Stretch {
                offset: offset + at as u64,
                len: len as u64,
                newlines: newlines(&rest[..len]),
                candidates: Some(candidates),
            };
            at += len;
            let joins = to.last_mut().is_some_and(|last| last.joins(&stretch));
            if !joins {
                to.push(stretch);
            }
        }
    }
}

impl Stretch {
    /// Returns whether lines in it may matter.
    pub(super) fn may_matter(&self) -> bool {
        self.candidates.as_ref().is_none_or(|c| !c.is_empty())
    }

    /// Takes another stretch in, if neither has a line that matters, or both have and the two can be
    /// read at once.
    fn joins(&mut self, next: &Self) -> bool {
        let (Some(own), Some(others)) = (&mut self.candidates, &next.candidates) else {
            return false;
        };
        let fit = own.is_empty() || self.len + next.len <= BLOCK as u64;
        if own.is_empty() != others.is_empty() || !fit || !own.join(others) {
            return false;
        }
        self.len += next.len;
        self.newlines += next.newlines;
        true
    }
}
