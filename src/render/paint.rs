//! Lines into bytes. The only place that knows of colour.
//!
//! The colours are legible on dark and light backgrounds, whatever the theme makes of them: red and
//! magenta, bold, and faint for what can be left unread; never yellow, white, black or bright ones.

use std::io::{self, Write};
use std::path::Path;

use termcolor::{Buffer, Color, ColorSpec, WriteColor};
use unicode_width::UnicodeWidthStr;

use super::block::{Block, Mark, Style, StyledLine};
use super::uri::percent_encoded;
use super::{BlockStart, Colour, Glyphs};

/// Paints the lines of a block behind the gutter.
pub(super) fn paint(block: &Block, glyphs: Glyphs, colour: Colour, start: BlockStart) -> Vec<u8> {
    let mut buffer = buffer(colour);
    for (i, line) in block.lines.iter().enumerate() {
        let start = if i == 0 { start } else { BlockStart::Line };
        write_line(&mut buffer, line, gutter(glyphs, start), block.mark)
            .expect("a buffer takes all");
    }
    buffer.into_inner()
}

/// Paints lines that have no gutter: those of a page.
pub(super) fn paint_lines(lines: &[StyledLine], colour: Colour) -> Vec<u8> {
    let mut buffer = buffer(colour);
    for line in lines {
        for (style, text) in line {
            write_piece(&mut buffer, *style, text).expect("a buffer takes all");
        }
        buffer.write_all(b"\n").expect("a buffer takes all");
    }
    buffer.into_inner()
}

fn buffer(colour: Colour) -> Buffer {
    match colour {
        Colour::On => Buffer::ansi(),
        Colour::Off => Buffer::no_color(),
    }
}

/// Makes a text in a painted line a link to a file, for terminals that know OSC 8
/// (<https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda>).
pub(super) fn linked(line: &[u8], text: &str, file: &Path) -> Vec<u8> {
    let line = String::from_utf8_lossy(line);
    let url = format!("file://{}", percent_encoded(&file.to_string_lossy()));
    let link = format!("\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\");
    line.replacen(text, &link, 1).into_bytes()
}

/// Returns the columns of the gutter of a block's first line, with the blank behind it.
pub(super) fn gutter_width(glyphs: Glyphs, start: BlockStart) -> usize {
    gutter(glyphs, start).width() + 1
}

fn gutter(glyphs: Glyphs, start: BlockStart) -> &'static str {
    match (glyphs, start) {
        (Glyphs::Unicode, BlockStart::Line) => "▎",
        (Glyphs::Unicode, BlockStart::Broken) => "▎⏎",
        (Glyphs::Ascii, BlockStart::Line) => "#|",
        (Glyphs::Ascii, BlockStart::Broken) => "#|+",
    }
}

fn write_line(to: &mut Buffer, line: &StyledLine, gutter: &str, mark: Mark) -> io::Result<()> {
    write_piece(to, Style::Gutter(mark), gutter)?;
    if !line.is_empty() {
        write_piece(to, Style::Plain, " ")?;
    }
    for (style, text) in line {
        write_piece(to, *style, text)?;
    }
    to.write_all(b"\n")
}

fn write_piece(to: &mut Buffer, style: Style, text: &str) -> io::Result<()> {
    let spec = spec(style);
    if text.is_empty() || spec.is_none() {
        return to.write_all(text.as_bytes());
    }
    to.set_color(&spec)?;
    to.write_all(text.as_bytes())?;
    to.reset()
}

fn spec(style: Style) -> ColorSpec {
    let mut spec = ColorSpec::new();
    match style {
        Style::Plain => {}
        Style::Gutter(mark) | Style::Mark(mark) => {
            match mark {
                Mark::Error => spec.set_fg(Some(Color::Red)),
                Mark::Warning => spec.set_fg(Some(Color::Magenta)),
                Mark::Quiet => spec.set_dimmed(true),
            };
            spec.set_bold(mark != Mark::Quiet && style == Style::Mark(mark));
        }
        Style::Faint => {
            spec.set_dimmed(true);
        }
        Style::Strong => {
            spec.set_bold(true);
        }
        Style::Code => {
            spec.set_fg(Some(Color::Magenta));
        }
    }
    // What is switched on is switched off behind the text.
    spec.set_reset(false);
    spec
}
