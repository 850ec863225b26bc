//! A line that is a record: a JSON object, and strings as JSON and Python's `repr` write them.

use std::iter;

use super::prefix::Prefix;
use super::told::as_repr;
use crate::line::find;
use crate::traceback::grammar::cpython;
use crate::traceback::grammar::exception::bare_exception;
use crate::traceback::part::Part;

/// How much of a line columns of a collector take in front of a record, in bytes.
const MOST_BEFORE: usize = 120;

/// What Google Cloud, Elasticsearch, Splunk and Datadog call the object that a record is kept in.
const OWN_OBJECTS: [&str; 4] = [
    "\"jsonPayload\"",
    "\"_source\"",
    "\"result\"",
    "\"content\"",
];

/// Takes the text out of a record that holds one line of a stream, as Docker, Google Cloud, journald and
/// Kaggle keep them: `{"log":"  File \"x.py\", line 1\n","stream":"stderr","time":"…"}`,
/// `,{"stream_name":"stderr","time":3.2,"data":"…\n"}`. fluentd puts a time and a tag in front. Of what others
/// call an event or a message, only a traceback's lines are such: `{"event":"  File \"x.py\", line 1",…}`.
///
/// A final line is one where something says that it is no data, or if it `is_below` such a line.
pub(super) fn recorded_line(text: &str, is_below: bool) -> Option<String> {
    if !text.contains('{') {
        return None;
    }
    let stamped = || {
        text.split_once(": {")
            .filter(|_| text.starts_with(|c: char| c.is_ascii_digit()))
    };
    let columns = text.split_once("\t{").or_else(stamped);
    let columns = columns.map(|(before, _)| {
        text.len()
            - text[before.len()..]
                .trim_start_matches([':', ' ', '\t'])
                .len()
    });
    // fluent-bit: `[3] kube.x: [[1715677953.1, {}], {"log"=>"TypeError: x"}]`.
    let of_ruby = || find(text, "{\"").filter(|at| find(&text[*at..], "\"=>\"").is_some());
    let columns = columns.or_else(of_ruby);
    let start = columns.filter(|at| *at <= MOST_BEFORE).unwrap_or(0);
    let object = text[start..].trim_start_matches(['[', ',', ' ']);
    // Of several records in one line none is the line.
    let is_list = text.starts_with('[') && ["},{", "}, {"].iter().any(|end| object.contains(end));
    if is_list || !object.starts_with("{\"") {
        return None;
    }
    let mut levels = ["level\"", "levelname\"", "severity\""].into_iter();
    let is_logged = is_below || levels.any(|level| object.contains(level));
    // Collectors keep what was logged as an object in one of their own.
    let own = OWN_OBJECTS.into_iter().filter_map(|name| {
        let (_, rest) = object.split_once(name)?;
        rest.trim_start().strip_prefix(':')
    });
    let mut objects = iter::once(object).chain(own.map(str::trim_start));
    let inner = objects.find_map(|object| line_in(object, is_logged))?;
    let line = inner.trim_end_matches(['\n', '\r']);
    (!line.contains('\n')).then(|| line.to_owned())
}

/// Returns the text of the line that an object holds.
fn line_in(object: &str, is_logged: bool) -> Option<String> {
    let own = |name: &str| own_field(object, name);
    let mut names = ["log", "Log", "textPayload", "MESSAGE", "_raw"].into_iter();
    let kaggle = || own("stream_name").and_then(|_| own("data"));
    let mut of_messages = [
        "message", "@message", "event", "msg", "_msg", "line", "text", "body",
    ]
    .into_iter();
    let message = || {
        let name = of_messages.find(|name| own(name).is_some())?;
        own(name).filter(|text| is_of_traceback(text, is_logged || name == "line"))
    };
    names.find_map(own).or_else(kaggle).or_else(message)
}

/// Returns a string of an object by its name. Deeper down a name may be anybody's: that of a local
/// variable, in a traceback as JSON.
pub(crate) fn own_field(object: &str, name: &str) -> Option<String> {
    let quoted = format!("\"{name}\"");
    let (mut open, mut closed, mut from) = (0, 0, 1);
    let mut places = object.match_indices(&quoted).map(|(at, _)| at);
    let at = places.find(|&at| {
        open += object[from..at].matches(['{', '[']).count();
        closed += object[from..at].matches(['}', ']']).count();
        from = at;
        open == closed
    })?;
    field(&object[at..], name)
}

