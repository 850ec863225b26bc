//! The only loop over lines: bytes in, places and failures out.
//!
//! A [`LineReader`] drives; what a caller does with a place between two lines and with a failure is
//! its [`Sink`]. The filter forwards and annotates, `check` notes where a failure was found, and the
//! verification of rules asks what a sample is.

use std::convert::Infallible;
use std::time::Duration;

use crate::candidate_lines::CandidateLines;
use crate::corpus::{Corpus, Failure};
use crate::engine::{Engine, Failures, OWN_GUTTER_ASCII};
use crate::incident::{Incident, Mode, Moment, Tracker};
use crate::line::{RawLine, line_end};
use crate::position::Position;
use crate::source::Sources;
use crate::traceback::lanes::{LINES_ABOVE, RECENT_LINES};
use crate::traceback::raw_line::{
    REPORT_MARK_BYTES, first_byte, is_report_edge, is_row, needs_report,
};

/// How far above a line the head of a block of pickfix's own is looked for, in lines.
const MOST_OWN_LINES: usize = 64;

/// What a caller does with what is read.
pub trait Sink<'c> {
    /// Why it cannot go on.
    type Error;

    /// Takes the failures of one traceback or log line, which was complete at this moment.
    fn failures(&mut self, failures: Failures<'c>, moment: Moment);

    /// Returns whether it waits for a place: then no line is passed over unread.
    fn is_waiting(&self) -> bool {
        false
    }

    /// Takes a place between two lines; only called while it waits for one.
    ///
    /// # Errors
    /// Where it cannot go on; the rest of the chunk is then not read.
    fn place(&mut self, place: LineBreak<'_>) -> Result<(), Self::Error> {
        let _ = place;
        Ok(())
    }
}

/// A place between two lines of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct LineBreak<'a> {
    /// The chunk.
    pub chunk: &'a [u8],
    /// Where in the chunk the next line begins, in bytes.
    pub at: usize,
    /// Whether no lane stands between a `File` line and what belongs to it.
    pub is_free: bool,
    /// Whether the line before is such a `File` line.
    pub is_inside_entry: bool,
    /// Whether the line before was complete, so that a further line has gone by.
    pub is_behind_line: bool,
}

/// Reads the lines of one input after the other.
pub struct LineReader<'c> {
    engine: Engine<'c>,
    position: Position,
    /// Whether the gate wants the unfinished line.
    partial_wanted: bool,
}

impl<'c> LineReader<'c> {
    /// Starts before the first byte.
    pub fn new(engine: Engine<'c>) -> Self {
        Self {
            engine,
            position: Position::default(),
            partial_wanted: false,
        }
    }

