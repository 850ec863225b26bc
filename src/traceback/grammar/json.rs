//! Tracebacks inside the strings of a line: JSON of structlog, python-json-logger, loguru, docker;
//! Python's own `repr` of what another process wrote.

use std::fmt::Write;

use memchr::memrchr_iter;

use super::cpython::{CAUSE, CONTEXT, HEAD};
use crate::line::find;
use crate::traceback::line::record::{
    field, json_string, member, own_field, string, string_and_rest,
};

/// How many quotes before a head are tried.
const MOST_QUOTES: usize = 16;

/// Returns the first string of a line that holds a traceback, unescaped; `None` for other lines.
///
/// `{"event": "step failed", "exception": "Traceback (most recent call last):\n  File …"}`,
/// `worker failed: b'Traceback (most recent call last):\n  File …'`
pub(crate) fn traceback(text: &str) -> Option<String> {
    // Lines that were printed as one, as AWS Lambda does.
    if text.contains('\n') {
        return Some(text.to_owned());
    }
    // What a string holds stands behind the head in it.
    if is_head(text) {
        return None;
    }
    let trimmed = text.trim_start();
    let is_object = trimmed.starts_with(['{', '[']) || find(trimmed, "{\"").is_some();
    let of_object = || {
        quoted(text)
            .or_else(|| structured(text))
            .or_else(|| error_in_members(text))
    };
    let found = is_object.then(of_object).flatten();
    found
        .or_else(|| represented(text))
        .or_else(|| in_member(text))
}

/// Returns the string of a line that is one member of an object, as a command prints the answer of a service:
/// `"error_trace": "TypeError      Traceback (most recent call last)\nFile <command-1>, line 3\n…",`.
fn in_member(text: &str) -> Option<String> {
    find(text, HEAD)?;
    let (_, inner) = member(text)?;
    inner.contains('\n').then_some(inner)
}

/// Returns the string around the first head, unescaped; within it may be another object. loguru writes the
/// same traceback twice, in two forms.
fn quoted(text: &str) -> Option<String> {
    let open = opening_quote(text, text.find(HEAD)?)?;
    let first = json_string(&text[open + 1..])?;
    if is_head(&first)
        && let Some(lines) = records(text, open)
    {
        return Some(lines);
    }
    let inner = if is_head(&first) {
        list(&text[open + 1..])?
    } else {
        first
    };
    if inner.contains('\n') {
        return Some(inner);
    }
    traceback(&inner)
}

/// Returns the lines that the records of one line hold, of which one opens its string at `open`: Loki answers with
/// `"values":[["1715677953123000000","  File …"],…]`, others with `[{"textPayload":"  File …"},…]`.
fn records(text: &str, open: usize) -> Option<String> {
    let named = text[..open].trim_end().strip_suffix(':');
    let name = named.and_then(|before| before.trim_end().strip_suffix('"')?.rfind('"'));
    let strings: Vec<&str> = if let Some(name) = name {
        let mark = &text[name..=open];
        let places = text.match_indices(mark);
        places.map(|(at, _)| &text[at + mark.len()..]).collect()
    } else {
        let places = text.match_indices("[\"");
        places
            .filter_map(|(at, _)| timed(&text[at + 2..]))
            .collect()
    };
    let mut lines = String::new();
    // The end of a long line may be missing.
    for line in strings.into_iter().map_while(json_string) {
        lines += line.trim_end_matches('\n');
        lines.push('\n');
    }
    lines.contains("\n  File ").then_some(lines)
}

/// Returns what follows the nanoseconds of a line of Loki's, behind its opening quote.
fn timed(entry: &str) -> Option<&str> {
    let rest = entry.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = rest.strip_prefix("\",")?.trim_start();
    line.strip_prefix('"').filter(|_| rest.len() < entry.len())
}

