//! The filter: one loop that forwards every byte and puts annotations between lines.
//!
//! ```text
//! chunk ─► gate ─► idle: forwarded whole
//!            └───► line by line: what closes before a line is annotated there, the line is
//!                  read, what closes behind it is annotated before the next one
//! ```

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::analysis::Analysis;
use crate::corpus::Severity;
use crate::incident::{Incident, Moment, Say};
use crate::input::{Clock, Event, Signal, Source, Wait};
use crate::lines::{Position, last_line_end, line_end, line_start};
use crate::out::{Out, OutError};
use crate::render::{Annotator, Start};
use crate::traceback::first_byte;
use crate::traceback::lanes::RECENT_LINES;

/// How long nothing is readable before what is pending counts as complete.
pub const QUIET: Duration = Duration::from_millis(100);
/// How many lines an annotation waits for a place outside all frame entries of all lanes.
const PLACE_PATIENCE: u32 = 64;

/// How the stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
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
    pub end: End,
    /// Whether an error or a warning was diagnosed.
    pub diagnosed: bool,
}

/// What the filter does besides copying.
pub struct Work<'c, 'a> {
    /// What reads the lines; `None` to copy only.
    pub analysis: Option<Analysis<'c>>,
    /// What draws annotations; `None` to write none.
    pub annotator: Option<Annotator>,
    /// Whether a stream of JSON lines (its first byte is `{`) stays without annotations.
    pub spare_json: bool,
    /// What takes the incidents, each once: at the end, or when it is dropped from memory.
    pub report: &'a mut dyn FnMut(&Incident<'c>),
    /// What tells the user that the analysis failed, once.
    pub complain: &'a mut dyn FnMut(&str),
}

/// Copies the source to the output until it ends, and annotates on the way.
pub fn run<S: Source, W: Write>(
    source: &mut S,
    out: &mut Out<W>,
    work: Work<'_, '_>,
) -> Result<Summary, FilterError> {
    let clock = source.clock();
    let mut filter = Filter {
        out,
        clock,
        work,
        position: Position::default(),
        says: Vec::new(),
        waited: 0,
        partial_wanted: false,
        sent: 0,
        diagnosed: false,
    };
    let end = filter.pump(source);
    let end = match end {
        Err(FilterError::Write(OutError::Closed)) => Ok(End::OutputClosed),
        other => other,
    };
    filter.report_all();
    end.map(|end| Summary {
        end,
        diagnosed: filter.diagnosed,
    })
}

struct Filter<'c, 'a, 'o, W> {
    out: &'o mut Out<W>,
    clock: Clock,
    work: Work<'c, 'a>,
    position: Position,
    /// What is to be said at the next place.
    says: Vec<Say<'c>>,
    /// For how many lines it has waited for a place.
    waited: u32,
    /// Whether the gate wants the unfinished line.
    partial_wanted: bool,
    /// How much of the current chunk is forwarded.
    sent: usize,
    diagnosed: bool,
}

impl<'c, W: Write> Filter<'c, '_, '_, W> {
    fn pump<S: Source>(&mut self, source: &mut S) -> Result<End, FilterError> {
        loop {
            match source.next(self.wait()).map_err(FilterError::Read)? {
                Event::Bytes(chunk) => self.take(chunk)?,
                Event::Quiet => self.guard(b"", |filter, _| filter.quiet())?,
                Event::NextFile(name) => {
                    self.guard(name.as_bytes(), |filter, name| {
                        filter.next_file(&String::from_utf8_lossy(name))
                    })?;
                }
                Event::Eof => {
                    self.guard(b"", |filter, _| filter.finish())?;
                    return Ok(End::Eof);
                }
                Event::Stopped(signal) => {
                    self.guard(b"", |filter, _| filter.finish())?;
                    return Ok(End::Stopped(signal));
                }
            }
        }
    }

    /// How long the next read may wait: as long as it likes, unless something is pending.
    fn wait(&self) -> Wait {
        let Some(analysis) = &self.work.analysis else {
            return Wait::Forever;
        };
        if analysis.is_pending() || !self.says.is_empty() {
            return Wait::AtMost(QUIET);
        }
        match analysis.deadline() {
            Some(due) => Wait::AtMost(
                due.saturating_sub(self.clock.now())
                    .max(Duration::from_millis(1)),
            ),
            None => Wait::Forever,
        }
    }

