//! A page to be read: headings, paragraphs, code; for a terminal, a pipe, or as Markdown.

use super::block::{Style, StyledLine};
use super::paint::paint_lines;
use super::visible::visible;
use super::wrap::wrap;
use super::{Annotator, BlockStart, Colour, Seen};
use crate::corpus::Failure;
use crate::incident::Notice;

/// What text is indented by, below its heading.
const INDENT: usize = 2;
/// What code is indented by.
const DEEPER: usize = 4;

/// A piece of a page.
#[derive(Clone, Debug)]
pub enum Element<'c> {
    /// What the page is about.
    Title(String),
    /// A part of it.
    Heading(String),
    /// A part of a part.
    Subheading(String),
    /// A paragraph; code in it stands in back quotes.
    Text(String),
    /// A line of a list that is not wrapped: a link.
    Link(String),
    /// A name and what is known about it, the names padded to one width: a row of a list.
    Row(String, String),
    /// Lines as they stand, with the language that they are in (`python`, `text`).
    Code(&'static str, String),
    /// Text that is Markdown already.
    Markdown(String),
    /// What pickfix writes below a failure.
    Annotation(Box<Failure<'c>>),
}

/// Draws a page as text.
pub fn text(elements: &[Element], annotator: &Annotator) -> Vec<u8> {
    let mut sheet = Sheet {
        annotator,
        lines: Vec::new(),
        drawn: Vec::new(),
    };
    let row_width = elements.iter().map(|e| {
        if let Element::Row(name, _) = e {
            name.len()
        } else {
            0
        }
    });
    let row_width = row_width.max().unwrap_or(0);
    let mut before = None;
    for element in elements {
        if before.is_some_and(|b| !is_item(b) || !is_item(element))
            && !before.is_some_and(is_heading)
        {
            sheet.lines.push(StyledLine::new());
        }
        sheet.element(element, row_width);
        before = Some(element);
    }
    sheet.finish()
}

fn is_item(element: &Element) -> bool {
    matches!(element, Element::Link(_) | Element::Row(..))
}

fn is_heading(element: &Element) -> bool {
    matches!(element, Element::Heading(_))
}

/// The lines of a page; what an annotator drew stands between them.
struct Sheet<'a> {
    annotator: &'a Annotator,
    lines: Vec<StyledLine>,
    drawn: Vec<u8>,
}

impl Sheet<'_> {
    fn element(&mut self, element: &Element, row_width: usize) {
        match element {
            Element::Title(title) => self.words(Style::Strong, "", 0, title),
            Element::Heading(heading) => self.words(Style::Strong, "", 0, &heading.to_uppercase()),
            Element::Subheading(heading) => self.words(Style::Strong, "", INDENT, heading),
            Element::Text(text) => self.words(Style::Plain, "", INDENT, text),
            Element::Link(link) => self.line(Style::Plain, INDENT, link),
            Element::Row(name, text) => {
                let head = format!("{name:<row_width$}  ");
                self.words(Style::Plain, &head, INDENT, text);
            }
            Element::Code(_, code) => {
                for line in code.lines() {
                    self.line(Style::Code, INDENT + DEEPER, &line.replace('\t', "    "));
                }
            }
            Element::Markdown(text) => self.markdown(text),
            Element::Annotation(failure) => {
                self.flush();
                let drawn = self.annotator.draw(
                    &Notice::Root(failure.clone()),
                    BlockStart::Line,
                    Seen::New,
                );
                self.drawn.extend(drawn);
            }
        }
    }

    /// Adds a line that is not wrapped.
    fn line(&mut self, style: Style, indent: usize, text: &str) {
        let text = visible(text.trim_end(), self.annotator.glyphs);
        let line = [(Style::Plain, " ".repeat(indent)), (style, text)];
        self.lines.push(if line[1].1.is_empty() {
            StyledLine::new()
        } else {
            line.into()
        });
    }

    /// Adds words, wrapped; further lines stand below the first behind its mark.
    fn words(&mut self, style: Style, mark: &str, indent: usize, text: &str) {
        let width = self
            .annotator
            .width
            .saturating_sub(indent + mark.len())
            .max(INDENT + DEEPER);
        for (n, line) in wrap(text, width).into_iter().enumerate() {
            let mark = if n == 0 {
                mark.to_owned()
            } else {
                " ".repeat(mark.len())
            };
            let line = visible(&line, self.annotator.glyphs);
            self.lines.push(vec![
                (Style::Plain, " ".repeat(indent) + &mark),
                (style, line),
            ]);
        }
    }

    /// Adds Markdown: paragraphs, lists, tables, code.
    fn markdown(&mut self, text: &str) {
        let mut paragraph = String::new();
        let mut is_code = false;
        let mut header: Option<Vec<String>> = None;
        for line in text.lines().chain([""]) {
            let is_item = line.starts_with("- ") || is_numbered(line);
            if line.starts_with("```") {
                self.paragraph(&mut paragraph);
                is_code = !is_code;
            } else if is_code || line.starts_with("    ") && paragraph.is_empty() {
                self.line(Style::Code, INDENT + DEEPER, line);
            } else if line.starts_with('|') {
                self.paragraph(&mut paragraph);
                let cells: Vec<String> = cells(line);
                let is_rule = cells
                    .iter()
                    .all(|c| c.chars().all(|c| matches!(c, '-' | ':')));
                match &header {
                    _ if is_rule => {}
                    None => header = Some(cells),
                    Some(header) => self.row(&cells, header),
                }
                continue;
            } else if line.trim().is_empty() {
                self.paragraph(&mut paragraph);
                self.blank();
            } else {
                if is_item {
                    self.paragraph(&mut paragraph);
                }
                paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
                paragraph.push_str(line.trim());
            }
            header = None;
        }
        while self.lines.last().is_some_and(Vec::is_empty) {
            self.lines.pop();
        }
    }

    /// Adds a row of a table: its first cell, and the others below it.
    fn row(&mut self, cells: &[String], header: &[String]) {
        let Some((first, others)) = cells.split_first() else {
            return;
        };
        self.words(Style::Plain, "- ", INDENT, first);
        for (n, cell) in others
            .iter()
            .enumerate()
            .filter(|(_, cell)| !cell.is_empty())
        {
            let name = header
                .get(n + 1)
                .filter(|name| others.len() > 1 && !name.is_empty());
            let name = name.map(|name| format!("{name}: ")).unwrap_or_default();
            self.words(Style::Plain, "", INDENT + DEEPER, &format!("{name}{cell}"));
        }
    }

    fn paragraph(&mut self, text: &mut String) {
        let text = std::mem::take(text).replace("**", "");
        let mark_end = if is_numbered(&text) {
            text.find(' ').map_or(0, |at| at + 1)
        } else {
            0
        };
        if let Some(item) = text.strip_prefix("- ") {
            self.words(Style::Plain, "- ", INDENT, item);
        } else if let Some(heading) = text.strip_prefix('#') {
            self.words(
                Style::Strong,
                "",
                INDENT,
                heading.trim_start_matches('#').trim(),
            );
        } else if !text.is_empty() {
            self.words(Style::Plain, &text[..mark_end], INDENT, &text[mark_end..]);
        }
    }

    fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(StyledLine::new());
        }
    }

    fn flush(&mut self) {
        self.drawn.extend(paint_lines(
            &std::mem::take(&mut self.lines),
            self.annotator.colour,
        ));
    }

    fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.drawn
    }
}

