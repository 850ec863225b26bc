//! A line that continues nothing: what it starts, and what stands above it.

use std::time::Duration;

use super::prefixed::{plain_prefix, teaches_prefix};
use super::reader::LaneReader;
use super::{Completed, LINES_ABOVE, Lane, Undecided, span_of};
use crate::traceback::assembler::{Assembler, RemoteQuote};
use crate::traceback::grammar::cpython::HEAD;
use crate::traceback::grammar::exception::{bare_exception, exception_behind_message};
use crate::traceback::grammar::{self, TracebackStart};
use crate::traceback::line::prefix::Prefix;
use crate::traceback::line::record::field;
use crate::traceback::line::told::exception_in;
use crate::traceback::part::{ExceptionLine, FrameLine, Head, Line, Part, ThreadHead};
use crate::traceback::{Dialect, Evidence, Exception, Traceback};

/// How many texts deep a text may be: a traceback in a record, in the record of a container's, of an agent's.
const MOST_WITHIN: u8 = 4;

impl LaneReader<'_, '_> {
    /// A line that continues nothing: it may start a traceback.
    pub(super) fn start(
        &mut self,
        text: &str,
        prefix: Option<Prefix>,
        completed: &mut Vec<Completed>,
    ) {
        if !self.line.may_matter && !heads_remote(text) {
            if self.lanes.awaits_rest() {
                self.rejoin(text, &prefix.unwrap_or_default(), completed);
            }
            return;
        }
        let (text, prefix) = match prefix {
            Some(prefix) => (text, prefix),
            None if text.starts_with(HEAD) => (text, Prefix::default()),
            None => self
                .learned_prefix(text)
                .or_else(|| plain_prefix(text))
                .or_else(|| self.number(text))
                .map_or((text, Prefix::default()), |(prefix, rest)| (rest, prefix)),
        };
        let inner = grammar::json::traceback(text);
        if let Some(inner) = inner.or_else(|| self.stack_below_message(text)) {
            self.read_inner(&inner, Dialect::Json, &prefix, completed);
        } else if let Some(lines) = grammar::oneline::unfold(text) {
            self.read_inner(&lines, Dialect::OneLine, &prefix, completed);
        } else if let Some(message) = grammar::json::message(text) {
            let known = completed.len();
            self.read_inner(&message, Dialect::Json, &prefix, completed);
            let is_line = |c: &Completed| matches!(c, Completed::Traceback(t) if t.evidence == Evidence::Line);
            if completed[known..].iter().all(is_line) {
                // Each of those was read.
                let others = message.lines().filter(|l| bare_exception(l).is_none());
                others.for_each(|line| self.pass_on(line, &prefix, completed));
            }
        } else if let Some(start) = grammar::start(text) {
            // A record that tells the message before its traceback: `job 3 failed: cannot …, Traceback …`.
            if let TracebackStart::Head { before, .. } = start
                && let Some(record) = before.trim_end().strip_suffix(',')
            {
                self.pass_on(record, &prefix, completed);
            }
            let lane = self.lane(&start, prefix);
            self.lanes.open(lane);
            self.touch(self.lanes.open.len() - 1);
        } else if let Some((prefix, rest)) = self.shared_prefix(text, &prefix) {
            self.start(rest, Some(prefix), completed);
        } else {
            self.pass_on(text, &prefix, completed);
            self.rejoin(text, &prefix, completed);
        }
    }

    fn lane(&mut self, start: &TracebackStart<'_>, prefix: Prefix) -> Lane {
        let traceback = Traceback {
            dialect: start.dialect(),
            at: span_of(self.line),
            ..Traceback::default()
        };
        match start {
            TracebackStart::Head {
                before,
                kind,
                exception,
                ..
            } => {
                let mut lane = self.at_head(traceback, before, *kind, prefix);
                if let Some(name) = exception {
                    lane.assembler.announce(Exception {
                        type_name: Some((*name).to_owned()),
                        ..Exception::default()
                    });
                }
                lane
            }
            TracebackStart::Frame { before, frame } => {
                self.at_frame(traceback, before, frame, prefix)
            }
            TracebackStart::Editor { type_name } => {
                let above = self.above(&prefix);
                let traceback = Traceback { above, ..traceback };
                Lane::new(prefix, Assembler::at_editor(traceback, type_name))
            }
            TracebackStart::Thread(head) => self.at_thread(traceback, *head, prefix),
            TracebackStart::Exception { exception, .. } => {
                self.at_exception(traceback, exception, prefix)
            }
        }
    }

