//! What was found in tracebacks that come again, byte for byte: a loop that logs the same failure
//! each time, a log of thousands of ranks. Only place and time differ.
//!
//! It holds for a stretch of lines that begins with a head, with nothing open before it and nothing
//! after it, and with nothing of interest in the lines above.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use crate::analysis::Failures;
use crate::incident::Failure;
use crate::lines::line_end;
use crate::traceback::stamp::Stamp;

/// The first line of a stretch.
pub(super) const HEAD: &[u8] = b"Traceback (most recent call last):\n";
/// The longest stretch that is remembered, in bytes.
const MAX_TEXT: usize = 64 * 1024;
/// What all of them may take, roughly, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// The lines of which those above a head are remembered.
const LINES_ABOVE: u64 = 8;

/// Where a stretch begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) line: u64,
}

/// What stood above a head.
#[derive(Clone, Copy, Debug)]
pub(super) struct Above {
    /// The nearest time stamp.
    pub(super) time: Option<Stamp>,
}

/// The stretches that were seen.
#[derive(Default)]
pub(super) struct Memo<'c> {
    stretches: HashMap<u64, Vec<Stretch<'c>>>,
    bytes: usize,
}

/// Some lines, and what was found in them.
pub(super) struct Stretch<'c> {
    text: Box<[u8]>,
    state: u64,
    pub(super) newlines: u64,
    /// The first byte of the line behind it, which told that it was over.
    next: Option<u8>,
    found: Vec<Failures<'c>>,
    place: Place,
    /// What the next head has above it; `None` if that reaches farther back.
    pub(super) above: Option<Above>,
}

/// A stretch that is being read.
pub(super) struct Recording<'c> {
    pub(super) place: Place,
    /// The state of the detection, as it was before and is after.
    pub(super) state: u64,
    pub(super) found: Vec<Failures<'c>>,
}

impl<'c> Memo<'c> {
    /// Gives the stretch that `rest` begins with, if it was seen in this state.
    pub(super) fn recall(&self, rest: &[u8], state: u64) -> Option<&Stretch<'c>> {
        let stretches = self.stretches.get(&key(rest)?)?;
        let fits = |s: &&Stretch| {
            s.state == state
                && rest.len() > s.text.len()
                && rest.starts_with(&s.text)
                && s.next == crate::traceback::first_byte(&rest[s.text.len()..])
        };
        stretches.iter().find(fits)
    }

    /// Remembers what was found in a stretch of whole lines.
    pub(super) fn remember(
        &mut self,
        text: &[u8],
        newlines: u64,
        next: Option<u8>,
        recording: Recording<'c>,
        above: Option<Above>,
    ) {
        let Some(key) = key(text).filter(|_| text.len() <= MAX_TEXT) else {
            return;
        };
        // What stands above a failure is either above the stretch or in it.
        let is_between = |failure: &Failure| {
            let lines = failure.at().line.saturating_sub(recording.place.line);
            failure.at().offset != recording.place.offset && lines <= LINES_ABOVE
        };
        if recording.found.iter().flatten().any(is_between) {
            return;
        }
        // A failure takes about as much as its text.
        let bytes = 2 * text.len() + 1024;
        if self.bytes + bytes > MAX_BYTES {
            self.stretches.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
        let Recording {
            place,
            state,
            found,
        } = recording;
        self.stretches.entry(key).or_default().push(Stretch {
            text: text.into(),
            state,
            newlines,
            next,
            found,
            place,
            above: above.filter(|_| newlines >= LINES_ABOVE),
        });
    }
}

impl<'c> Stretch<'c> {
    /// Gives its length in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Tells what was found, as if it stood at another place.
    pub(super) fn tell(&self, place: Place, above: Above, found: &mut dyn FnMut(Failures<'c>)) {
        for failures in &self.found {
            let mut failures = failures.clone();
            for failure in &mut failures {
                self.move_to(failure, place, above);
            }
            found(failures);
        }
    }

    fn move_to(&self, failure: &mut Failure, place: Place, above: Above) {
        let (at, time) = match failure {
            Failure::Known(diagnosis) => (&mut diagnosis.at, &mut diagnosis.time),
            Failure::Unknown { at, time, .. } => (at, time),
        };
        if at.offset == self.place.offset {
            *time = above.time;
        }
        at.line = at.line - self.place.line + place.line;
        at.end_line = at.end_line - self.place.line + place.line;
        at.offset = at.offset - self.place.offset + place.offset;
        at.end_offset = at.end_offset - self.place.offset + place.offset;
    }
}

/// Gives a hash of the lines up to the first that is neither head nor indented: the exception line.
fn key(text: &[u8]) -> Option<u64> {
    let mut end = HEAD.len();
    loop {
        let line = text.get(end..)?;
        let is_inside = line.starts_with(b"  ");
        end += line_end(line)?;
        if !is_inside {
            let mut hasher = DefaultHasher::new();
            hasher.write(&text[..end]);
            return Some(hasher.finish());
        }
    }
}
