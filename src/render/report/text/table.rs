//! Rows of a table in columns of a width.
//!
//! ```text
//!   12×  unpicklable-lock  a lock cannot be copied or sent to…  train.py:47  a.log:42
//! ```

use std::borrow::Borrow;

use unicode_width::UnicodeWidthStr;

use crate::render::Glyphs;
use crate::render::block::{Mark, Style, StyledLine};
use crate::render::count::Number;
use crate::render::visible::{ellipsis, visible};
use crate::render::wrap::{cut, cut_front};

/// The columns before a row, and between two of its columns.
const GAP: usize = 2;
/// The least columns of a title that is worth them.
const MIN_TITLE: usize = 24;
/// What the other columns keep where there is not enough room.
const MIN_PLACE: usize = 12;

/// A row: what failed how often, and where.
pub(super) struct TableRow {
    pub(super) count: u64,
    pub(super) mark: Mark,
    /// The id, or the exception.
    pub(super) name: String,
    pub(super) title: String,
    /// The line of the program.
    pub(super) place: String,
    /// The line of the log.
    pub(super) log: String,
}

/// The widths of the columns.
pub(super) struct ColumnWidths {
    count: usize,
    name: usize,
    /// 0 if there is no room for it.
    title: usize,
    place: usize,
    log: usize,
}

impl ColumnWidths {
    /// Makes room for rows in a width: for the title last.
    pub(super) fn of(rows: &[impl Borrow<TableRow>], width: usize) -> Self {
        let widest = |of: &dyn Fn(&TableRow) -> usize| {
            rows.iter().map(|row| of(row.borrow())).max().unwrap_or(0)
        };
        let mut columns = Self {
            count: widest(&|row| times(row.count).width()),
            name: widest(&|row| row.name.width()).min(MIN_TITLE.max(width / 3)),
            title: 0,
            place: widest(&|row| row.place.width()),
            log: widest(&|row| row.log.width()),
        };
        let gaps = GAP * if columns.place > 0 { 4 } else { 3 };
        let room = width.saturating_sub(columns.count + gaps);
        let used = columns.name + columns.place + columns.log;
        columns.shrink(used.saturating_sub(room));
        let title = widest(&|row| row.title.width());
        let rest = room.saturating_sub(used + GAP);
        if rest >= MIN_TITLE.min(title) {
            columns.title = rest.min(title);
        }
        columns
    }

    /// Takes what is missing from the places, the wider one first, and only then from the names.
    fn shrink(&mut self, mut missing: usize) {
        while missing > 0 {
            let column = match self.log.max(self.place) {
                0..=MIN_PLACE => &mut self.name,
                widest if widest == self.log => &mut self.log,
                _ => &mut self.place,
            };
            if *column <= MIN_PLACE {
                return;
            }
            *column -= 1;
            missing -= 1;
        }
    }

    /// Returns a row as a line.
    pub(super) fn line(&self, row: &TableRow, glyphs: Glyphs) -> StyledLine {
        let sign = ellipsis(glyphs);
        let head = |text: &str, width| cut(&visible(text, glyphs), width, sign);
        let tail = |text: &str, width| cut_front(&visible(text, glyphs), width, sign);
        let cells = [
            (Style::Mark(row.mark), head(&row.name, self.name), self.name),
            (Style::Plain, head(&row.title, self.title), self.title),
            (Style::Plain, tail(&row.place, self.place), self.place),
            (Style::Faint, tail(&row.log, self.log), self.log),
        ];
        let mut line = self.begin(row.count, glyphs);
        for (style, text, width) in cells {
            if width > 0 {
                let pad = width.saturating_sub(text.width());
                line.push((style, text));
                line.push((Style::Plain, " ".repeat(pad + GAP)));
            }
        }
        line.pop();
        line
    }

    /// Returns a count with words behind it as a line.
    pub(super) fn words(&self, count: u64, words: &str, glyphs: Glyphs) -> StyledLine {
        let mut line = self.begin(count, glyphs);
        line.push((Style::Faint, visible(words, glyphs)));
        line
    }

    fn begin(&self, count: u64, glyphs: Glyphs) -> StyledLine {
        let count = visible(&times(count), glyphs);
        let pad = GAP + self.count.saturating_sub(count.width());
        vec![
            (Style::Plain, " ".repeat(pad) + &count),
            (Style::Plain, " ".repeat(GAP)),
        ]
    }
}

/// Returns `12×`.
pub(super) fn times(count: u64) -> String {
    format!("{}×", Number(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rows: &[TableRow], width: usize) -> Vec<String> {
        let columns = ColumnWidths::of(rows, width);
        let lines = rows.iter().map(|row| columns.line(row, Glyphs::Unicode));
        lines
            .map(|line| line.into_iter().map(|(_, text)| text).collect())
            .collect()
    }

    fn rows() -> [TableRow; 2] {
        let row = |count, name: &str, log: &str| TableRow {
            count,
            mark: Mark::Error,
            name: name.to_owned(),
            title: "a title of some words, and of some more".to_owned(),
            place: "train.py:47".to_owned(),
            log: log.to_owned(),
        };
        [
            row(1200, "worker-exited", "logs/of/a/long/path/a.log:7"),
            row(3, "unpicklable-lock", "b.log:12"),
        ]
    }

    #[test]
    fn a_title_stands_where_there_is_room() {
        assert_eq!(
            text(&rows(), 110),
            [
                "  1,200×  worker-exited     a title of some words, and of some more  train.py:47  logs/of/a/long/path/a.log:7",
                "      3×  unpicklable-lock  a title of some words, and of some more  train.py:47  b.log:12",
            ]
        );
        assert_eq!(
            text(&rows(), 100)[1],
            "      3×  unpicklable-lock  a title of some words, and of…  train.py:47  b.log:12"
        );
        assert_eq!(
            text(&rows(), 80),
            [
                "  1,200×  worker-exited     train.py:47  logs/of/a/long/path/a.log:7",
                "      3×  unpicklable-lock  train.py:47  b.log:12",
            ]
        );
    }

    #[test]
    fn a_narrow_table_keeps_the_ends_of_paths() {
        let lines = text(&rows(), 60);
        assert_eq!(
            lines[0],
            "  1,200×  worker-exited     train.py:47  …/long/path/a.log:7"
        );
        for width in 50..100 {
            let lines = text(&rows(), width);
            assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
        }
    }
}
