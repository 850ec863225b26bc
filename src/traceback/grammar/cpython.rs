//! The form of the interpreter and of `Lib/traceback.py`, Python 2.7 and 3.6 to 3.15.

use memchr::memchr_iter;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till1, take_while, take_while1};
use nom::character::complete::{char, space0};
use nom::combinator::{opt, recognize, rest, verify};
use nom::error::{Error, ErrorKind};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use super::common::{self, number};
use super::exception::{exception_line, looks_named};
use super::{Below, Columns, Layout, Stacks, ipython};
use crate::line::find;
use crate::traceback::Link;
use crate::traceback::part::{FrameLine, Head, Part};

pub(crate) const LAYOUT: Layout = Layout {
    stacks: Stacks::AboveException,
    columns: Columns::Strict,
    below: Below::Chain,
};

/// The head without its colon, as all printers write it.
pub(crate) const HEAD: &str = "Traceback (most recent call last)";

/// What stands between a frame's path and its line number.
const BEHIND_PATH: &str = "\", line ";

/// The two lines that join the parts of a chain (`Lib/traceback.py`).
pub(crate) const CAUSE: &str =
    "The above exception was the direct cause of the following exception:";
pub(crate) const CONTEXT: &str =
    "During handling of the above exception, another exception occurred:";

/// Reads a line of an ordinary traceback.
pub(crate) fn part(line: &str) -> Part<'_> {
    let text = line.trim_end();
    let inner = text.trim_start();
    if inner.is_empty() {
        return Part::Blank;
    }
    if let Some(head) = head(text) {
        return head;
    }
    if let Some(frame) = frame(text).or_else(|| spyders_frame(text)) {
        return Part::Frame(frame);
    }
    if let Some(times) = common::line(repeated, inner) {
        return Part::Repeated(times);
    }
    if common::line(elided, inner).is_some() {
        return Part::Elided;
    }
    if inner.bytes().all(|b| matches!(b, b'~' | b'^' | b' ')) {
        return Part::Carets;
    }
    // A page set it in bold, with lines above or below perhaps.
    match inner.trim_matches('*') {
        text if begins(text, CAUSE) => Part::Separator(Link::Cause),
        text if begins(text, CONTEXT) => Part::Separator(Link::Context),
        "\"\"\"" | "'''" => Part::Quote(inner),
        _ => Part::Text,
    }
}

/// Returns whether it is a separator, or the first part of one that was wrapped.
fn begins(text: &str, separator: &str) -> bool {
    const LEAST: usize = "The above exception was".len();
    // Nearly no line begins with even the first byte of one.
    let is_begun = text.as_bytes().first() == separator.as_bytes().first();
    is_begun && text.len() >= LEAST && separator.starts_with(text)
}

/// `Traceback (most recent call last):` at the end of a line, whatever stands before it.
fn head(line: &str) -> Option<Part<'_>> {
    let before = line.strip_suffix(':')?.strip_suffix(HEAD)?;
    if let Some(before) = before.strip_suffix("Exception Group ") {
        let before = before.strip_suffix("+ ").unwrap_or(before);
        return Some(Part::Head {
            before,
            kind: Head::Group,
        });
    }
    if let Some(before) = before.strip_suffix("Original ") {
        return Some(Part::Head {
            before,
            kind: Head::Original,
        });
    }
    Some(Part::Head {
        // Who left frames out may say so.
        before: before.strip_suffix("Truncated ").unwrap_or(before),
        kind: Head::Plain,
    })
}

/// `  File "/home/user/train.py", line 47, in train`, `  File "x.py", line 3` (`SyntaxError`),
/// `  File "x.py", line 20 in deep` (faulthandler), `> File "x.py", line 3, in f` (loguru),
/// `  File "x.py", line 3, in ` (a page took `<module>` for a tag).
pub(crate) fn frame(text: &str) -> Option<FrameLine<'_>> {
    let indent = recognize((space0, opt(tag("> "))));
    let file = delimited(tag("File \""), path, tag(BEHIND_PATH));
    let name = verify(rest, |name: &str| name.is_empty() || name.starts_with(' '));
    let function = preceded(alt((tag(", in"), tag(" in"))), name);
    let parser = (indent, file, number, opt(function), space0);
    let (indent, file, line, function, _) = common::line(parser, text)?;
    Some(FrameLine {
        indent: indent.len(),
        file,
        line,
        function: function.map(common::function_name),
    })
}

/// `  File ~\etl\main.py:31 in main`, `  File d:\etl\main.py:31`: Spyder's, below an ordinary head.
fn spyders_frame(text: &str) -> Option<FrameLine<'_>> {
    let rest = text.strip_prefix("  File ")?;
    if rest.starts_with('"') {
        return None;
    }
    let frame = common::line(ipython::place, text)?;
    Some(FrameLine { indent: 2, ..frame })
}