/// Returns the message of a log record without a traceback, unescaped:
/// `{"level": "error", "message": "Worker (pid:23) was sent SIGKILL! Perhaps out of memory?"}`.
///
/// What has no level is data, and only mentions what it holds.
pub(crate) fn message(text: &str) -> Option<String> {
    /// No stamp is longer.
    const MOST_BEFORE: usize = 64;
    let at = find(text, "{\"").filter(|at| *at <= MOST_BEFORE)?;
    let object = &text[at..];
    let of = |name: &str| field(object, name);
    let mut levels = ["level", "levelname", "severity"].into_iter();
    levels.find_map(of)?;
    // What goes with an event may have a message, too.
    let names = ["message", "msg", "event"];
    let mut own = names.into_iter().filter_map(|name| own_field(object, name));
    own.next().or_else(|| names.into_iter().find_map(of))
}

/// What a line break is in a string, on Windows too.
const ESCAPES: [&str; 2] = ["\\n", "\\r\\n"];

/// Returns what a line break became in a line that others wrote: it stands behind a head, and again further down:
/// syslog's `#012`, `%0A` of GitHub's workflow commands, `↵` of browsers, a logger's ` | `, a writer's mark.
fn line_break(after: &str) -> Option<&str> {
    const LONGEST: usize = 32;
    let (mark, lines) = after.split_once("  File \"")?;
    let is_mark = mark.len() <= LONGEST && !mark.trim().is_empty() && !mark.contains(['\\', '"']);
    let is_repeated = is_mark && lines.contains(mark);
    // The writer's mark may stand behind it: `#012[rank3]:   File "x.py"`.
    let short = mark.split_once("[rank").map(|(short, _)| short);
    let short = short.filter(|short| !short.trim_matches(' ').is_empty());
    is_repeated.then_some(short.unwrap_or(mark))
}

/// Returns the string that `repr` wrote and that holds a traceback; one without quotes goes up to the end of
/// the line.
fn represented(text: &str) -> Option<String> {
    let head = find(text, HEAD)?;
    let after = text[head + HEAD.len()..].strip_prefix(':')?;
    if let Some(lines) = python_list(text, head) {
        return Some(lines);
    }
    if let Some(mark) = line_break(after) {
        let start = remote_start(&text[..head], mark).unwrap_or(head);
        return Some(text[start..].replace(mark, "\n"));
    }
    // The line break behind the head and its colon is escaped, and a frame follows.
    let mut escapes = ESCAPES.into_iter();
    let (mark, after) = escapes.find_map(|mark| Some((mark, after.strip_prefix(mark)?)))?;
    // Frames may be left out below the head: `[...]` of Vertex AI.
    let is_left_out = |line: &&str| matches!(line.trim(), "[...]" | "...");
    // A writer's mark may stand before each of its lines: `[rank0]:   File "x.py"`.
    let mut lines = after.split(mark).skip_while(is_left_out);
    let first = lines.next().unwrap_or_default();
    let first = match first.split_once("]: ") {
        Some((writer, rest)) if writer.starts_with('[') => rest,
        _ => first,
    };
    if !first.trim_start().starts_with("File ") {
        return None;
    }
    let start = remote_start(&text[..head], mark).unwrap_or(head);
    let before = &text[..start];
    // A program's own text, `print("Traceback …\n")`, has its quote in front; a message may have quoted words.
    let closed = |quote: char| before.matches(quote).count().is_multiple_of(2);
    let is_bare = || closed('"') && closed('\'') && !before.contains('`');
    let whole = || string(&format!("{}\0", &text[start..]), '\0');
    string_of_repr(text, start).or_else(|| is_bare().then(whole)?)
}

