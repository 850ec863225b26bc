//! The filter: forwards every byte and puts annotations between lines.
//!
//! ```text
//! chunk ─► reader ─► idle: forwarded whole
//!             └────► line by line: what closes before a line is annotated there, the line is
//!                    read, what closes behind it is annotated before the next one
//! ```
//!
//! - [`output`]: what is forwarded, what is said in between; [`held`]: text that is to be folded;
//!   [`json_lines`]: a stream into which nothing is written.

mod held;
mod json_lines;
mod output;

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use crate::bug::{self, Bug};
use crate::candidate_lines::CandidateLines;
use crate::corpus::Corpus;
use crate::engine::Engine;
use crate::incident::{Incident, Mode, Tracker};
use crate::input::{Clock, Event, Signal, Source, Wait, plain};
use crate::out::{Out, OutError};
use crate::reader::{LineReader, Sink};
use crate::render::Annotator;
use crate::source::Sources;
use crate::traceback::fold::FoldSigns;
use crate::traceback::notes::RunNotes;
use held::HeldText;
use json_lines::StreamForm;
use output::AnnotatedOutput;

/// How long nothing is readable before what is pending counts as complete.
const QUIET: Duration = Duration::from_millis(100);
/// What is said where the analysis fails.
const ONLY_COPIED: &str = "from here on the output is only copied";

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

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => f.write_str(&plain(error)),
            Self::Write(error) => error.fmt(f),
        }
    }
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
    /// What who runs the program knows of it.
    pub run_notes: RunNotes,
    /// What draws annotations; `None` to write none.
    pub annotator: Option<Annotator>,
    /// Whether something behind this one annotates, asked when something is to be said.
    pub is_annotated_behind: fn() -> bool,
    /// The lines of the screen, where the output goes to one: what has left it is told once more at
    /// the end.
    pub screen: Option<u64>,
    /// Whether annotations are as wide as the screen when that changes its size.
    pub follows_screen: bool,
    /// Whether a stream of JSON lines stays without annotations.
    pub spare_json: bool,
    /// The signs of folded tracebacks; `None` to write every byte as it came.
    pub folding: Option<FoldSigns>,
    /// What takes the incidents, each once: at the end, or when it is dropped from memory.
    pub report: &'a mut dyn FnMut(&Incident<'c>),
    /// What tells the user that the analysis failed, once.
    pub complain: &'a mut dyn FnMut(&str),
}

impl<'c, 'a> Work<'c, 'a> {
    /// Copies, and does nothing besides.
    pub fn new(
        report: &'a mut dyn FnMut(&Incident<'c>),
        complain: &'a mut dyn FnMut(&str),
    ) -> Self {
        Self {
            analysis: None,
            sources: None,
            run_notes: RunNotes::default(),
            annotator: None,
            is_annotated_behind: || false,
            screen: None,
            follows_screen: false,
            spare_json: false,
            folding: None,
            report,
            complain,
        }
    }
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
        run_notes,
        annotator,
        is_annotated_behind,
        screen,
        follows_screen,
        spare_json,
        folding,
        report,
        complain,
    } = work;
    let mut output = AnnotatedOutput::new(out, analysis.map_or(Mode::Stream, |(_, mode)| mode));
    output.held = folding.filter(|_| analysis.is_some()).map(HeldText::new);
    output.annotator = annotator;
    output.is_annotated_behind = Some(is_annotated_behind);
    output.screen = screen;
    output.follows_screen = follows_screen;
    if spare_json {
        output.form = StreamForm::Unknown;
    }
    let mut filter = Filter {
        clock: source.clock(),
        reader: analysis.map(|(corpus, _)| {
            let engine = Engine::new(corpus);
            LineReader::new(engine.with_sources(sources).with_run_notes(run_notes))
        }),
        candidates: CandidateLines::default(),
        output,
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
    output: AnnotatedOutput<'c, 'o, W>,
    report: &'a mut dyn FnMut(&Incident<'c>),
    complain: &'a mut dyn FnMut(&str),
    /// Whether something failed, and was complained of.
    has_failed: bool,
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
            &mut AnnotatedOutput<'c, 'o, W>,
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
        self.output.held.iter_mut().for_each(HeldText::next_file);
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
