//! Code below a row: moved to the left, broken or cut where it is too wide or too long.

use unicode_width::UnicodeWidthStr;

use super::continued::{Language, continued};
use super::{Block, INDENT, NARROW, Style, StyledLine, Weight};
use crate::corpus::is_shell;
use crate::render::Glyphs;
use crate::render::count::Count;
use crate::render::visible::{ellipsis, visible};
use crate::render::wrap::broken;

/// What code is indented by, against the text above it.
const CODE_INDENT: usize = 4;

impl Block {
    /// Adds code below a row, between empty lines.
    ///
    /// Code that is too wide for its place moves to the left. A line that does not fit even then goes on
    /// in the next one, if its language has a way; else it is broken, and what follows begins with a mark
    /// that is no part of the code.
    pub(in crate::render) fn code(&mut self, code: &str) {
        self.blank();
        self.code_rows(code);
        self.blank();
    }

    fn code_rows(&mut self, code: &str) {
        let lines = code
            .lines()
            .map(|line| line.trim_end().replace('\t', "    "));
        let usual = self.code_indent();
        let room = self.width.saturating_sub(usual);
        let lines = lines.map(|line| visible(&line, self.glyphs));
        let mut goes_on = false;
        let lines = lines.flat_map(|line| {
            let is_second = std::mem::replace(&mut goes_on, line.ends_with('\\'));
            without_comment(line, room, !is_second)
        });
        let lines: Vec<String> = lines.collect();
        let widest = lines.iter().map(|line| line.width()).max().unwrap_or(0);
        let room = self.width.saturating_sub(widest);
        let indent = " ".repeat(room.clamp(INDENT, usual));
        let width = self.width.saturating_sub(indent.len()).max(NARROW / 4);
        let style = match self.weight {
            Weight::First => Style::Code,
            Weight::Second => Style::Faint,
        };
        let mut row = |mark: &str, text: &str| {
            let pieces = [
                (Style::Plain, &*indent),
                (Style::Faint, mark),
                (style, text),
            ];
            let pieces = pieces.into_iter().filter(|(_, text)| !text.is_empty());
            let line = pieces.map(|(style, text)| (style, text.to_owned()));
            self.lines.push(match text {
                "" => StyledLine::new(),
                _ => line.collect(),
            });
        };
        let mark = match self.glyphs {
            Glyphs::Unicode => "↪ ",
            Glyphs::Ascii => "... ",
        };
        for line in lines {
            if line.width() <= width {
                row("", &line);
            } else if let Some(pieces) = language(code).and_then(|it| continued(&line, width, it)) {
                for piece in pieces {
                    row("", &piece);
                }
            } else {
                for (n, piece) in broken(&line, width - mark.width()).iter().enumerate() {
                    let mark = if n == 0 { "" } else { mark };
                    row(mark, piece.trim_end());
                }
            }
        }
    }

    /// Adds code of at most `max` rows, close to what follows: without its empty lines if it is long,
    /// and cut, with a row that says so, if it is too long even then.
    pub(in crate::render) fn code_in_short(&mut self, code: &str, max: usize) {
        const AIRY: usize = 6;
        let lines: Vec<&str> = code.lines().collect();
        let is_full = |line: &&str| lines.len() <= AIRY || !line.trim().is_empty();
        let full: Vec<&str> = lines.iter().copied().filter(is_full).collect();
        // Much code is set close, to the text above it too.
        if lines.len() <= AIRY {
            self.blank();
        }
        let start = self.lines.len();
        for kept in (1..=full.len()).rev() {
            let (kept, left) = full.split_at(kept);
            self.lines.truncate(start);
            self.code_rows(&kept.join("\n"));
            if !left.is_empty() {
                self.left_out(left.len());
            }
            if self.lines.len() - start <= max {
                return;
            }
        }
    }

    /// Adds a row that says how many lines of code were left out.
    fn left_out(&mut self, lines: usize) {
        let lines = Count(lines as u64, "more line");
        let text = format!("{} {lines}", ellipsis(self.glyphs));
        self.lines.push(vec![
            (Style::Plain, " ".repeat(self.code_indent())),
            (Style::Faint, text),
        ]);
    }

    /// Returns the columns before code that is not too wide.
    fn code_indent(&self) -> usize {
        self.text_indent() + if self.is_narrow() { 0 } else { CODE_INDENT }
    }
}

/// Returns the language of a block; none if its lines may be parts of one text.
fn language(code: &str) -> Option<Language> {
    let has_text = ["\"\"\"", "'''", "<<"]
        .iter()
        .any(|open| code.contains(open));
    match is_shell(code) {
        _ if has_text => None,
        true => Some(Language::Shell),
        false => Some(Language::Python),
    }
}

/// Returns a line of code that fits into so many columns but for its comment: with that close behind it,
/// or above it if the line `starts` a command: one that continues the line before would be torn off.
fn without_comment(line: String, room: usize, starts: bool) -> Vec<String> {
    let Some((code, comment)) = line.rsplit_once("  # ").filter(|_| line.width() > room) else {
        return vec![line];
    };
    let code = code.trim_end();
    let is_text = ['"', '\'']
        .iter()
        .any(|q| code.matches(*q).count() % 2 == 1);
    if code.trim().is_empty() || is_text {
        return vec![line];
    }
    let close = format!("{code}  # {comment}");
    if close.width() <= room {
        return vec![close];
    }
    if !starts {
        return vec![line];
    }
    let indent = &code[..code.len() - code.trim_start().len()];
    vec![format!("{indent}# {comment}"), code.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::without_comment;

    #[test]
    fn a_comment_makes_room_for_its_code() {
        let shown = |line: &str, room| without_comment(line.to_owned(), room, true);
        let line = "    data = load()              # when the workers are there";
        assert_eq!(shown(line, 80), [line]);
        assert_eq!(
            shown(line, 50),
            ["    data = load()  # when the workers are there"]
        );
        assert_eq!(
            shown(line, 40),
            ["    # when the workers are there", "    data = load()"]
        );
        let text = "    print('a  # of text')";
        assert_eq!(shown(text, 10), [text]);
        let second = "    --workers 2            # each of two ranks";
        assert_eq!(without_comment(second.to_owned(), 30, false), [second]);
    }
}