    /// Returns the engine that the lines go to.
    pub fn engine(&self) -> &Engine<'c> {
        &self.engine
    }

    /// Returns how many lines were left out because they bear pickfix's own gutter.
    pub fn own_lines(&self) -> u64 {
        self.engine.own_lines()
    }

    /// Returns the moment in the stream at this time: before the line that comes next or is
    /// unfinished.
    pub fn moment(&self, time: Duration) -> Moment {
        Moment {
            line: self.position.number(),
            time,
        }
    }

    /// Returns whether whole lines that cannot matter may be passed over without being seen.
    pub fn is_idle(&self) -> bool {
        self.engine.is_idle() && !self.position.is_inside_line()
    }

    /// Looks at the first bytes of the input, where the first line is passed over with others.
    pub fn see_start(&mut self, bytes: &[u8]) {
        if let Some(len) = line_end(bytes) {
            self.engine.see_first(&bytes[..len]);
        }
    }

    /// Returns whether the next line is the first one, which may tell what all others are.
    fn is_at_start(&self) -> bool {
        self.position.number() == 1
    }

    /// Passes over so many bytes of whole lines, which hold so many newlines and cannot matter.
    pub fn pass_over(&mut self, bytes: u64, newlines: u64) {
        self.position.skip_counted(bytes, newlines);
    }

    /// Remembers the bytes before the next line, where lines were passed over without being seen.
    pub fn remember(&mut self, before: &[u8]) {
        self.position.remember(before);
    }

    /// Reads the next chunk at this time of the stream.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn chunk<S: Sink<'c>>(
        &mut self,
        chunk: &[u8],
        candidates: &CandidateLines,
        time: Duration,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let mut at = 0;
        while at < chunk.len() {
            if self.position.is_inside_line() {
                at = self.go_on_with_line(chunk, time, sink)?;
                continue;
            }
            self.begin_line(chunk, at, time, sink)?;
            if self.is_at_start() {
                self.see_start(&chunk[at..]);
            }
            // What the line closed may have been all that was open: then it is one among others.
            if self.engine.is_idle() && !sink.is_waiting() {
                let Some(next) = self.skip_to_candidate(chunk, at, candidates) else {
                    break;
                };
                at = next;
            } else if needs_report(&chunk[at..]) {
                self.look_back(&chunk[..at], &chunk[at..]);
            }
            let Some(len) = line_end(&chunk[at..]) else {
                self.start_tail(&chunk[..at], &chunk[at..]);
                break;
            };
            let line = &chunk[at..at + len];
            let may_matter = candidates.holds(self.engine.gate(), at, line);
            self.line(line, may_matter, time, sink);
            at += len;
            self.offer(chunk, at, true, sink)?;
        }
        self.position.remember(chunk);
        Ok(())
    }

    /// Takes note that nothing was readable for a while.
    pub fn quiet<S: Sink<'c>>(&mut self, time: Duration, sink: &mut S) {
        let moment = self.moment(time);
        self.engine
            .quiet(&mut |failures| sink.failures(failures, moment));
    }

    /// Reads a line that is not in the stream, as if it came next; where a line is unfinished, that
    /// goes on behind it.
    pub fn aside<S: Sink<'c>>(&mut self, line: &[u8], time: Duration, sink: &mut S) {
        let moment = self.moment(time);
        let offset = self.position.offset();
        let line = RawLine {
            bytes: &[line, b"\n"].concat(),
            number: self.position.number(),
            offset,
            end_offset: offset,
            may_matter: true,
        };
        let found = &mut |failures| sink.failures(failures, moment);
        self.engine.begin_line(first_byte(line.bytes), found);
        self.engine.line(line, time, found);
    }

    /// Ends the input, or one file of it: what is open is complete, and what comes is another file.
    pub fn end<S: Sink<'c>>(&mut self, time: Duration, sink: &mut S) {
        let moment = self.moment(time);
        let is_wanted = self.partial_wanted || !self.engine.is_idle();
        if is_wanted {
            self.look_back_from_unfinished(b"");
        }
        let engine = &mut self.engine;
        let found = &mut |failures| sink.failures(failures, moment);
        if is_wanted {
            let may_matter = self.partial_wanted;
            self.position.end_input(|line| {
                engine.line(RawLine { may_matter, ..line }, time, found);
            });
        }
        engine.finish(found);
        self.position = Position::default();
        self.partial_wanted = false;
    }

    /// Passes over lines that cannot matter, while nothing is open. Returns the start of the line
    /// that may; `None` if the rest of the chunk is passed.
    fn skip_to_candidate(
        &mut self,
        chunk: &[u8],
        at: usize,
        candidates: &CandidateLines,
    ) -> Option<usize> {
        let Some(next) = candidates.next(self.engine.gate(), chunk, at) else {
            let end = at + crate::line::last_line_end(&chunk[at..]);
            self.position.skip(&chunk[at..end]);
            self.position.begin_line(&chunk[..end], &chunk[end..]);
            self.partial_wanted = false;
            return None;
        };
        self.position.skip(&chunk[at..next]);
        self.look_back(&chunk[..next], &chunk[next..]);
        Some(next)
    }

    /// Shows the engine the lines above the next one; `passed` is what of the chunk is before it.
    /// If that may be one of pickfix's own, the block that it is in is looked for too.
    fn look_back(&mut self, passed: &[u8], next: &[u8]) {
        let engine = &mut self.engine;
        if next.starts_with(OWN_GUTTER_ASCII) {
            let mut above = Vec::new();
            let wants = |below: usize, _: &[u8]| below < MOST_OWN_LINES;
            self.position.lines_above(passed, wants, |line| {
                above.push(line.bytes.to_vec());
            });
            engine.find_block(above.iter().map(Vec::as_slice));
        }
        let needs_report = needs_report(next);
        if needs_report {
            // Of lines that were read for themselves, those above them were not remembered.
            engine.forget_recent();
        }
        let wants = |below: usize, line: &[u8]| {
            let is_of_report = || below < RECENT_LINES && !is_report_edge(line);
            let is_row = || below < RECENT_LINES && is_row(line);
            below < LINES_ABOVE || needs_report && is_of_report() || is_row()
        };
        self.position
            .lines_above(passed, wants, |line| engine.remember(line));
    }

    /// Shows the engine the lines above the unfinished one, of which this is the rest.
    fn look_back_from_unfinished(&mut self, rest: &[u8]) {
        let begun = self.position.partial();
        let begun = &begun[..begun.len().min(REPORT_MARK_BYTES)];
        let line = [begun, &rest[..rest.len().min(REPORT_MARK_BYTES)]].concat();
        if self.engine.is_idle() || needs_report(&line) {
            self.look_back(b"", &line);
        }
    }

    /// Goes on with the unfinished line. Returns the index behind what was taken of the chunk.
    fn go_on_with_line<S: Sink<'c>>(
        &mut self,
        chunk: &[u8],
        time: Duration,
        sink: &mut S,
    ) -> Result<usize, S::Error> {
        let end = line_end(chunk).unwrap_or(chunk.len());
        let piece = &chunk[..end];
        if !self.partial_wanted {
            let gate = self.engine.gate();
            self.partial_wanted = gate.find(self.position.partial(), piece).is_some();
        }
        if !piece.ends_with(b"\n") {
            self.position.extend(piece);
            return Ok(end);
        }
        if self.is_at_start() {
            let line = [self.position.partial(), piece].concat();
            self.engine.see_first(&line);
        }
        if self.partial_wanted || !self.engine.is_idle() || sink.is_waiting() {
            self.look_back_from_unfinished(piece);
            self.line(piece, self.partial_wanted, time, sink);
        } else {
            self.position.end_line(piece, |_| ());
        }
        self.partial_wanted = false;
        self.offer(chunk, end, true, sink)?;
        Ok(end)
    }

    /// Begins an unfinished line at the end of a chunk.
    fn start_tail(&mut self, passed: &[u8], tail: &[u8]) {
        self.partial_wanted = self.engine.gate().find(b"", tail).is_some();
        self.position.begin_line(passed, tail);
    }

    /// Begins the line at `at`: what it closes ended before it.
    fn begin_line<S: Sink<'c>>(
        &mut self,
        chunk: &[u8],
        at: usize,
        time: Duration,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let moment = self.moment(time);
        self.engine
            .begin_line(first_byte(&chunk[at..]), &mut |failures| {
                sink.failures(failures, moment);
            });
        self.offer(chunk, at, false, sink)
    }

    /// Reads the line that these bytes complete; the gate wants it if it `may_matter`.
    fn line<S: Sink<'c>>(&mut self, bytes: &[u8], may_matter: bool, time: Duration, sink: &mut S) {
        let moment = self.moment(time);
        let engine = &mut self.engine;
        self.position.end_line(bytes, |line| {
            let line = RawLine { may_matter, ..line };
            engine.line(line, time, &mut |failures| sink.failures(failures, moment));
        });
    }

    /// Offers the sink the place before the byte at `at`.
    fn offer<S: Sink<'c>>(
        &self,
        chunk: &[u8],
        at: usize,
        is_behind_line: bool,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        if !sink.is_waiting() {
            return Ok(());
        }
        sink.place(LineBreak {
            chunk,
            at,
            is_free: self.engine.may_annotate(),
            is_inside_entry: self.engine.is_inside_entry(),
            is_behind_line,
        })
    }
}