/// Takes a line of a traceback out of a record of `key=value`, as Go's loggers write them:
/// `time="2024-05-01T10:00:00Z" level=error msg="  File \"x.py\", line 1, in f"`.
pub(super) fn logged_line(text: &str) -> Option<String> {
    const FIRST: [&str; 4] = ["time=", "ts=", "t=", "level="];
    if !FIRST.iter().any(|key| text.starts_with(key)) {
        return None;
    }
    let (_, rest) = text.split_once(" msg=\"")?;
    let line = json_string(rest)?;
    let is_logged = text.contains("level=");
    (!line.contains('\n') && is_of_traceback(&line, is_logged)).then_some(line)
}

/// Takes the line out of a string in quotes, as `repr` and JSON write each line of what another process printed:
/// `b'  File "x.py", line 1, in f\n'`, `stderr: b'TypeError: bad\n'`, `"  File \"x.py\", line 1, in f\n"`.
///
/// Text in quotes is anybody's; what heads a traceback or is a frame tells that it was printed, and then it is so
/// up to the line that has no quotes. JavaScript and Python's `pprint` break a string behind each line of it:
/// `stderr: 'Traceback (most recent call last):\n' +`.
pub(super) fn quoted_line(text: &str, is_below: bool) -> Option<String> {
    let line = text.trim_end();
    // Of a list, the lines have commas from the first one on.
    let text =
        line.trim_end_matches(|c| matches!(c, ' ' | '+' | ')' | '}') || is_below && c == ',');
    let quote = text.chars().last().filter(|c| matches!(c, '\'' | '"'))?;
    let is_broken = text[..text.len() - 1].ends_with("\\n");
    if text.len() < line.len() && !is_broken {
        return None;
    }
    let indent = text.len() - text.trim_start().len();
    let head = || find(text, cpython::HEAD).filter(|at| is_broken && text[..*at].ends_with(quote));
    let (before, string) = if let Some(at) = head() {
        ("", &text[at - 1..])
    } else if text[indent..].starts_with(quote) {
        ("", &text[indent..])
    } else {
        let bytes = if quote == '"' { "b\"" } else { "b'" };
        let (before, _) = text.split_once(bytes)?;
        let is_prefix = before.is_empty() || before.ends_with([' ', ':', '\t', ']']);
        (is_prefix && before.len() <= MOST_BEFORE).then_some((before, &text[before.len() + 1..]))?
    };
    let (inner, rest) = match cell(string) {
        Some(inner) if string.len() == text.len() => (inner, ""),
        _ => string_and_rest(&string[1..], quote)?,
    };
    let line = inner.trim_end_matches(['\n', '\r']);
    let is_printed = || {
        matches!(cpython::part(line), Part::Head { .. } | Part::Frame(_))
            || line.trim_end().ends_with("RemoteTraceback:")
    };
    let is_whole = rest.is_empty() && !line.contains('\n');
    (is_whole && (is_below || is_printed())).then(|| format!("{before}{line}"))
}

/// Returns the text of the only cell of a row in CSV, which doubles the quotes inside.
fn cell(row: &str) -> Option<String> {
    let inner = row.strip_prefix('"')?.strip_suffix('"')?;
    find(inner, "\"\"").map(|_| inner.replace("\"\"", "\""))
}

/// Takes a line of a traceback out of a line of structlog's console, without the context behind it:
/// `2024-05-14T09:12:33Z [error    ] TypeError: bad    [train] job=3`. `first` is where its first bracket stands.
/// Source: structlog, `dev.py`, `ConsoleRenderer`.
pub(super) fn event(text: &str, first: usize) -> Option<String> {
    /// Levels are padded to the longest one, `exception`, which is shown as `error`.
    const LEVEL: usize = 9;
    let level = text.get(first + 1..first + 1 + LEVEL)?;
    let start = first + LEVEL + "[] ".len();
    let event = text.get(start..)?;
    let is_level = level.ends_with(' ') && text[..start].ends_with("] ");
    if !is_level || !level.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    let mut rest = event.trim_end();
    while let Some((before, word)) = rest.rsplit_once(' ')
        && let Some((key, _)) = word.split_once('=')
        && !key.is_empty()
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    {
        rest = before.trim_end();
    }
    let logger = rest.strip_suffix(']').and_then(|r| r.rsplit_once(" ["));
    let named = logger.filter(|(_, name)| !name.contains(' '));
    rest = named.map_or(rest, |(before, _)| before.trim_end());
    // The context of any other event may be what it tells: `failed_heartbeats=3`.
    let is_shorter = rest.len() < event.len();
    (is_shorter && is_of_traceback(rest, true)).then(|| format!("{}{rest}", &text[..start]))
}

