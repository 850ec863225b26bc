//! Tracebacks inside the strings of a line: JSON of structlog, python-json-logger, loguru, docker;
//! Python's own `repr` of what another process wrote.

use std::fmt::Write;

use super::cpython::HEAD;
use crate::traceback::line::record::{field, json_string, string, string_and_rest};

/// How many quotes before a head are tried.
const MOST_QUOTES: usize = 16;

/// Returns the strings of a line that hold a traceback, unescaped; `None` for other lines.
///
/// `{"event": "step failed", "exception": "Traceback (most recent call last):\n  File …"}`,
/// `worker failed: b'Traceback (most recent call last):\n  File …'`
pub(crate) fn tracebacks(text: &str) -> Option<Vec<String>> {
    let trimmed = text.trim_start();
    if !trimmed.starts_with(['{', '[']) && !trimmed.contains("{\"") {
        return represented(text).map(|inner| vec![inner]);
    }
    let mut found: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(HEAD) {
        let Some(open) = opening_quote(rest, at) else {
            break;
        };
        let Some(inner) = strings(&rest[open + 1..]) else {
            break;
        };
        if !inner.contains('\n') {
            break;
        }
        // loguru writes the same traceback twice, in two forms.
        if found.is_empty() {
            found.push(inner);
        }
        rest = &rest[at + HEAD.len()..];
    }
    if found.is_empty() {
        found.extend(structured(text).or_else(|| lambda_error(text)));
    }
    (!found.is_empty()).then_some(found)
}

/// Returns the message of a log record without a traceback, unescaped:
/// `{"level": "error", "message": "Worker (pid:23) was sent SIGKILL! Perhaps out of memory?"}`.
///
/// What has no level is data, and only mentions what it holds.
pub(crate) fn message(text: &str) -> Option<String> {
    /// No stamp is longer.
    const MOST_BEFORE: usize = 64;
    let at = text.find("{\"").filter(|at| *at <= MOST_BEFORE)?;
    let of = |name: &str| field(&text[at..], name);
    let mut levels = ["level", "levelname", "severity"].into_iter();
    levels.find_map(of)?;
    ["message", "msg", "event"].into_iter().find_map(of)
}

/// Returns the first string that `repr` wrote and that holds a traceback; one without quotes goes up to
/// the end of the line. Syslog writes a line break as `#012`.
fn represented(text: &str) -> Option<String> {
    if !text.contains('\\') && !text.contains("#012") {
        return None;
    }
    let head = text.find(HEAD)?;
    // The line break behind the head and its colon is escaped, and a frame follows.
    let after = text[head + HEAD.len()..].strip_prefix(':')?;
    let mut breaks = ["\\n", "#012"].into_iter();
    let (mark, after) = breaks.find_map(|mark| Some((mark, after.strip_prefix(mark)?)))?;
    if !after.trim_start().starts_with("File ") {
        return None;
    }
    if mark == "#012" {
        return Some(text[head..].replace(mark, "\n"));
    }
    let quotes = text[..head].match_indices(['\'', '"']);
    let opening = quotes.filter(|(at, _)| {
        let before = &text[..*at];
        let word = before.strip_suffix('b').unwrap_or(before);
        !word.ends_with(|c: char| c.is_alphanumeric() || c == '\\')
    });
    let quoted = opening.take(MOST_QUOTES).find_map(|(at, quote)| {
        let inner = string(&text[at + 1..], quote.chars().next()?)?;
        inner.contains(&format!("{HEAD}:\n")).then_some(inner)
    });
    // A program's own text, `print("Traceback …\n")`, has its quote in front.
    let is_bare = || !text[..head].contains(['\'', '"', '`']);
    let whole = || string(&format!("{}\0", &text[head..]), '\0');
    quoted.or_else(|| is_bare().then(whole)?)
}

/// Reads a string, and those behind it in its list if it is no more than a head, as
/// `traceback.format_exception` returns them.
fn strings(text: &str) -> Option<String> {
    let first = json_string(text)?;
    let is_head = first.trim_end().trim_end_matches(':').ends_with(HEAD);
    if is_head { list(text) } else { Some(first) }
}