/// Returns the outermost string that opens before the head and holds it, unescaped; those that end before it
/// are other values: `{'job': 3, 'error': 'Traceback (most recent call last):\n…'}`.
fn string_of_repr(text: &str, head: usize) -> Option<String> {
    let (mut from, mut tried) = (0, 0);
    while let Some(at) = text[from..head].find(['\'', '"']).map(|at| from + at)
        && tried < MOST_QUOTES
    {
        from = at + 1;
        let word = text[..at].strip_suffix('b').unwrap_or(&text[..at]);
        if word.ends_with(|c: char| c.is_alphanumeric() || c == '\\') {
            continue;
        }
        tried += 1;
        let quote = text[at..].chars().next()?;
        let Some((inner, rest)) = string_and_rest(&text[from..], quote) else {
            continue;
        };
        let inner = inner.replace("\r\n", "\n");
        if inner.contains(&format!("{HEAD}:\n")) {
            return Some(inner);
        }
        let end = text.len() - rest.len();
        if end <= head && rest.starts_with([',', ':', ']', ')', '}']) {
            (from, tried) = (end, tried - 1);
        }
    }
    None
}

/// Returns where the type above another process's text stands, if its border is directly before a head:
/// `multiprocessing.pool.RemoteTraceback: \n"""\n`.
fn remote_start(before: &str, mark: &str) -> Option<usize> {
    let rest = before.strip_suffix(mark)?;
    let mut borders = ["\"\"\"", "\\\"\\\"\\\"", "'''"].into_iter();
    let rest = borders.find_map(|border| rest.strip_suffix(border))?;
    let name = rest.strip_suffix(mark)?.trim_end().strip_suffix(':')?;
    let is_in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let start = name.trim_end_matches(is_in_name).len();
    name.ends_with("RemoteTraceback").then_some(start)
}

/// Reads the list of lines around a head, as `repr` writes that of `traceback.format_exception`, or of a pipe's
/// `readlines`: `['Traceback (most recent call last):\n', '  File "x.py", line 1, in f\n', 'TypeError: x\n']`.
fn python_list(text: &str, head: usize) -> Option<String> {
    let opens = text[..head].rmatch_indices('[').take(MOST_QUOTES);
    opens
        .map(|(at, _)| lines_of(&text[at + 1..]))
        .find_map(|lines| lines)
}

/// Reads the strings of such a list, as far as they are whole.
fn lines_of(list: &str) -> Option<String> {
    let mut rest = list;
    let mut all = String::new();
    while let text = rest.strip_prefix('b').unwrap_or(rest)
        && let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"'))
        && let Some((line, after)) = string_and_rest(&text[1..], quote)
    {
        all.push_str(&line);
        if !line.ends_with('\n') {
            all.push('\n');
        }
        rest = after.strip_prefix(", ").unwrap_or_default();
    }
    (all.contains(HEAD) && all.contains("  File ")).then_some(all)
}

/// Returns whether a text is a head and no more.
fn is_head(text: &str) -> bool {
    text.trim_end().trim_end_matches(':').ends_with(HEAD)
}

/// Reads all strings of a list up to its end, as `traceback.format_exception` returns them, each with a line break
/// behind it; `text` starts after the quote that opens the first.
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

/// Finds the quote that opens the string in which `at` lies.
fn opening_quote(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    memrchr_iter(b'"', &bytes[..at]).find(|&i| {
        let escapes = bytes[..i].iter().rev().take_while(|b| **b == b'\\').count();
        let is_closing = i > 0 && (bytes[i - 1].is_ascii_alphanumeric() || bytes[i - 1] == b'"');
        escapes % 2 == 0 && !is_closing
    })
}

/// structlog's `dict_tracebacks`: no text at all, but a list of `exc_type`, `exc_value` and `frames`, an exception
/// before what it came from.
fn structured(text: &str) -> Option<String> {
    const TYPE: &str = "\"exc_type\"";
    let mut out = String::new();
    let (mut end, mut later) = (text.len(), None);
    for (start, _) in text.rmatch_indices(TYPE) {
        if let Some(is_cause) = later {
            let link = if is_cause { CAUSE } else { CONTEXT };
            let _ = writeln!(out, "\n{link}\n");
        }
        let own = &text[start..end];
        let kind = field(own, "exc_type")?;
        let value = field(own, "exc_value").unwrap_or_default();
        let _ = writeln!(out, "{HEAD}:\n{}{kind}: {value}", structured_frames(own)?);
        let is_cause = own
            .split_once("\"is_cause\"")
            .is_some_and(|(_, value)| value.trim_start_matches([':', ' ']).starts_with("true"));
        (end, later) = (start, Some(is_cause));
    }
    later.map(|_| out)
}