/// Returns whether a line is one of a numbered list: `2. `.
fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(". ")
}

/// Splits a row of a table; `\|` is no border.
fn cells(line: &str) -> Vec<String> {
    let inside = line.trim().trim_start_matches('|');
    let inside = inside
        .strip_suffix('|')
        .unwrap_or(inside)
        .replace("\\|", "\u{0}");
    inside
        .split('|')
        .map(|cell| cell.trim().replace('\u{0}', "|"))
        .collect()
}

/// Writes a page as Markdown.
pub fn markdown(elements: &[Element], annotator: &Annotator) -> String {
    let mut text = String::new();
    let mut was_item = false;
    for element in elements {
        let is_run = was_item && is_item(element);
        if !text.is_empty() && !is_run {
            text.push('\n');
        }
        was_item = is_item(element);
        let written = match element {
            Element::Title(title) => format!("# {title}"),
            Element::Heading(heading) => format!("## {heading}"),
            Element::Subheading(heading) => format!("### {heading}"),
            Element::Text(words) => words.clone(),
            Element::Link(link) => format!("- <{link}>"),
            Element::Row(name, words) => format!("- `{name}`: {words}"),
            Element::Code(language, code) => fenced(language, code.trim_end()),
            Element::Markdown(words) => words.trim_end().to_owned(),
            Element::Annotation(failure) => {
                let plain = Annotator {
                    colour: Colour::Off,
                    ..annotator.clone()
                };
                let drawn = plain.draw(&Notice::Root(failure.clone()), BlockStart::Line, Seen::New);
                fenced("text", String::from_utf8_lossy(&drawn).trim_end())
            }
        };
        text.push_str(&crate::visible::lines(&written));
        text.push('\n');
    }
    text
}

/// Puts code between fences that are longer than any in it.
fn fenced(language: &str, code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{code}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Glyphs;

    fn look() -> Annotator {
        Annotator::new(32, Glyphs::Unicode, Colour::Off)
    }

    fn drawn(elements: &[Element]) -> String {
        String::from_utf8(text(elements, &look())).unwrap()
    }

    #[test]
    fn markdown_becomes_text() {
        let source = "**One** two\nthree.\n\n| a | b |\n| --- | --- |\n| `x \\| y` | what it is |\n\n- item one goes on and on for two\n- two\n\n```python\nf( 1 )\n```\n";
        assert_eq!(
            drawn(&[Element::Markdown(source.to_owned())]),
            "  One two three.\n\n  - `x | y`\n      what it is\n\n  - item one goes on and on for\n    two\n  - two\n\n      f( 1 )\n"
        );
    }

    #[test]
    fn rows_stand_in_columns_and_code_is_never_wrapped() {
        let row = |name: &str, text: &str| Element::Row(name.to_owned(), text.to_owned());
        let code = "x".repeat(60);
        assert_eq!(
            drawn(&[
                row("a", "one"),
                row("bcd", "two"),
                Element::Code("text", code.clone())
            ]),
            format!("  a    one\n  bcd  two\n\n      {code}\n")
        );
    }

    #[test]
    fn a_fence_is_longer_than_those_in_the_code() {
        let page = markdown(&[Element::Code("text", "```\n".to_owned())], &look());
        assert_eq!(page, "````text\n```\n````\n");
    }

    #[test]
    fn nothing_on_a_page_moves_the_cursor() {
        let text = drawn(&[
            Element::Code("text", "\u{1b}[2J".to_owned()),
            Element::Text("\u{7}".to_owned()),
        ]);
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
    }
}
