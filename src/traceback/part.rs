//! What a line is in a traceback.

use std::fmt;

use super::grammar;
use super::grammar::exception::exception_line;
use super::{Dialect, Exception, Link};

/// One line, read once for a dialect; without the lane's prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// The column of the first character that is no blank.
    pub(crate) indent: usize,
    pub(crate) part: Part<'a>,
    /// The final line that a [`Part::Text`] may be.
    pub(crate) exception: Option<ExceptionLine<'a>>,
}

impl<'a> Line<'a> {
    /// Reads a line of a traceback in this dialect.
    pub(crate) fn read(dialect: Dialect, text: &'a str) -> Self {
        let part = grammar::part(dialect, text);
        let is_text = matches!(part, Part::Text);
        Self {
            text,
            indent: text
                .bytes()
                .take_while(|b| matches!(b, b' ' | b'\t'))
                .count(),
            exception: is_text.then(|| exception_line(unbold(text))).flatten(),
            part,
        }
    }
}

/// Takes off the marks of a line that a page set in bold: `**TypeError: …**`. What is bold may go on below.
fn unbold(line: &str) -> &str {
    let text = line.trim_start();
    text.strip_prefix("**").map_or(text, |bold| {
        bold.trim_end().strip_suffix("**").unwrap_or(bold)
    })
}

/// What one line is, as far as the line alone tells.
///
/// Columns are counted in characters from 0, after the lane's prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// `Traceback (most recent call last):`, with what stood before it on the line.
    Head { before: &'a str, kind: Head },
    /// `  File "x.py", line 3, in f`.
    Frame(FrameLine<'a>),
    /// `[Previous line repeated 996 more times]`.
    Repeated(u32),
    /// `...<16 lines>...`.
    Elided,
    /// A line of `~` and `^` alone.
    Carets,
    /// `The above exception was the direct cause …`, `During handling …`.
    Separator(Link),
    /// `"""` or `'''` alone: a border of another process's text.
    Quote(&'a str),
    /// A line of source code, where the dialect marks it; the number is 0 where it shows none.
    Source { line: u32, text: &'a str },
    /// A source line beside the one that failed, with its indentation.
    Beside(&'a str),
    /// The first line of the function whose source is shown down to the line that failed.
    Function(&'a str),
    /// The head of one thread's stack in a dump.
    Thread(ThreadHead<'a>),
    /// What belongs to a traceback and says nothing: numbered lines around the source, values.
    Context,
    /// A further line of the message, where the dialect marks it.
    Message(&'a str),
    /// A line between two frames.
    Border,
    /// A line with which the dialect's report ends.
    End,
    /// The beginning of a frame's path, whose rest is on the next line.
    PartialPath(&'a str),
    /// A final line, where the dialect marks it.
    Exception(ExceptionLine<'a>),
    /// Nothing but blanks.
    Blank,
    /// Any other text.
    Text,
}

/// Which kind of head it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// The plain one.
    Plain,
    /// `  + Exception Group Traceback (most recent call last):`.
    Group,
    /// `Original Traceback (most recent call last):` of torch.
    Original,
}

/// The head of one thread's stack in a dump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadHead<'a> {
    /// The thread's name, where printed.
    pub(crate) name: Option<&'a str>,
    /// Its state, where printed.
    pub(crate) state: Option<&'a str>,
    /// Whether its frames stand as in a traceback, the innermost last.
    pub(crate) innermost_last: bool,
}

impl<'a> ThreadHead<'a> {
    /// Returns what it says of the thread.
    pub(crate) fn texts(self) -> impl Iterator<Item = &'a str> {
        self.name.into_iter().chain(self.state)
    }
}

/// A `File` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrameLine<'a> {
    /// The column of `File`.
    pub(crate) indent: usize,
    /// The path.
    pub(crate) file: &'a str,
    /// The line number, 1-based.
    pub(crate) line: u32,
    /// The function; `None` in the form of a `SyntaxError`.
    pub(crate) function: Option<&'a str>,
}

impl fmt::Display for FrameLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            indent,
            file,
            line,
            function,
        } = self;
        write!(f, "{:indent$}File \"{file}\", line {line}", "")?;
        function.map_or(Ok(()), |function| write!(f, ", in {function}"))
    }
}

/// A final line: the type and, after a colon, the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExceptionLine<'a> {
    pub(crate) type_name: &'a str,
    /// `None` where there is no colon.
    pub(crate) message: Option<&'a str>,
}

impl From<ExceptionLine<'_>> for Exception {
    fn from(line: ExceptionLine<'_>) -> Self {
        Self {
            type_name: Some(line.type_name.to_owned()),
            message: line.message.into_iter().map(str::to_owned).collect(),
            ..Self::default()
        }
    }
}
