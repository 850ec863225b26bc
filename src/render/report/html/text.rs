//! Text for a page: nothing in it hides. That it is no markup, maud sees to.

use maud::{Markup, html};

use crate::visible::short;

/// The longest text of a log that is shown in one place, in characters.
const MAX_CHARS: usize = 1000;
/// The spaces that a tab is shown as.
const TAB: &str = "    ";

/// Returns text that may come from a log.
pub(super) fn shown(text: &str) -> String {
    short(text, MAX_CHARS)
}

/// Returns a sentence; what is in back quotes is code.
pub(super) fn prose(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    // The last back quote may be without another.
    let open = if parts.len().is_multiple_of(2) {
        parts.len() - 1
    } else {
        parts.len()
    };
    html! {
        @for (i, part) in parts.iter().enumerate() {
            @if i == open { "`" (shown(part)) }
            @else if i % 2 == 1 { code { (shown(part)) } }
            @else { (shown(part)) }
        }
    }
}

/// Returns lines of code or of a log.
pub(super) fn lines(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| shown(&without_colour(line).replace('\t', TAB)))
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

/// Returns a link; nothing for what is no page.
pub(super) fn link(address: &str) -> Option<Markup> {
    let is_page = address.starts_with("https://") || address.starts_with("http://");
    let address = shown(address);
    is_page.then(|| html! { p { a href=(address) { (address) } } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_are_links() {
        assert!(link("javascript:alert(1)").is_none());
        assert_eq!(
            link("https://a.example/?x=\"&y").unwrap().into_string(),
            "<p><a href=\"https://a.example/?x=&quot;&amp;y\">https://a.example/?x=&quot;&amp;y</a></p>"
        );
    }

    #[test]
    fn back_quotes_make_code() {
        let written = |text| prose(text).into_string();
        assert_eq!(
            written("use `a<b` or `c`."),
            "use <code>a&lt;b</code> or <code>c</code>."
        );
        assert_eq!(written("an open ` quote"), "an open ` quote");
        assert_eq!(written(""), "");
    }

    #[test]
    fn lines_keep_their_indent_and_lose_their_colour() {
        assert_eq!(
            lines("\u{1b}[1;31mE\u{1b}[0m\n\tx\u{1b}[2Ky\r\n"),
            "E\n    x\\x1b[2Ky"
        );
    }
}
