//! Rows into lines of a width.
//!
//! ```text
//! ▎ pickfix: TITLE  [ID]
//! ▎
//! ▎   where   train.py:47 in train()
//! ▎   fix     Leave the lock out:
//! ▎
//! ▎               def __getstate__(self):
//! ```

use serde::{Deserialize, Serialize};
use unicode_width::UnicodeWidthStr;

use super::Glyphs;
use super::place::Row;
use super::visible::{ellipsis, visible};
use super::wrap::{broken, cut, cut_front, wrap};

/// What all annotations begin with.
const NAME: &str = "pickfix: ";
/// The columns before an id.
const GAP: usize = 2;
/// The columns before a label.
const INDENT: usize = 2;
/// The columns of a label, with those behind it.
const LABEL: usize = 8;
/// What code is indented by, against the text above it.
const CODE_INDENT: usize = 4;
/// The label of the row whose remark is a line of source that the text above has in full.
const SOURCE_ROW: &str = "where";
/// The columns of text below which labels stand on lines of their own.
const NARROW: usize = 32;

/// How a piece of a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// As text around it.
    Plain,
    /// The gutter, by how bad it is.
    Gutter(Mark),
    /// `pickfix:`, by how bad it is.
    Mark(Mark),
    /// What is to be read first.
    Strong,
    /// What can be left unread.
    Faint,
    /// Code to be typed.
    Code,
}

/// How much a row is worth being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// What everybody needs.
    First,
    /// What some need: fainter.
    Second,
}

/// What an annotation is about, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Mark {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// A note, a repeat, a consequence.
    Quiet,
}

/// A line without its gutter: pieces, each of one style.
pub(super) type Line = Vec<(Style, String)>;

/// The lines of an annotation.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) mark: Mark,
    /// That of the rows to come.
    pub(super) weight: Weight,
    pub(super) lines: Vec<Line>,
    width: usize,
    glyphs: Glyphs,
}

impl Block {
    /// Begins a block of so many columns, those of a gutter not counted.
    pub(super) fn new(width: usize, glyphs: Glyphs) -> Self {
        Self {
            mark: Mark::Quiet,
            weight: Weight::First,
            lines: Vec::new(),
            width,
            glyphs,
        }
    }

    /// Adds the first lines: `pickfix: KIND TITLE  [ID]`.
    pub(super) fn title(&mut self, kind: &str, title: &str, id: &str) {
        let text = visible(&format!("{kind}{title}"), self.glyphs);
        self.head(NAME, NAME.len(), Style::Strong, &text, id);
    }

    /// Adds a short annotation, with the id if there is one: one line, for which what stands in the middle is cut. Where so
    /// little would be left of that that it says nothing, all is wrapped.
    pub(super) fn one_line(&mut self, [before, middle, after]: [&str; 3], id: &str) {
        let [before, middle, after] =
            [before, middle, after].map(|text| visible(text, self.glyphs));
        let fixed = NAME.len() + before.width() + after.width() + GAP + id.width() + "[]".width();
        let room = self.width.saturating_sub(fixed);
        let middle = if room < middle.width().min(NARROW / 2) {
            middle
        } else {
            cut(&middle, room, ellipsis(self.glyphs))
        };
        self.head(
            NAME,
            NAME.len(),
            Style::Plain,
            &(before + &middle + &after),
            id,
        );
    }

    /// Adds the first lines of a block in a report: `KIND TITLE  [ID]`.
    pub(super) fn headline(&mut self, kind: &str, title: &str, id: &str) {
        let title = visible(title, self.glyphs);
        self.head(kind, 0, Style::Strong, &title, id);
    }

