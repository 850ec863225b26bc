//! What was found in tracebacks that come again, byte for byte: a loop that logs the same failure
//! each time, a log of thousands of ranks. Only place and time differ.
//!
//! It holds for a stretch of lines that begins with a head, with nothing open before it and nothing
//! after it, and with the same lines of interest above it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use crate::analysis::Failures;
use crate::incident::Failure;
use crate::lines::line_end;
use crate::traceback::first_byte;
use crate::traceback::lanes::RECENT_LINES;
use crate::traceback::stamp::Stamp;

/// The first line of a stretch, up to its line end.
const HEAD: &[u8] = b"Traceback (most recent call last):";
/// The longest stretch that is remembered, in bytes.
const MAX_TEXT: usize = 256 * 1024;
/// What all of them may take unless it is said otherwise, roughly, in bytes.
const ROOM: usize = 1024 * 1024;
/// How many lines above a head have a bearing on it.
const LINES_ABOVE: u64 = RECENT_LINES as u64;

/// Where a stretch begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) line: u64,
}

/// What stood above a head.
#[derive(Clone, Copy, Debug)]
pub(super) struct Above {
    /// A hash of the lines that have a bearing on the traceback; 0: none.
    pub(super) hash: u64,
    /// The time stamp that it takes from them.
    pub(super) time: Option<Stamp>,
}

/// What stands behind a stretch, as far as it tells that the stretch is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing: it was over with its last line.
    Anything,
    /// The first byte of a line, `None` of an empty one; that line is read, whatever it is.
    Byte(Option<u8>),
    /// A head.
    Head,
}

impl Next {
    pub(super) fn of(rest: &[u8]) -> Self {
        Self::Byte(first_byte(rest))
    }

    fn fits(self, rest: &[u8]) -> bool {
        match self {
            Self::Anything => true,
            Self::Byte(byte) => byte == first_byte(rest),
            Self::Head => starts_with_head(rest),
        }
    }
}

/// The stretches that were seen.
pub(super) struct Memo<'c> {
    stretches: HashMap<u64, Vec<Stretch<'c>>>,
    bytes: usize,
    /// What they may take, in bytes.
    pub(super) room: usize,
}

impl Default for Memo<'_> {
    fn default() -> Self {
        Self {
            stretches: HashMap::new(),
            bytes: 0,
            room: ROOM,
        }
    }
}

/// Some lines, and what was found in them.
pub(super) struct Stretch<'c> {
    text: Box<[u8]>,
    state: u64,
    above_hash: u64,
    /// Whether a failure other than the first would take a time stamp from above the stretch.
    looks_out: bool,
    pub(super) newlines: u64,
    /// What told that it was over.
    pub(super) next: Next,
    found: Vec<Failures<'c>>,
    place: Place,
    /// What the next head has above it; `None` if that reaches farther back.
    pub(super) above_next: Option<Above>,
}

/// A stretch that is being read.
pub(super) struct Recording<'c> {
    pub(super) place: Place,
    /// What stands above it.
    pub(super) above: Above,
    /// The state of the detection, as it was before and is after.
    pub(super) state: u64,
    pub(super) found: Vec<Failures<'c>>,
}

impl<'c> Memo<'c> {
    /// Gives the stretch that `rest` begins with, if it was seen in this state and below these lines.
    pub(super) fn recall(&self, rest: &[u8], state: u64, above: Above) -> Option<&Stretch<'c>> {
        let stretches = self.stretches.get(&key(rest)?)?;
        let fits = |s: &&Stretch| {
            (s.state, s.above_hash) == (state, above.hash)
                && !(s.looks_out && above.time.is_some())
                && rest.len() > s.text.len()
                && rest.starts_with(&s.text)
                && s.next.fits(&rest[s.text.len()..])
        };
        stretches.iter().find(fits)
    }

    /// Remembers what was found in a stretch of whole lines.
    pub(super) fn remember(
        &mut self,
        text: &[u8],
        newlines: u64,
        next: Next,
        recording: Recording<'c>,
        above_next: Option<Above>,
    ) {
        // A heading that was taken would be taken again from above a short stretch.
        if recording.above.hash != 0 && newlines < LINES_ABOVE {
            return;
        }
        let Some(key) = key(text).filter(|_| text.len() <= MAX_TEXT) else {
            return;
        };
        let is_near = |failure: &Failure| {
            failure.at().offset > recording.place.offset
                && failure.at().line - recording.place.line <= LINES_ABOVE
        };
        let looks_out = recording.found.iter().flatten().any(is_near);
        if looks_out && recording.above.time.is_some() {
            return;
        }
        // A failure takes about as much as its text.
        let bytes = 2 * text.len() + 1024;
        if bytes > self.room {
            return;
        }
        if self.bytes + bytes > self.room {
            self.stretches.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
        let Recording {
            place,
            above,
            state,
            found,
        } = recording;
        self.stretches.entry(key).or_default().push(Stretch {
            text: text.into(),
            state,
            above_hash: above.hash,
            looks_out,
            newlines,
            next,
            found,
            place,
            above_next: above_next.filter(|_| newlines >= LINES_ABOVE),
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
        let (at, time) = failure.place_mut();
        // One with a heading begins above the stretch.
        if at.offset <= self.place.offset {
            *time = above.time;
        }
        at.line = place.line + at.line - self.place.line;
        at.end_line = place.line + at.end_line - self.place.line;
        at.offset = place.offset + at.offset - self.place.offset;
        at.end_offset = place.offset + at.end_offset - self.place.offset;
    }
}

/// Whether the first line is a head and nothing else.
pub(super) fn starts_with_head(rest: &[u8]) -> bool {
    let behind = rest.strip_prefix(HEAD);
    behind.is_some_and(|behind| behind.starts_with(b"\n") || behind.starts_with(b"\r\n"))
}

/// Gives a hash of the first line that is neither head nor indented, the exception line, and of
/// where it is: the lines before it are compared.
fn key(text: &[u8]) -> Option<u64> {
    let mut end = line_end(text)?;
    loop {
        let line = text.get(end..)?;
        let len = line_end(line)?;
        if !line.starts_with(b"  ") {
            let mut hasher = DefaultHasher::new();
            hasher.write(&line[..len]);
            hasher.write_usize(end);
            return Some(hasher.finish());
        }
        end += len;
    }
}
