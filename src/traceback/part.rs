//! What a line is in a traceback.

use super::Link;

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
    /// The head of one thread's stack in a dump.
    Thread {
        name: Option<&'a str>,
        state: Option<&'a str>,
    },
    /// What belongs to a traceback and says nothing: numbered lines around the source, values.
    Context,
    /// A final line, where the dialect marks it.
    Raised(super::grammar::cpython::RaisedLine<'a>),
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
