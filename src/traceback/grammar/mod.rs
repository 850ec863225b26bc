//! One file per dialect; each function reads one line.
//!
//! A new dialect is a file here with its `LAYOUT` and `part`, a variant of [`Dialect`], its arms in
//! this file, which the compiler asks for, and its head in [`start`], which its goldens ask for.
//! Where the head holds none of the gate's needles, it needs one too (`gate.rs`, also tested).
//! `pytest.rs` is the smallest example.

pub(crate) mod common;
pub(crate) mod cpython;
pub(crate) mod dump;
mod editor;
pub(crate) mod exception;
pub(crate) mod ipython;
pub(crate) mod json;
pub(crate) mod oneline;
pub(crate) mod pytest;
pub(crate) mod rich;

use super::Dialect;
use super::line::prefix::Prefix;
use super::part::{ExceptionLine, FrameLine, Head, Part, ThreadHead};
use crate::line::find;

/// How a dialect lays out a traceback, beside the form of its lines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) stacks: Stacks,
    pub(crate) columns: Columns,
    pub(crate) below: Below,
}

/// Where its frames are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stacks {
    /// Above the final line.
    AboveException,
    /// Above the final line, but the place of the innermost one below it.
    AroundException,
    /// Below the head of each thread; there is no exception.
    OfThreads,
}

/// What columns tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    /// Frames, source, final lines and messages stand in columns of their own.
    Strict,
    /// Nothing.
    Loose,
    /// Frames stand in a box; the final line below it has a column, and its message may be wrapped.
    Box,
}

/// What may stand at the start of a line below a traceback that may be complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Below {
    /// The rest of the message, notes, a further part of the chain.
    Chain,
    /// Only lines that begin as these do.
    Only(&'static [&'static str]),
    /// All lines but those that begin as these do.
    AllBut(&'static [&'static str]),
}

impl Dialect {
    /// Returns how it lays out a traceback.
    pub(crate) fn layout(self) -> &'static Layout {
        match self {
            Self::Cpython | Self::Json | Self::OneLine | Self::LogLine => &cpython::LAYOUT,
            Self::Ipython => &ipython::LAYOUT,
            Self::Pytest => &pytest::LAYOUT,
            Self::Rich => &rich::LAYOUT,
            Self::Dump => &dump::LAYOUT,
        }
    }
}

/// Reads a line of a traceback in this dialect.
pub(crate) fn part(dialect: Dialect, line: &str) -> Part<'_> {
    match dialect {
        Dialect::Cpython | Dialect::Json | Dialect::OneLine | Dialect::LogLine => {
            cpython::part(line)
        }
        Dialect::Ipython => ipython::part(line),
        Dialect::Pytest => pytest::part(line),
        Dialect::Rich => rich::part(line),
        Dialect::Dump => dump::part(line),
    }
}

/// How a traceback can start.
pub(crate) enum TracebackStart<'a> {
    /// With a head, behind other text perhaps.
    Head {
        before: &'a str,
        kind: Head,
        dialect: Dialect,
        /// The type of its exception, where the head names it.
        exception: Option<&'a str>,
    },
    /// With a frame: the head is missing. `before` is what stands before the frame's indentation.
    Frame {
        before: &'a str,
        frame: FrameLine<'a>,
    },
    /// With an exception line alone.
    Exception {
        exception: ExceptionLine<'a>,
        dialect: Dialect,
    },
    /// With an editor's line, which names the type; the message follows, then the frames, the
    /// innermost first.
    Editor { type_name: &'a str },
    /// With the stack of a thread.
    Thread(ThreadHead<'a>),
}

impl TracebackStart<'_> {
    pub(crate) fn dialect(&self) -> Dialect {
        match self {
            Self::Head { dialect, .. } | Self::Exception { dialect, .. } => *dialect,
            Self::Frame { .. } | Self::Editor { .. } => Dialect::Cpython,
            Self::Thread(_) => Dialect::Dump,
        }
    }
}