    fn take(&mut self, chunk: &[u8]) -> Result<(), FilterError> {
        self.sent = 0;
        if self.work.spare_json {
            self.work.spare_json = false;
            if chunk.first() == Some(&b'{') {
                self.work.annotator = None;
            }
        }
        self.guard(chunk, Self::chunk)?;
        // What the analysis did not forward, because it failed, is forwarded all the same.
        self.forward(chunk, chunk.len())
    }

    /// Runs a step of the analysis; if it fails, the filter says so once and goes on copying.
    fn guard(
        &mut self,
        bytes: &[u8],
        step: impl FnOnce(&mut Self, &[u8]) -> Result<(), FilterError>,
    ) -> Result<(), FilterError> {
        if self.work.analysis.is_none() {
            return Ok(());
        }
        catch_unwind(AssertUnwindSafe(|| step(self, bytes))).unwrap_or_else(|_| {
            self.work.analysis = None;
            self.says.clear();
            (self.work.complain)("the analysis failed, from here on the output is only copied (a bug: please report it with the log)");
            Ok(())
        })
    }

    fn chunk(&mut self, chunk: &[u8]) -> Result<(), FilterError> {
        let mut at = 0;
        while at < chunk.len() {
            if self.position.is_inside_line() {
                at = self.go_on_with_line(chunk)?;
                continue;
            }
            if self.analysis().is_idle() && self.says.is_empty() {
                let Some(next) = self.skip_to_wanted(chunk, at) else {
                    break;
                };
                at = next;
            }
            let line_ends = line_end(&chunk[at..]);
            self.begin(chunk, at, first_byte(&chunk[at..]))?;
            if let Some(len) = line_ends {
                self.line(&chunk[at..at + len]);
                at += len;
                self.place(chunk, at)?;
            } else {
                self.start_tail(&chunk[at..]);
                at = chunk.len();
            }
        }
        self.position.remember(chunk);
        self.report_dropped();
        self.forward(chunk, chunk.len())
    }

    /// While nothing is open: passes over lines that cannot matter. Gives the start of the line
    /// that may; `None` if the rest of the chunk is passed.
    fn skip_to_wanted(&mut self, chunk: &[u8], at: usize) -> Option<usize> {
        let rest = &chunk[at..];
        let wanted = self.analysis().wants(rest);
        let end = match wanted {
            Some(hit) => at + line_start(rest, hit),
            None => at + last_line_end(rest),
        };
        self.position.skip(&chunk[at..end]);
        if wanted.is_none() {
            if end < chunk.len() {
                self.position.extend(&chunk[end..]);
                self.partial_wanted = false;
            }
            return None;
        }
        let analysis = self.work.analysis.as_mut()?;
        self.position
            .lines_above(&chunk[..end], RECENT_LINES, |line| analysis.remember(line));
        Some(end)
    }

    /// The chunk goes on with the unfinished line. Gives the index behind what was taken.
    fn go_on_with_line(&mut self, chunk: &[u8]) -> Result<usize, FilterError> {
        let end = line_end(chunk).unwrap_or(chunk.len());
        let piece = &chunk[..end];
        if !self.partial_wanted {
            self.partial_wanted = self.analysis().wants_behind(self.position.partial(), piece);
        }
        if !piece.ends_with(b"\n") {
            self.position.extend(piece);
            return Ok(end);
        }
        if self.partial_wanted || !self.analysis().is_idle() || !self.says.is_empty() {
            if let Some(analysis) = self.work.analysis.as_mut().filter(|a| a.is_idle()) {
                self.position
                    .lines_above(b"", RECENT_LINES, |line| analysis.remember(line));
            }
            self.line(piece);
        } else {
            self.position.end_line(piece, |_| ());
        }
        self.partial_wanted = false;
        self.place(chunk, end)?;
        Ok(end)
    }

    /// An unfinished line begins at the end of a chunk.
    fn start_tail(&mut self, tail: &[u8]) {
        self.partial_wanted = self.analysis().wants(tail).is_some();
        self.position.extend(tail);
    }

    /// A line begins at `at`: what it closes is annotated before it.
    fn begin(&mut self, chunk: &[u8], at: usize, first: Option<u8>) -> Result<(), FilterError> {
        let moment = self.moment();
        if let Some(analysis) = self.work.analysis.as_mut() {
            analysis.begin_line(first, moment, &mut self.says);
        }
        self.place(chunk, at)
    }

    /// A line is complete.
    fn line(&mut self, bytes: &[u8]) {
        let moment = self.moment();
        let Some(analysis) = self.work.analysis.as_mut() else {
            return;
        };
        let says = &mut self.says;
        self.position
            .end_line(bytes, |line| analysis.line(line, moment, says));
        if !self.says.is_empty() {
            self.waited += 1;
        }
    }