/// Reads all strings of a list up to its end, each with a line break behind it; `text` starts after the
/// quote that opens the first.
fn list(text: &str) -> Option<String> {
    let (mut all, mut rest) = string_and_rest(text, '"')?;
    while let Some(next) = rest.trim_start().strip_prefix(',')
        && let Some(next) = next.trim_start().strip_prefix('"')
    {
        if !all.ends_with('\n') {
            all.push('\n');
        }
        let (inner, after) = string_and_rest(next, '"')?;
        all.push_str(&inner);
        rest = after;
    }
    if !all.ends_with('\n') {
        all.push('\n');
    }
    Some(all)
}

/// The quote that opens the string in which `at` lies.
fn opening_quote(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    (0..at).rev().find(|&i| {
        bytes[i] == b'"' && bytes[..i].iter().rev().take_while(|b| **b == b'\\').count() % 2 == 0
    })
}

/// structlog's `dict_tracebacks`: no text at all, but `exc_type`, `exc_value` and `frames`.
fn structured(text: &str) -> Option<String> {
    let kind = field(text, "exc_type")?;
    let value = field(text, "exc_value").unwrap_or_default();
    let mut out = format!("{HEAD}:\n");
    let mut rest = text;
    while let Some(at) = rest.find("\"filename\"") {
        rest = &rest[at..];
        let file = field(rest, "filename")?;
        let line = rest.find("\"lineno\"").and_then(|at| {
            let digits = rest[at + 8..].trim_start_matches([':', ' ']);
            let len = digits.bytes().take_while(u8::is_ascii_digit).count();
            digits[..len].parse::<u32>().ok()
        });
        let name = field(rest, "name").unwrap_or_default();
        let line = line.unwrap_or(1);
        let _ = writeln!(out, "  File \"{file}\", line {line}, in {name}");
        rest = &rest[10..];
    }
    let _ = writeln!(out, "{kind}: {value}");
    Some(out)
}

/// AWS Lambda's error in one line:
/// `{"errorMessage": "…", "errorType": "OSError", "stackTrace": ["  File \"…\", line 7, in f\n    g()\n"]}`.
fn lambda_error(text: &str) -> Option<String> {
    let kind = field(text, "errorType")?;
    let value = field(text, "errorMessage").unwrap_or_default();
    let frames = &text[text.find("\"stackTrace\"")?..];
    let mut out = format!("{HEAD}:\n");
    if let Some(at) = frames.find("\"  File \\\"") {
        out.push_str(&list(&frames[at + 1..])?);
    }
    let _ = writeln!(out, "{kind}: {value}");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_record_is_read_and_that_of_data_is_not() {
        let record = r#"{"ts": 1, "level": "error", "message": "a \"b\"\nc"}"#;
        assert_eq!(message(record), Some("a \"b\"\nc".to_owned()));
        assert_eq!(message(r#"{"id": 1, "message": "a"}"#), None);
    }

    #[test]
    fn an_escaped_traceback_is_unescaped() {
        let line = r#"{"event": "failed", "exception": "Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nTypeError: bad"}"#;
        let found = tracebacks(line).expect("one traceback");
        assert_eq!(found[0].lines().count(), 3);
        assert!(tracebacks("{\"loss\": 1.0}").is_none());
    }

    #[test]
    fn what_repr_wrote_is_read() {
        let line = r#"worker 3: b'Traceback (most recent call last):\n  File "x.py", line 1, in f\nTypeError: can\'t'"#;
        let found = tracebacks(line).expect("one traceback");
        assert_eq!(found[0].lines().last(), Some("TypeError: can't"));
        for line in [
            r#"ERROR job 3: Traceback (most recent call last):\n  File "x.py", line 1, in f\nTypeError: a"#,
            r#"Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nTypeError: a"#,
            r#"ERROR job 3: Traceback (most recent call last):#012  File "x.py", line 1, in f#012TypeError: a"#,
        ] {
            let found = tracebacks(line).expect("one traceback");
            assert_eq!(found[0].lines().last(), Some("TypeError: a"), "{line}");
        }
        for line in [
            r"print('Traceback (most recent call last):\n')",
            "see 'Traceback (most recent call last):' there",
        ] {
            assert!(tracebacks(line).is_none(), "{line}");
        }
    }
}