/// Writes the frames of such an exception as Python prints them.
fn structured_frames(text: &str) -> Option<String> {
    let mut out = String::new();
    let starts = text.match_indices("\"filename\"").map(|(at, _)| at);
    let ends = starts.clone().skip(1).chain([text.len()]);
    for (start, end) in starts.zip(ends) {
        let frame = &text[start..end];
        let file = field(frame, "filename")?;
        // A local variable of that name: its value is what `repr` returns.
        if file.starts_with(['\'', '"']) {
            continue;
        }
        let line = frame.find("\"lineno\"").and_then(|at| {
            let digits = frame[at + 8..].trim_start_matches([':', ' ']);
            let len = digits.bytes().take_while(u8::is_ascii_digit).count();
            digits[..len].parse::<u32>().ok()
        });
        let name = field(frame, "name").unwrap_or_default();
        let line = line.unwrap_or(1);
        let _ = writeln!(out, "  File \"{file}\", line {line}, in {name}");
    }
    Some(out)
}

/// An error in one line whose type, message and frames are members of their own. AWS Lambda's:
/// `{"errorMessage": "…", "errorType": "OSError", "stackTrace": ["  File \"…\", line 7, in f\n    g()\n"]}`;
/// in Elastic's schema: `"error":{"message":"…","stack_trace":"  File \"…\", line 7, in f\n    g()\n","type":"OSError"}`.
fn error_in_members(text: &str) -> Option<String> {
    let of_elastic = || {
        let error = &text[find(text, "\"error\":")?..];
        Some((error, ["type", "message", "\"stack_trace\""]))
    };
    let is_lambda = find(text, "\"errorType\"").is_some();
    let of_lambda = is_lambda.then_some((text, ["errorType", "errorMessage", "\"stackTrace\""]));
    let (error, [name, message, stack]) = of_lambda.or_else(of_elastic)?;
    let kind = field(error, name)?;
    let value = field(error, message).unwrap_or_default();
    let frames = &error[error.find(stack)?..];
    let mut out = format!("{HEAD}:\n");
    match frames.find("\"  File \\\"") {
        Some(at) if frames[..at].ends_with(['[', ' ', '\n']) => {
            out.push_str(&list(&frames[at + 1..])?);
        }
        Some(at) => out.push_str(&json_string(&frames[at + 1..])?),
        None if of_lambda.is_none() => return None,
        None => {}
    }
    let _ = writeln!(out, "{kind}: {value}");
    Some(out)
}

