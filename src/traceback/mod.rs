//! What was found in the text: tracebacks and their parts.
//!
//! [`Lanes`] turns lines into [`Traceback`]s; everything after it works on these
//! types alone. Text is kept without colour codes and line prefixes, lossily decoded once.

pub mod assembler;
mod embedded;
pub mod facts;
pub mod fold;
mod grammar;
pub mod lanes;
mod line;
pub mod notes;
mod part;
mod path;
#[doc(hidden)]
pub mod pieces;

use std::iter;
use std::ops::Range;
use std::time::Duration;

use memchr::{memchr_iter, memmem};

use crate::line::{RawLine, find};
use crate::named::named;
use assembler::Nothing;
use lanes::{Completed, Lanes};
use line::prefix_form::PrefixEnds;
pub use line::time_stamp as stamp;
use part::ExceptionLine;
pub use path::{Owner, SourcePath};

/// One printed failure: its exceptions, oldest first as printed, and where it stood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traceback {
    /// The form it was printed in.
    pub dialect: Dialect,
    /// How much of it was there to read.
    pub evidence: Evidence,
    /// The line above that says where it came from: `Process SpawnProcess-1:`, a log record.
    pub heading: Option<String>,
    /// Up to 8 other lines that stood directly above the head, oldest first (warnings of torch).
    pub above: Vec<String>,
    /// The exceptions in printed order; [`Exception::link`] tells how they hang together.
    pub exceptions: Vec<Exception>,
    /// The stacks of a dump (faulthandler, py-spy); empty for all others.
    pub threads: Vec<Stack>,
    /// Where it stood in the input.
    pub at: Span,
    /// The type above the text of another process: `concurrent.futures.process._RemoteTraceback`.
    pub remote_type: Option<String>,
    /// What stood in front of each of its lines (`[rank0]: `), as on its first line.
    pub prefix: Option<String>,
}

named! {
    /// Which printer wrote a traceback; rules name it in `dialect = "…"`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Dialect {
        /// The interpreter, `traceback.print_exc`, and all that prints the same form.
        #[default]
        Cpython = "cpython",
        /// `IPython` and Jupyter, all generations.
        Ipython = "ipython",
        /// pytest's long, short and line forms.
        Pytest = "pytest",
        /// rich's boxes.
        Rich = "rich",
        /// A traceback inside a string of a JSON line.
        Json = "json",
        /// Stacks without an exception, most recent call first: faulthandler, py-spy.
        Dump = "dump",
        /// A whole traceback on one line, as web pages paste it.
        OneLine = "one-line",
        /// A single line outside any traceback: a warning, a log line of C++ code.
        LogLine = "log-line",
    }
}

impl Dialect {
    /// Returns whether it breaks long messages into several lines.
    pub(crate) fn wraps_messages(self) -> bool {
        self.layout().columns == grammar::Columns::Box
    }
}

/// How much of a traceback was there to read; less evidence, less confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// What may be the message of an exception, without its type.
    Message,
    /// An exception line alone.
    Line,
    /// Frames, but no head (`Traceback (most recent call last):`).
    Frames,
    /// A head.
    #[default]
    Head,
}

/// One exception of a traceback.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exception {
    /// The type as printed (`torch.cuda.OutOfMemoryError`); `None` where the text was cut before it.
    pub type_name: Option<String>,
    /// The message, line by line, without the type; empty if there was none. At most 16 KiB.
    pub message: Vec<String>,
    /// The notes below the message (PEP 678), line by line; the first and last 100.
    pub notes: Vec<String>,
    /// The stack, outermost frame first; the first 50 and last 200.
    pub frames: Vec<Frame>,
    /// How it hangs on which other exception of [`Traceback::exceptions`] (by index).
    pub link: Option<(Link, usize)>,
}

/// How an exception hangs on another one of the same traceback.
///
/// The index that goes with it is that of the other exception. `raised[1].link ==
/// Some((Link::Cause, 0))` reads: exception 0 is the cause of exception 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// `The above exception was the direct cause …`: the other one is its cause.
    Cause,
    /// `During handling of the above exception …`: the other one was being handled.
    Context,
    /// The other one is the text that another process sent (a `RemoteTraceback`, torch's
    /// `Original Traceback`, `-- Process 0 terminated with the following error:`).
    Remote,
    /// It is a member of the other one, an exception group.
    GroupMember,
    /// It was read out of the other one's message (`MaybeEncodingError`'s reason).
    Quoted,
}

/// One `File "…", line N, in f`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The path as printed, at most 1 KiB, and whose file it is.
    pub path: SourcePath,
    /// The line number, 1-based; 0 where it is not printed.
    pub line: u32,
    /// The function's name as printed; empty for the frame of a `SyntaxError`.
    pub function: String,
    /// The source line without indentation (its first line, if there are several).
    pub source: Option<String>,
    /// The heads of the blocks that its line stands in, and the other lines of its statement, where they are shown
    /// too.
    pub around: Vec<String>,
    /// The columns of it that Python marked with `~` and `^`, from 0.
    pub marked: Option<Range<usize>>,
}

