//! The exception line: a type and its message, as `traceback.format_exception_only` writes it.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::char;
use nom::combinator::{opt, recognize, verify};
use nom::multi::many1_count;
use nom::sequence::{delimited, terminated};
use nom::{IResult, Parser};

use crate::line::find;
use crate::python_name::is_word;
use crate::traceback::part::ExceptionLine;

/// `TypeError: bad`, `KeyboardInterrupt`, `RuntimeError: `, `_pickle.PicklingError: …`,
/// `ray.exceptions.RayTaskError(KeyError): …`, `main.<locals>.MyError: x`.
pub(crate) fn exception_line(line: &str) -> Option<ExceptionLine<'_>> {
    // Most lines are neither a name alone nor one before a colon: they need no parser.
    let is_in_name = |b: u8| b.is_ascii_alphanumeric() || b >= 0x80 || b"_.<>()".contains(&b);
    let name = line.bytes().take_while(|b| is_in_name(*b)).count();
    if !line[name..].starts_with(':') && !line[name..].trim_end().is_empty() {
        return None;
    }
    let (tail, type_name) = type_name(line).ok()?;
    if !plausible_type(type_name) && !is_timeout_of_python_2(line) {
        return None;
    }
    let tail_trimmed = tail.trim_end();
    if tail_trimmed.is_empty() {
        return Some(ExceptionLine {
            type_name,
            message: None,
        });
    }
    // A paste may have lost the blank behind the colon.
    let message = tail.strip_prefix(':')?;
    if !message.is_empty() && !message.starts_with([' ', '\t']) && !looks_named(type_name) {
        return None;
    }
    let message = message.strip_prefix(' ').unwrap_or(message);
    if let Some(type_name) = written_twice(type_name) {
        let message = message.trim_start_matches(": ").trim_end();
        let message = message.strip_suffix(':').unwrap_or(message);
        return Some(ExceptionLine {
            type_name,
            message: Some(of_one(type_name, message).unwrap_or(message)),
        });
    }
    let is_torn = find(message, type_name).is_some() && looks_named(type_name);
    let of_two = is_torn.then(|| of_one(type_name, message.trim_end()));
    Some(ExceptionLine {
        type_name,
        message: Some(of_two.flatten().unwrap_or(message)),
    })
}

/// Returns the message of one of two processes that wrote into one line by turns, each the type, the colon and
/// the message: `RuntimeError: RuntimeErrorbad number: bad number` behind the first colon, and its other forms.
fn of_one<'a>(type_name: &str, text: &'a str) -> Option<&'a str> {
    let behind = text.strip_prefix(type_name);
    let behind = behind.map(|rest| rest.strip_prefix(": ").unwrap_or(rest));
    let behind = behind.filter(|rest| !rest.is_empty() && !rest.starts_with([':', '(', '.', ' ']));
    let rest = behind.unwrap_or(text);
    let is_between = |middle: &str| middle == ": " || middle.strip_suffix(": ") == Some(type_name);
    let mut between = [2, type_name.len() + 2].into_iter();
    let twice = || {
        between.find_map(|len| {
            let one = rest.get(..rest.len().checked_sub(len)? / 2)?;
            let middle = rest.get(one.len()..one.len() + len)?;
            let is_twice = one.len() >= SHORTEST_COPY && rest[one.len() + len..] == *one;
            (is_twice && is_between(middle)).then_some(one)
        })
    };
    let ended = || {
        let end = if behind.is_some() { ":" } else { type_name };
        let one = rest.strip_suffix(end)?;
        (!one.is_empty() && !one.ends_with([' ', '(', '.'])).then_some(one)
    };
    written_twice(rest).or_else(twice).or_else(ended).or(behind)
}

/// No shorter text is taken for what was written twice, in bytes.
const SHORTEST_COPY: usize = 8;

/// Returns what several processes wrote into one line at the same time, each its copy:
/// `RuntimeErrorRuntimeError: : CUDA errorCUDA error`.
fn written_twice(text: &str) -> Option<&str> {
    let text = text.trim_end();
    (2..=8).rev().find_map(|copies| {
        let one = text.get(..text.len() / copies)?;
        let is_copied = one.len() >= SHORTEST_COPY
            && text.len().is_multiple_of(copies)
            && text
                .as_bytes()
                .chunks(one.len())
                .all(|c| c == one.as_bytes());
        is_copied.then_some(one)
    })
}

fn type_name(input: &str) -> IResult<&str, &str> {
    recognize((
        many1_count(terminated(component, opt(char('.')))),
        opt(delimited(
            char('('),
            take_while1(|c: char| is_word(c) || c == '.'),
            char(')'),
        )),
    ))
    .parse(input)
}

fn component(input: &str) -> IResult<&str, &str> {
    alt((
        tag("<locals>"),
        verify(take_while1(is_word), |w: &str| {
            !w.starts_with(|c: char| c.is_ascii_digit())
        }),
    ))
    .parse(input)
}

/// Returns whether a name may be that of an exception: `Epoch` may, `wandb` may not, `socket.timeout` may.
fn plausible_type(name: &str) -> bool {
    let name = name.split('(').next().unwrap_or(name);
    if name.ends_with('.') {
        return false;
    }
    let last = name.rsplit('.').next().unwrap_or(name);
    let first = last.trim_start_matches('_').chars().next();
    first.is_some_and(char::is_uppercase)
        || (name.contains('.') && matches!(last, "error" | "timeout" | "gaierror" | "herror"))
        || last == "error"
        // `nixl._bindings.nixlBackendError`
        || name.contains('.') && last.ends_with("Error")
}