    /// Adds lines that begin with a mark and end with an id; those below begin at a column, where 0
    /// makes the mark the first word of the text.
    fn head(&mut self, mark: &str, column: usize, style: Style, text: &str, id: &str) {
        let id = match id {
            "" => String::new(),
            id => format!("[{id}]"),
        };
        let width = self.width.saturating_sub(column).max(NARROW / 2);
        let word = if column == 0 { mark } else { "" };
        let mut lines = wrap(&format!("{word}{text}"), width);
        if !id.is_empty() && lines.last().map_or(0, |last| last.width()) + GAP + id.width() > width
        {
            lines.push(String::new());
        }
        let last = lines.len() - 1;
        for (i, text) in lines.into_iter().enumerate() {
            let gap = if text.is_empty() { 0 } else { GAP };
            let (first, rest) = match text.strip_prefix(word) {
                Some(rest) if i == 0 => ((Style::Mark(self.mark), mark.to_owned()), rest),
                _ => {
                    // A long id has no room behind the columns of the name.
                    let id = if text.is_empty() { id.width() } else { 0 };
                    let column = column.min(self.width.saturating_sub(id));
                    ((Style::Plain, " ".repeat(column)), text.as_str())
                }
            };
            let mut line = vec![first, (style, rest.to_owned())];
            if i == last && !id.is_empty() {
                line.push((Style::Faint, " ".repeat(gap) + &id));
            }
            self.lines.push(line);
        }
    }

    /// Adds a heading in a report.
    pub(super) fn heading(&mut self, text: &str) {
        self.lines
            .push(vec![(Style::Strong, visible(text, self.glyphs))]);
    }

    /// Adds an entry of a list: a label, what it is about, and lines below, whole, that are left out
    /// if empty.
    pub(super) fn entry(&mut self, label: &str, what: &str, below: &[String]) {
        let width = self.text_width();
        let indent = " ".repeat(self.text_indent());
        let shown = |text: &str| cut(&visible(text, self.glyphs), width, ellipsis(self.glyphs));
        let label = visible(label, self.glyphs);
        let pad = " ".repeat((LABEL - 1).saturating_sub(label.width()) + 1);
        let mut lines = vec![vec![
            (Style::Plain, " ".repeat(INDENT)),
            (Style::Faint, label + &pad),
            (Style::Plain, shown(what)),
        ]];
        lines.extend(below.iter().filter(|text| !text.is_empty()).map(|text| {
            let text = visible(text, self.glyphs);
            vec![(Style::Plain, indent.clone()), (Style::Faint, text)]
        }));
        self.lines.extend(lines);
    }

    /// Adds rows of two columns that have no label; of the second the end is kept.
    pub(super) fn pairs(&mut self, rows: &[[String; 2]]) {
        let sign = ellipsis(self.glyphs);
        let width = self.text_width();
        let shown = |text: &str| visible(text, self.glyphs);
        let rows: Vec<_> = rows.iter().map(|[a, b]| [shown(a), shown(b)]).collect();
        let first = rows
            .iter()
            .map(|[first, _]| first.width())
            .max()
            .unwrap_or(0);
        let first = first.min(width / 2);
        let gap = if first > 0 { GAP } else { 0 };
        for [name, remark] in &rows {
            let name = cut(name, first, sign);
            let pad = " ".repeat(first - name.width() + gap);
            let remark = cut_front(remark, width - first - gap, sign);
            let line = vec![(Style::Strong, name), (Style::Plain, pad + &remark)];
            self.row("", [line].into_iter());
        }
    }

    /// Adds words from the first column on.
    pub(super) fn paragraph(&mut self, text: &str) {
        let lines = wrap(&visible(text, self.glyphs), self.width);
        let lines = lines.into_iter().map(|line| vec![(Style::Faint, line)]);
        self.lines.extend(lines);
    }