    fn at_head(
        &mut self,
        mut traceback: Traceback,
        before: &str,
        kind: Head,
        mut prefix: Prefix,
    ) -> Lane {
        let before = match kind {
            Head::Group => before.strip_suffix("  ").unwrap_or(before),
            Head::Plain | Head::Original => before,
        };
        // `RuntimeError: Traceback …` is a message, the traceback of another process.
        let is_bare = before.trim().is_empty() || bare_exception(before).is_some();
        let heading = (!is_bare).then(|| before.trim().to_owned());
        let is_known = !prefix.is_empty();
        let may_teach = teaches_prefix(traceback.dialect) || traceback.dialect == Dialect::Rich;
        let (mut undecided, mut inner) = (None, None);
        if !is_bare && may_teach && Prefix::fits(before) {
            let learned = Prefix::learn(before);
            if is_known {
                inner = Some(learned);
            } else {
                prefix = learned;
                let before = before.to_owned();
                undecided = Some(Undecided { before, lines: 0 });
            }
        }
        self.find_heading(&mut traceback, &prefix);
        let heading = heading.filter(|_| undecided.is_none());
        traceback.heading = if is_known {
            heading.or(traceback.heading)
        } else {
            traceback.heading.or(heading)
        };
        let announced = self.announced().or_else(|| self.represented_above(&prefix));
        let mut assembler = Assembler::at_head(traceback, kind);
        if let Some(exception) = announced {
            assembler.announce(exception);
        }
        if let Some(quote) = self.quote_above(&prefix) {
            assembler.open_remote(quote);
        }
        Lane {
            undecided,
            inner,
            ..Lane::new(prefix, assembler)
        }
    }

    /// Returns the traceback of torchelastic's record of an error whose end was cut off: the final line is a
    /// member above the stack.
    fn stack_below_message(&self, text: &str) -> Option<String> {
        /// The member that holds the stack opens between the two.
        const LINES: usize = 2;
        let stack = grammar::json::cut_call_stack(text)?;
        let mut above = self.lanes.recent.iter().rev().take(LINES);
        let message = above.find_map(|r| field(&r.text, "message"))?;
        bare_exception(message.lines().next()?)?;
        Some(stack + &message + "\n")
    }

    /// Takes back the line above a head by which AWS Lambda tells the exception; it prints no final
    /// line: `[ERROR] OSError: [Errno 38] …`, and `[Errno 38] …: OSError` up to Python 3.6.
    fn announced(&mut self) -> Option<Exception> {
        let number = self.line.number;
        let above = self.lanes.recent.back()?;
        let told = above.text.split_once("[ERROR] ");
        let is_stamp =
            |before: &str| before.is_empty() || before.starts_with(|c: char| c.is_ascii_digit());
        let found = match told.filter(|(before, _)| is_stamp(before)) {
            Some((_, text)) => bare_exception(text)?,
            None => exception_behind_message(&above.text)?,
        };
        if above.span.line + 1 != number {
            return None;
        }
        let exception = Exception::from(found);
        let is_it = |lane: &Lane| lane.last_line + 1 == number && lane.assembler.is_line_alone();
        self.lanes.open.retain(|lane| !is_it(lane));
        Some(exception)
    }

    fn at_frame(
        &mut self,
        mut traceback: Traceback,
        before: &str,
        frame: &FrameLine<'_>,
        mut prefix: Prefix,
    ) -> Lane {
        if !before.is_empty() && prefix.is_empty() {
            prefix = Prefix::learn(before);
        }
        if let Some(assembler) = self.below_thread(&traceback, frame, &prefix) {
            return Lane::new(prefix, assembler);
        }
        self.find_heading(&mut traceback, &prefix);
        if let Some(told) = self.told_above(&prefix) {
            return Lane::new(prefix, Assembler::below_record(traceback, frame, told));
        }
        let announced = lambda_error(&traceback.above);
        let mut assembler = Assembler::at_frame(traceback, frame);
        if let Some(exception) = announced {
            assembler.announce(exception);
        }
        Lane::new(prefix, assembler)
    }

    /// Returns the exception that the log record directly above tells.
    fn told_above(&self, prefix: &Prefix) -> Option<Exception> {
        let above = self.lanes.recent.back()?;
        let text = above.behind(prefix);
        // A final line by itself is another traceback's.
        let is_record = bare_exception(text).is_none() && above.span.line + 1 == self.line.number;
        let told = exception_in(text).filter(|_| is_record);
        told.map(Exception::from)
    }

