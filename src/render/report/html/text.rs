//! Text for a page: nothing that a log holds is markup, and nothing in it hides.

use std::fmt::Write as _;

use crate::visible::short;

/// The longest text of a log that is shown in one place, in characters.
const MAX_CHARS: usize = 1000;
/// The spaces that a tab is shown as.
const TAB: &str = "    ";

/// Writes text that may come from a log.
pub(super) fn escaped(text: &str) -> String {
    let shown = short(text, MAX_CHARS);
    let mut safe = String::with_capacity(shown.len());
    for c in shown.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// Writes a sentence; what stands in back quotes is code.
pub(super) fn prose(text: &str) -> String {
    let mut parts = text.split('`');
    let mut written = escaped(parts.next().unwrap_or_default());
    let mut rest = parts.peekable();
    while let Some(part) = rest.next() {
        match rest.next() {
            Some(after) => {
                let _ = write!(written, "<code>{}</code>{}", escaped(part), escaped(after));
            }
            // A back quote without another.
            None => {
                let _ = write!(written, "`{}", escaped(part));
            }
        }
    }
    written
}

/// Writes lines of code or of a log.
pub(super) fn lines(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| escaped(&without_colour(line).replace('\t', TAB)))
        .collect();
    lines.join("\n")
}

/// Drops the colour codes of a terminal; what else a line holds stays to be seen.
fn without_colour(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let codes = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        if let Some(rest) = codes.strip_prefix('m') {
            kept.push_str(rest);
        } else {
            kept.push_str("\u{1b}[");
            kept.push_str(part);
        }
    }
    kept
}

/// Writes the target of a link; `None` for what is no page.
pub(super) fn link(address: &str) -> Option<String> {
    let is_page = address.starts_with("https://") || address.starts_with("http://");
    is_page.then(|| escaped(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(
            escaped("<script>alert(\"1&2\")</script>'\u{202e}\u{1b}"),
            "&lt;script&gt;alert(&quot;1&amp;2&quot;)&lt;/script&gt;&#39;\\u202e\\x1b"
        );
        assert_eq!(link("javascript:alert(1)"), None);
        assert_eq!(
            link("https://a.example/?x=\"&y").as_deref(),
            Some("https://a.example/?x=&quot;&amp;y")
        );
    }

    #[test]
    fn back_quotes_make_code() {
        assert_eq!(
            prose("use `a<b` or `c`."),
            "use <code>a&lt;b</code> or <code>c</code>."
        );
        assert_eq!(prose("an open ` quote"), "an open ` quote");
        assert_eq!(prose(""), "");
    }

    #[test]
    fn lines_keep_their_indent_and_lose_their_colour() {
        assert_eq!(
            lines("\u{1b}[1;31mE\u{1b}[0m\n\tx\u{1b}[2Ky\r\n"),
            "E\n    x\\x1b[2Ky"
        );
    }
}
