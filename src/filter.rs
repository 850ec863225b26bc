//! The filter: forwards every byte and puts annotations between lines.
//!
//! ```text
//! chunk ─► reader ─► idle: forwarded whole
//!             └────► line by line: what closes before a line is annotated there, the line is
//!                    read, what closes behind it is annotated before the next one
//! ```

mod held;

use std::collections::HashSet;
use std::io::{self, Write};
use std::time::Duration;

use crate::bug::{self, Bug};
use crate::candidate_lines::CandidateLines;
use crate::corpus::{Corpus, Failure, Severity};
use crate::engine::{Engine, Failures, gate};
use crate::incident::{Incident, Mode, Moment, Notice, Tracker};
use crate::input::{Clock, Event, Signal, Source, Wait};
use crate::out::{Out, OutError};
use crate::reader::{LineBreak, LineReader, Sink};
use crate::render::{Annotator, BlockStart, Seen};
use crate::source::Sources;
pub use held::Folding;
use held::{Held, Piece};

/// How long nothing is readable before what is pending counts as complete.
pub const QUIET: Duration = Duration::from_millis(100);
/// What is said where the analysis fails.
const ONLY_COPIED: &str = "from here on the output is only copied";
/// The most failures that are told once more at the end.
const MAX_GONE: usize = 2;
/// How many lines an annotation waits for a place outside all frame entries of all lanes.
const PLACE_PATIENCE: u32 = 64;

/// How the stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    /// The input ended.
    Eof,
    /// A signal ended it.
    Stopped(Signal),
    /// Nobody reads the output any more.
    OutputClosed,
}

/// Why the filter could not go on.
#[derive(Debug)]
pub enum FilterError {
    /// The input could not be read.
    Read(io::Error),
    /// The output could not be written.
    Write(OutError),
}

/// What the filter did.
#[derive(Debug)]
pub struct Summary {
    /// How it ended.
    pub end: StreamEnd,
    /// Whether an error or a warning was diagnosed.
    pub diagnosed: bool,
}

/// What the filter does besides copying.
pub struct Work<'c, 'a> {
    /// The rules, and whether incidents are those of a stream; `None` to copy only.
    pub analysis: Option<(&'c Corpus, Mode)>,
    /// Where the program's own source may be read.
    pub sources: Option<Sources>,
    /// What draws annotations; `None` to write none.
    pub annotator: Option<Annotator>,
    /// The lines of the screen, where the output goes to one: what has left it is told once more at
    /// the end.
    pub screen: Option<u64>,
    /// Whether annotations are as wide as the screen when that changes its size.
    pub follows_screen: bool,
    /// Whether a stream of JSON lines (its first byte is `{`) stays without annotations.
    pub spare_json: bool,
    /// How tracebacks are folded; `None` to write every byte as it came.
    pub folding: Option<Folding>,
    /// What takes the incidents, each once: at the end, or when it is dropped from memory.
    pub report: &'a mut dyn FnMut(&Incident<'c>),
    /// What tells the user that the analysis failed, once.
    pub complain: &'a mut dyn FnMut(&str),
}

/// Copies the source to the output until it ends, and annotates on the way.
///
/// # Errors
/// Where the source cannot be read or the output cannot be written; a closed output is none.
pub fn run<S: Source, W: Write>(
    source: &mut S,
    out: &mut Out<W>,
    work: Work<'_, '_>,
) -> Result<Summary, FilterError> {
    let Work {
        analysis,
        sources,
        annotator,
        screen,
        follows_screen,
        spare_json,
        folding,
        report,
        complain,
    } = work;
    let mut filter = Filter {
        clock: source.clock(),
        reader: analysis.map(|(corpus, _)| {
            LineReader::new(Engine::new(corpus, gate(corpus)).with_sources(sources))
        }),
        candidates: CandidateLines::default(),
        spare_json,
        output: Output {
            out,
            sent: 0,
            held: folding.filter(|_| analysis.is_some()).map(Held::new),
            tracker: Tracker::new(analysis.map_or(Mode::Stream, |(_, mode)| mode)),
            notices: Vec::new(),
            waited: 0,
            annotator,
            screen,
            follows_screen,
            is_covered: false,
            told: HashSet::new(),
            first: Vec::new(),
            diagnosed: false,
            bug: None,
        },
        report,
        complain,
        has_failed: false,
    };
    let end = match filter.pump(source) {
        Err(FilterError::Write(OutError::Closed)) => Ok(StreamEnd::OutputClosed),
        other => other,
    };
    let diagnosed = filter.output.diagnosed;
    filter.report_all();
    end.map(|end| Summary { end, diagnosed })
}