    /// Adds an empty line, unless there is one already.
    pub(super) fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(Line::new());
        }
    }

    /// Adds a row of words.
    pub(super) fn words(&mut self, label: &str, text: &str) {
        let text = visible(text, self.glyphs);
        let lines = wrap(&text, self.text_width());
        self.lines_of(label, &lines);
    }

    /// Adds a row of words that are wrapped already.
    pub(super) fn lines_of(&mut self, label: &str, lines: &[String]) {
        let style = self.text_style();
        let glyphs = self.glyphs;
        let lines = lines
            .iter()
            .map(|line| vec![(style, visible(line, glyphs))]);
        self.row(label, lines);
    }

    fn text_style(&self) -> Style {
        match self.weight {
            Weight::First => Style::Plain,
            Weight::Second => Style::Faint,
        }
    }

    /// Adds a row that is not wrapped: a link, a command.
    pub(super) fn unwrapped(&mut self, label: &str, text: &str) {
        let line = vec![(self.text_style(), visible(text, self.glyphs))];
        self.row(label, [line].into_iter());
    }

    /// Adds a row of commands, as many of the last ones as fit beside each other.
    pub(super) fn commands(&mut self, label: &str, commands: &[String]) {
        let sign = match self.glyphs {
            Glyphs::Unicode => " · ",
            Glyphs::Ascii => " | ",
        };
        let fits = |text: &String| text.width() <= self.text_width();
        let mut texts = (0..commands.len()).map(|first| commands[first..].join(sign));
        if let Some(text) = texts.find(fits).or_else(|| commands.last().cloned()) {
            self.words(label, &text);
        }
    }

    /// Returns whether the remark of a row fits beside its name.
    pub(super) fn fits(&self, row: &Row) -> bool {
        row.name.width() + 2 * GAP + row.remark.width() <= self.text_width()
    }

    /// Adds rows of a name and a remark: in two columns if they fit, else below each other.
    pub(super) fn columns(&mut self, rows: &[Row]) {
        let shown = |text: &str| visible(text, self.glyphs);
        let rows: Vec<Row> = rows
            .iter()
            .map(|row| Row {
                label: row.label.clone(),
                name: shown(&row.name),
                remark: shown(&row.remark),
                core: shown(&row.core),
            })
            .collect();
        let (width, sign) = (self.text_width(), ellipsis(self.glyphs));
        let room = |column: usize| width.saturating_sub(column);
        let names = rows.iter().map(|row| row.name.width());
        let common = names.max().unwrap_or(0) + 2 * GAP;
        let all_fit = rows
            .iter()
            .all(|row| beside(row, room(common), sign).is_some());
        for row in &rows {
            let column = if all_fit {
                common
            } else {
                row.name.width() + 2 * GAP
            };
            let mut lines = self.name_lines(row);
            if row.remark.is_empty() {
            } else if let Some(remark) = beside(row, room(column), sign) {
                let gap = " ".repeat(column - row.name.width());
                lines[0].push((Style::Plain, gap + &remark));
            } else {
                let remark = below(row, width, sign).into_iter();
                lines.extend(remark.map(|text| vec![(Style::Plain, text)]));
            }
            self.row(&row.label, lines.into_iter());
        }
    }

    /// Returns the name of a row; a heading may be a log record of any length.
    fn name_lines(&self, row: &Row) -> Vec<Line> {
        let (width, sign) = (self.text_width(), ellipsis(self.glyphs));
        let name = match row.remark.as_str() {
            "" => cut(&row.name, width.max(2 * NARROW), sign),
            _ => row.name.clone(),
        };
        let lines = if name.width() > width {
            wrap(&name, width)
        } else {
            vec![name]
        };
        let lines = lines.into_iter();
        lines.map(|text| vec![(Style::Strong, text)]).collect()
    }

    /// Adds code below a row, between empty lines.
    ///
    /// Code that is too wide for its place moves to the left; a line that does not fit even then is
    /// broken, and what follows begins with a mark that is no part of the code.
    pub(super) fn code(&mut self, code: &str) {
        self.blank();
        let lines = code
            .lines()
            .map(|line| line.trim_end().replace('\t', "    "));
        let usual = self.text_indent() + if self.is_narrow() { 0 } else { CODE_INDENT };
        let room = self.width.saturating_sub(usual);
        let lines = lines.map(|line| visible(&line, self.glyphs));
        let lines: Vec<String> = lines.flat_map(|line| without_comment(line, room)).collect();
        let widest = lines.iter().map(|line| line.width()).max().unwrap_or(0);
        let room = self.width.saturating_sub(widest);
        let indent = " ".repeat(room.clamp(INDENT, usual));
        let width = self.width.saturating_sub(indent.len()).max(NARROW / 4);
        let style = match self.weight {
            Weight::First => Style::Code,
            Weight::Second => Style::Faint,
        };
        let mark = match self.glyphs {
            Glyphs::Unicode => "↪ ",
            Glyphs::Ascii => "... ",
        };
        for line in lines {
            if line.width() <= width {
                self.lines.push(match line.as_str() {
                    "" => Line::new(),
                    _ => vec![(Style::Plain, indent.clone()), (style, line)],
                });
                continue;
            }
            let pieces = broken(&line, width - mark.width());
            for (n, piece) in pieces.into_iter().enumerate() {
                let mark = if n == 0 { "" } else { mark };
                self.lines.push(vec![
                    (Style::Plain, indent.clone()),
                    (Style::Faint, mark.to_owned()),
                    (style, piece.trim_end().to_owned()),
                ]);
            }
        }
        self.blank();
    }

    /// Adds code of at most `max` rows, close to what follows: without its empty lines if it is long,
    /// and cut, with a row that says so, if it is too long even then.
    pub(super) fn code_in_short(&mut self, code: &str, max: usize) {
        const AIRY: usize = 7;
        let lines: Vec<&str> = code.lines().collect();
        let is_full = |line: &&str| lines.len() <= AIRY || !line.trim().is_empty();
        let full: Vec<&str> = lines.iter().copied().filter(is_full).collect();
        self.blank();
        let start = self.lines.len();
        for kept in (1..=full.len()).rev() {
            let (kept, left) = full.split_at(kept);
            self.lines.truncate(start);
            self.code(&kept.join("\n"));
            self.lines.pop();
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
        let plural = if lines == 1 { "" } else { "s" };
        let text = format!("{} {lines} more line{plural}", ellipsis(self.glyphs));
        let indent = self.text_indent() + if self.is_narrow() { 0 } else { CODE_INDENT };
        self.lines.push(vec![
            (Style::Plain, " ".repeat(indent)),
            (Style::Faint, text),
        ]);
    }

    fn row(&mut self, label: &str, lines: impl Iterator<Item = Line>) {
        let indent = self.text_indent();
        let mut label = Some(label);
        for text in lines {
            let mut line = match label.take() {
                Some("") | None => vec![(Style::Plain, " ".repeat(indent))],
                Some(label) if self.is_narrow() => {
                    self.lines.push(vec![
                        (Style::Plain, " ".repeat(INDENT)),
                        (label_style(label), label.to_owned()),
                    ]);
                    vec![(Style::Plain, " ".repeat(indent))]
                }
                Some(label) => vec![
                    (Style::Plain, " ".repeat(INDENT)),
                    (label_style(label), format!("{label:<LABEL$}")),
                ],
            };
            line.extend(text);
            self.lines.push(line);
        }
    }

    fn is_narrow(&self) -> bool {
        self.width < INDENT + LABEL + NARROW
    }

    /// The columns before text.
    fn text_indent(&self) -> usize {
        if self.is_narrow() {
            2 * INDENT
        } else {
            INDENT + LABEL
        }
    }

    /// The columns that text may have.
    pub(super) fn text_width(&self) -> usize {
        self.width
            .saturating_sub(self.text_indent())
            .max(NARROW / 4)
    }
}

