//! Text of the log, made harmless: nothing in it can move the cursor or reorder what is shown.

use std::fmt::Write;

use super::Glyphs;

/// The longest text of a log that is shown, in characters.
const MAX_CHARS: usize = 1000;

/// Makes control and bidirectional characters visible, as Python writes them: `\x1b`, `\u202e`.
///
/// Blanks of all kinds become spaces; a text of more than 1,000 characters ends in `…`. With
/// [`Glyphs::Ascii`] typographic characters are written in ASCII and all others as `\u…`.
pub(super) fn visible(text: &str, glyphs: Glyphs) -> String {
    let mut shown = String::with_capacity(text.len());
    for (count, c) in text.chars().enumerate() {
        if count == MAX_CHARS {
            shown.push_str(ellipsis(glyphs));
            break;
        }
        match c {
            '\t' | '\n' | '\r' | '\u{a0}' | '\u{2028}' | '\u{2029}' => shown.push(' '),
            c if c.is_control() || is_bidi(c) => escape(c, &mut shown),
            c if c.is_ascii() || glyphs == Glyphs::Unicode => shown.push(c),
            c => match ascii(c) {
                Some(text) => shown.push_str(text),
                None => escape(c, &mut shown),
            },
        }
    }
    shown
}

/// Gives the sign for text that was left out.
pub(super) fn ellipsis(glyphs: Glyphs) -> &'static str {
    match glyphs {
        Glyphs::Unicode => "…",
        Glyphs::Ascii => "...",
    }
}

fn escape(c: char, to: &mut String) {
    let written = match u32::from(c) {
        code @ 0..=0xff => write!(to, "\\x{code:02x}"),
        code @ 0..=0xffff => write!(to, "\\u{code:04x}"),
        code => write!(to, "\\U{code:08x}"),
    };
    written.expect("a string takes all");
}

/// Whether a character changes the direction of text or hides in it.
fn is_bidi(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
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
    fn nothing_moves_the_cursor() {
        let shown = |text| visible(text, Glyphs::Unicode);
        assert_eq!(
            shown("\u{1b}[2Jgone\r\n\u{7}\u{9b}"),
            r"\x1b[2Jgone  \x07\x9b"
        );
        assert_eq!(
            shown("a\u{202e}b\u{2066}c\u{200b}d"),
            r"a\u202eb\u2066c\u200bd"
        );
        assert_eq!(shown("日本語 ä 🏖️"), "日本語 ä 🏖️");
    }

    #[test]
    fn ascii_is_ascii() {
        let shown = visible("a → b… “c” – 日 🏖", Glyphs::Ascii);
        assert_eq!(shown, r#"a -> b... "c" - \u65e5 \U0001f3d6"#);
        assert!(shown.is_ascii());
    }

    #[test]
    fn a_long_text_ends() {
        assert_eq!(
            visible(&"x".repeat(5000), Glyphs::Unicode).chars().count(),
            1001
        );
    }
}