/// `/home/user/train.py", line 47, in train` up to what stands behind a path.
fn path(input: &str) -> IResult<&str, &str> {
    let mut quotes = memchr_iter(b'"', input.as_bytes());
    let end = quotes.find(|at| input[*at..].starts_with(BEHIND_PATH));
    let missing = || nom::Err::Error(Error::new(input, ErrorKind::TakeUntil));
    let (path, rest) = input.split_at(end.ok_or_else(missing)?);
    Ok((rest, path))
}

/// `[Previous line repeated 996 more times]`.
fn repeated(input: &str) -> IResult<&str, u32> {
    let times = alt((tag(" more times]"), tag(" more time]")));
    delimited(tag("[Previous line repeated "), number, times).parse(input)
}

/// `...<16 lines>...`.
fn elided(input: &str) -> IResult<&str, u32> {
    delimited(
        tag("...<"),
        number,
        alt((tag(" lines>..."), tag(" line>..."))),
    )
    .parse(input)
}

/// `Message: 'value %d'`: what logging prints below the stack of a call whose record it cannot format.
pub(crate) fn ends_call_stack(line: &str) -> bool {
    line.starts_with("Message: ")
}

/// `Message:`: what Flyte writes above the final line.
/// Source: flytekit, `flytekit/exceptions/scopes.py`, `verbose_message`.
pub(crate) fn heads_final_line(line: &str) -> bool {
    line.trim_end() == "Message:"
}

/// A half of the final line, as Django's page of an error has it below the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FinalHalf<'a> {
    /// `Exception Type: TypeError at /run/`.
    Type(&'a str),
    /// `Exception Value: bad`.
    Message(&'a str),
}

/// Reads a half of a final line.
/// Source: Django, `django/views/templates/technical_500.txt`.
pub(crate) fn final_half(line: &str) -> Option<FinalHalf<'_>> {
    let named = line.strip_prefix("Exception Type: ");
    let name = named.and_then(|rest| rest.split(' ').next());
    let is_type = |name: &&str| looks_named(name) && exception_line(name).is_some();
    let message = || {
        line.strip_prefix("Exception Value: ")
            .map(FinalHalf::Message)
    };
    name.filter(is_type).map(FinalHalf::Type).or_else(message)
}

/// `Exception in thread Thread-1 (f):`, `Process SpawnProcess-1:`, `Exception ignored in: …`,
/// `Exception in initializer:`, `Task exception was never retrieved`: the line above a head, without the
/// `^C` that a terminal echoes before it.
pub(crate) fn heading(line: &str) -> Option<&str> {
    let text = line.trim_end();
    let echoed = find(text, "^C").and_then(|_| text.rsplit_once("^C"));
    let text = echoed.map_or(text, |(_, behind)| behind);
    let known = [
        "Exception in thread ",
        "Exception ignored in",
        "Exception ignored while ",
        "Exception in initializer:",
        "Error in sys.excepthook:",
        "Error in atexit.",
        "--- Logging error ---",
        "Task exception was never retrieved",
        "Traceback of ",
        "Original exception was:",
        "Unhandled exception in ",
        "Exception in callback ",
        "Future exception was never retrieved",
    ];
    // Nearly no line begins with even the first byte of one.
    let is_begun = |k: &&&str| k.as_bytes().first() == text.as_bytes().first();
    if known.iter().filter(is_begun).any(|k| text.starts_with(k)) {
        return Some(text);
    }
    common::line(process, text).map(|_| text)
}

/// `Process SpawnProcess-1:`, `Process eval-worker:`.
fn process(input: &str) -> IResult<&str, &str> {
    delimited(tag("Process "), take_till1(|c| c == ':'), char(':')).parse(input)
}

/// `-- Process 1 terminated with the following error:` of `torch.multiprocessing.spawn`.
pub(crate) fn spawned_process(line: &str) -> Option<u32> {
    let end = (tag(" terminated with the following "), rest);
    common::line(delimited(tag("-- Process "), number, end), line.trim_end())
}

/// A line that is nothing but one character, at least 10 times: a border of a box or a report.
pub(crate) fn rule_line(line: &str) -> Option<char> {
    let text = line.trim();
    let first = text.chars().next()?;
    (matches!(first, '-' | '=' | '_' | '*') && text.len() >= 10 && text.chars().all(|c| c == first))
        .then_some(first)
}

/// The margin of an exception group: how deep, and what stands behind it.
///
/// `  | TypeError: x` is depth 1, `    | …` depth 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Margin<'a> {
    /// `  | text`, or `  + Exception Group Traceback …`.
    Text(usize, &'a str),
    /// `  +-+---------------- 1 ----------------`, `    +---------------- 2 ----------------`.
    Member(usize),
    /// `    +------------------------------------`.
    End(usize),
}

