//! The form of pytest's reports (`_pytest/_code/code.py`): `E   TypeError: …` and its place.

use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{char, space1};
use nom::combinator::{eof, rest, verify};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use super::common::{self, number, path, word_to_end};
use super::cpython;
use super::exception::{bare_exception, exception_line, is_full_name};
use super::{Below, Columns, Layout, Stacks};
use crate::traceback::part::{ExceptionLine, FrameLine, Part};

pub(crate) const LAYOUT: Layout = Layout {
    stacks: Stacks::AroundException,
    columns: Columns::Loose,
    below: Below::AllBut(&["=", "_", "-"]),
};

/// What `pytest.fail` raises, and pytest-timeout by it (`_pytest/outcomes.py`).
const FAILED: &str = "Failed";

/// `E   TypeError: cannot pickle '_thread.lock' object`: the first line that bears the mark.
pub(crate) fn exception(text: &str) -> Option<ExceptionLine<'_>> {
    let rest = text.strip_prefix("E  ")?.trim_start();
    // `zmq.error.Again: …`; behind the mark the whole name counts.
    let is_named = |found: &ExceptionLine<'_>| {
        found.type_name == FAILED || found.message.is_some() && is_full_name(found)
    };
    bare_exception(rest).or_else(|| exception_line(rest).filter(is_named))
}

/// `____ test_save ____`, `==== FAILURES ====`: what begins a test's report, or ends it.
pub(crate) fn is_title(line: &str) -> bool {
    line.starts_with("____") || line.starts_with("====")
}

/// `---- Captured stdout call ----`: below a test's report comes what the test printed.
pub(crate) fn is_section(line: &str) -> bool {
    let line = line.trim_end();
    line.starts_with('-') && line.ends_with('-') && line.trim_matches('-').starts_with(" Captured ")
}

/// Returns whether a line with this first byte may be one that the test printed: a title, or the
/// colour of one, ends the report.
pub(crate) fn may_be_in_section(first: u8) -> bool {
    !matches!(first, b'_' | b'=' | b'\x1b')
}

/// `x.py:15: TypeError`: the place of the innermost frame, which a report ends with.
pub(crate) fn is_place(line: &str) -> bool {
    let place = common::line(place, line.trim_end());
    place.is_some() && !line.trim_end().ends_with(':') && !line.contains(": in ")
}

/// Returns whether a report, or another one above it, ends at this line.
pub(crate) fn is_end(line: &str) -> bool {
    is_title(line) || line.starts_with("E  ") || is_place(line)
}

/// Returns whether a line is one of pytest's own, where the text of another process may have ended.
pub(crate) fn is_own(line: &str) -> bool {
    match part(line) {
        Part::Frame(_) | Part::Source { .. } | Part::Exception(_) => !line.starts_with(' '),
        Part::Function(_) => true,
        _ => false,
    }
}

/// Reads a line of a test's report.
pub(crate) fn part(line: &str) -> Part<'_> {
    let text = line.trim_end();
    if text.trim().is_empty() {
        return Part::Blank;
    }
    if text == "E" {
        return Part::Message("");
    }
    if let Some(rest) = text.strip_prefix("E  ") {
        return match exception(text) {
            Some(exception) => Part::Exception(exception),
            None => Part::Message(rest.strip_prefix(' ').unwrap_or(rest)),
        };
    }
    if let Some(frame) = common::line(place, text) {
        return Part::Frame(frame);
    }
    if let Some(source) = common::line(preceded((char('>'), space1), rest), text) {
        return Part::Source {
            line: 0,
            text: source,
        };
    }
    if let Some(name) = function(text) {
        return Part::Function(name);
    }
    if text.starts_with("_ _ ") {
        return Part::Border;
    }
    if is_title(text) {
        return Part::End;
    }
    match cpython::part(line) {
        Part::Head { .. } | Part::Elided | Part::Repeated(_) => Part::Text,
        other => other,
    }
}

/// `    def save(state):`, which the long form begins an entry with, below its decorators.
fn function(text: &str) -> Option<&str> {
    let text = text.strip_prefix("    ")?;
    let rest = text.strip_prefix("async ").unwrap_or(text);
    let (name, _) = rest.strip_prefix("def ")?.split_once('(')?;
    Some(name)
}

/// `x.py:30: in save` (short), `x.py:30:` and, of the innermost frame, `x.py:15: TypeError` (long),
/// `x.py:15: TypeError: bad` (line).
fn place(input: &str) -> IResult<&str, FrameLine<'_>> {
    let file = verify(path, |file: &str| {
        file.ends_with(".py") && !file.contains(' ')
    });
    let line = delimited(char(':'), number, char(':'));
    let function = preceded(tag(" in "), word_to_end);
    let type_name = preceded(
        char(' '),
        verify(rest, |text: &str| {
            exception_line(text).is_some() || !text.contains(' ')
        }),
    );
    let nameless = alt((eof, type_name)).map(|_| "");
    let parser = (file, line, alt((function, nameless)));
    let mut frame = parser.map(|(file, line, function)| FrameLine {
        // As deep as the interpreter's own, so that it does not read as one without indentation.
        indent: 2,
        file,
        line,
        function: Some(function),
    });
    frame.parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_lines_and_places_are_read() {
        let found =
            exception("E   TypeError: cannot pickle '_thread.lock' object").expect("a final line");
        assert_eq!(found.type_name, "TypeError");
        let of_library = exception("E       zmq.error.Again: not ready").map(|e| e.type_name);
        assert_eq!(of_library, Some("zmq.error.Again"));
        for line in [
            "E         where X = a.b.X",
            "E   assert a.B",
            "E   Left: [1]",
        ] {
            assert_eq!(exception(line), None, "{line}");
        }
        assert_eq!(
            common::line(place, "test_training.py:15: TypeError").map(|f| (f.file, f.line)),
            Some(("test_training.py", 15))
        );
        assert_eq!(common::line(place, "note: see x"), None);
    }
}
