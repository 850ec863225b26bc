//! An exception that a line tells at its end, behind the program's own words, with its type or without.

use crate::traceback::grammar::exception::{bare_exception, exception_line, looks_named};
use crate::traceback::part::ExceptionLine;

/// Words by which a program says that it went on.
const WENT_ON: [&str; 13] = [
    "INFO", "DEBUG", "retry", "Retry", "ignor", "Ignor", "skip", "Skip", "handled", "caught",
    "Caught", "recover", "fall",
];

/// Words by which a text tells of an exception that nothing raised now.
const TOLD_OF: [&str; 8] = [
    "Raises", "raises", "TODO", "FIXME", "Fixed", "Fixes", "title:", "抛出",
];

/// Words by which a program says that something failed.
const FAILED: [&str; 12] = [
    "rror",
    "ERROR",
    "fail",
    "Fail",
    "FAIL",
    "xception",
    "FATAL",
    "atal",
    "CRITICAL",
    "crash",
    "could not",
    "unable",
];

/// How far into a line a program's own words may reach, in bytes.
const MOST_WORDS: usize = 400;
/// So many ways to read a message without its type are tried.
const MOST_MESSAGES: usize = 6;

/// Reads the exception out of a line that is no final line by itself: it is bold, or a program's
/// words and a colon stand before it. An indented line is a text's, not a program's.
///
/// `**TypeError: bad**`, `job 3 failed: TypeError: bad`,
/// `Task f[77] raised unexpected: TypeError('bad',)`.
pub(crate) fn exception_in(line: &str) -> Option<ExceptionLine<'_>> {
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let text = without_bold(line.trim_end());
    let found = with_message(text)
        .or_else(|| reason(text))
        .or_else(|| summed_up(text))
        .or_else(|| typed(text));
    if let Some(found) = found.or_else(|| of_future(text)) {
        return Some(found);
    }
    if let Some((before, found)) = exc_info(text) {
        return (!went_on(before)).then_some(found);
    }
    let mut parts = parts(text);
    let (before, found) = parts.find_map(|(before, rest)| {
        let found = with_message(rest).or_else(|| typed(rest))?;
        Some((before, found))
    })?;
    (!went_on(before) && !quotes(before)).then_some(found)
}

/// `<class 'TypeError'> bad`, `<class 'TypeError'>: bad`, `<type 'exceptions.TypeError'> - bad`: what
/// `print(type(e), e)` writes.
fn typed(text: &str) -> Option<ExceptionLine<'_>> {
    let rest = ["<class '", "<type '"]
        .iter()
        .find_map(|m| text.strip_prefix(m));
    let (name, message) = rest?.split_once("'>")?;
    let message = message.trim_start_matches([' ', ':', '-', ',']);
    let type_name = exception_line(name)?.type_name;
    let is_told = looks_named(type_name) && !message.is_empty();
    is_told.then_some(ExceptionLine {
        type_name: type_name.strip_prefix("exceptions.").unwrap_or(type_name),
        message: Some(message),
    })
}

/// `Reason: 'TypeError("bad")'`: the end of a pool's `MaybeEncodingError`, where only that was kept.
fn reason(text: &str) -> Option<ExceptionLine<'_>> {
    let quoted = text.strip_prefix("Reason: '")?.strip_suffix('\'')?;
    as_repr(quoted)
}

/// `future: <Task finished name='Task-1' coro=<f() done, defined at x.py:3> exception=TypeError("bad")>`:
/// below `Task exception was never retrieved` of asyncio.
fn of_future(text: &str) -> Option<ExceptionLine<'_>> {
    let (_, rest) = text.strip_prefix("future: <")?.split_once(" exception=")?;
    as_repr(rest.strip_suffix('>')?)
}

/// `Unexpected error: (<class 'TypeError'>, TypeError("bad"), <traceback object at 0x7f1a>)`: what
/// `sys.exc_info` returned, behind a program's own words perhaps.
fn exc_info(text: &str) -> Option<(&str, ExceptionLine<'_>)> {
    let (before, rest) = text.split_once("(<class '")?;
    let (_, rest) = rest.split_once("'>, ")?;
    let (raised, _) = rest.split_once(", <traceback object at ")?;
    Some((before, as_repr(raised)?))
}

/// Returns what may be the message of an exception whose type a line leaves out, behind words which say
/// that something failed: each way to read it, the longest first.
///
/// `Error: bad`, `ERROR:root:bad`, `2024-05-01 10:00:00,123 - train - ERROR - job 3: bad`.
pub(crate) fn messages_in(line: &str) -> impl Iterator<Item = &str> {
    let is_indented = line.starts_with([' ', '\t']);
    let text = if is_indented {
        ""
    } else {
        without_bold(line.trim_end())
    };
    let says_failed = |before: &str| FAILED.iter().any(|word| before.contains(word));
    // Celery logs what a task prints as a warning (its `worker_redirect_stdouts_level`).
    let is_printed = |before: &str| before.contains(": WARNING/") && before.contains("PoolWorker-");
    let warns = move |before: &str| {
        (before.contains("WARN") || before.contains("arning")) && !is_printed(before)
    };
    parts(text)
        .take_while(move |(before, _)| !went_on(before) && !warns(before))
        .filter(move |(before, _)| says_failed(before) && !quotes(before))
        .map(|(_, rest)| rest)
        .take(MOST_MESSAGES)
}