    /// Writes what is to be said before the byte at `at`, if that is a place for it.
    fn place(&mut self, chunk: &[u8], at: usize) -> Result<(), FilterError> {
        if self.says.is_empty() {
            return Ok(());
        }
        let analysis = self.analysis();
        let free = analysis.may_annotate()
            || self.waited > PLACE_PATIENCE && !analysis.stands_inside_entry();
        if !free {
            return Ok(());
        }
        self.forward(chunk, at)?;
        if self.out.is_colour_open()
            && self
                .work
                .annotator
                .as_ref()
                .is_some_and(|a| !a.is_coloured())
        {
            // Without colour codes of its own, the annotation waits for the line that closes them.
            return Ok(());
        }
        self.annotate()
    }

    fn annotate(&mut self) -> Result<(), FilterError> {
        self.waited = 0;
        let says = std::mem::take(&mut self.says);
        for say in &says {
            if let Say::Root(diagnosis) = say {
                self.diagnosed |= diagnosis.severity() != Severity::Note;
            }
        }
        let Some(annotator) = &self.work.annotator else {
            return Ok(());
        };
        for say in &says {
            let start = if self.out.is_at_line_start() {
                Start::Line
            } else {
                Start::Broken
            };
            let block = annotator.draw(say, start);
            self.out.annotate(&block).map_err(FilterError::Write)?;
        }
        Ok(())
    }

    fn quiet(&mut self) -> Result<(), FilterError> {
        let moment = self.moment();
        if let Some(analysis) = self.work.analysis.as_mut() {
            analysis.quiet(moment, &mut self.says);
            analysis.tick(moment, &mut self.says);
        }
        if self.says.is_empty()
            || !self.analysis().may_annotate() && self.analysis().stands_inside_entry()
        {
            return Ok(());
        }
        self.annotate()
    }

    fn next_file(&mut self, name: &str) -> Result<(), FilterError> {
        self.end_file()?;
        self.position = Position::default();
        let Some(analysis) = self.work.analysis.as_mut() else {
            return Ok(());
        };
        analysis.begin_file(Some(name).filter(|n| *n != "-"), &mut self.says);
        if self.says.is_empty() {
            Ok(())
        } else {
            self.annotate()
        }
    }

    /// One FILE has ended, perhaps without a newline.
    fn end_file(&mut self) -> Result<(), FilterError> {
        let moment = self.moment();
        let Some(analysis) = self.work.analysis.as_mut() else {
            return Ok(());
        };
        let says = &mut self.says;
        if self.partial_wanted || !analysis.is_idle() {
            self.position
                .end_input(|line| analysis.line(line, moment, says));
        }
        analysis.end_of_file(moment, says);
        if self.says.is_empty() {
            Ok(())
        } else {
            self.annotate()
        }
    }

    fn finish(&mut self) -> Result<(), FilterError> {
        self.end_file()?;
        let moment = self.moment();
        if let Some(analysis) = self.work.analysis.as_mut() {
            analysis.finish(moment, &mut self.says);
        }
        if self.says.is_empty() {
            Ok(())
        } else {
            self.annotate()
        }
    }

    /// Hands on the incidents that were dropped from memory.
    fn report_dropped(&mut self) {
        let dropped = self
            .work
            .analysis
            .as_mut()
            .map(Analysis::take_dropped)
            .unwrap_or_default();
        for incident in dropped {
            (self.work.report)(&incident);
        }
    }

    fn report_all(&mut self) {
        self.report_dropped();
        let Some(analysis) = self.work.analysis.take() else {
            return;
        };
        let report = &mut self.work.report;
        let told = catch_unwind(AssertUnwindSafe(|| {
            for incident in analysis.into_incidents() {
                report(&incident);
            }
        }));
        if told.is_err() {
            (self.work.complain)(
                "the report could not be completed (a bug: please report it with the log)",
            );
        }
    }

    fn forward(&mut self, chunk: &[u8], end: usize) -> Result<(), FilterError> {
        if end > self.sent {
            let piece = &chunk[self.sent..end];
            self.sent = end;
            self.out.forward(piece).map_err(FilterError::Write)?;
        }
        Ok(())
    }

    fn moment(&self) -> Moment {
        // Time in which the output was blocked is not the writer's.
        Moment {
            line: self.position.number(),
            time: self.clock.now().saturating_sub(self.out.blocked()),
        }
    }

    fn analysis(&self) -> &Analysis<'c> {
        self.work
            .analysis
            .as_ref()
            .expect("only called by steps that run while there is one")
    }
}