impl Frame {
    /// Returns whether it is of this function; IPython and py-spy name the class before a method.
    pub fn is_of(&self, function: &str) -> bool {
        let class = self.function.strip_suffix(function);
        class.is_some_and(|class| class.is_empty() || class.ends_with('.'))
    }

    /// Returns the part of its source line that is marked; `None` if nothing or all of it is.
    pub fn expression(&self) -> Option<&str> {
        let source = self.source.as_deref()?;
        // Wide characters have other columns.
        let source = Some(source).filter(|source| source.is_ascii())?;
        let part = source.get(self.marked.clone()?)?.trim();
        (!part.is_empty() && part.len() < source.len()).then_some(part)
    }
}

/// The stack of one thread in a dump, outermost frame first, however it was printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// The thread's name, where printed.
    pub name: Option<String>,
    /// Its state as printed (`active`, `idle`, `Current`), where printed.
    pub state: Option<String>,
    /// The process that it runs in, where printed.
    pub pid: Option<u32>,
    /// Its frames.
    pub frames: Vec<Frame>,
}

impl Stack {
    /// Returns whether it is the thread that crashed, or that got the signal.
    pub(crate) fn is_current(&self) -> bool {
        self.state.as_deref() == Some(grammar::dump::CURRENT)
    }
}

/// A stretch of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Its first line, 1-based.
    pub line: u64,
    /// Its last line, 1-based.
    pub end_line: u64,
    /// Its first byte, 0-based.
    pub offset: u64,
    /// The byte after its last one.
    pub end_offset: u64,
}

impl Exception {
    /// Returns the last dotted part of the exception's type: `PicklingError` of `_pickle.PicklingError`.
    pub fn short_type(&self) -> Option<&str> {
        self.type_name
            .as_deref()
            .map(|e| e.rsplit('.').next().unwrap_or(e))
    }

    /// Returns the last frame that the user can change.
    pub(crate) fn user_frame(&self) -> Option<&Frame> {
        self.frames.iter().rev().find(|frame| frame.path.is_users())
    }
}

impl Traceback {
    /// Returns all frames: those of its exceptions, then those of its threads.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        let of_threads = self.threads.iter().flat_map(|t| &t.frames);
        self.exceptions
            .iter()
            .flat_map(|r| &r.frames)
            .chain(of_threads)
    }

    /// Returns the first lines of the messages of its exceptions.
    pub(crate) fn first_lines(&self) -> impl Iterator<Item = &str> {
        let messages = self.exceptions.iter().map(|r| &r.message);
        messages.filter_map(|message| message.first().map(String::as_str))
    }

    /// Returns whether it stands in pytest's report of a test, in whichever form.
    pub(crate) fn is_of_test(&self) -> bool {
        let is_pytest = |frame: &Frame| frame.path.ends("_pytest/runner.py");
        let mut raised = self.exceptions.iter().flat_map(|e| &e.frames);
        self.dialect == Dialect::Pytest || raised.any(is_pytest)
    }

    /// Returns whether it was merely quoted, as far as the text around it tells.
    pub fn is_quoted(&self) -> bool {
        // A doctest's message that stands for any: it quotes one exception.
        if self.exceptions.len() == 1 && self.first_lines().any(|line| line.trim() == "...") {
            return true;
        }
        if self.evidence > Evidence::Line {
            return false;
        }
        let Some(line) = self.exceptions.first() else {
            return false;
        };
        let message = line.message.first().map_or("", String::as_str);
        // Documents quote messages; a writer's own mark, or its time, is on what was printed.
        let is_log = || without_prefix(message).len() < message.len();
        let is_mark = |text: &str| text.starts_with(['[', '(']);
        let is_marked = match &self.prefix {
            Some(prefix) => is_mark(prefix) || line::mention::is_timed(prefix),
            None if line.type_name.is_some() => false,
            None => is_mark(message) && is_log() || line::mention::is_timed(message),
        };
        let above = if is_marked { &[] } else { &*self.above };
        line::mention::is_quoted(line.type_name.as_deref(), message, above)
    }
}

/// Reads all tracebacks of a text, as an input that ends with it.
pub fn read(text: &[u8]) -> Vec<Traceback> {
    read_within(text, 0)
}

/// Reads a text that was taken out of a line of another, which was taken out of one itself, `depth` times.
fn read_within(text: &[u8], depth: u8) -> Vec<Traceback> {
    let mut lanes = Lanes::within(depth);
    let mut completed = Vec::new();
    let mut offset = 0;
    for (number, bytes) in (1..).zip(text.split_inclusive(|b| *b == b'\n')) {
        let end_offset = offset + bytes.len() as u64;
        lanes.begin_line(first_byte(bytes), &Nothing, &mut completed);
        lanes.line(
            RawLine {
                bytes,
                number,
                offset,
                end_offset,
                may_matter: true,
            },
            Duration::ZERO,
            &Nothing,
            &mut completed,
        );
        offset = end_offset;
    }
    lanes.finish(&mut completed);
    completed
        .into_iter()
        .filter_map(|c| match c {
            Completed::Traceback(traceback) => Some(traceback),
            Completed::Line(_) | Completed::Wrapped { .. } => None,
        })
        .collect()
}

