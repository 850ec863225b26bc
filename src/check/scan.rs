//! The bytes of one file to its failures: what the filter does, without anything to copy.

use std::time::Duration;

use super::memo::{Above, Memo, Next, Place, Recording, starts_with_head};
use super::sifted::{Sifted, Wanted};
use crate::analysis::{self, Detection, Failures};
use crate::lines::{Position, last_line_end, line_end, line_start};
use crate::traceback::first_byte;
use crate::traceback::lanes::{Learned, RECENT_LINES};

/// How many heads come before it is worth to remember what was found: it takes a look at all rules.
const HEADS_BEFORE: u32 = 32;

/// A stretch of lines that was not read again.
struct Recalled {
    bytes: usize,
    newlines: u64,
}

/// A stretch of lines that is being read.
struct Begun<'c> {
    /// Where it starts in the chunk.
    at: usize,
    recording: Recording<'c>,
}

/// Adds what was found to a recording, if there is one.
fn note<'c>(begun: &mut Option<Begun<'c>>, failures: &Failures<'c>) {
    if let Some(begun) = begun {
        begun.recording.found.push(failures.clone());
    }
}

/// Where a [`Scanner`] stands between two chunks.
#[derive(Debug)]
pub(super) struct Standing {
    detection: analysis::Standing,
    position: Position,
    partial_wanted: bool,
}

/// Reads the chunks of one file in order.
pub(super) struct Scanner<'c> {
    detection: Detection<'c>,
    position: Position,
    /// Whether the gate wants the unfinished line.
    partial_wanted: bool,
    /// The time of the stream; saved logs have none.
    time: Duration,
    memo: Memo<'c>,
    recording: Option<Begun<'c>>,
    /// What stands above the head that comes now, if it is known.
    above: Option<Above>,
    /// Whether the next line is read although nothing is open: it has told what went before.
    must_read: bool,
    /// How many heads were seen.
    heads: u32,
}

impl<'c> Scanner<'c> {
    pub(super) fn new(detection: Detection<'c>) -> Self {
        Self {
            detection,
            position: Position::default(),
            partial_wanted: false,
            time: Duration::ZERO,
            memo: Memo::default(),
            recording: None,
            above: None,
            must_read: false,
            heads: 0,
        }
    }

    /// Allows it so many bytes, roughly, for stretches that come again.
    pub(super) fn with_room(mut self, room: usize) -> Self {
        self.memo.room = room;
        self
    }

    /// Tells the time, of a log that grows.
    pub(super) fn set_time(&mut self, time: Duration) {
        self.time = time;
    }

    /// Whether lines that cannot matter can be passed without being seen.
    pub(super) fn is_idle(&self) -> bool {
        self.detection.is_idle() && !self.position.is_inside_line()
    }

    /// Passes over whole lines that cannot matter.
    pub(super) fn pass(&mut self, bytes: u64, newlines: u64) {
        self.position.skip_counted(bytes, newlines);
    }

    /// Remembers what stood before the next line, where that was passed without being seen.
    pub(super) fn remember(&mut self, before: &[u8]) {
        self.position.remember(before);
    }

