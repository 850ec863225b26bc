//! Stacks of threads without an exception: faulthandler (`Python/traceback.c`), `py-spy dump`,
//! pytest-timeout (`pytest_timeout.py`, `dump_stacks`), and `py-bt` of gdb (`Tools/gdb/libpython.py`).

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till1, take_until};
use nom::character::complete::{digit1, hex_digit1};
use nom::combinator::{opt, recognize, rest, verify};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use super::common::{self, number};
use super::cpython;
use super::{Below, Columns, Layout, Stacks};
use crate::traceback::part::{FrameLine, Part, ThreadHead};

pub(crate) const LAYOUT: Layout = Layout {
    stacks: Stacks::OfThreads,
    columns: Columns::Loose,
    below: Below::Only(&[
        " ",
        "\t",
        "Thread",
        "Current thread",
        "Process",
        "Python",
        "~~~",
        PY_BT,
    ]),
};

/// The head of a stack by gdb's `py-bt`.
const PY_BT: &str = "Traceback (most recent call first):";
/// The same by faulthandler where it shows one thread: `enable(all_threads=False)`, as in Ray's workers.
/// Source: CPython `Python/traceback.c`, `_Py_DumpTraceback`.
const ONE_THREAD: &str = "Stack (most recent call first):";
/// What faulthandler calls the thread that crashed, or that got the signal.
pub(crate) const CURRENT: &str = "Current";

/// `Current thread 0x… [python] (most recent call first):`, `Thread 0x… (most recent call first):`,
/// `Thread 4711 (idle): "MainThread"` (py-spy), `~~~ Stack of MainThread (139742538) ~~~`
/// (pytest-timeout), `Thread 6 (Thread 0x7f (LWP 3526)):` and [`PY_BT`] (gdb), [`ONE_THREAD`].
pub(crate) fn thread(text: &str) -> Option<ThreadHead<'_>> {
    let text = text.trim_end();
    if text.starts_with("Current thread's C stack") {
        return None;
    }
    common::line(alt((faulthandler, py_spy, unnamed)), text).or_else(|| pytest_timeout(text))
}

fn faulthandler(input: &str) -> IResult<&str, ThreadHead<'_>> {
    let thread = alt((tag("Thread 0x"), tag("thread 0x")));
    let name = delimited(tag(" ["), take_till1(|c| c == ']'), tag("]"));
    let state = opt(terminated(tag(CURRENT), tag(" ")));
    let id = terminated(state, (thread, hex_digit1));
    let parser = terminated((id, opt(name)), tag(" (most recent call first):"));
    let head = |(state, name)| ThreadHead {
        name,
        state,
        ..ThreadHead::default()
    };
    parser.map(head).parse(input)
}

fn py_spy(input: &str) -> IResult<&str, ThreadHead<'_>> {
    let id = (
        tag("Thread "),
        alt((recognize((tag("0x"), hex_digit1)), digit1)),
    );
    let state = || delimited(tag(" ("), take_till1(|c| c == ')'), tag(")"));
    // Who pastes one may take the ids out.
    let is_state = |state: &str| matches!(state, "active" | "idle" | "active+gil");
    let without_id = preceded(tag("Thread"), verify(state(), is_state));
    let name = delimited(tag(": \""), take_till1(|c| c == '"'), tag("\""));
    let parser = (alt((preceded(id, state()), without_id)), opt(name), rest);
    let head = |(state, name, _)| ThreadHead {
        name,
        state: Some(state),
        ..ThreadHead::default()
    };
    parser.map(head).parse(input)
}

/// The name may end in brackets of its own: `Thread-4 (_handle_results)`.
fn pytest_timeout(text: &str) -> Option<ThreadHead<'_>> {
    let title = text.strip_prefix('~')?.strip_suffix('~')?.trim_matches('~');
    let title = title.strip_prefix(" Stack of ")?.strip_suffix(") ")?;
    let (name, id) = title.rsplit_once(" (")?;
    let is_id = id.bytes().all(|b| b.is_ascii_digit());
    is_id.then_some(ThreadHead {
        name: Some(name),
        innermost_last: true,
        ..ThreadHead::default()
    })
}

fn unnamed(input: &str) -> IResult<&str, ThreadHead<'_>> {
    let head = |_| ThreadHead::default();
    alt((tag(PY_BT), tag(ONE_THREAD))).map(head).parse(input)
}

/// Reads a line of a dump.
pub(crate) fn part(line: &str) -> Part<'_> {
    let text = line.trim_end();
    if text.trim().is_empty() {
        return Part::Blank;
    }
    if let Some(head) = thread(text) {
        return Part::Thread(head);
    }
    if py_spy_process(text) {
        return Part::Context;
    }
    match cpython::part(line) {
        Part::Frame(frame) => Part::Frame(frame),
        Part::Head { before, kind } => Part::Head { before, kind },
        _ => match common::line(py_spy_frame, text) {
            Some(frame) => Part::Frame(frame),
            None if text.trim_start() == "..." || text.starts_with("     ") => Part::Context,
            None => match text.strip_prefix("    ") {
                Some(text) => Part::Source { line: 0, text },
                None if text.starts_with("  <built-in method ") => Part::Context,
                None => Part::Text,
            },
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

/// `    wait (threading.py:331)`; `    read(handle, size)` is source.
fn py_spy_frame(input: &str) -> IResult<&str, FrameLine<'_>> {
    let function = preceded(tag("    "), take_until(" ("));
    let file = preceded(tag(" ("), take_till1(|c| c == ':' || c == ')'));
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
    fn heads_of_all_tools_are_read() {
        let head = |name, state, innermost_last| {
            Some(ThreadHead {
                name,
                state,
                innermost_last,
            })
        };
        for (text, found) in [
            (
                "Current thread 0x00007f (most recent call first):",
                head(None, Some(CURRENT), false),
            ),
            (
                "Thread 0x00007f [Thread-1 (sleep] (most recent call first):",
                head(Some("Thread-1 (sleep"), None, false),
            ),
            (
                "Thread (active): \"MainThread\"",
                head(Some("MainThread"), Some("active"), false),
            ),
            (
                "Thread 4711 (idle): \"MainThread\"",
                head(Some("MainThread"), Some("idle"), false),
            ),
            (
                "~~~~~~~ Stack of Thread-4 (_handle_results) (139742538000192) ~~~~~~~",
                head(Some("Thread-4 (_handle_results)"), None, true),
            ),
            (
                "Thread 6 (Thread 0x7fc51a7fc700 (LWP 3526)):",
                head(None, Some("Thread 0x7fc51a7fc700 (LWP 3526"), false),
            ),
            (PY_BT, head(None, None, false)),
            (ONE_THREAD, head(None, None, false)),
            ("Thread pool started", None),
            ("~~~ Stack of cards (12 left) ~~~", None),
        ] {
            assert_eq!(thread(text), found, "{text}");
        }
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
