//! Stacks of threads without an exception: faulthandler (`Python/traceback.c`) and `py-spy dump`.

use nom::bytes::complete::{tag, take_till1, take_while1};
use nom::character::complete::digit1;
use nom::combinator::{all_consuming, map_res, opt, rest};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

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
    faulthandler(text)
        .or_else(|_| py_spy(text))
        .ok()
        .map(|(_, found)| found)
}

type Found<'a> = (Option<&'a str>, Option<&'a str>);

fn faulthandler(text: &str) -> IResult<&str, Found<'_>> {
    let (tail, _) = opt(tag("Current ")).parse(text)?;
    let (tail, _) = nom::branch::alt((tag("Thread 0x"), tag("thread 0x"))).parse(tail)?;
    let (tail, _) = take_while1(|c: char| c.is_ascii_hexdigit()).parse(tail)?;
    let (tail, name) = opt(delimited(tag(" ["), take_till1(|c| c == ']'), tag("]"))).parse(tail)?;
    let (_, _) = all_consuming(tag(" (most recent call first):")).parse(tail)?;
    Ok(("", (name, None)))
}

fn py_spy(text: &str) -> IResult<&str, Found<'_>> {
    let (tail, _) = preceded(
        tag("Thread "),
        nom::branch::alt((
            preceded(tag("0x"), take_while1(|c: char| c.is_ascii_hexdigit())),
            digit1,
        )),
    )
    .parse(text)?;
    let (tail, state) = delimited(tag(" ("), take_till1(|c| c == ')'), tag(")")).parse(tail)?;
    let (tail, name) =
        opt(delimited(tag(": \""), take_till1(|c| c == '"'), tag("\""))).parse(tail)?;
    let (tail, _) = all_consuming(opt(rest)).parse(tail)?;
    Ok((tail, (name, Some(state))))
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
        _ => match py_spy_frame(text) {
            Ok((_, frame)) => Part::Frame(frame),
            Err(_) if text.trim_start() == "..." || text.starts_with("    ") => Part::Context,
            Err(_) => Part::Text,
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
fn py_spy_frame(text: &str) -> IResult<&str, FrameLine<'_>> {
    let (tail, _) = tag("    ").parse(text)?;
    let (tail, function) = take_till1(|c| c == '(').parse(tail)?;
    let (tail, file) = preceded(tag("("), take_till1(|c| c == ':' || c == ')')).parse(tail)?;
    let (tail, line) = opt(preceded(tag(":"), map_res(digit1, str::parse::<u32>))).parse(tail)?;
    let (tail, _) = all_consuming(tag(")")).parse(tail)?;
    Ok((
        tail,
        FrameLine {
            indent: 4,
            file,
            line: line.unwrap_or(0),
            function: Some(function.trim()),
        },
    ))
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
