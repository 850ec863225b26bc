//! Text that others wrote, made harmless: nothing in it moves the cursor, reorders what is shown, or
//! hides. All that pickfix prints of a log, and all names of files and rules, go through here.

use std::fmt::Write;
use std::ops::RangeInclusive;

/// The characters that show nothing themselves and change what is shown around them, besides those
/// of control (`char::is_control`).
const HIDDEN: [RangeInclusive<char>; 16] = [
    '\u{ad}'..='\u{ad}',       // soft hyphen
    '\u{34f}'..='\u{34f}',     // grapheme joiner
    '\u{61c}'..='\u{61c}',     // Arabic letter mark
    '\u{115f}'..='\u{1160}',   // Hangul fillers
    '\u{17b4}'..='\u{17b5}',   // Khmer inherent vowels
    '\u{180b}'..='\u{180f}',   // Mongolian selectors and separator
    '\u{200b}'..='\u{200f}',   // zero width; marks of direction
    '\u{2028}'..='\u{202e}',   // separators of lines; embeddings and overrides of direction
    '\u{2060}'..='\u{206f}',   // joiners, invisible operators, isolates of direction
    '\u{3164}'..='\u{3164}',   // Hangul filler
    '\u{feff}'..='\u{feff}',   // byte order mark
    '\u{ffa0}'..='\u{ffa0}',   // Hangul filler
    '\u{fff0}'..='\u{fffb}',   // interlinear annotations
    '\u{1bca0}'..='\u{1bca3}', // shorthand controls
    '\u{1d173}'..='\u{1d17a}', // musical controls
    '\u{e0000}'..='\u{e0fff}', // tags
];

/// Returns whether a character shows nothing and may change what is shown around it.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || !c.is_ascii() && HIDDEN.iter().any(|range| range.contains(&c))
}

/// Returns a text of one line: blanks of all kinds as spaces, hidden characters as Python writes
/// them (`\x1b`, `\u202e`).
pub fn visible(text: &str) -> String {
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' | '\n' | '\r' | '\u{a0}' | '\u{2028}' | '\u{2029}' => shown.push(' '),
            c if is_hidden(c) => escape(c, &mut shown),
            c => shown.push(c),
        }
    }
    shown
}

/// Returns a text of one line, at most `max` characters of it; `…` stands for more.
pub fn short(text: &str, max: usize) -> String {
    // Nearly all texts have fewer bytes, and so fewer characters.
    let end = (text.len() > max).then(|| text.char_indices().nth(max));
    match end.flatten() {
        Some((end, _)) => visible(&text[..end]) + "…",
        None => visible(text),
    }
}

/// Returns a text whose line breaks are meant, the lines visible.
pub fn lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    lines.join("\n")
}

/// Writes a character as Python does.
pub(crate) fn escape(c: char, to: &mut String) {
    let written = match u32::from(c) {
        code @ 0..=0xff => write!(to, "\\x{code:02x}"),
        code @ 0..=0xffff => write!(to, "\\u{code:04x}"),
        code => write!(to, "\\U{code:08x}"),
    };
    written.expect("a string takes all");
}

/// Writes a text as a string of TOML, in one line.
pub(crate) fn toml_string(text: &str) -> String {
    let mut written = String::from("\"");
    for c in text.chars() {
        match u32::from(c) {
            _ if matches!(c, '"' | '\\') => written.extend(['\\', c]),
            _ if !is_hidden(c) => written.push(c),
            code @ ..=0xffff => write!(written, "\\u{code:04x}").expect("a string takes all"),
            code => write!(written, "\\U{code:08x}").expect("a string takes all"),
        }
    }
    written + "\""
}

/// Returns JSON with its hidden characters escaped; it means the same.
pub(crate) fn json(text: String) -> String {
    // Those of ASCII are escaped already, but for the line breaks between the values.
    if !text.contains(|c: char| !c.is_ascii() && is_hidden(c) || c == '\u{7f}') {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(shown, "\\u{unit:04x}").expect("a string takes all");
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_moves_the_cursor_or_hides() {
        assert_eq!(
            visible("\u{1b}[2Jgone\r\n\u{7}\u{9b}"),
            r"\x1b[2Jgone  \x07\x9b"
        );
        assert_eq!(
            visible("a\u{202e}b\u{2066}c\u{200b}d\u{e0041}"),
            r"a\u202eb\u2066c\u200bd\U000e0041"
        );
        assert_eq!(visible("日本語 ä 🏖️"), "日本語 ä 🏖️");
    }

    #[test]
    fn a_long_text_ends() {
        assert_eq!(short("äbc", 2), "äb…");
        assert_eq!(short("äb", 2), "äb");
    }

    #[test]
    fn a_text_in_toml_reads_as_it_was() {
        for text in [
            "a b",
            "C:\\x\"",
            "\u{1b}[2J\n  ::error::x\u{202e}",
            "\u{e0041}ä",
        ] {
            let line = format!("x = {}", toml_string(text));
            assert!(!line.chars().any(is_hidden), "{line}");
            let table = toml::de::DeTable::parse(&line).unwrap().into_inner();
            assert_eq!(table["x"].get_ref().as_str(), Some(text));
        }
    }

    #[test]
    fn json_means_the_same() {
        let text = "a\u{202e}b\u{7f}\u{e0041}\n\u{1b}ä";
        let written = json(serde_json::to_string(text).unwrap());
        assert_eq!(written, r#""a\u202eb\u007f\udb40\udc41\n\u001bä""#);
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }
}
