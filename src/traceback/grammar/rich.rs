//! The boxes of rich (`rich/traceback.py`).

use nom::bytes::complete::{tag, take_while};
use nom::character::complete::{char, one_of, space0};
use nom::combinator::rest;
use nom::sequence::preceded;
use nom::{IResult, Parser};

use super::common::{self, number, path, word_to_end};
use super::cpython;
use super::{Below, Columns, Layout, Stacks};
use crate::traceback::part::{FrameLine, Head, Part};

pub(crate) const LAYOUT: Layout = Layout {
    stacks: Stacks::AboveException,
    columns: Columns::Box,
    below: Below::Chain,
};

/// The part of the head that even a narrow box shows: `╭─ Traceback (most recent cal─╮`.
const SHORT_HEAD: &str = "Traceback (most";

/// `╭───── Traceback (most recent call last) ─────╮`: returns what stands before the box.
pub(crate) fn head(text: &str) -> Option<&str> {
    let at = text.contains(SHORT_HEAD).then(|| text.find(SHORT_HEAD))??;
    let corner = text[..at].find(['╭', '┌', '+'])?;
    let border = text[corner..at]
        .chars()
        .skip(1)
        .all(|c| matches!(c, '─' | '━' | '-' | ' '));
    (border && at > corner + 2).then(|| &text[..corner])
}

/// Returns whether it is the last line of a box: `╰─────╯`.
pub(crate) fn is_end(line: &str) -> bool {
    let border = line.trim().strip_prefix(['╰', '└']);
    border.is_some_and(|b| b.starts_with(['─', '━']))
}

/// Returns whether it is a row of a box: `│ … │`.
pub(crate) fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('│')
}

/// Reads a line of the box, or of what stands below it.
pub(crate) fn part(line: &str) -> Part<'_> {
    let text = line.trim();
    if text.is_empty() {
        return Part::Blank;
    }
    let Some(row) = text.strip_prefix(['│', '|']) else {
        if head(text).is_some() {
            return Part::Head {
                before: "",
                kind: Head::Plain,
            };
        }
        if text.starts_with(['╭', '╰', '┌', '└', '+']) {
            return Part::Context;
        }
        return cpython::part(line);
    };
    let row = row.trim_end_matches(['│', '|']).trim();
    if let Some(frame) = common::line(frame, row) {
        return Part::Frame(frame);
    }
    if let Some((line, text)) = common::line(marked, row) {
        return Part::Source { line, text };
    }
    // A narrow box breaks a frame in two rows: `│ /home/user/project/log_stru │`, or behind `in`.
    let is_path = row.starts_with(['/', '~']) || row.get(1..3) == Some(":\\");
    if is_path && (!row.contains(' ') || row.ends_with(" in")) {
        return Part::PartialPath(row);
    }
    Part::Context
}

/// Joins a row to the part of a frame in the rows above: a whole one, or a longer part.
pub(crate) fn rejoined(partial: &str, line: &str) -> Option<String> {
    let row = line.trim().strip_prefix(['│', '|'])?;
    let row = row.trim_end_matches(['│', '|']).trim();
    let is_at_number = partial.ends_with(|c: char| c.is_ascii_digit());
    let is_apart = partial.ends_with(" in") || is_at_number && row.starts_with("in ");
    let gap = if is_apart { " " } else { "" };
    let joined = format!("│ {partial}{gap}{row} │");
    let is_of_frame = matches!(part(&joined), Part::Frame(_) | Part::PartialPath(_));
    (!row.is_empty() && is_of_frame).then_some(joined)
}

/// `/home/user/project/log_rich.py:25 in <module>`.
fn frame(input: &str) -> IResult<&str, FrameLine<'_>> {
    let parser = (
        path,
        preceded(char(':'), number),
        preceded(tag(" in "), word_to_end),
    );
    let mut frame = parser.map(|(file, line, function)| FrameLine {
        indent: 0,
        file,
        line,
        function: Some(function),
    });
    frame.parse(input)
}

/// `❱ 25 │   Trainer().save()`.
fn marked(input: &str) -> IResult<&str, (u32, &str)> {
    let mark = (one_of("❱>"), space0);
    let border = take_while(|c| matches!(c, '│' | ' '));
    (preceded(mark, number), preceded(border, rest)).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_in_two_rows_is_joined() {
        let partial = |row| match part(row) {
            Part::PartialPath(partial) => partial.to_owned(),
            other => panic!("{other:?}"),
        };
        let path = partial("│ /usr/lib/python3.11/multiprocessing/pool.py:367 in   │");
        assert_eq!(
            rejoined(&path, "│ map       │").as_deref(),
            Some("│ /usr/lib/python3.11/multiprocessing/pool.py:367 in map │")
        );
        assert_eq!(rejoined(&path, "│                       │"), None);
        let path = partial("│ /usr/lib/python3.11/concurrent/futures/_base.py:456 │");
        assert_eq!(
            rejoined(&path, "│ in result │").as_deref(),
            Some("│ /usr/lib/python3.11/concurrent/futures/_base.py:456 in result │")
        );
        let path = partial("│ /usr/lib/pyth │");
        let longer = rejoined(&path, "│ on3.11/pool. │").expect("a longer part");
        let longer = partial(&longer);
        assert_eq!(longer, "/usr/lib/python3.11/pool.");
        assert_eq!(
            rejoined(&longer, "│ py:367 in map │").as_deref(),
            Some("│ /usr/lib/python3.11/pool.py:367 in map │")
        );
        let path = partial("│ /usr/lib/python3.11/multiprocessing/connection.py:20 │");
        assert_eq!(
            rejoined(&path, "│ 6 in send │").as_deref(),
            Some("│ /usr/lib/python3.11/multiprocessing/connection.py:206 in send │")
        );
    }

    #[test]
    fn a_box_is_read_row_by_row() {
        assert_eq!(
            head("╭───────── Traceback (most recent call last) ─────────╮"),
            Some("")
        );
        let Part::Frame(f) = part("│ /home/user/project/log_rich.py:25 in <module>     │")
        else {
            panic!("no frame")
        };
        assert_eq!(
            (f.file, f.line, f.function),
            ("/home/user/project/log_rich.py", 25, Some("<module>"))
        );
        assert_eq!(
            part("│ ❱ 25 │   Trainer().save()    │"),
            Part::Source {
                line: 25,
                text: "Trainer().save()"
            }
        );
        assert_eq!(part("│   24 │   x = 1    │"), Part::Context);
        assert_eq!(
            part("│ /home/user/log_stru │"),
            Part::PartialPath("/home/user/log_stru")
        );
    }
}
