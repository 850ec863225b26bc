//! The form of pytest's reports (`_pytest/_code/code.py`): `E   TypeError: …` and its place.

use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::char;
use nom::combinator::{rest, verify};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use super::common::{self, number, path, word_to_end};
use super::cpython;
use super::{Below, Columns, Layout, Stacks};
use crate::traceback::part::{ExceptionLine, FrameLine, Part};

pub(crate) const LAYOUT: Layout = Layout {
    stacks: Stacks::BelowException,
    columns: Columns::Loose,
    below: Below::AllBut(&["=", "_", "-"]),
};

/// `E   TypeError: cannot pickle '_thread.lock' object`: the first line that bears the mark.
pub(crate) fn exception(text: &str) -> Option<ExceptionLine<'_>> {
    let rest = text.strip_prefix("E  ")?.trim_start();
    cpython::bare_exception(rest)
}

/// Reads a line below it.
pub(crate) fn part(line: &str) -> Part<'_> {
    let text = line.trim_end();
    if text.trim().is_empty() {
        return Part::Blank;
    }
    if text == "E" {
        return Part::Blank;
    }
    if let Some(rest) = text.strip_prefix("E  ") {
        let inner = rest.strip_prefix(' ').unwrap_or(rest);
        return match exception(text) {
            Some(exception) => Part::Exception(exception),
            None => Part::Source {
                line: 0,
                text: inner,
            },
        };
    }
    if let Some(frame) = common::line(place, text) {
        return Part::Frame(frame);
    }
    match cpython::part(line) {
        separator @ Part::Separator(_) => separator,
        _ => Part::Text,
    }
}

/// `test_training.py:15: TypeError`, `x.py:30: in save`.
fn place(input: &str) -> IResult<&str, FrameLine<'_>> {
    let file = verify(path, |file: &str| {
        file.ends_with(".py") && !file.contains(' ')
    });
    let function = preceded(tag("in "), rest);
    let type_name = word_to_end.map(|_| "");
    let line = delimited(char(':'), number, tag(": "));
    let mut frame =
        (file, line, alt((function, type_name))).map(|(file, line, function)| FrameLine {
            indent: 0,
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
        assert_eq!(
            common::line(place, "test_training.py:15: TypeError").map(|f| (f.file, f.line)),
            Some(("test_training.py", 15))
        );
        assert_eq!(common::line(place, "note: see x"), None);
    }
}