pub(crate) use grammar::exception::bare_exception;
pub(crate) use line::told::{bare_message, messages_in};

/// Reads a text of a line as the exception that it tells behind a program's own words, if it does.
pub fn told_exception(line: &Traceback, text: &str) -> Option<Traceback> {
    line::told::exception_in(text).map(|told| told_so(line, &told))
}

/// Reads a line of pytest's summary as the exception that it tells, if it is one.
pub fn told_in_summary(line: &Traceback, text: &str) -> Option<Traceback> {
    // It names a file: nearly all lines need not be read.
    find(text, ".py")?;
    line::told::summary(without_prefix(text)).map(|told| told_so(line, &told))
}

fn told_so(line: &Traceback, told: &ExceptionLine<'_>) -> Traceback {
    let type_name = Some(told.type_name);
    told_by(line, Evidence::Line, type_name, told.message)
}

/// Returns the exception of this type and message that a line tells.
pub fn told_by(
    line: &Traceback,
    evidence: Evidence,
    type_name: Option<&str>,
    message: Option<&str>,
) -> Traceback {
    let exception = Exception {
        type_name: type_name.map(str::to_owned),
        message: message.into_iter().map(str::to_owned).collect(),
        ..Exception::default()
    };
    Traceback {
        dialect: Dialect::Cpython,
        evidence,
        exceptions: vec![exception],
        ..line.clone()
    }
}

/// Takes off what at the start of a line is a prefix by its form alone, and what makes a line bold.
pub fn without_prefix(line: &str) -> &str {
    let rest = &line[line::prefix::Prefix::plain_len(line)..];
    line::told::without_bold(rest)
}

/// Takes off the same, read once, and then what else of it may be the prefix.
pub fn without_prefixes(line: &str) -> impl Iterator<Item = &str> {
    let ends = PrefixEnds::of(line);
    let others: Vec<_> = ends.others().map(|len| &line[len..]).collect();
    iter::once(line::told::without_bold(&line[ends.whole()..])).chain(others)
}

/// Takes off what Python's `logging` puts in front unless it is told otherwise: `WARNING:name:`.
pub fn without_logger(line: &str) -> Option<&str> {
    let says_failed = line.starts_with(['C', 'E', 'W']);
    let len = line::told::logged_len(line).filter(|_| says_failed)?;
    Some(&line[len..])
}

/// Takes off a prefix, learned from a line, from the lines above it that bear it.
pub fn strip_above(prefix: &str, above: &mut [String]) {
    let prefix = line::prefix::Prefix::learn(prefix);
    for text in above {
        if let Some(rest) = prefix.strip(text) {
            *text = rest.to_owned();
        }
    }
}

/// Takes off what at the start of a line the lines above bear too, up to a mark that ends a prefix.
pub fn without_shared_prefix<'t>(line: &'t str, above: &[String]) -> &'t str {
    let above = above.iter().map(String::as_str);
    let len = line::shared::prefix_lens(line, above).last();
    &line[len.unwrap_or(0)..]
}

/// How much of a line [`needs_report`] looks at, in bytes: colours, or a writer's prefix, and the mark.
pub const REPORT_MARK_BYTES: usize = 96;

/// Returns whether a line ends a report whose frames stand above: `E   TypeError: …` of pytest.
pub fn needs_report(line: &[u8]) -> bool {
    begins_with_mark(line, b"E  ")
}

/// Returns whether a report begins at or below this line: `____ test_save ____`, `==== FAILURES ====`,
/// or the end of the one above.
pub fn is_report_edge(line: &[u8]) -> bool {
    needs_report(line) || begins_with_mark(line, b"____") || begins_with_mark(line, b"====")
}

/// Returns whether a line is a row of a box, or one of a notebook's traceback, whose head may have been cut off:
/// `│ /app/x.py:3 in f     │`, `File ~/x.py:3, in f()`, `---> 3     g()`, `     4 `, `~/x.py in f()`.
pub fn is_row(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let starts = |marks: &[&[u8]]| marks.iter().any(|mark| text.starts_with(mark));
    let is_numbered = || line[0] == b' ' && text[0].is_ascii_digit();
    let is_old = || text.ends_with(b")") && memmem::find(text, b" in ").is_some();
    text.is_empty()
        || starts(&[b"File ", b"Cell In", b"Input In", b"--", b"(...)"])
        || is_numbered()
        || is_old()
        || begins_with_mark(line, "│".as_bytes())
}

/// Returns whether a line begins with a mark, behind colours or a writer's prefix perhaps.
fn begins_with_mark(line: &[u8], mark: &[u8]) -> bool {
    let head = &line[..line.len().min(REPORT_MARK_BYTES)];
    let at = memchr_iter(mark[0], head).find(|at| head[*at..].starts_with(mark));
    at.is_some_and(|at| at == 0 || matches!(line[at - 1], b'm' | b' ' | b'\t' | b':'))
}

/// Returns the first byte of a line, `None` if it is empty.
pub fn first_byte(line: &[u8]) -> Option<u8> {
    line.first().copied().filter(|b| *b != b'\n')
}