struct Filter<'c, 'a, 'o, W> {
    clock: Clock,
    /// What reads the lines; `None` to copy only. Absent while a step of it runs, so that nothing of
    /// a step that panicked is used again.
    reader: Option<LineReader<'c>>,
    candidates: CandidateLines,
    spare_json: bool,
    output: Output<'c, 'o, W>,
    report: &'a mut dyn FnMut(&Incident<'c>),
    complain: &'a mut dyn FnMut(&str),
    /// Whether something failed, and was complained of.
    has_failed: bool,
}

/// The output with its annotations, and the incidents found in it so far.
struct Output<'c, 'o, W> {
    out: &'o mut Out<W>,
    /// How much of the current chunk is forwarded.
    sent: usize,
    /// What is held back, where tracebacks are folded.
    held: Option<Held<'c>>,
    tracker: Tracker<'c>,
    /// What is to be said at the next place.
    notices: Vec<Notice<'c>>,
    /// For how many lines it has waited for a place.
    waited: u32,
    annotator: Option<Annotator>,
    screen: Option<u64>,
    follows_screen: bool,
    /// Whether a full-screen program has the screen.
    is_covered: bool,
    /// The rules that were told, each with the index of its fix.
    told: HashSet<(&'c str, Option<usize>)>,
    /// The first failures, with how often each was seen.
    first: Vec<(Box<Failure<'c>>, u64)>,
    diagnosed: bool,
    /// What went wrong while text was let go.
    bug: Option<Bug>,
}

impl<'c, 'o, W: Write> Filter<'c, '_, 'o, W> {
    fn pump<S: Source>(&mut self, source: &mut S) -> Result<StreamEnd, FilterError> {
        loop {
            match source.next(self.wait()).map_err(FilterError::Read)? {
                Event::Bytes(chunk) => self.take(chunk)?,
                Event::Aside(line) => self.aside(line)?,
                Event::Drawing(bytes) => self.output.draw_screen(bytes)?,
                Event::Resized { columns, rows } => self.output.resize(columns, rows),
                Event::Quiet => self.quiet()?,
                Event::NextFile(name) => self.next_file(name)?,
                Event::Eof => {
                    self.finish()?;
                    return Ok(StreamEnd::Eof);
                }
                Event::Stopped(signal) => {
                    self.finish()?;
                    return Ok(StreamEnd::Stopped(signal));
                }
            }
        }
    }

    /// Returns how long the next read may wait: as long as it likes, unless something is pending.
    fn wait(&self) -> Wait {
        let Some(reader) = &self.reader else {
            return Wait::Forever;
        };
        if self.output.is_covered {
            return Wait::Forever;
        }
        if reader.engine().is_pending() || self.output.is_waiting() || self.output.is_holding() {
            return Wait::AtMost(QUIET);
        }
        match self.output.tracker.next_deadline() {
            Some(due) => Wait::AtMost(
                due.saturating_sub(self.clock.now())
                    .max(Duration::from_millis(1)),
            ),
            None => Wait::Forever,
        }
    }

    fn take(&mut self, chunk: &[u8]) -> Result<(), FilterError> {
        self.output.sent = 0;
        self.output.is_covered = false;
        if std::mem::take(&mut self.spare_json) && chunk.first() == Some(&b'{') {
            self.output.annotator = None;
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        self.guard(|reader, time, output| {
            candidates.find(reader.engine().gate(), chunk);
            reader.chunk(chunk, &candidates, time, output)
        })?;
        self.candidates = candidates;
        self.report_dropped();
        // What the analysis did not forward, because it failed, is forwarded all the same.
        self.output.forward(chunk, chunk.len())?;
        self.say_what_is_left()?;
        let reader = self.reader.as_ref();
        let open_from = reader.and_then(|reader| reader.engine().open_from());
        self.release(open_from)
    }

    /// Runs a step of the analysis; if it fails, the filter says so once and goes on copying.
    fn guard(
        &mut self,
        step: impl FnOnce(
            &mut LineReader<'c>,
            Duration,
            &mut Output<'c, 'o, W>,
        ) -> Result<(), FilterError>,
    ) -> Result<(), FilterError> {
        let Some(mut reader) = self.reader.take() else {
            return Ok(());
        };
        // Time in which the output was blocked is not the writer's.
        let time = self.clock.now().saturating_sub(self.output.out.blocked());
        let output = &mut self.output;
        let done = bug::caught(|| {
            let result = step(&mut reader, time, output);
            (reader, result)
        });
        match done {
            Ok((reader, result)) => {
                self.reader = Some(reader);
                result
            }
            Err(bug) => {
                self.fail(ONLY_COPIED, &bug);
                Ok(())
            }
        }
    }

    /// Says, once, that something failed.
    fn fail(&mut self, what: &str, bug: &Bug) {
        if !std::mem::replace(&mut self.has_failed, true) {
            (self.complain)(&format!("the analysis failed, {what} ({bug})"));
        }
    }

    /// Lets go of the text that was held back, but for what begins at this offset.
    fn release(&mut self, open_from: Option<u64>) -> Result<(), FilterError> {
        self.output.release(open_from)?;
        if let Some(bug) = self.output.bug.take() {
            self.reader = None;
            self.fail(ONLY_COPIED, &bug);
        }
        Ok(())
    }

    /// Says what was found before the analysis failed and is still to be said.
    fn say_what_is_left(&mut self) -> Result<(), FilterError> {
        if self.reader.is_some() || self.output.notices.is_empty() {
            return Ok(());
        }
        let output = &mut self.output;
        // What fails here has failed before, and was told of.
        bug::caught(|| output.annotate()).unwrap_or(Ok(()))
    }

    fn quiet(&mut self) -> Result<(), FilterError> {
        if self.output.is_covered {
            return Ok(());
        }
        self.guard(|reader, time, output| {
            reader.quiet(time, output);
            let moment = reader.moment(time);
            output.notices.extend(output.tracker.pause(moment));
            output.notices.extend(output.tracker.tick(moment));
            let engine = reader.engine();
            if engine.may_annotate() || !engine.is_inside_entry() {
                output.annotate()?;
            }
            Ok(())
        })?;
        self.say_what_is_left()?;
        // What is still open may stay so for hours: the stack of a program that hangs.
        self.release(None)
    }

    /// Reads a line that is not in the stream; what it tells is said where the output stands.
    fn aside(&mut self, line: &[u8]) -> Result<(), FilterError> {
        self.guard(|reader, time, output| {
            reader.aside(line, time, output);
            if reader.engine().may_annotate() && !output.is_covered {
                output.annotate()?;
            }
            Ok(())
        })
    }

    fn next_file(&mut self, name: &str) -> Result<(), FilterError> {
        self.guard(|reader, time, output| {
            reader.end(time, output);
            output.annotate()?;
            let name = Some(name).filter(|n| *n != "-");
            output
                .notices
                .extend(output.tracker.begin(name.map(Into::into)));
            output.annotate()
        })?;
        self.say_what_is_left()?;
        self.release(None)?;
        self.output.held.iter_mut().for_each(Held::next_file);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), FilterError> {
        let mut end = 0;
        self.guard(|reader, time, output| {
            reader.end(time, output);
            end = reader.moment(time).line;
            output.annotate()
        })?;
        self.say_what_is_left()?;
        // What was found counts, though the analysis may have failed since.
        let output = &mut self.output;
        let said = bug::caught(|| {
            let notices = output.tracker.finish();
            output.count(&notices);
            output.notices.extend(notices);
            output.annotate_last(end)
        });
        match said {
            Ok(said) => said?,
            Err(bug) => self.fail("not all of it could be told", &bug),
        }
        self.release(None)
    }

    /// Hands on the incidents that were dropped from memory.
    fn report_dropped(&mut self) {
        let dropped = self.output.tracker.take_dropped();
        self.tell(dropped);
    }

    fn tell(&mut self, incidents: Vec<Incident<'c>>) {
        for incident in incidents {
            let report = &mut self.report;
            if let Err(bug) = bug::caught(|| report(&incident)) {
                self.fail("a failure is not in the report", &bug);
            }
        }
    }

    fn report_all(mut self) {
        self.report_dropped();
        let mode = Mode::Stream;
        let tracker = std::mem::replace(&mut self.output.tracker, Tracker::new(mode));
        match bug::caught(|| tracker.into_incidents()) {
            Ok(incidents) => self.tell(incidents),
            Err(bug) => self.fail("the report could not be completed", &bug),
        }
    }
}

impl<'c, W: Write> Output<'c, '_, W> {
    /// Writes what is to be said where the output stands, or will stand where text is held back.
    fn annotate(&mut self) -> Result<(), FilterError> {
        if self.notices.is_empty() {
            return Ok(());
        }
        self.waited = 0;
        let notices = std::mem::take(&mut self.notices);
        match &mut self.held {
            Some(held) => {
                held.say(notices);
                Ok(())
            }
            None => self.say(notices),
        }
    }

    fn say(&mut self, notices: Vec<Notice<'c>>) -> Result<(), FilterError> {
        self.count(&notices);
        for notice in notices {
            let mut seen = Seen::New;
            if let Notice::Root(failure) = &notice {
                self.diagnosed |= failure.severity() != Severity::Note;
                let known = failure.diagnosis.as_ref();
                let is_new = known.is_none_or(|d| self.told.insert((&d.rule.id, d.chosen())));
                if !is_new {
                    seen = Seen::Before;
                }
            }
            self.draw(&notice, seen)?;
            if let Notice::Root(failure) = notice
                && self.screen.is_some()
                && self.first.len() < MAX_GONE
                && failure.severity() != Severity::Note
            {
                self.first.push((failure, 1));
            }
        }
        Ok(())
    }

    /// Remembers how often failures were seen.
    fn count(&mut self, notices: &[Notice<'c>]) {
        for notice in notices {
            if let Notice::Again { id, count, .. } = notice {
                let of = |(failure, _): &&mut (Box<Failure>, u64)| failure.id() == Some(id);
                if let Some((_, times)) = self.first.iter_mut().find(of) {
                    *times = *count;
                }
            }
        }
    }

    /// Writes what is left to be said, and once more what has left the screen by line `end`.
    fn annotate_last(&mut self, end: u64) -> Result<(), FilterError> {
        let mut first = std::mem::take(&mut self.first);
        let screen = self.screen.unwrap_or(u64::MAX);
        first.retain(|(failure, _)| end.saturating_sub(failure.at.end_line) > screen);
        let is_told = |notice: &Notice| match notice {
            Notice::Again { id, .. } => first.iter().any(|(f, _)| f.id() == Some(id)),
            _ => false,
        };
        self.notices.retain(|notice| !is_told(notice));
        self.annotate()?;
        self.release(None)?;
        for (failure, count) in first {
            self.draw(&Notice::Root(failure), Seen::Gone(count))?;
        }
        Ok(())
    }

    fn draw(&mut self, notice: &Notice, seen: Seen) -> Result<(), FilterError> {
        let Some(annotator) = &self.annotator else {
            return Ok(());
        };
        let start = if self.out.has_place() {
            BlockStart::Line
        } else {
            BlockStart::Broken
        };
        let block = annotator.draw(notice, start, seen);
        self.out.annotate(&block).map_err(FilterError::Write)
    }

    /// Forwards what a full-screen program draws.
    fn draw_screen(&mut self, bytes: &[u8]) -> Result<(), FilterError> {
        self.is_covered = true;
        self.release(None)?;
        self.out.forward_drawing(bytes).map_err(FilterError::Write)
    }

    /// Goes on with a screen of another size.
    fn resize(&mut self, columns: u16, rows: u16) {
        self.screen = self.screen.map(|_| rows.into());
        self.out.resize(columns);
        if let Some(annotator) = self.annotator.as_mut().filter(|_| self.follows_screen) {
            annotator.fit(columns);
        }
    }

    fn forward(&mut self, chunk: &[u8], end: usize) -> Result<(), FilterError> {
        if end <= self.sent {
            return Ok(());
        }
        let piece = &chunk[self.sent..end];
        self.sent = end;
        match &mut self.held {
            Some(held) => {
                held.push(piece);
                Ok(())
            }
            None => self.out.forward(piece).map_err(FilterError::Write),
        }
    }

    /// Returns whether text is held back.
    fn is_holding(&self) -> bool {
        self.held.as_ref().is_some_and(|held| !held.is_empty())
    }

    /// Writes what need not be held back any longer: all but what an open traceback begins with.
    ///
    /// All text comes out, even if something that was to be said between it cannot be drawn.
    fn release(&mut self, open_from: Option<u64>) -> Result<(), FilterError> {
        let pieces = self.held.as_mut().map(|held| held.release(open_from));
        for piece in pieces.into_iter().flatten() {
            match piece {
                Piece::Text(text) => self.out.forward(&text).map_err(FilterError::Write)?,
                Piece::Notices(notices) => match bug::caught(|| self.say(notices)) {
                    Ok(said) => said?,
                    Err(bug) => self.bug = Some(bug),
                },
            }
        }
        Ok(())
    }
}

impl<'c, W: Write> Sink<'c> for Output<'c, '_, W> {
    type Error = FilterError;

    fn failures(&mut self, failures: Failures<'c>, moment: Moment) {
        if let Some(held) = &mut self.held {
            held.complete(&failures);
        }
        self.notices.extend(self.tracker.push(failures, moment));
    }

    fn is_waiting(&self) -> bool {
        !self.notices.is_empty()
    }

    fn place(&mut self, place: LineBreak<'_>) -> Result<(), FilterError> {
        self.waited += u32::from(place.is_behind_line);
        if !place.is_free && (self.waited <= PLACE_PATIENCE || place.is_inside_entry) {
            return Ok(());
        }
        self.forward(place.chunk, place.at)?;
        let draws_plain = self.annotator.as_ref().is_some_and(|a| !a.is_coloured());
        if draws_plain && self.held.is_none() && self.out.is_colour_open() {
            // Without colour codes of its own, the annotation waits for the line that closes them.
            return Ok(());
        }
        self.annotate()
    }
}
