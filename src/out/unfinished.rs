//! An unfinished line on a terminal, a bar or a prompt, and whether it can be drawn again.

use memchr::{memchr, memrchr};
use unicode_width::UnicodeWidthChar;

/// A line that can be taken from the screen and drawn again below what is written in its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unfinished<'a> {
    /// What came before it, whose colours may still be on.
    pub(super) before: &'a [u8],
    /// What draws it.
    pub(super) text: &'a [u8],
}

impl<'a> Unfinished<'a> {
    /// Finds it at the end of what has passed; `is_all` says whether that is all there ever was.
    /// `None` if there is none, or if it moves the cursor in other ways than over its own line, or
    /// does not fit into one line of so many columns.
    pub(super) fn at_end_of(passed: &'a [u8], is_all: bool, columns: usize) -> Option<Self> {
        let line = match memrchr(b'\n', passed) {
            Some(newline) => newline + 1,
            None if is_all => 0,
            // It may have begun before; what a bar draws begins at its last carriage return.
            None => memchr(b'\r', passed)? + 1,
        };
        let start = line + last_drawing(&passed[line..]);
        let (before, text) = passed.split_at(start);
        (!text.is_empty() && width(text)? < columns).then_some(Self { before, text })
    }
}

/// Returns where the last drawing of a line begins: behind its last carriage return but for one at
/// the end.
fn last_drawing(line: &[u8]) -> usize {
    let drawn = line.trim_ascii_end().len();
    memrchr(b'\r', &line[..drawn]).map_or(0, |at| at + 1)
}

/// Returns how many columns a text takes at most; `None` if it moves the cursor.
fn width(text: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(text);
    let mut rest = text.as_ref();
    let mut width = 0;
    while let Some(char) = rest.chars().next() {
        rest = &rest[char.len_utf8()..];
        match char {
            '\x1b' => rest = behind_sequence(rest)?,
            '\r' | '\x08' | '\x07' => {}
            '\t' => width += 8,
            _ => width += char.width()?,
        }
    }
    Some(width)
}

/// Returns what is behind a sequence that colours, erases in the line, or switches a mode of the
/// terminal; `None` for all others.
fn behind_sequence(text: &str) -> Option<&str> {
    let text = text.strip_prefix('[')?;
    let end = text.find(|c: char| !matches!(c, '0'..='9' | ';' | ':' | '?'))?;
    let last = text[end..].chars().next()?;
    let is_mode = text.starts_with('?') && matches!(last, 'h' | 'l');
    (matches!(last, 'm' | 'K') || is_mode).then_some(&text[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(passed: &str) -> Option<String> {
        let line = Unfinished::at_end_of(passed.as_bytes(), true, 40)?;
        Some(String::from_utf8(line.text.to_vec()).unwrap())
    }

    #[test]
    fn a_prompt_is_drawn_from_the_start_of_its_line() {
        assert_eq!(found("a\r\nName: bob").as_deref(), Some("Name: bob"));
        assert_eq!(
            found("\x1b[?2004h\x1b[1m(Pdb) \x1b[0mp x\x08\x1b[K").as_deref(),
            Some("\x1b[?2004h\x1b[1m(Pdb) \x1b[0mp x\x08\x1b[K")
        );
    }

    #[test]
    fn of_a_bar_the_last_drawing_counts() {
        assert_eq!(found("a\n\r 45%|██\r 46%|██").as_deref(), Some(" 46%|██"));
        assert_eq!(found("a\n 45%|██\r 46%|██\r").as_deref(), Some(" 46%|██\r"));
        let long = format!("{}\r 46%|", "\r 45%|".repeat(2000));
        let line = Unfinished::at_end_of(long.as_bytes(), false, 40);
        assert_eq!(line.map(|line| line.text), Some(b" 46%|".as_slice()));
    }

    #[test]
    fn what_moves_the_cursor_or_is_too_long_stays() {
        assert_eq!(found("a\n"), None);
        assert_eq!(found(""), None);
        assert_eq!(found("bar\x1b[A"), None);
        assert_eq!(found("\x1b]0;title\x07"), None);
        assert_eq!(found(&"x".repeat(40)), None);
        assert_eq!(
            found(&"█".repeat(39)).map(|bar| bar.chars().count()),
            Some(39)
        );
        let torn = "x".repeat(4096);
        assert_eq!(Unfinished::at_end_of(torn.as_bytes(), false, 9000), None);
    }
}
