//! Rows into lines of a width; [`code`] and [`columns`] of names and remarks are rows of their own
//! kinds.
//!
//! ```text
//! ▎ pickfix: TITLE  [ID]
//! ▎
//! ▎   where   train.py:47 in train()
//! ▎   fix     Leave the lock out:
//! ▎
//! ▎               def __getstate__(self):
//! ```

mod code;
mod columns;
mod continued;

use super::Glyphs;
use super::visible::{ellipsis, visible};
use super::wrap::{cut, cut_at_word, width_of, wrap};
use serde::{Deserialize, Serialize};

/// What all annotations begin with.
const NAME: &str = "pickfix: ";
/// The columns before an id.
const GAP: usize = 2;
/// The columns before a label.
const INDENT: usize = 2;
/// The columns of a label, with those behind it.
const LABEL: usize = 8;
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
pub(super) type StyledLine = Vec<(Style, String)>;

/// The lines of an annotation.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) mark: Mark,
    /// That of the rows to come.
    pub(super) weight: Weight,
    pub(super) lines: Vec<StyledLine>,
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

    /// Adds a short annotation, with the id if there is one: one line, whose middle part is cut. Where
    /// too little of that would be left to say anything, all is wrapped.
    pub(super) fn one_line(&mut self, [before, middle, after]: [&str; 3], id: &str) {
        let [before, middle, after] =
            [before, middle, after].map(|text| visible(text, self.glyphs));
        let fixed =
            NAME.len() + width_of(&before) + width_of(&after) + GAP + width_of(id) + "[]".len();
        let room = self.width.saturating_sub(fixed);
        let middle = if room < width_of(&middle).min(NARROW / 2) {
            middle
        } else {
            cut_at_word(&middle, room, ellipsis(self.glyphs))
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
        if !id.is_empty()
            && lines.last().map_or(0, |last| width_of(last)) + GAP + width_of(&id) > width
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
                    let id = if text.is_empty() { width_of(&id) } else { 0 };
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
        let pad = " ".repeat((LABEL - 1).saturating_sub(width_of(&label)) + 1);
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

    /// Adds words from the first column on.
    pub(super) fn paragraph(&mut self, text: &str) {
        let lines = wrap(&visible(text, self.glyphs), self.width);
        let lines = lines.into_iter().map(|line| vec![(Style::Faint, line)]);
        self.lines.extend(lines);
    }

    /// Adds an empty line, unless there is one already.
    pub(super) fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(StyledLine::new());
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
        let fits = |text: &String| width_of(text) <= self.text_width();
        let mut texts = (0..commands.len()).map(|first| commands[first..].join(sign));
        if let Some(text) = texts.find(fits).or_else(|| commands.last().cloned()) {
            self.words(label, &text);
        }
    }

    fn row(&mut self, label: &str, lines: impl Iterator<Item = StyledLine>) {
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

    /// Returns the columns before text.
    fn text_indent(&self) -> usize {
        if self.is_narrow() {
            2 * INDENT
        } else {
            INDENT + LABEL
        }
    }

    /// Returns the columns that text may have.
    pub(super) fn text_width(&self) -> usize {
        self.width
            .saturating_sub(self.text_indent())
            .max(NARROW / 4)
    }
}

/// Returns how a label looks: the one to find at first sight is that of the fix.
fn label_style(label: &str) -> Style {
    if label == "fix" {
        Style::Strong
    } else {
        Style::Faint
    }
}