    /// Returns the same where it tells it as `repr` does, for want of a final line:
    /// `Task a[7] raised unexpected: TypeError('bad')`.
    fn represented_above(&self, prefix: &Prefix) -> Option<Exception> {
        // Most lines above a head are nothing of the kind, and this says so fast.
        let above = self.lanes.recent.back()?.text.as_bytes();
        let may_be = above.ends_with(b")") || above.ends_with(b")>");
        may_be.then(|| self.told_above(prefix))?
    }

    /// Starts at the first frame of a thread's stack, whose head the gate did not ask for.
    fn below_thread(
        &self,
        traceback: &Traceback,
        frame: &FrameLine<'_>,
        prefix: &Prefix,
    ) -> Option<Assembler> {
        let above = self.lanes.recent.back()?;
        let head = grammar::dump::thread(above.behind(prefix))?;
        let mut at = span_of(self.line);
        (at.line, at.offset) = (above.span.line, above.span.offset);
        let traceback = Traceback {
            dialect: Dialect::Dump,
            at,
            ..traceback.clone()
        };
        Some(Assembler::at_frame_of_thread(traceback, head, frame))
    }

    fn at_thread(
        &mut self,
        mut traceback: Traceback,
        head: ThreadHead<'_>,
        prefix: Prefix,
    ) -> Lane {
        self.find_heading(&mut traceback, &prefix);
        Lane::new(prefix, Assembler::at_thread(traceback, head))
    }

    fn at_exception(
        &mut self,
        mut traceback: Traceback,
        exception: &ExceptionLine<'_>,
        prefix: Prefix,
    ) -> Lane {
        traceback.above = self.above(&prefix);
        let lines = if traceback.dialect == Dialect::Pytest {
            self.report_above(&prefix)
        } else {
            let (dialect, lines) = self.beheaded_above(&prefix);
            traceback.dialect = dialect;
            lines
        };
        let assembler = if lines.is_empty() {
            Assembler::at_exception(traceback, exception)
        } else {
            Assembler::below_lines(traceback, &lines, exception)
        };
        Lane::new(prefix, assembler)
    }

    /// Returns the lines directly above that belong to a traceback whose head was cut off, of `IPython` or in
    /// a box, and its dialect.
    fn beheaded_above(&self, prefix: &Prefix) -> (Dialect, Vec<&str>) {
        let above = self.lanes.recent.iter().rev().map(|r| r.behind(prefix));
        let mut above = above.skip_while(|text| text.trim().is_empty()).peekable();
        let (dialect, mut lines) = if above.peek().is_some_and(|text| grammar::rich::is_end(text)) {
            let rows = above.skip(1);
            let rows = rows.take_while(|text| grammar::rich::is_row(text));
            (Dialect::Rich, rows.collect())
        } else {
            (Dialect::Ipython, cells(above))
        };
        if lines.is_empty() {
            return (Dialect::Cpython, lines);
        }
        lines.reverse();
        (dialect, lines)
    }

    /// Returns the lines of a test's report above its final line, as far as they are remembered.
    fn report_above(&self, prefix: &Prefix) -> Vec<&str> {
        let above = self.lanes.recent.iter().rev().map(|r| r.behind(prefix));
        let mut lines: Vec<&str> = above.take_while(|l| !grammar::pytest::is_end(l)).collect();
        lines.reverse();
        lines
    }

    /// Tracebacks that one line holds, taken out of it as text.
    fn read_inner(
        &mut self,
        inner: &str,
        dialect: Dialect,
        prefix: &Prefix,
        completed: &mut Vec<Completed>,
    ) {
        if self.lanes.depth == MOST_WITHIN {
            return;
        }
        for mut traceback in crate::traceback::read_within(inner.as_bytes(), self.lanes.depth + 1) {
            traceback.dialect = dialect;
            traceback.at = span_of(self.line);
            traceback.prefix = shown(prefix);
            self.lanes.bound = self.line.number;
            completed.push(Completed::Traceback(traceback));
        }
    }

