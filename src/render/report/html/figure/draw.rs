//! The figure as markup.

use std::fmt::Write as _;

use super::axis::{Axis, clock};
use super::{Figure, Mark, Role, Row};
use crate::render::report::html::text::{escaped, prose};
use crate::render::report::number;

/// The most rows that are not folded.
const MAX_OPEN: usize = 24;

impl Figure {
    /// Draws it; nothing where there is nothing to compare.
    pub(in crate::render::report::html) fn draw(&self) -> String {
        if self.marks.len() < 2 {
            return String::new();
        }
        let axis = self.axis();
        let first = self.first(&axis);
        let (rows, rows_left_out) = self.rows();
        let mut html = String::from(
            "<figure class=\"card\" aria-labelledby=\"when\">\n<figcaption><h2 id=\"when\">Who failed when</h2>\n",
        );
        html += &self.caption(first, &axis);
        html += "</figcaption>\n";
        // So many rows say little, and the failures should not begin below them.
        let is_folded = rows.len() > MAX_OPEN;
        if is_folded {
            let _ = writeln!(
                html,
                "<details class=\"more\"><summary>{} rows</summary>",
                rows.len()
            );
        }
        html += if is_folded {
            "<div class=\"plot dense\">\n"
        } else {
            "<div class=\"plot\">\n"
        };
        html += "<ol class=\"rows\" role=\"list\">\n";
        for row in &rows {
            html += &self.row(row, &axis, first);
        }
        html += "</ol>\n";
        html += &axis.scale();
        html += "</div>\n";
        html += &self.legend(first);
        if is_folded {
            html += "</details>\n";
        }
        let left_out = [
            (rows_left_out, "more rows are not drawn"),
            (self.left_out, "more places are not drawn"),
        ];
        for (count, what) in left_out.iter().filter(|(count, _)| *count > 0) {
            let _ = writeln!(
                html,
                "<p class=\"quiet\">{} {what}.</p>",
                number(*count as u64)
            );
        }
        html + "</figure>\n"
    }

    fn caption(&self, first: Option<usize>, axis: &Axis) -> String {
        let mut text = String::new();
        if let Some(mark) = first.map(|i| &self.marks[i]) {
            let _ = writeln!(
                text,
                "<p><strong>{} failed first</strong>: {}.</p>",
                capital(&who(&mark.row)),
                prose(&mark.what)
            );
        }
        let across = match axis {
            Axis::Time(..) => "From left to right: the time that the logs tell.",
            Axis::Line(_) if self.has_files() => {
                "From left to right: the line, in each log for itself."
            }
            Axis::Line(_) => "From left to right: the line of the log.",
        };
        let _ = writeln!(text, "<p class=\"quiet\">{across}</p>");
        text
    }

    fn row(&self, row: &Row, axis: &Axis, first: Option<usize>) -> String {
        let is_first = first.is_some_and(|i| self.marks[i].row == *row);
        let class = if is_first {
            " class=\"failed-first\""
        } else {
            ""
        };
        let file = escaped(row.file.as_deref().unwrap_or("standard input"));
        let who = match row.rank {
            Some(rank) if self.has_files() => format!("rank {rank} <small>{file}</small>"),
            Some(rank) => format!("rank {rank}"),
            None if self.has_ranks() && !self.has_files() => "no rank".to_owned(),
            None => file,
        };
        let mut html = format!(
            "<li{class}><span class=\"who\">{who}</span><span class=\"track\"><span class=\"plane\">"
        );
        for drawn in self.drawn(row, axis) {
            let at = drawn.mark;
            let mark = &self.marks[at];
            let role = match first {
                Some(first) if first == at => Role::Root,
                _ => mark.role,
            };
            let mut classes = match role {
                Role::Root => "mark root".to_owned(),
                Role::Repeat => "mark".to_owned(),
                Role::Consequence => "mark then".to_owned(),
            };
            if mark.number.is_none() && mark.role != Role::Consequence {
                classes += " unknown";
            }
            if first == Some(at) {
                classes += " first";
            }
            let shown = match (mark.role, mark.number) {
                (Role::Consequence, _) => String::new(),
                (_, Some(number)) => number.to_string(),
                (_, None) => "?".to_owned(),
            };
            let told = told(mark, drawn.count, first == Some(at));
            let _ = write!(
                html,
                "<a class=\"{classes}\" style=\"left:calc({:.2}% + {}px)\" href=\"#{}\" title=\"{told}\"><span aria-hidden=\"true\">{shown}</span><span class=\"hidden\">{told}</span></a>",
                drawn.place * 100.0,
                drawn.aside,
                mark.target
            );
        }
        html + "</span></span></li>\n"
    }

    /// Explains those marks that there are.
    fn legend(&self, first: Option<usize>) -> String {
        let has = |role, is_known: bool| {
            let mut marks = self.marks.iter();
            marks.any(|m| m.role == role && (m.number.is_some() == is_known))
        };
        let has_consequence = has(Role::Consequence, true) || has(Role::Consequence, false);
        let first_known = first.is_some_and(|i| self.marks[i].number.is_some());
        let roots = self.marks.iter().enumerate();
        let mut roots = roots.filter(|(_, m)| m.role == Role::Root && m.number.is_some());
        let has_others = roots.any(|(i, _)| first != Some(i));
        let entries = [
            (
                first.is_some() && first_known,
                "root first",
                "1",
                "failed first",
            ),
            (
                first.is_some() && !first_known,
                "root unknown first",
                "?",
                "failed first",
            ),
            (has_others, "root", "2", "a failure, by its number below"),
            (
                has(Role::Repeat, true),
                "",
                "2",
                "the same on another rank or in another log",
            ),
            (has_consequence, "then", "", "what followed from one"),
            (
                has(Role::Root, false),
                "root unknown",
                "?",
                "no rule knows it",
            ),
        ];
        let mut html = String::from("<ul class=\"legend\" aria-hidden=\"true\">\n");
        for (_, class, shown, text) in entries.iter().filter(|e| e.0) {
            let _ = writeln!(
                html,
                "<li><span class=\"mark {class}\">{shown}</span>{text}</li>"
            );
        }
        html + "</ul>\n"
    }
}

/// Names a row in a sentence.
fn who(row: &Row) -> String {
    let file = || escaped(row.file.as_deref().unwrap_or("standard input"));
    match row.rank {
        Some(rank) => format!("rank {rank}"),
        None => file(),
    }
}

/// Says what a mark shows.
fn told(mark: &Mark, count: usize, is_first: bool) -> String {
    let what = match (mark.role, mark.number) {
        _ if is_first => "the first failure: ",
        (Role::Root, _) => "",
        (Role::Repeat, _) => "the same again: ",
        (Role::Consequence, _) => "what followed: ",
    };
    let more = match count {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let time = mark.time.map(|time| format!(", {}", clock(time)));
    format!(
        "{}, line {}{}: {what}{}{more}",
        who(&mark.row),
        number(mark.line),
        time.unwrap_or_default(),
        escaped(&mark.what)
    )
}

/// Begins a text with a capital letter, if it begins with a word of pickfix's own.
fn capital(who: &str) -> String {
    match who.strip_prefix("rank ") {
        Some(rank) => format!("Rank {rank}"),
        None => who.to_owned(),
    }
}