/// Returns a line of code that fits into so many columns but for its comment: with that close behind it,
/// or above it.
fn without_comment(line: String, room: usize) -> Vec<String> {
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
    let indent = &code[..code.len() - code.trim_start().len()];
    vec![format!("{indent}# {comment}"), code.to_owned()]
}

/// Returns what of a remark stands beside its name; nothing if there is no room. A line of source is known
/// by what Python marked in it, or by its beginning.
fn beside(row: &Row, room: usize, sign: &str) -> Option<String> {
    if row.remark.width() <= room {
        return Some(row.remark.clone());
    }
    if row.label != SOURCE_ROW {
        return None;
    }
    if !row.core.is_empty() && row.core.width() <= room {
        return Some(row.core.clone());
    }
    (room >= NARROW).then(|| cut(&row.remark, room, sign))
}

/// Returns the lines of a remark below its name.
fn below(row: &Row, width: usize, sign: &str) -> Vec<String> {
    let is_wide = row.remark.width() > width;
    if row.label != SOURCE_ROW && is_wide {
        return wrap(&row.remark, width);
    }
    let text = if is_wide && !row.core.is_empty() {
        &row.core
    } else {
        &row.remark
    };
    vec![cut(text, width, sign)]
}

/// The label to find at first sight is that of the fix.
fn label_style(label: &str) -> Style {
    if label == "fix" {
        Style::Strong
    } else {
        Style::Faint
    }
}

#[cfg(test)]
mod tests {
    use super::without_comment;

    #[test]
    fn a_comment_makes_room_for_its_code() {
        let shown = |line: &str, room| without_comment(line.to_owned(), room);
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
    }
}
