//! Rows of two columns: a name and a remark on it.

use super::{Block, GAP, NARROW, Style, StyledLine};
use crate::render::place::Row;
use crate::render::visible::{ellipsis, visible};
use crate::render::wrap::{cut, cut_front, width_of, wrap};

/// The label of the row whose remark is a line of source that the text above has in full.
const SOURCE_ROW: &str = "where";

impl Block {
    /// Returns whether the remark of a row fits beside its name.
    pub(in crate::render) fn fits(&self, row: &Row) -> bool {
        width_of(&row.name) + 2 * GAP + width_of(&row.remark) <= self.text_width()
    }

    /// Adds rows of a name and a remark: in two columns if they fit, else below each other.
    pub(in crate::render) fn columns(&mut self, rows: &[Row]) {
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
        let names = rows.iter().map(|row| width_of(&row.name));
        let common = names.max().unwrap_or(0) + 2 * GAP;
        let all_fit = rows
            .iter()
            .all(|row| beside(row, room(common), sign).is_some());
        for row in &rows {
            let column = if all_fit {
                common
            } else {
                width_of(&row.name) + 2 * GAP
            };
            let mut lines = self.name_lines(row);
            if row.remark.is_empty() {
            } else if let Some(remark) = beside(row, room(column), sign) {
                let gap = " ".repeat(column - width_of(&row.name));
                lines[0].push((Style::Plain, gap + &remark));
            } else {
                let remark = below(row, width, sign).into_iter();
                lines.extend(remark.map(|text| vec![(Style::Plain, text)]));
            }
            self.row(&row.label, lines.into_iter());
        }
    }

    /// Returns the name of a row; a heading may be a log record of any length.
    fn name_lines(&self, row: &Row) -> Vec<StyledLine> {
        let (width, sign) = (self.text_width(), ellipsis(self.glyphs));
        let name = match row.remark.as_str() {
            "" => cut(&row.name, width.max(2 * NARROW), sign),
            _ => row.name.clone(),
        };
        let lines = if width_of(&name) > width {
            wrap(&name, width)
        } else {
            vec![name]
        };
        let lines = lines.into_iter();
        lines.map(|text| vec![(Style::Strong, text)]).collect()
    }

    /// Adds rows of two columns that have no label; of the second the end is kept.
    pub(in crate::render) fn pairs(&mut self, rows: &[[String; 2]]) {
        let sign = ellipsis(self.glyphs);
        let width = self.text_width();
        let shown = |text: &str| visible(text, self.glyphs);
        let rows: Vec<_> = rows.iter().map(|[a, b]| [shown(a), shown(b)]).collect();
        let first = rows
            .iter()
            .map(|[first, _]| width_of(first))
            .max()
            .unwrap_or(0);
        let first = first.min(width / 2);
        let gap = if first > 0 { GAP } else { 0 };
        for [name, remark] in &rows {
            let name = cut(name, first, sign);
            let pad = " ".repeat(first - width_of(&name) + gap);
            let remark = cut_front(remark, width - first - gap, sign);
            let line = vec![(Style::Strong, name), (Style::Plain, pad + &remark)];
            self.row("", [line].into_iter());
        }
    }
}

/// Returns what of a remark stands beside its name; nothing if there is no room. A line of source is known
/// by what Python marked in it, or by its beginning.
fn beside(row: &Row, room: usize, sign: &str) -> Option<String> {
    if width_of(&row.remark) <= room {
        return Some(row.remark.clone());
    }
    if row.label != SOURCE_ROW {
        return None;
    }
    if !row.core.is_empty() && width_of(&row.core) <= room {
        return Some(row.core.clone());
    }
    (room >= NARROW).then(|| cut(&row.remark, room, sign))
}

/// Returns the lines of a remark below its name.
fn below(row: &Row, width: usize, sign: &str) -> Vec<String> {
    let is_wide = width_of(&row.remark) > width;
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