    /// Takes the heading out of the lines above, and remembers the others.
    fn find_heading(&mut self, traceback: &mut Traceback, prefix: &Prefix) {
        traceback.above = self.above(prefix);
        let number = self.line.number;
        // What torch prints at the end of a rank ended it; and a record of another writer tells of another
        // failure.
        let is_of_rank = prefix.as_printed.contains("[rank");
        let above = self.lanes.recent.iter_mut().rev().take(LINES_ABOVE);
        for recent in above.filter(|r| !r.used) {
            let own = prefix.strip(&recent.text).filter(|_| !is_of_rank);
            let text = own.unwrap_or(&recent.text);
            let directly = recent.span.line + 1 == number && own.is_some();
            if let Some(heading) = grammar::cpython::heading(text) {
                traceback.heading = Some(heading.to_owned());
                traceback.at.line = recent.span.line;
                traceback.at.offset = recent.span.offset;
                recent.used = true;
                return;
            }
            // What torchrun says before it starts the ranks heads none of their tracebacks.
            let is_banner = || text.contains("torch.distributed.run");
            if directly
                && bare_exception(text).is_none()
                && grammar::is_log_record(text)
                && !is_banner()
            {
                traceback.heading = Some(text.trim().to_owned());
                return;
            }
        }
    }

    /// The quote of another process's text directly above, whose own first line was not read: its
    /// prefix was not known yet, or the gate did not ask for it.
    pub(super) fn quote_above(&self, prefix: &Prefix) -> Option<RemoteQuote> {
        let mut above = self.lanes.recent.iter().rev();
        let mut next = || {
            let recent = above.next()?;
            Some((recent.behind(prefix).trim(), recent.span))
        };
        let mark = match next()?.0 {
            "\"\"\"" => '"',
            "'''" => '\'',
            _ => return None,
        };
        let (header, at) = next()?;
        let type_name = header.strip_suffix(':')?.to_owned();
        let is_remote = type_name.ends_with("RemoteTraceback");
        is_remote.then_some(RemoteQuote {
            mark,
            type_name,
            at,
        })
    }

    pub(super) fn above(&self, prefix: &Prefix) -> Vec<String> {
        let recent = &self.lanes.recent;
        let far = recent.len().saturating_sub(LINES_ABOVE);
        recent
            .iter()
            .skip(far)
            .map(|r| r.behind(prefix).to_owned())
            .collect()
    }
}

/// Returns whether a line heads the text of another process's traceback. The gate does not ask for it, but the
/// line above may wait for it: `multiprocessing.pool.RemoteTraceback:`.
fn heads_remote(text: &str) -> bool {
    text.trim_end().ends_with("RemoteTraceback:")
}

/// Returns the exception that AWS Lambda's JSON tells in the lines above its frames, a member on each.
fn lambda_error(above: &[String]) -> Option<Exception> {
    let frames = above.last()?.trim_start();
    if !frames.starts_with("\"stackTrace\"") {
        return None;
    }
    let member = |name| above.iter().rev().find_map(|line| field(line, name));
    let message = member("errorMessage").unwrap_or_default();
    Some(Exception {
        type_name: Some(member("errorType")?),
        message: message.lines().map(str::to_owned).collect(),
        ..Exception::default()
    })
}

/// Returns those at the start that are lines of one of `IPython`'s tracebacks, if they hold a frame.
fn cells<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let is_own = |text: &&str| {
        matches!(
            cell_part(text),
            Part::Frame(_) | Part::Source { .. } | Part::Beside(_) | Part::Context | Part::Blank
        )
    };
    let lines: Vec<&str> = lines.take_while(is_own).collect();
    // A number at the start of a line may be anything.
    let has = |is: fn(&Part<'_>) -> bool| lines.iter().any(|text| is(&cell_part(text)));
    let is_whole =
        has(|p| matches!(p, Part::Frame(_))) && has(|p| matches!(p, Part::Source { .. }));
    if is_whole { lines } else { Vec::new() }
}

/// Reads a line as one of `IPython`'s tracebacks.
fn cell_part(text: &str) -> Part<'_> {
    Line::read(Dialect::Ipython, text).part
}

impl Lane {
    /// Starts a lane, which the line that starts it has still to touch.
    pub(super) fn new(prefix: Prefix, assembler: Assembler) -> Self {
        Self {
            prefix,
            undecided: None,
            inner: None,
            words: None,
            assembler,
            last_line: 0,
            last_offset: 0,
            last_time: Duration::ZERO,
            touched: 0,
        }
    }
}

pub(super) fn shown(prefix: &Prefix) -> Option<String> {
    (!prefix.is_empty()).then(|| prefix.as_printed.clone())
}
