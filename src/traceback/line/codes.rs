//! Codes in a line: escape sequences, colours whose escape was lost, a page's tags and what it writes for
//! characters.

use std::borrow::Cow;

use memchr::{memchr2_iter, memchr3};

use crate::line::find;

/// What breaks a line of a page.
pub(in super::super) const BREAK_TAGS: [&str; 3] = ["<br>", "<br/>", "<br />"];

/// What pages write for characters, as browsers and Python's `html.escape` do.
const ENTITIES: [(&str, &str); 8] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&apos;", "'"),
    ("&nbsp;", " "),
];

/// Drops escape sequences (CSI; OSC, APC and the like; short ones), NUL bytes and backspaces.
pub(super) fn without_escapes(raw: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr3(0x1b, 0, 0x08, rest) {
        kept.extend_from_slice(&rest[..at]);
        let dropped = match rest[at] {
            0x1b => escape_len(&rest[at..]),
            _ => 1,
        };
        rest = &rest[at + dropped..];
    }
    kept.extend_from_slice(rest);
    kept
}

/// Returns the length of the escape sequence that `raw` starts with.
fn escape_len(raw: &[u8]) -> usize {
    match raw.get(1) {
        Some(b'[') => {
            let body = raw[2..]
                .iter()
                .take_while(|b| (0x20..=0x3f).contains(*b))
                .count();
            let end = 2 + body;
            (end + 1).min(raw.len())
        }
        Some(b']' | b'_' | b'P' | b'^' | b'X') => {
            let mut ends = memchr2_iter(0x07, 0x1b, &raw[2..]).map(|at| &raw[2 + at..]);
            let end = ends.find_map(|end| match end {
                [0x07, rest @ ..] | [_, b'\\', rest @ ..] => Some(raw.len() - rest.len()),
                _ => None,
            });
            end.unwrap_or(raw.len())
        }
        // `ESC ( B`, the character set, has bytes between.
        Some(_) => {
            let between = raw[1..].iter().take_while(|b| (0x20..=0x2f).contains(*b));
            (between.count() + 2).min(raw.len())
        }
        None => 1,
    }
}

/// Puts characters in the place of what pages write for them; `None` if there is none.
pub(super) fn without_entities(text: &str) -> Option<String> {
    if !text.contains('&') {
        return None;
    }
    // What was escaped may have been escaped once more: `&amp;quot;`.
    let text: Cow<'_, str> = if text.contains("&amp;") {
        text.replace("&amp;", "&").into()
    } else {
        text.into()
    };
    let has_one = ENTITIES.iter().any(|(entity, _)| text.contains(entity));
    let unescape = |text: String, (entity, plain): &(&str, &str)| text.replace(entity, plain);
    has_one.then(|| ENTITIES.iter().fold(text.into_owned(), unescape))
}

/// Takes off the tags with which a page lays out a line, and XML a text: `<p>TypeError: x</p>`, `TypeError: x<br/>`,
/// `<span class="ansi-red">  File "x.py", line 3, in f</span>`, `TypeError: x]]></error>`; `None` if none ends it.
pub(in super::super) fn without_tags(line: &str) -> Option<&str> {
    const OPENING: [&str; 8] = ["<p", "<span", "<div", "<code", "<pre", "<li", "<td", "<tr"];
    let closed = |text: &'_ str| {
        let named = text.strip_suffix('>')?;
        let before =
            named.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || ":-".contains(c));
        let inner = before.strip_suffix("</")?;
        (before.len() < named.len()).then_some(inner.len())
    };
    let mut inner = line;
    while let Some(len) = closed(inner).or_else(|| {
        BREAK_TAGS
            .iter()
            .find_map(|tag| inner.strip_suffix(tag))
            .map(str::len)
    }) {
        inner = &inner[..len];
    }
    inner = inner.strip_suffix("]]>").unwrap_or(inner);
    let is_tagged = inner.len() < line.len();
    while let Some(rest) = OPENING.iter().find_map(|tag| inner.strip_prefix(tag)) {
        let Some((attributes, rest)) = rest.split_once('>') else {
            break;
        };
        if !attributes.is_empty() && !attributes.starts_with(' ') {
            break;
        }
        inner = rest;
    }
    is_tagged.then_some(inner)
}

/// Removes colour codes whose escape byte was lost (`[0;31mTypeError[0m`), as web pages show
/// them, or is spelt out (`^[[31m`, `#033[31m`, on Windows `←[31m`); `None` if there are none.
pub(super) fn without_bare_sgr(text: &str) -> Option<String> {
    ["[0", "[1", "[3"]
        .iter()
        .find(|code| find(text, code).is_some())?;
    let mut out = String::new();
    let mut rest = text;
    let mut cut = false;
    while let Some(at) = rest.find('[') {
        let body = &rest[at + 1..];
        let len = body
            .bytes()
            .take_while(|b| b.is_ascii_digit() || *b == b';')
            .count();
        if len > 0 && body.as_bytes().get(len) == Some(&b'm') {
            const SPELT: [&str; 9] = [
                "^[", "#033", "\\x1b", "\\033", "\\u001b", "\\e", "←", "␛", "\u{fffd}",
            ];
            out.push_str(&rest[..at]);
            let escape = SPELT.iter().find(|escape| out.ends_with(**escape));
            out.truncate(out.len() - escape.map_or(0, |escape| escape.len()));
            rest = &body[len + 1..];
            cut = true;
        } else {
            out.push_str(&rest[..=at]);
            rest = body;
        }
    }
    out.push_str(rest);
    cut.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_without_end_are_looked_at_once() {
        let line = format!("TypeError: x{}", "<br>".repeat(200_000));
        assert_eq!(without_tags(&line), Some("TypeError: x"));
    }

    #[test]
    fn an_escape_sequence_is_dropped_as_far_as_it_goes() {
        for (raw, text) in [
            ("\x1b[1;31ma\x1b[0m", "a"),
            // What `tput sgr0` writes.
            ("\x1b(B\x1b[ma", "a"),
            ("\x1b]8;;http://x\x1b\\a\x1b]8;;\x1b\\b\x07c", "abc"),
            ("\x1b]0;title\x07a", "a"),
            ("a\x1b]0;title", "a"),
            ("a\x1b", "a"),
        ] {
            let kept = String::from_utf8(without_escapes(raw.as_bytes())).unwrap();
            assert_eq!(kept.replace('\x07', ""), text, "{raw:?}");
        }
    }

    #[test]
    fn colour_codes_without_their_escape_are_dropped() {
        assert_eq!(
            without_bare_sgr("[0;31mTypeError[0m: a[0] b").as_deref(),
            Some("TypeError: a[0] b")
        );
        for spelt in [
            "^[[31ma^[[0m",
            "←[31ma←[0m",
            "#033[31ma#033[0m",
            "\\x1b[31ma\\x1b[0m",
        ] {
            assert_eq!(without_bare_sgr(spelt).as_deref(), Some("a"));
        }
        assert_eq!(without_bare_sgr("a[0] b[1]"), None);
    }
}