/// Reads pytest's line of a failed test, below its reports:
/// `FAILED tests/test_x.py::test_y - TypeError: bad`.
pub(crate) fn summary(line: &str) -> Option<ExceptionLine<'_>> {
    let rest = ["FAILED ", "ERROR "]
        .iter()
        .find_map(|m| line.strip_prefix(m));
    let (test, reason) = rest?.split_once(" - ")?;
    test.contains(".py").then(|| with_message(reason))?
}

/// Returns the line if it may be a message and nothing else, as `print(e)` writes it: long enough to be
/// a library's own words, and neither quoted nor an entry of a list.
pub(crate) fn bare_message(line: &str) -> Option<&str> {
    /// Shorter ones are anybody's words.
    const LEAST: usize = 32;
    let text = without_bold(line.trim_end());
    let is_said = text.starts_with(|c: char| c.is_alphabetic()) && !text.contains('`');
    (is_said && text.len() >= LEAST).then_some(text)
}

/// Returns whether a line is, or ends in, the `repr` of an exception.
pub(crate) fn tells_repr(text: &str) -> bool {
    as_repr(text).is_some() || parts(text).any(|(_, rest)| as_repr(rest).is_some())
}

/// Splits a line behind what may be a program's own words: `: `, ` - `, ` | `, `] `, a level, and `ERROR:root:`.
fn parts(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let words = &text.as_bytes()[..text.len().min(MOST_WORDS)];
    let ends_with_mark = |end: &usize| {
        let marks = [
            b": ".as_slice(),
            b" - ",
            b" | ",
            b"] ",
            b" ERROR ",
            b" CRITICAL ",
        ];
        // Behind a level another mark may follow.
        marks.iter().any(|mark| words[..*end].ends_with(mark))
            && !matches!(words.get(*end), Some(b'-' | b'|'))
    };
    let mut ends: Vec<usize> = (1..=words.len()).filter(ends_with_mark).collect();
    ends.extend(logged_len(text));
    ends.sort_unstable();
    ends.into_iter().map(|at| text.split_at(at))
}

/// Returns the length of `ERROR:name:`, how Python's `logging` begins a record unless it is told otherwise.
pub(crate) fn logged_len(text: &str) -> Option<usize> {
    let (level, rest) = text.split_once(':')?;
    let (name, _) = rest.split_once(':')?;
    let is_level = matches!(level, "ERROR" | "CRITICAL" | "WARNING" | "INFO" | "DEBUG");
    let is_name = !name.is_empty() && !name.contains(' ');
    (is_level && is_name).then_some(level.len() + name.len() + 2)
}

/// Returns whether words say that a text tells of an exception: `Raises: `.
pub(crate) fn tells_of(before: &str) -> bool {
    TOLD_OF.iter().any(|word| before.contains(word))
}

/// Returns whether words say that the program went on or that a text tells of it, or name a test, whose
/// report stands above.
pub(super) fn went_on(before: &str) -> bool {
    let went_on = |part: &str| WENT_ON.iter().any(|word| part.contains(word));
    // `Uncaught exception: ` says the contrary.
    let mut parts = before.split("ncaught");
    parts.any(went_on) || tells_of(before) || before.contains(".py::")
}

/// Takes off the marks of Markdown that make a whole line bold.
pub(crate) fn without_bold(line: &str) -> &str {
    let inner = line.strip_prefix("**").and_then(|l| l.strip_suffix("**"));
    inner.unwrap_or(line)
}

/// How `SageMaker`'s summary of a job that failed begins.
pub(crate) const SUMMARY: &str = "ErrorMessage \"";

/// `ErrorMessage "TypeError: bad"`: `SageMaker`'s summary of a job that failed.
pub(crate) fn summed_up(text: &str) -> Option<ExceptionLine<'_>> {
    in_summary(text.strip_prefix(SUMMARY)?)
}

/// A line of it: `:TypeError: bad"`.
pub(crate) fn in_summary(quoted: &str) -> Option<ExceptionLine<'_>> {
    with_message(quoted.trim_start_matches(':').trim_end_matches('"'))
}

fn with_message(text: &str) -> Option<ExceptionLine<'_>> {
    bare_exception(text)
        .or_else(|| as_repr(text))
        .filter(|found| found.message.is_some_and(|m| !m.trim().is_empty()))
}

