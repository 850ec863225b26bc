//! Stacks of threads without an exception: faulthandler (`Python/traceback.c`) and `py-spy dump`.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till1};
use nom::character::complete::{digit1, hex_digit1};
use nom::combinator::{opt, recognize, rest};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use super::common::{self, number};
use super::cpython;
use super::{Below, Columns, Layout, Stacks};
use crate::traceback::part::{FrameLine, Part};

pub(crate) const LAYOUT: Layout = Layout {
    stacks: Stacks::OfThreads,
    columns: Columns::Loose,
    below: Below::Only(&[" ", "\t", "Thread", "Current thread", "Process", "Python"]),
};

/// `Current thread 0x… [python] (most recent call first):`, `Thread 0x… (most recent call first):`,
/// `Thread 4711 (idle): "MainThread"` (py-spy): the name and the state, where shown.
pub(crate) fn thread(text: &str) -> Option<(Option<&str>, Option<&str>)> {
    let text = text.trim_end();
    if text.starts_with("Current thread's C stack") {
        return None;
    }
    common::line(alt((faulthandler, py_spy)), text)
}

type Found<'a> = (Option<&'a str>, Option<&'a str>);

fn faulthandler(input: &str) -> IResult<&str, Found<'_>> {
    let thread = alt((tag("Thread 0x"), tag("thread 0x")));
    let name = delimited(tag(" ["), take_till1(|c| c == ']'), tag("]"));
    let id = (opt(tag("Current ")), thread, hex_digit1);
    let parser = delimited(id, opt(name), tag(" (most recent call first):"));
    parser.map(|name| (name, None)).parse(input)
}

fn py_spy(input: &str) -> IResult<&str, Found<'_>> {
    let id = (
        tag("Thread "),
        alt((recognize((tag("0x"), hex_digit1)), digit1)),
    );
    let state = delimited(tag(" ("), take_till1(|c| c == ')'), tag(")"));
    let name = delimited(tag(": \""), take_till1(|c| c == '"'), tag("\""));
    let parser = (preceded(id, state), opt(name), rest);
    parser
        .map(|(state, name, _)| (name, Some(state)))
        .parse(input)
}

/// Reads a line of a dump.
pub(crate) fn part(line: &str) -> Part<'_> {
    let text = line.trim_end();
    if text.trim().is_empty() {
        return Part::Blank;
    }
    if let Some((name, state)) = thread(text) {
        return Part::Thread { name, state };
    }
    if py_spy_process(text) {
        return Part::Context;
    }
    match cpython::part(line) {
        Part::Frame(frame) => Part::Frame(frame),
        Part::Head { before, kind } => Part::Head { before, kind },
        _ => match common::line(py_spy_frame, text) {
            Some(frame) => Part::Frame(frame),
            None if text.trim_start() == "..." || text.starts_with("    ") => Part::Context,
            None => Part::Text,
        },
    }
}

/// `Process 4711: python train.py`, `Python v3.11.7 (/usr/bin/python3.11)`: the head of the next
/// process of one job, whose threads belong to the same hang.
fn py_spy_process(text: &str) -> bool {
    let process = text
        .strip_prefix("Process ")
        .and_then(|t| t.split_once(": "));
    process.is_some_and(|(pid, _)| !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit()))
        || text
            .strip_prefix("Python v")
            .is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit()) && t.ends_with(')'))
}

/// `    wait (threading.py:331)`.
fn py_spy_frame(input: &str) -> IResult<&str, FrameLine<'_>> {
    let function = preceded(tag("    "), take_till1(|c| c == '('));
    let file = preceded(tag("("), take_till1(|c| c == ':' || c == ')'));
    let line = opt(preceded(tag(":"), number));
    let parser = (function, file, line, tag(")"));
    let mut frame = parser.map(|(function, file, line, _)| FrameLine {
        indent: 4,
        file,
        line: line.unwrap_or(0),
        function: Some(function.trim()),
    });
    frame.parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_both_tools_are_read() {
        assert_eq!(
            thread("Current thread 0x00007f (most recent call first):"),
            Some((None, None))
        );
        assert_eq!(
            thread("Thread 0x00007f [Thread-1 (sleep] (most recent call first):"),
            Some((Some("Thread-1 (sleep"), None))
        );
        assert_eq!(
            thread("Thread 4711 (idle): \"MainThread\""),
            Some((Some("MainThread"), Some("idle")))
        );
        assert_eq!(thread("Thread pool started"), None);
    }

    #[test]
    fn frames_of_both_tools_are_read() {
        let Part::Frame(f) = part("    wait (threading.py:331)") else {
            panic!("no frame")
        };
        assert_eq!(
            (f.file, f.line, f.function),
            ("threading.py", 331, Some("wait"))
        );
        assert!(matches!(
            part("  File \"x.py\", line 20 in deep"),
            Part::Frame(_)
        ));
    }
}
