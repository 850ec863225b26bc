//! Text of the log as pickfix's own lines show it: harmless, not too long, in ASCII if need be.

use super::Glyphs;
use crate::visible::{escape, short};

/// The longest text of a log that is shown, in characters.
const MAX_CHARS: usize = 1000;

/// Returns a text of one line, at most 1,000 characters of it.
///
/// With [`Glyphs::Ascii`] typographic characters are written in ASCII and all others as `\u…`.
pub(super) fn visible(text: &str, glyphs: Glyphs) -> String {
    let shown = short(text, MAX_CHARS);
    if glyphs == Glyphs::Unicode || shown.is_ascii() {
        return shown;
    }
    let mut written = String::with_capacity(shown.len());
    for c in shown.chars() {
        match ascii(c) {
            Some(text) => written.push_str(text),
            None if c.is_ascii() => written.push(c),
            None => escape(c, &mut written),
        }
    }
    written
}

/// Returns the sign for text that was left out.
pub(super) fn ellipsis(glyphs: Glyphs) -> &'static str {
    match glyphs {
        Glyphs::Unicode => "…",
        Glyphs::Ascii => "...",
    }
}

fn ascii(c: char) -> Option<&'static str> {
    Some(match c {
        '‘' | '’' => "'",
        '“' | '”' => "\"",
        '–' | '—' | '‑' => "-",
        '…' => "...",
        '→' => "->",
        '×' => "x",
        '≥' => ">=",
        '≤' => "<=",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_is_ascii() {
        let shown = visible("a → b… “c” – 日 🏖", Glyphs::Ascii);
        assert_eq!(shown, r#"a -> b... "c" - \u65e5 \U0001f3d6"#);
        let long = visible(&"ä".repeat(5000), Glyphs::Ascii);
        assert!(long.is_ascii() && long.ends_with("..."));
    }
}
