//! The text that `--fold` holds back while a traceback is open in it.

use std::ops::Range;

use crate::bug;
use crate::corpus::Failure;
use crate::incident::Notice;
use crate::line::line_end;
use crate::traceback::fold::{FoldSigns, fold};

/// The most that is held back, in bytes; what is longer goes out as it is.
const MAX_HELD: usize = 1024 * 1024;

/// What goes out next.
pub(super) enum HeldPiece<'c> {
    /// Text, folded or not.
    Text(Vec<u8>),
    /// What is to be said behind it.
    Notices(Vec<Notice<'c>>),
}

/// The text that is held back, and what is known of it.
pub(super) struct HeldText<'c> {
    signs: FoldSigns,
    text: Vec<u8>,
    /// The offset of its first byte in the file.
    start: u64,
    /// Whether a line that has gone out goes on with it.
    is_inside_line: bool,
    /// The tracebacks to be folded, by their offsets in the file; they may overlap.
    tracebacks: Vec<Range<u64>>,
    /// What is to be said, with the offset before which it stands, in order.
    notices: Vec<(u64, Vec<Notice<'c>>)>,
}

impl<'c> HeldText<'c> {
    pub(super) fn new(signs: FoldSigns) -> Self {
        Self {
            signs,
            text: Vec::new(),
            start: 0,
            is_inside_line: false,
            tracebacks: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// Adds text that has come.
    pub(super) fn push(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    /// Takes note of a traceback that is complete, by the failures that it is.
    pub(super) fn complete(&mut self, failures: &[Failure]) {
        let first = failures.first().map(|failure| failure.at);
        self.tracebacks
            .extend(first.map(|at| at.offset..at.end_offset));
    }

    /// Takes what is to be said behind the text that has come so far.
    pub(super) fn say(&mut self, notices: Vec<Notice<'c>>) {
        self.notices.push((self.end(), notices));
    }

    /// Begins another file: offsets count from 0 again. All text must have gone out.
    pub(super) fn next_file(&mut self) {
        debug_assert!(self.text.is_empty());
        self.start = 0;
        self.is_inside_line = false;
    }

    /// Returns whether text is held back.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Takes out what goes out now: all before the first traceback that is still open, or all if
    /// none is or too much is held.
    pub(super) fn release(&mut self, open_from: Option<u64>) -> Vec<HeldPiece<'c>> {
        let end = match open_from {
            Some(open) if self.text.len() <= MAX_HELD => self.before(open),
            _ => self.end(),
        };
        let mut pieces = Vec::new();
        while self.notices.first().is_some_and(|(at, _)| *at <= end) {
            let (at, notices) = self.notices.remove(0);
            self.take_text(at, &mut pieces);
            pieces.push(HeldPiece::Notices(notices));
        }
        self.take_text(end, &mut pieces);
        self.tracebacks.retain(|traceback| traceback.end > end);
        pieces
    }

    /// Returns the last offset up to this one that no traceback goes across, so that the cuts of
    /// the input make no difference to what is folded.
    fn before(&self, offset: u64) -> u64 {
        let mut end = offset.clamp(self.start, self.end());
        while let Some(across) = self
            .tracebacks
            .iter()
            .find(|t| t.start < end && end < t.end)
        {
            end = across.start.max(self.start);
            if end == self.start {
                break;
            }
        }
        end
    }

    /// Takes the text before an offset, its tracebacks folded.
    fn take_text(&mut self, end: u64, pieces: &mut Vec<HeldPiece<'c>>) {
        let length = usize::try_from(end.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let text: Vec<u8> = self.text.drain(..length.min(self.text.len())).collect();
        let start = self.start;
        self.start += text.len() as u64;
        let index = |offset: u64| {
            let index = usize::try_from(offset.saturating_sub(start));
            index.map_or(text.len(), |index| index.min(text.len()))
        };
        let mut out = Vec::with_capacity(text.len());
        let mut done = 0;
        self.tracebacks.sort_by_key(|traceback| traceback.start);
        for traceback in &self.tracebacks {
            let mut from = index(traceback.start).max(done);
            let is_begun = traceback.start < start || index(traceback.start) < done;
            if traceback.start < start && from == 0 && self.is_inside_line {
                from = line_end(&text).unwrap_or(text.len());
            }
            let to = index(traceback.end);
            if from < to {
                out.extend_from_slice(&text[done..from]);
                out.extend(folded(&text[from..to], is_begun, self.signs));
                done = to;
            }
        }
        out.extend_from_slice(&text[done..]);
        if let Some(last) = text.last() {
            self.is_inside_line = *last != b'\n';
        }
        if !out.is_empty() {
            pieces.push(HeldPiece::Text(out));
        }
    }

    fn end(&self) -> u64 {
        self.start + self.text.len() as u64
    }
}

/// Folds a text; where that fails, it goes out as it is.
fn folded(text: &[u8], is_begun: bool, signs: FoldSigns) -> Vec<u8> {
    bug::caught(|| fold(text, is_begun, signs)).unwrap_or_else(|_| text.to_vec())
}
