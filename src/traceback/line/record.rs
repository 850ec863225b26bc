//! A line that is a record: a JSON object, and strings as JSON and Python's `repr` write them.

use crate::traceback::grammar::cpython;
use crate::traceback::grammar::exception::bare_exception;
use crate::traceback::part::Part;

/// How much of a line columns of a collector take in front of a record, in bytes.
const MOST_BEFORE: usize = 120;

/// Takes the text out of a record that holds one line of a stream, as Docker, Google Cloud, journald and
/// Kaggle keep them: `{"log":"  File \"x.py\", line 1\n","stream":"stderr","time":"…"}`,
/// `,{"stream_name":"stderr","time":3.2,"data":"…\n"}`. fluentd puts a time and a tag in front. Of what others
/// call an event or a message, only a traceback's lines are such: `{"event":"  File \"x.py\", line 1",…}`.
pub(super) fn recorded_line(text: &str) -> Option<String> {
    if !text.contains('{') {
        return None;
    }
    let columns = text.split_once("\t{").map(|(before, _)| before.len() + 1);
    let start = columns.filter(|at| *at <= MOST_BEFORE).unwrap_or(0);
    let object = text[start..].trim_start_matches(['[', ',', ' ']);
    if !object.starts_with("{\"") {
        return None;
    }
    // Deeper down a name may be anybody's: that of a local variable, in a traceback as JSON.
    let own = |name: &str| {
        let at = object.find(&format!("\"{name}\""))?;
        let is_own = !object[1..at].contains(['{', '[']);
        is_own.then(|| field(object, name))?
    };
    let mut names = ["log", "textPayload", "MESSAGE"].into_iter();
    let kaggle = || own("stream_name").and_then(|_| own("data"));
    let has_level = object.contains("level\"") || object.contains("severity\"");
    let mut of_messages = ["message", "event", "msg", "line"].into_iter();
    let message = || {
        let name = of_messages.find(|name| own(name).is_some())?;
        own(name).filter(|text| is_of_traceback(text, has_level || name == "line"))
    };
    let inner = names.find_map(own).or_else(kaggle).or_else(message)?;
    let line = inner.trim_end_matches(['\n', '\r']);
    (!line.contains('\n')).then(|| line.to_owned())
}

/// Returns whether a text is a line of a traceback; a final line is one where something says that it is no data.
fn is_of_traceback(text: &str, is_logged: bool) -> bool {
    let text = text.trim_end();
    text.starts_with("  ")
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

/// Returns a string of a JSON object by its name.
pub(in super::super) fn field(object: &str, name: &str) -> Option<String> {
    let at = object.find(&format!("\"{name}\""))?;
    let rest = object[at + name.len() + 2..].trim_start();
    let value = rest.strip_prefix(':')?.trim_start();
    json_string(value.strip_prefix('"')?)
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
    fn a_record_of_one_line_is_unwrapped() {
        for record in [
            r#"{"log":"  File \"x.py\", line 1, in f\n","stream":"stderr"}"#,
            r#"{"log": "  File \"x.py\", line 1, in f", "stream": "stderr"}"#,
            r#",{"stream_name":"stderr","time":3.2,"data":"  File \"x.py\", line 1, in f\n"}"#,
            r#"{"insertId":"a","severity":"ERROR","textPayload":"  File \"x.py\", line 1, in f"}"#,
        ] {
            let line = recorded_line(record);
            assert_eq!(line.as_deref(), Some("  File \"x.py\", line 1, in f"));
        }
        for data in [
            r#"{"data":"a","log":3}"#,
            r#"{"frames":[{"locals":{"log":"<Logger>"}}]}"#,
        ] {
            assert_eq!(recorded_line(data), None, "{data}");
        }
    }
}