/// Reads the margin of a line inside an exception group.
pub(crate) fn margin(line: &str) -> Option<Margin<'_>> {
    let blanks = line.bytes().take_while(|b| *b == b' ').count();
    let depth = blanks / 2;
    let rest = &line[blanks..];
    if let Some(text) = rest.strip_prefix('|') {
        return Some(Margin::Text(depth, text.strip_prefix(' ').unwrap_or(text)));
    }
    let text = rest.strip_prefix('+')?;
    if let Some(text) = text.strip_prefix(' ') {
        return Some(Margin::Text(depth, text));
    }
    if let Some(inner) = text.strip_prefix("-+-") {
        return inner.starts_with('-').then_some(Margin::Member(depth + 1));
    }
    let dashes = || take_while1(|c| c == '-');
    let index = take_while(|c: char| c.is_ascii_digit() || c == '.');
    let member = (dashes(), char(' '), index, char(' '), dashes());
    if common::line(member, text.trim_end()).is_some() {
        return Some(Margin::Member(depth));
    }
    (text.trim_end().len() >= 10 && text.trim_end().bytes().all(|b| b == b'-'))
        .then_some(Margin::End(depth))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_with_and_without_function() {
        let Part::Frame(f) = part("  File \"/a b/x.py\", line 47, in train") else {
            panic!("no frame")
        };
        assert_eq!(
            (f.indent, f.file, f.line, f.function),
            (2, "/a b/x.py", 47, Some("train"))
        );
        let Part::Frame(f) = part("  File \"main.py\", line 3") else {
            panic!("no frame")
        };
        assert_eq!(f.function, None);
        let Part::Frame(f) = part("  File \"main.py\", line 20 in deep") else {
            panic!("no frame")
        };
        assert_eq!(f.function, Some("deep"));
        assert_eq!(part("see File \"main.py\", line 20"), Part::Text);
    }

    #[test]
    fn more_may_stand_behind_the_functions_name() {
        for (line, expected) in [
            (
                "  File \"x.py\", line 3, in main███| 100/100 [00:03<00:00]",
                "main",
            ),
            (
                "  File \"x.py\", line 3, in <module>[22:02<32:52]",
                "<module>",
            ),
            ("  File \"x.py\", line 3, in größe", "größe"),
            ("  File \"x.py\", line 3, in f (Current frame)", "f"),
            ("  File \"x.py\", line 3, in f    return g(1)", "f"),
            ("  File \"x.py\", line 3, in <module>", "<module>"),
        ] {
            assert_eq!(frame(line).and_then(|f| f.function), Some(expected));
        }
    }

    #[test]
    fn a_head_may_stand_behind_other_text() {
        assert_eq!(
            part("train: 36%|██| 73/200Traceback (most recent call last):"),
            Part::Head {
                before: "train: 36%|██| 73/200",
                kind: Head::Plain
            }
        );
        assert_eq!(
            part("  + Exception Group Traceback (most recent call last):"),
            Part::Head {
                before: "  ",
                kind: Head::Group
            }
        );
        assert_eq!(
            part("Original Traceback (most recent call last):"),
            Part::Head {
                before: "",
                kind: Head::Original
            }
        );
        assert_eq!(
            part("the text `Traceback (most recent call last):` is a head"),
            Part::Text
        );
    }

    #[test]
    fn group_margins_are_read() {
        assert_eq!(
            margin("  | TypeError: x"),
            Some(Margin::Text(1, "TypeError: x"))
        );
        assert_eq!(
            margin("  +-+---------------- 1 ----------------"),
            Some(Margin::Member(2))
        );
        assert_eq!(
            margin("    +---------------- 2 ----------------"),
            Some(Margin::Member(2))
        );
        assert_eq!(
            margin("    +------------------------------------"),
            Some(Margin::End(2))
        );
        assert_eq!(margin("plain"), None);
    }

    #[test]
    fn halves_of_a_final_line_are_read() {
        for (line, half) in [
            (
                "Exception Type: TypeError at /run/",
                Some(FinalHalf::Type("TypeError")),
            ),
            ("Exception Value: a: b", Some(FinalHalf::Message("a: b"))),
            ("Exception Type: unknown", None),
            ("Exception Location: /app/x.py, line 3, in f", None),
        ] {
            assert_eq!(final_half(line), half, "{line}");
        }
    }

    #[test]
    fn headings_are_known() {
        assert!(heading("Process SpawnPoolWorker-4:").is_some());
        assert!(heading("Exception in thread Thread-1 (f):").is_some());
        assert!(heading("Processing: 3 of 4").is_none());
        let echoed = heading("12%|█▎   | ^C^CProcess ForkPoolWorker-2:");
        assert_eq!(echoed, Some("Process ForkPoolWorker-2:"));
    }
}
