//! The bytes of one file to its failures: what the filter does, without anything to copy.

use std::time::Duration;

use super::sifted::{Sifted, Wanted};
use crate::analysis::{Detection, Failures};
use crate::lines::{Position, last_line_end, line_end, line_start};
use crate::traceback::first_byte;
use crate::traceback::lanes::RECENT_LINES;

/// Reads the chunks of one file in order.
pub(super) struct Scanner<'c> {
    detection: Detection<'c>,
    position: Position,
    /// Whether the gate wants the unfinished line.
    partial_wanted: bool,
    /// The time of the stream; saved logs have none.
    time: Duration,
}

impl<'c> Scanner<'c> {
    pub(super) fn new(detection: Detection<'c>) -> Self {
        Self {
            detection,
            position: Position::default(),
            partial_wanted: false,
            time: Duration::ZERO,
        }
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
                let Some(next) = self.skip_to_wanted(chunk, at, passed, sifted) else {
                    break;
                };
                at = next.at;
                passed = Some(next.newlines).filter(|_| next.at < sifted.searched);
            }
            self.detection.begin_line(first_byte(&chunk[at..]), found);
            let Some(len) = line_end(&chunk[at..]) else {
                self.start_tail(&chunk[at..]);
                break;
            };
            let detection = &mut self.detection;
            self.position.end_line(&chunk[at..at + len], |line| {
                detection.line(line, time, found);
            });
            at += len;
            passed = passed.map(|newlines| newlines + 1);
        }
        self.position.remember(chunk);
    }

    /// Remembers the lines above the next one.
    fn look_back(&mut self, passed: &[u8]) {
        let detection = &mut self.detection;
        self.position
            .lines_above(passed, RECENT_LINES, |line| detection.remember(line));
    }

    /// Begins another file.
    pub(super) fn begin(&mut self) {
        self.position = Position::default();
        self.partial_wanted = false;
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