/// Takes the exception out of the line by which Dask's worker tells it, in quotes within quotes:
/// `Exception: 'TypeError("bad")'`, `Exception: "TypeError(\"bad 'x'\")"`.
/// Source: distributed, `distributed/worker.py`, the record `Compute Failed`.
pub(super) fn told_by_dask(text: &str) -> Option<String> {
    let quoted = text.strip_prefix("Exception: ")?;
    let quote = quoted.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (inner, rest) = string_and_rest(&quoted[1..], quote)?;
    let told = as_repr(&inner).filter(|_| rest.trim().is_empty())?;
    Some(format!("{}: {}", told.type_name, told.message?))
}

/// Returns the stack of an exception out of the line by which Dask's worker tells it, below the exception:
/// `Traceback: '  File "x.py", line 1, in f\n    g()\n'`. Source: the same record.
pub(in super::super) fn stack_of_dask(text: &str) -> Option<String> {
    let quoted = text.strip_prefix("Traceback: ")?;
    let quote = quoted.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    string(&quoted[1..], quote).filter(|stack| stack.starts_with("  File \""))
}

/// Returns whether a text is a line of a traceback; a final line is one where something says that it is no data.
fn is_of_traceback(text: &str, is_logged: bool) -> bool {
    let text = text.trim_end();
    // What wrote the record may have read lines with marks of their own: `[rank3]: RuntimeError: bad`.
    let text = &text[Prefix::plain_len(text)..];
    text.starts_with("  ")
        // The rows of rich's boxes.
        || text.starts_with(['╭', '│', '╰'])
        || !matches!(
            cpython::part(text),
            Part::Text | Part::Blank | Part::Exception(_)
        )
        || text.ends_with("RemoteTraceback:")
        || is_logged && bare_exception(text).is_some()
}

/// Returns the string of a line that is one entry of a list in JSON, as notebooks keep what was printed
/// and AWS Lambda its `stackTrace`: `  "  File \"app.py\", line 7, in handler\n    pool = Pool(2)\n",`.
pub(in super::super) fn entry(line: &str) -> Option<String> {
    let (inner, rest) = string_and_rest(line.trim_start().strip_prefix('"')?, '"')?;
    matches!(rest.trim_end(), "" | ",").then_some(inner)
}

/// Returns the name and the string of a line that is one member of an object: `"textPayload": "TypeError: x",`.
/// In YAML the text of a record alone: `textPayload: '  File "x.py", line 1, in f'`.
pub(in super::super) fn member(line: &str) -> Option<(&str, String)> {
    const IN_YAML: [&str; 2] = ["textPayload", "message"];
    let line = line.trim();
    if let Some(rest) = line.strip_prefix('"') {
        let (name, value) = rest.split_once("\": \"")?;
        let (value, rest) = string_and_rest(value, '"')?;
        let is_whole = matches!(rest.trim_start(), "" | ",") && !name.contains('"');
        return is_whole.then(|| (name, value.trim_end_matches('\n').to_owned()));
    }
    let (name, value) = line.split_once(": ")?;
    let mut names = IN_YAML.into_iter();
    names.find(|own| *own == name)?;
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let inner = quote.and_then(|quote| value[1..].strip_suffix(quote));
    let value = match (quote, inner) {
        (Some('\''), Some(inner)) => inner.replace("''", "'"),
        (Some(_), Some(_)) => string(&value[1..], '"')?,
        _ => value.to_owned(),
    };
    Some((name, value))
}

/// Returns a string of a JSON object by its name.
pub(in super::super) fn field(object: &str, name: &str) -> Option<String> {
    let at = object.find(&format!("\"{name}\""))?;
    let rest = object[at + name.len() + 2..].trim_start();
    let value = rest.strip_prefix(':').or_else(|| rest.strip_prefix("=>"))?;
    json_string(value.trim_start().strip_prefix('"')?)
}

/// Reads a JSON string up to its closing quote; `rest` starts after the opening one.
pub(in super::super) fn json_string(rest: &str) -> Option<String> {
    string(rest, '"')
}