/// Returns the stack that torchelastic records of an error, as far as a log shows it that was cut in it:
/// `"py_callstack": "Traceback (most recent call last):\n  File …`. Its last line may be cut, and is left out.
pub(crate) fn cut_call_stack(text: &str) -> Option<String> {
    let rest = text.trim_start().strip_prefix("\"py_callstack\": \"")?;
    if json_string(rest).is_some() {
        return None;
    }
    let lines = json_string(&format!("{}\"", rest.trim_end_matches('\\')))?;
    let whole = lines.rsplit_once('\n')?.0;
    Some(format!("{whole}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_record_is_read_and_that_of_data_is_not() {
        let record = r#"{"ts": 1, "level": "error", "message": "a \"b\"\nc"}"#;
        assert_eq!(message(record), Some("a \"b\"\nc".to_owned()));
        assert_eq!(message(r#"{"id": 1, "message": "a"}"#), None);
        let airflow = r#"{"level": "error", "event": "stopped", "detail": {"message": "a"}}"#;
        assert_eq!(message(airflow), Some("stopped".to_owned()));
        let within = r#"{"level": "ERROR", "fields": {"message": "a"}}"#;
        assert_eq!(message(within), Some("a".to_owned()));
    }

    #[test]
    fn an_escaped_traceback_is_unescaped() {
        let line = r#"{"event": "failed", "exception": "Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nTypeError: bad"}"#;
        let found = traceback(line).expect("one traceback");
        assert_eq!(found.lines().count(), 3);
        assert!(traceback("{\"loss\": 1.0}").is_none());
    }

    #[test]
    fn backslashes_without_end_are_looked_at_once() {
        let text = format!("{{\"a\": \"{}{HEAD}:\"}}", "\\".repeat(60_000));
        assert!(traceback(&text).is_some());
    }

    #[test]
    fn a_frame_of_structlog_takes_nothing_from_the_next() {
        let line = r#"{"exc_type": "OSError", "frames": [{"filename": "a.py"}, {"filename": "b.py", "lineno": 7, "name": "f"}]}"#;
        let found = traceback(line).expect("one traceback");
        let frames: Vec<&str> = found.lines().skip(1).take(2).collect();
        let expected = [
            "  File \"a.py\", line 1, in ",
            "  File \"b.py\", line 7, in f",
        ];
        assert_eq!(frames, expected);
    }

    #[test]
    fn the_cause_of_an_exception_of_structlog_stands_before_it() {
        let line = r#"{"exception": [{"exc_type": "RuntimeError", "exc_value": "job 7 failed", "is_cause": false, "frames": [{"filename": "a.py", "lineno": 9, "name": "f", "locals": {"filename": "'x'"}}]}, {"exc_type": "TypeError", "exc_value": "bad", "is_cause": true, "frames": [{"filename": "b.py", "lineno": 7, "name": "g"}]}]}"#;
        let expected = format!(
            "{HEAD}:\n  File \"b.py\", line 7, in g\nTypeError: bad\n\n{CAUSE}\n\n\
             {HEAD}:\n  File \"a.py\", line 9, in f\nRuntimeError: job 7 failed\n"
        );
        assert_eq!(traceback(line), Some(expected));
    }

    #[test]
    fn what_repr_wrote_is_read() {
        let line = r#"worker 3: b'Traceback (most recent call last):\n  File "x.py", line 1, in f\nTypeError: can\'t'"#;
        let found = traceback(line).expect("one traceback");
        assert_eq!(found.lines().last(), Some("TypeError: can't"));
        for line in [
            r#"ERROR: ['Traceback (most recent call last):\n', '  File "x.py", line 1, in f\n', 'TypeError: a\n']"#,
            r#"ERROR: ['Traceback (most recent call last):\n', '  File "x.py", line 1, in f\n', "TypeError: a\n"]"#,
            r#"ERROR job 3: Traceback (most recent call last):\n  File "x.py", line 1, in f\nTypeError: a"#,
            r#"Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nTypeError: a"#,
            r#"Job failed: Traceback (most recent call last):\n  [...]\n  File \"x.py\", line 1, in f\nTypeError: a"#,
            r#"ERROR job 3: Traceback (most recent call last):#012  File "x.py", line 1, in f#012TypeError: a"#,
        ] {
            let found = traceback(line).expect("one traceback");
            assert_eq!(found.lines().last(), Some("TypeError: a"), "{line}");
        }
        let marked = r#"stderr: b'[rank0]: Traceback (most recent call last):\n[rank0]:   File "x.py", line 1, in f\n[rank0]: TypeError: a\n'"#;
        let found = traceback(marked).expect("one traceback");
        assert_eq!(found.lines().last(), Some("[rank0]: TypeError: a"));
        for line in [
            r"print('Traceback (most recent call last):\n')",
            "see 'Traceback (most recent call last):' there",
        ] {
            assert!(traceback(line).is_none(), "{line}");
        }
    }
}