/// Returns whether, and how, a traceback starts at this line.
pub(crate) fn start(text: &str) -> Option<TracebackStart<'_>> {
    if let Part::Head { before, kind } = cpython::part(text) {
        return Some(TracebackStart::Head {
            before,
            kind,
            dialect: Dialect::Cpython,
            exception: None,
        });
    }
    if let Some(before) = rich::head(text) {
        return Some(TracebackStart::Head {
            before,
            kind: Head::Plain,
            dialect: Dialect::Rich,
            exception: None,
        });
    }
    if let Some(name) = ipython::head(text) {
        return Some(TracebackStart::Head {
            before: "",
            kind: Head::Plain,
            dialect: Dialect::Ipython,
            exception: Some(name),
        });
    }
    if let Some(type_name) = editor::head(text) {
        return Some(TracebackStart::Editor { type_name });
    }
    if let Some(head) = dump::thread(text) {
        return Some(TracebackStart::Thread(head));
    }
    if let Some((before, frame)) = headless_frame(text) {
        return Some(TracebackStart::Frame { before, frame });
    }
    if let Some(exception) = pytest::exception(text) {
        return Some(TracebackStart::Exception {
            exception,
            dialect: Dialect::Pytest,
        });
    }
    exception::bare_exception(unmarked(unindented(text))).map(|exception| {
        TracebackStart::Exception {
            exception,
            dialect: Dialect::Cpython,
        }
    })
}

/// Takes off the indentation of a paste, as far as that is one: code and documents stand deeper.
fn unindented(text: &str) -> &str {
    const MOST: usize = 4;
    let inner = text.trim_start_matches(' ');
    match text.len() - inner.len() {
        ..=MOST => inner,
        _ => text,
    }
}

/// Takes off what mails and loggers put before a line: `> TypeError: …`, `ERROR: TypeError: …`, and
/// the back quote that opens a paste of several lines.
fn unmarked(text: &str) -> &str {
    let mut text = text;
    while let Some(quoted) = text.strip_prefix("> ") {
        text = quoted;
    }
    let text = text.strip_prefix("ERROR: ").unwrap_or(text);
    let opened = text.strip_prefix('`').filter(|rest| !rest.contains('`'));
    opened.unwrap_or(text)
}

/// A frame at the end of a line; what stands before it must look like a prefix, not like prose.
fn headless_frame(text: &str) -> Option<(&str, FrameLine<'_>)> {
    if !text.contains('"') {
        return None;
    }
    let Some(at) = text.find("File \"") else {
        return cut_frame(text).map(|frame| ("", frame));
    };
    let before = text[..at].trim_end_matches(' ');
    let blanks = at - before.len();
    // Spark and Java indent what another process wrote.
    let is_tabbed = blanks >= 2 && before.bytes().all(|b| b == b'\t');
    // A logger that strips each line leaves one blank, which is its own.
    let is_stripped = blanks == 1 && Prefix::plain_len(text) == at;
    // The frame's own indentation is two blanks; what is left of them belongs to the prefix.
    let start = match blanks {
        _ if before.is_empty() => 0,
        _ if is_stripped => at,
        _ => at - blanks.min(2),
    };
    let frame = cpython::frame(&text[start..])?;
    if is_item(before) {
        return Some(("", frame));
    }
    // A `SyntaxError` of the main script has no head, and its frame no function.
    if frame.function.is_none_or(str::is_empty) && !text.starts_with("  File") {
        return None;
    }
    let before = &text[..start];
    let prefix_like = Prefix::fits(before)
        && (is_tabbed
            || before.is_empty()
            || is_stripped
            || blanks >= 2
                && (Prefix::is_marked(before)
                    || Prefix::learn(before).is_stamp()
                    || Prefix::plain_len(text) == start));
    prefix_like.then_some((before, frame))
}

/// Returns whether it is the number that somebody gave to one of several pastes: `1.  File "x.py", line 3, in f`.
fn is_item(before: &str) -> bool {
    let number = before.strip_suffix(['.', ')']).unwrap_or_default();
    (1..=2).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
}

/// A frame whose beginning a paste lost: `lib\\multiprocessing\\reduction.py", line 60, in dump`.
fn cut_frame(text: &str) -> Option<FrameLine<'_>> {
    let (file, rest) = text.split_once("\", line ")?;
    let (line, function) = rest.split_once(", in ")?;
    let is_path = file.ends_with(".py") && file.contains(['/', '\\']);
    let is_whole = !file.contains(['"', '\'', '(', ':', ' ']);
    let is_name = !function.is_empty()
        && function
            .chars()
            .all(|c| c.is_alphanumeric() || "_<>".contains(c));
    (is_path && is_whole && is_name).then_some(FrameLine {
        indent: 2,
        file,
        line: line.parse().ok()?,
        function: Some(function),
    })
}

/// Returns whether a line is a log record that announces what follows: `2024-… ERROR train: step failed`.
pub(crate) fn is_log_record(text: &str) -> bool {
    const LEVELS: [&str; 8] = [
        "ERROR",
        "CRITICAL",
        "EXCEPTION",
        "WARNING",
        "[error",
        "| ERROR",
        "[E",
        "Error in ",
    ];
    text.len() < 400
        && !text.starts_with(' ')
        && LEVELS.iter().any(|level| find(text, level).is_some())
}