    /// Nothing came for a while.
    pub(super) fn quiet(&mut self, found: &mut dyn FnMut(Failures<'c>)) {
        self.detection.quiet(found);
    }

    /// Gives the number of the line that comes next or is unfinished, 1-based.
    pub(super) fn line_number(&self) -> u64 {
        self.position.number()
    }

    /// Reads the next chunk, which was sifted before.
    pub(super) fn chunk(
        &mut self,
        chunk: &[u8],
        sifted: &Sifted,
        found: &mut dyn FnMut(Failures<'c>),
    ) {
        let time = self.time;
        let mut at = 0;
        // The newlines before `at`, as long as they are known without counting.
        let mut passed = Some(0);
        while at < chunk.len() {
            if self.position.is_inside_line() {
                at = self.go_on_with_line(chunk, found);
                passed = Some(u64::from(chunk[..at].ends_with(b"\n")));
                continue;
            }
            if self.detection.is_idle() {
                if self.recording.is_some() {
                    let above = Some(self.above());
                    self.end_recording(chunk, at, Next::Anything, above);
                }
                if let Some(stretch) = self.recall(&chunk[at..], found) {
                    at += stretch.bytes;
                    passed = passed.map(|newlines| newlines + stretch.newlines);
                    continue;
                }
                self.above = None;
                if std::mem::take(&mut self.must_read) {
                    self.look_back(&chunk[..at]);
                } else {
                    let Some(next) = self.skip_to_wanted(chunk, at, passed, sifted) else {
                        break;
                    };
                    at = next.at;
                    passed = Some(next.newlines).filter(|_| next.at < sifted.searched);
                }
            }
            let Some(len) = line_end(&chunk[at..]) else {
                self.begin_line(first_byte(&chunk[at..]), found);
                self.start_tail(&chunk[at..]);
                break;
            };
            self.begin_line(first_byte(&chunk[at..]), found);
            let place = self.place();
            let above = self.look_above(&chunk[at..]);
            let was_idle = self.detection.is_idle();
            if was_idle {
                if self.recording.is_some() {
                    let above = Some(self.above());
                    self.end_recording(chunk, at, Next::of(&chunk[at..]), above);
                }
                self.above = above;
                if let Some(stretch) = self.recall(&chunk[at..], found) {
                    at += stretch.bytes;
                    passed = passed.map(|newlines| newlines + stretch.newlines);
                    continue;
                }
                self.begin_recording(at, place);
            }
            let line = &chunk[at..at + len];
            let (detection, recording) = (&mut self.detection, &mut self.recording);
            self.position.end_line(line, |line| {
                detection.line(line, time, &mut |failures| {
                    note(recording, &failures);
                    found(failures);
                });
            });
            if !was_idle && above.is_some() && self.detection.has_just_begun(place.line) {
                // All that was open ended with this head, which is as good as a new start.
                self.end_recording(chunk, at, Next::Head, above);
                self.above = above;
                if let Some(stretch) = self.recall_from(place, &chunk[at..], found) {
                    at += stretch.bytes;
                    passed = passed.map(|newlines| newlines + stretch.newlines);
                    continue;
                }
                self.begin_recording(at, place);
            }
            at += len;
            passed = passed.map(|newlines| newlines + 1);
        }
        self.recording = None;
        self.above = None;
        self.must_read = false;
        self.position.remember(chunk);
    }

    /// Remembers the lines above the next one.
    fn look_back(&mut self, passed: &[u8]) {
        let detection = &mut self.detection;
        self.position
            .lines_above(passed, RECENT_LINES, |line| detection.remember(line));
    }

    fn begin_line(&mut self, first: Option<u8>, found: &mut dyn FnMut(Failures<'c>)) {
        let recording = &mut self.recording;
        self.detection.begin_line(first, &mut |failures| {
            note(recording, &failures);
            found(failures);
        });
    }

    fn place(&self) -> Place {
        Place {
            offset: self.position.offset(),
            line: self.position.number(),
        }
    }

    /// Looks at the lines above a head, where it is worth it.
    fn look_above(&mut self, rest: &[u8]) -> Option<Above> {
        if !starts_with_head(rest) {
            return None;
        }
        self.heads = self.heads.saturating_add(1);
        if self.heads <= HEADS_BEFORE {
            return None;
        }
        Some(self.above())
    }

    /// Looks at the lines above the next one.
    fn above(&mut self) -> Above {
        let offset = self.position.offset();
        let (hash, time) = self.detection.above_in_short(offset);
        Above { hash, time }
    }

    /// Tells again what was found in the lines that come, if they were seen before.
    fn recall(&mut self, rest: &[u8], found: &mut dyn FnMut(Failures<'c>)) -> Option<Recalled> {
        if !starts_with_head(rest) {
            return None;
        }
        self.recall_from(self.place(), rest, found)
    }

    /// Does that for lines of which the first, a head, may have been read.
    fn recall_from(
        &mut self,
        place: Place,
        rest: &[u8],
        found: &mut dyn FnMut(Failures<'c>),
    ) -> Option<Recalled> {
        let above = self.above?;
        let stretch = self.memo.recall(rest, self.detection.state()?, above)?;
        stretch.tell(place, above, found);
        self.above = stretch.above_next;
        self.must_read = matches!(stretch.next, Next::Byte(_));
        let recalled = Recalled {
            bytes: stretch.len(),
            newlines: stretch.newlines,
        };
        self.detection.drop_begun();
        let end = place.offset + recalled.bytes as u64;
        let bytes = end - self.position.offset();
        let newlines = place.line + recalled.newlines - self.position.number();
        self.position.skip_counted(bytes, newlines);
        Some(recalled)
    }

    /// Begins to note what is found from a head on, which starts at `at`.
    fn begin_recording(&mut self, at: usize, place: Place) {
        let state = self.above.take().zip(self.detection.state());
        self.recording = state.map(|(above, state)| Begun {
            at,
            recording: Recording {
                place,
                above,
                state,
                found: Vec::new(),
            },
        });
    }

    /// Nothing is open any more but what begins at `end`: what was found is remembered.
    /// `above` is what stands above the line at `end`.
    fn end_recording(&mut self, chunk: &[u8], end: usize, next: Next, above: Option<Above>) {
        let Some(Begun { at, recording }) = self.recording.take() else {
            return;
        };
        if self.detection.state() == Some(recording.state) {
            let text = &chunk[at..end];
            let newlines = Position::newlines(text);
            self.memo.remember(text, newlines, next, recording, above);
        }
    }

    /// Begins another file.
    pub(super) fn begin(&mut self) {
        self.stand_at(Position::default());
    }

    /// Begins in the middle of a file, at a line of this number and offset, with nothing open.
    pub(super) fn begin_at(&mut self, offset: u64, number: u64, learned: &Learned) {
        self.detection.restart(learned);
        let mut position = Position::default();
        position.skip_counted(offset, number - 1);
        self.stand_at(position);
    }

    fn stand_at(&mut self, position: Position) {
        self.position = position;
        self.partial_wanted = false;
        self.recording = None;
        self.above = None;
        self.must_read = false;
    }

    /// Gives the prefixes that were learned.
    pub(super) fn learned(&self) -> Learned {
        self.detection.learned()
    }

    /// Gives where it stands between two chunks.
    pub(super) fn standing(&self) -> Standing {
        Standing {
            detection: self.detection.standing(),
            position: self.position.clone(),
            partial_wanted: self.partial_wanted,
        }
    }

    /// Whether it stands where another one stood, at the start of a line, and would go on alike.
    pub(super) fn stands_like(&mut self, other: &mut Standing) -> bool {
        let place = |position: &Position| (position.offset(), position.number());
        !self.position.is_inside_line()
            && !other.position.is_inside_line()
            && place(&self.position) == place(&other.position)
            && self
                .detection
                .stands_like(&mut other.detection, self.position.offset())
    }

    /// Goes on where another one stood.
    pub(super) fn take_over(&mut self, other: Standing) {
        self.detection.take_over(other.detection);
        self.stand_at(other.position);
        self.partial_wanted = other.partial_wanted;
    }

    /// The input has ended.
    pub(super) fn finish(&mut self, found: &mut dyn FnMut(Failures<'c>)) {
        let (detection, time) = (&mut self.detection, self.time);
        if self.partial_wanted || !detection.is_idle() {
            self.position
                .end_input(|line| detection.line(line, time, found));
        }
        detection.finish(found);
    }

    /// While nothing is open: passes over lines that cannot matter. Gives the line that may; `None`
    /// if the rest of the chunk is passed.
    fn skip_to_wanted(
        &mut self,
        chunk: &[u8],
        at: usize,
        passed: Option<u64>,
        sifted: &Sifted,
    ) -> Option<Wanted> {
        let wanted = sifted.next(at).or_else(|| {
            let from = at.max(sifted.searched);
            let hit = self.detection.wants(&chunk[from..])?;
            let line = from + line_start(&chunk[from..], hit);
            let newlines = Position::newlines(&chunk[at..line]);
            Some(Wanted {
                at: line,
                newlines: passed.unwrap_or(0) + newlines,
            })
        });
        let Some(wanted) = wanted else {
            let end = at + last_line_end(&chunk[at..]);
            match passed.filter(|_| sifted.searched == chunk.len()) {
                Some(passed) => self
                    .position
                    .skip_counted((end - at) as u64, sifted.newlines - passed),
                None => self.position.skip(&chunk[at..end]),
            }
            if end < chunk.len() {
                self.position.extend(&chunk[end..]);
                self.partial_wanted = false;
            }
            return None;
        };
        match passed {
            Some(passed) => {
                let newlines = wanted.newlines - passed;
                self.position
                    .skip_counted((wanted.at - at) as u64, newlines);
            }
            None => self.position.skip(&chunk[at..wanted.at]),
        }
        self.look_back(&chunk[..wanted.at]);
        Some(wanted)
    }

    /// The chunk goes on with the unfinished line. Gives the index behind what was taken.
    fn go_on_with_line(&mut self, chunk: &[u8], found: &mut dyn FnMut(Failures<'c>)) -> usize {
        let end = line_end(chunk).unwrap_or(chunk.len());
        let piece = &chunk[..end];
        if !self.partial_wanted {
            self.partial_wanted = self.detection.wants_behind(self.position.partial(), piece);
        }
        if !piece.ends_with(b"\n") {
            self.position.extend(piece);
            return end;
        }
        let is_idle = self.detection.is_idle();
        if self.partial_wanted || !is_idle {
            if is_idle {
                self.look_back(b"");
            }
            let (detection, time) = (&mut self.detection, self.time);
            self.position
                .end_line(piece, |line| detection.line(line, time, found));
        } else {
            self.position.end_line(piece, |_| ());
        }
        self.partial_wanted = false;
        end
    }

    /// An unfinished line begins at the end of a chunk.
    fn start_tail(&mut self, tail: &[u8]) {
        self.partial_wanted = self.detection.wants(tail).is_some();
        self.position.extend(tail);
    }
}
