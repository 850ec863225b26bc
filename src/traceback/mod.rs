//! What was found in the text: tracebacks and their parts.
//!
//! [`Lanes`] turns lines into [`Traceback`]s; everything after it works on these
//! types alone. Text is kept without colour codes and line prefixes, lossily decoded once.
//!
//! - [`mod@line`]: a line before it is anything in a traceback; [`raw_line`]: what its first bytes tell;
//! - [`part`]: what it is in a traceback, by the [`grammar`] of its dialect;
//! - [`lanes`]: which writer it is from; [`assembler`]: the traceback that it goes on with;
//!   [`embedded`]: exceptions inside messages;
//! - [`log_line`]: a line outside tracebacks;
//! - [`path`]: whose file a frame is in; [`facts`]: the circumstances; [`notes`]: the way to an object;
//! - [`fold`]: a traceback without the frames of libraries; [`pieces`]: the grammars, for tests.

pub mod assembler;
mod embedded;
pub mod facts;
pub mod fold;
mod grammar;
pub mod lanes;
mod line;
pub(crate) mod log_line;
pub mod notes;
mod part;
mod path;
#[doc(hidden)]
pub mod pieces;
pub(crate) mod raw_line;

use std::ops::Range;
use std::time::Duration;

use crate::line::RawLine;
use crate::named::named;
use assembler::Nothing;
use lanes::{Completed, Lanes};
pub use line::time_stamp as stamp;
use log_line::without_prefix;
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
        lanes.begin_line(raw_line::first_byte(bytes), &Nothing, &mut completed);
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