/// `timeout: timed out`, `timeout: The read operation timed out`: Python 2's `socket.timeout`.
fn is_timeout_of_python_2(line: &str) -> bool {
    line.starts_with("timeout: ") && line.trim_end().ends_with("timed out")
}

/// Returns whether a name says that it is an exception: it ends as most do, or stands in a module of them,
/// `ucp.exceptions.UCXConnectionReset`.
pub(crate) fn looks_named(name: &str) -> bool {
    let name = name.split('(').next().unwrap_or(name);
    let last = match name.rsplit_once('.') {
        Some((modules, last)) => {
            let mut modules = modules.split('.');
            if modules.any(|m| matches!(m, "exceptions" | "errors")) {
                return true;
            }
            last
        }
        None => name,
    };
    [
        "Error",
        "Exception",
        "Warning",
        "Interrupt",
        "Exit",
        "Iteration",
        "Timeout",
        "BrokenProcessPool",
        "ExceptionGroup",
        "KilledWorker",
        "LimitExceeded",
        "RemoteTraceback",
    ]
    .iter()
    .any(|end| last.ends_with(end))
        || matches!(
            name,
            "struct.error"
                | "socket.timeout"
                | "queue.Empty"
                | "_queue.Empty"
                | "socket.error"
                | "socket.gaierror"
                | "select.error"
                | "zlib.error"
                | "_gdbm.error"
                | "_dbm.error"
                | "pickle.PickleError"
        )
}

/// Returns whether a final line names the class with its modules: `kombu.exceptions.ContentDisallowed: x`.
pub(super) fn is_full_name(exception: &ExceptionLine<'_>) -> bool {
    let mut parts = exception.type_name.rsplit('.');
    let is_word = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let is_class = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase()) && is_word(name);
    let is_module = |name: &str| !name.contains(|c: char| c.is_ascii_uppercase()) && is_word(name);
    parts.next().is_some_and(is_class) && exception.type_name.contains('.') && parts.all(is_module)
}

/// Returns whether a final line below a long source line is no wrapped rest of that: it has the full name of a
/// class, or is what Python 2 prints of the errors of `select`, `socket` and `struct`: `error: (9, 'Bad file descriptor')`.
/// The rest of a string that source was wrapped in has one quote too many.
pub(crate) fn is_unlike_source(exception: &ExceptionLine<'_>) -> bool {
    let message = exception.message.unwrap_or_default().trim_end();
    let has_pairs = |quote| message.matches(quote).count().is_multiple_of(2);
    let is_short_name = matches!(exception.type_name, "error" | "timeout");
    let is_text = !message.ends_with([',', '(', ':', '}']);
    is_text && (is_full_name(exception) || is_short_name && has_pairs('"') && has_pairs('\''))
}

/// An exception line that stands alone: only a name that says what it is, with a message.
pub(crate) fn bare_exception(line: &str) -> Option<ExceptionLine<'_>> {
    let found = exception_line(line)?;
    (looks_named(found.type_name)
        && (found.message.is_some_and(|m| !m.trim().is_empty()) || found.type_name.len() > 9))
        .then_some(found)
}

/// `[Errno 38] Function not implemented: OSError`: AWS Lambda's line above a head, up to Python 3.6.
pub(crate) fn exception_behind_message(line: &str) -> Option<ExceptionLine<'_>> {
    let (message, name) = line.trim_end().rsplit_once(": ")?;
    let found = exception_line(name)?;
    let is_name = found.message.is_none() && looks_named(found.type_name) && !name.contains(' ');
    (is_name && message.starts_with(|c: char| !c.is_whitespace())).then_some(ExceptionLine {
        type_name: found.type_name,
        message: Some(message),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_several_processes_in_one_line_count_as_one() {
        for line in [
            "RuntimeErrorRuntimeError: : bad number",
            "RuntimeErrorRuntimeErrorRuntimeError: : : bad numberbad numberbad number",
            "RuntimeErrorRuntimeError: bad number",
            "RuntimeErrorRuntimeError: bad number: ",
            "RuntimeErrorRuntimeError: bad number: bad number",
            "RuntimeError: RuntimeErrorbad number:",
            "RuntimeError: RuntimeErrorbad number",
            "RuntimeError: RuntimeErrorbad number: bad number",
            "RuntimeError: RuntimeError: bad numberbad number",
            "RuntimeError: bad numberRuntimeError",
            "RuntimeError: bad numberRuntimeError: bad number",
        ] {
            let expected = ExceptionLine {
                type_name: "RuntimeError",
                message: Some("bad number"),
            };
            assert_eq!(bare_exception(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn final_lines_are_told_from_other_text() {
        for (line, type_name, message) in [
            (
                "TypeError: cannot pickle 'x' object",
                "TypeError",
                Some("cannot pickle 'x' object"),
            ),
            ("KeyboardInterrupt", "KeyboardInterrupt", None),
            ("RuntimeError: ", "RuntimeError", Some("")),
            ("_queue.Empty", "_queue.Empty", None),
            ("main.<locals>.E: x", "main.<locals>.E", Some("x")),
            (
                "ray.exceptions.RayTaskError(KeyError): ray::f()",
                "ray.exceptions.RayTaskError(KeyError)",
                Some("ray::f()"),
            ),
            (
                "struct.error: 'i' format",
                "struct.error",
                Some("'i' format"),
            ),
        ] {
            assert_eq!(
                exception_line(line),
                Some(ExceptionLine { type_name, message }),
                "{line}"
            );
        }
        for line in [
            "wandb: waiting",
            "exit code 1",
            "  File \"x\"",
            "loss=0.5",
            ">>> ",
            "done",
        ] {
            assert_eq!(exception_line(line), None, "{line}");
        }
    }
}