/// Reads a string of JSON or of Python's `repr` up to its closing quote.
pub(in super::super) fn string(rest: &str, quote: char) -> Option<String> {
    string_and_rest(rest, quote).map(|(inner, _)| inner)
}

/// Reads such a string, and returns what stands behind its closing quote, too.
pub(in super::super) fn string_and_rest(rest: &str, quote: char) -> Option<(String, &str)> {
    let mut out = String::with_capacity(rest.len());
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            c if c == quote => return Some((out, chars.as_str())),
            '\\' => match chars.next()? {
                'x' => {
                    let code: String = chars.by_ref().take(2).collect();
                    match u8::from_str_radix(&code, 16).ok()? {
                        0x1b => skip_sgr(&mut chars),
                        // Bytes of characters beyond ASCII: only ASCII matters to the grammar.
                        byte if byte >= 0x80 => out.push('?'),
                        byte => out.push(char::from(byte)),
                    }
                }
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                'b' | 'f' => {}
                'u' => {
                    let code: String = chars.by_ref().take(4).collect();
                    let value = u32::from_str_radix(&code, 16).ok()?;
                    if value == 0x1b {
                        skip_sgr(&mut chars);
                    } else {
                        out.push(char::from_u32(value).unwrap_or('\u{FFFD}'));
                    }
                }
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
}

/// Drops the rest of a colour code whose escape byte was written as `\u001b`.
fn skip_sgr(chars: &mut std::str::Chars<'_>) {
    let mut ahead = chars.clone();
    if ahead.next() == Some('[') {
        for c in ahead.by_ref().take(16) {
            if c.is_ascii_alphabetic() {
                *chars = ahead;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_a_list_is_one_string_and_no_more() {
        assert_eq!(entry("  \"a \\u001b[31mb\\n\",").as_deref(), Some("a b\n"));
        assert_eq!(entry("\"a\"").as_deref(), Some("a"));
        for other in ["\"a\": \"b\",", "\"a\" \"b\"", "\"a", "a"] {
            assert_eq!(entry(other), None, "{other}");
        }
    }

    #[test]
    fn an_exception_in_quotes_within_quotes_is_taken_out() {
        for (line, told) in [
            (r#"Exception: 'TypeError("bad")'"#, Some("TypeError: bad")),
            (
                r#"Exception: "TypeError(\"bad 'x'\")""#,
                Some("TypeError: bad 'x'"),
            ),
            (r"Exception: 'no repr'", None),
            (r#"Exception: 'TypeError("bad")' and more"#, None),
        ] {
            assert_eq!(told_by_dask(line).as_deref(), told, "{line}");
        }
    }

    #[test]
    fn a_line_of_keys_and_values_holds_one_of_a_traceback() {
        let record = |msg: &str| format!("time=\"10:00\" level=error msg=\"{msg}\" component=x");
        for (msg, line) in [
            (
                r#"  File \"x.py\", line 1, in f"#,
                "  File \"x.py\", line 1, in f",
            ),
            ("TypeError: x", "TypeError: x"),
        ] {
            assert_eq!(logged_line(&record(msg)).as_deref(), Some(line));
        }
        assert_eq!(logged_line(&record("step 1")), None);
        assert_eq!(logged_line(r#"see level=error msg="TypeError: x""#), None);
    }

    #[test]
    fn a_record_of_one_line_is_unwrapped() {
        for record in [
            r#"{"log":"  File \"x.py\", line 1, in f\n","stream":"stderr"}"#,
            r#"{"log": "  File \"x.py\", line 1, in f", "stream": "stderr"}"#,
            r#",{"stream_name":"stderr","time":3.2,"data":"  File \"x.py\", line 1, in f\n"}"#,
            r#"{"insertId":"a","severity":"ERROR","textPayload":"  File \"x.py\", line 1, in f"}"#,
            r#"{"kubernetes":{"labels":["log"]},"log":"  File \"x.py\", line 1, in f"}"#,
            r#"{"jsonPayload":{"levelname":"ERROR","message":"  File \"x.py\", line 1, in f"},"severity":"ERROR"}"#,
        ] {
            let line = recorded_line(record, false);
            assert_eq!(line.as_deref(), Some("  File \"x.py\", line 1, in f"));
        }
        for data in [
            r#"{"data":"a","log":3}"#,
            r#"{"frames":[{"locals":{"log":"<Logger>"}}]}"#,
        ] {
            assert_eq!(recorded_line(data, true), None, "{data}");
        }
    }
}