/// `TypeError("can't pickle 'x'")`, `DatabaseError('bad\n',)`: the `repr` of an exception with one
/// argument.
pub(crate) fn as_repr(text: &str) -> Option<ExceptionLine<'_>> {
    let (name, rest) = text.split_once('(')?;
    let type_name = exception_line(name)?.type_name;
    let rest = rest.strip_suffix(')')?;
    let rest = rest.strip_suffix(',').unwrap_or(rest);
    let rest = rest.strip_prefix('u').unwrap_or(rest);
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let message = rest.strip_prefix(quote)?.strip_suffix(quote)?;
    let message = message.strip_suffix("\\n").unwrap_or(message);
    let is_plain = !message.contains(quote) && !message.contains('\\');
    (looks_named(type_name) && is_plain).then_some(ExceptionLine {
        type_name,
        message: Some(message),
    })
}

/// Returns whether a quotation is open at the end of a text.
fn quotes(text: &str) -> bool {
    let count = |quote: char| text.matches(quote).count();
    count('"') % 2 == 1 || count('`') > 0
}

/// Reads what a source line raises, if it says that word for word: `raise TypeError("bad")`,
/// `raise EOFError`.
pub(crate) fn raised_by(source: &str) -> Option<ExceptionLine<'_>> {
    let raised = source.trim().strip_prefix("raise ")?;
    let named = |found: &ExceptionLine<'_>| {
        found.message.is_none() && !found.type_name.contains('(') && looks_named(found.type_name)
    };
    as_repr(raised).or_else(|| exception_line(raised).filter(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_read_behind_a_programs_words() {
        for line in [
            "**TypeError: bad 'x'**",
            "job 3 failed: TypeError: bad 'x'",
            "[10:00:00: ERROR/ForkPoolWorker-2] Task f[77] raised unexpected: TypeError(\"bad 'x'\",)",
            "Pool callback raised exception: TypeError(u\"bad 'x'\\n\",)",
            "Reason: 'TypeError(\"bad 'x'\")'",
            "future: <Task finished coro=<f() done, defined at x.py:3> exception=TypeError(\"bad 'x'\")>",
            "(<class 'TypeError'>, TypeError(\"bad 'x'\"), <traceback object at 0x7f>)",
            "Unexpected error: (<class 'TypeError'>, TypeError(\"bad 'x'\"), <traceback object at 0x7f>)",
        ] {
            let found = exception_in(line).map(|e| (e.type_name, e.message));
            assert_eq!(found, Some(("TypeError", Some("bad 'x'"))), "{line}");
        }
    }

    #[test]
    fn what_stands_before_an_exception_may_be_a_logger_or_a_word_like_a_type() {
        for line in [
            "ERROR:root:TypeError: bad 'x'",
            "ERROR - TypeError: bad 'x'",
            "[ERROR] TypeError: bad 'x'",
            "ERROR    root:train.py:10 job: TypeError: bad 'x'",
        ] {
            let found = exception_in(line).map(|e| (e.type_name, e.message));
            assert_eq!(found, Some(("TypeError", Some("bad 'x'"))), "{line}");
        }
    }

    #[test]
    fn a_message_without_its_type_stands_behind_words_of_failure() {
        for line in [
            "Error: a: b",
            "ERROR:root:a: b",
            "[ERROR] a: b",
            "2024-05-01 10:00:00,123 ERROR a: b",
            "2024-05-01 10:00:00,123 - train - ERROR - a: b",
            "[2024-05-01 10:00:00,123: WARNING/ForkPoolWorker-2] Failed: a: b",
            "Failed to start: a: b",
        ] {
            assert_eq!(messages_in(line).next(), Some("a: b"), "{line}");
        }
        assert!(messages_in("10:00:00 | ERROR | app | a: b").any(|m| m == "a: b"));
        for line in [
            "a: b",
            "    Error: a",
            "INFO:root:Error: a",
            "WARNING - failed: a",
            "it says \"Error: a\"",
            "Error, retrying: a",
            "FAILED test_a.py::test_b - a: b",
        ] {
            assert_eq!(messages_in(line).next(), None, "{line}");
        }
    }

    #[test]
    fn a_source_line_tells_what_it_raises() {
        let raised = |source| raised_by(source).map(|e| (e.type_name, e.message));
        assert_eq!(
            raised("raise RuntimeError('bad')"),
            Some(("RuntimeError", Some("bad")))
        );
        assert_eq!(raised("raise EOFError"), Some(("EOFError", None)));
        for source in [
            "raise",
            "raise TypeError(msg)",
            "raise self._value",
            "raise RuntimeError(",
        ] {
            assert_eq!(raised(source), None, "{source}");
        }
    }

    #[test]
    fn what_went_on_or_is_quoted_is_not_read() {
        for line in [
            "TypeError",
            "    TypeError: bad",
            "    it fails: TypeError: bad",
            "10:00:00 INFO step: TypeError: bad",
            "attempt 1 of 3, retrying after: TypeError: bad",
            "he said \"it fails: TypeError: bad\"",
            "use `x: TypeError: bad`",
            "x = TypeError('bad')",
            "failed: TypeError('bad', 3)",
            "retrying after (<class 'TypeError'>, TypeError('bad'), <traceback object at 0x7f>)",
            "state: Ready: yes",
        ] {
            assert_eq!(exception_in(line), None, "{line}");
        }
    }
}