/// Of a saved text the failures become incidents, and nothing is written between its lines.
impl<'c> Sink<'c> for Tracker<'c> {
    type Error = Infallible;

    fn failures(&mut self, failures: Failures<'c>, moment: Moment) {
        self.push(failures, moment);
    }
}

/// Returns the incidents of a text that ends: what `check` would report of it, with what the program's
/// own source tells of them.
pub fn incidents<'c>(
    corpus: &'c Corpus,
    text: &[u8],
    sources: Option<Sources>,
) -> Vec<Incident<'c>> {
    // A text is read line by line, however few bytes could matter: samples are short.
    let mut candidates = CandidateLines::default();
    candidates.find(corpus.gate(), text);
    let mut reader = LineReader::new(Engine::new(corpus).with_sources(sources));
    let mut tracker = Tracker::new(Mode::Saved);
    let Ok(()) = reader.chunk(text, &candidates, Duration::ZERO, &mut tracker);
    reader.end(Duration::ZERO, &mut tracker);
    tracker.into_incidents()
}

/// Returns the roots of a text that rules know: what the samples of rules are checked against.
pub fn root_failures<'c>(corpus: &'c Corpus, text: &[u8]) -> Vec<Failure<'c>> {
    let incidents = incidents(corpus, text, None).into_iter();
    let roots = incidents.map(|incident| incident.root);
    roots.filter(|root| root.diagnosis.is_some()).collect()
}
