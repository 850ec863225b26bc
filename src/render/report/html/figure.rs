//! The figure of a page: a row for each rank or file, and on it what failed when.
//!
//! ```text
//! rank 0   ──────────────────◆──      ❶ a failure, ① the same on another rank
//! rank 3   ──❶───────────────◆──      ◆ what followed
//!            10:00:03      + 30 min
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use super::text::{escaped, prose};
use crate::incident::Incident;
use crate::render::report::number;
use crate::traceback::stamp::Stamp;

/// The most marks that are kept.
const MAX_MARKS: usize = 2000;
/// The most rows that are drawn.
const MAX_ROWS: usize = 64;
/// The most rows that are not folded.
const MAX_OPEN: usize = 24;
/// Failures that are nearer than this are set side by side, so far in pixels; a share of the width.
const SIDE_BY_SIDE: f64 = 0.03;
const STEP: i32 = 26;
const MAX_ASIDE: i32 = 5 * STEP;
/// Marks of one kind that are nearer than this stand for each other; a share of the width.
const NEAR: f64 = 0.008;

/// What is to be drawn.
#[derive(Default)]
pub(super) struct Figure {
    marks: Vec<Mark>,
    left_out: usize,
}

/// A failure at a place.
struct Mark {
    row: Row,
    line: u64,
    time: Option<Stamp>,
    role: Role,
    /// The incident, as the page numbers it; those that no rule knows have none.
    number: Option<u64>,
    /// The id of the element that tells of it.
    target: String,
    /// What failed, in a few words.
    what: String,
}

/// Who wrote it: ranks by number, then those without one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    rank: Option<u32>,
    file: Option<Arc<str>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    Repeat,
    Consequence,
}

/// What the width means.
enum Axis {
    /// From the first stamp on, so many seconds.
    Time(Stamp, f64),
    /// From the first line on, so many lines.
    Line(u64),
}

impl Figure {
    /// Adds an incident, which the element `target` tells of.
    pub(super) fn add(
        &mut self,
        incident: &Incident,
        number: Option<u64>,
        target: &str,
        what: &str,
    ) {
        let mark = |rank, file: &Option<Arc<str>>, line, time, role, what: &str| Mark {
            row: Row {
                rank,
                file: file.clone(),
            },
            line,
            time,
            role,
            number,
            target: target.to_owned(),
            what: what.to_owned(),
        };
        let root = &incident.root;
        let first = mark(
            root.facts().rank,
            &incident.file,
            incident.first_line,
            root.time(),
            Role::Root,
            what,
        );
        let repeats = incident
            .repeats
            .iter()
            .map(|r| mark(r.rank, &r.file, r.line, r.time, Role::Repeat, what));
        let consequences = incident
            .consequences
            .iter()
            .map(|c| mark(c.rank, &c.file, c.line, c.time, Role::Consequence, c.id));
        for mark in std::iter::once(first).chain(repeats).chain(consequences) {
            if self.marks.len() < MAX_MARKS {
                self.marks.push(mark);
            } else {
                self.left_out += 1;
            }
        }
    }

    /// Draws it; nothing where there is nothing to compare.
    pub(super) fn draw(&self) -> String {
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

    /// Time where most of the marks have one that can be compared, else lines.
    fn axis(&self) -> Axis {
        let stamps: Vec<Stamp> = self.marks.iter().filter_map(|m| m.time).collect();
        let start = stamps.iter().copied().reduce(|first, stamp| {
            let is_earlier = stamp.seconds_after(first).is_some_and(|s| s < 0.0);
            if is_earlier { stamp } else { first }
        });
        if let Some(start) = start {
            let after = stamps.iter().filter_map(|stamp| stamp.seconds_after(start));
            let after: Vec<f64> = after.collect();
            let width = after.iter().copied().fold(0.0, f64::max);
            if after.len() * 4 >= self.marks.len() * 3 && width > 0.0 {
                return Axis::Time(start, width);
            }
        }
        Axis::Line(self.marks.iter().map(|m| m.line).max().unwrap_or(1))
    }

    /// Finds the failure that came first, where that can be told.
    fn first(&self, axis: &Axis) -> Option<usize> {
        let marks = self.marks.iter().enumerate();
        let mut roots = marks.clone().filter(|(_, m)| m.role == Role::Root);
        let files = || self.marks.iter().map(|m| &m.row.file);
        match axis {
            // Logs are read by their names: what counts as the same again may have come before.
            Axis::Time(..) => marks
                .filter(|(_, m)| m.role != Role::Consequence)
                .filter_map(|(i, m)| Some((i, axis.place(m)?)))
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .map(|(i, _)| i),
            Axis::Line(_) => {
                let is_one_file = files().all(|file| *file == self.marks[0].row.file);
                let is_one = roots.clone().count() == 1;
                let first = roots.next().map(|(i, _)| i);
                first.filter(|_| is_one_file || is_one)
            }
        }
    }

    /// Gives the rows from top to bottom, and how many are left out.
    fn rows(&self) -> (Vec<Row>, usize) {
        // The rows in which something began are kept before the others.
        let mut rows: Vec<(bool, Row)> = Vec::new();
        for mark in &self.marks {
            let is_root = mark.role != Role::Consequence;
            match rows.iter_mut().find(|(_, row)| *row == mark.row) {
                Some((has_root, _)) => *has_root |= is_root,
                None => rows.push((is_root, mark.row.clone())),
            }
        }
        rows.sort_by_key(|(has_root, _)| !has_root);
        let left_out = rows.len().saturating_sub(MAX_ROWS);
        rows.truncate(MAX_ROWS);
        let mut rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
        // The jobs of several folders stay apart.
        let folder = |row: &Row| {
            let is_same = |mark: &Mark| top(&mark.row) == top(row);
            self.marks.iter().position(is_same)
        };
        rows.sort_by_cached_key(|row| (folder(row), row.rank.unwrap_or(u32::MAX)));
        (rows, left_out)
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

    fn has_files(&self) -> bool {
        self.marks
            .iter()
            .any(|m| m.row.file != self.marks[0].row.file)
    }

    fn has_ranks(&self) -> bool {
        self.marks.iter().any(|m| m.row.rank.is_some())
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

    /// Chooses the marks of a row: of those that would cover each other, one.
    fn drawn(&self, row: &Row, axis: &Axis) -> Vec<Drawn> {
        let mut drawn: Vec<Drawn> = Vec::new();
        let mut newest: BTreeMap<(bool, Option<u64>), usize> = BTreeMap::new();
        let marks = self.marks.iter().enumerate();
        let mut marks: Vec<(usize, f64)> = marks
            .filter(|(_, m)| m.row == *row)
            .map(|(i, m)| (i, axis.place(m).unwrap_or(1.0)))
            .collect();
        marks.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut last: Option<(f64, i32)> = None;
        for (mark, place) in marks {
            let Mark { role, number, .. } = self.marks[mark];
            let key = (role == Role::Consequence, number);
            let near = newest.get(&key).map(|i| &mut drawn[*i]);
            let is_followed = role == Role::Consequence;
            if let Some(near) = near.filter(|d| is_followed && place - d.place < NEAR) {
                near.count += 1;
                continue;
            }
            newest.insert(key, drawn.len());
            let mut aside = 0;
            if !is_followed {
                let beside = last.filter(|(last, _)| place - last < SIDE_BY_SIDE);
                aside = beside.map_or(0, |(_, aside)| (aside + STEP) % MAX_ASIDE);
                last = Some((place, aside));
            }
            drawn.push(Drawn {
                mark,
                place,
                aside: if place > 0.5 { -aside } else { aside },
                count: 1,
            });
        }
        drawn
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

/// A mark at its place.
struct Drawn {
    /// Its index.
    mark: usize,
    /// From 0, the left end, to 1.
    place: f64,
    /// How far it is set aside from others, in pixels.
    aside: i32,
    /// How many it stands for.
    count: usize,
}

impl Axis {
    /// Gives where a mark stands, from 0 to 1; `None` if it has no time.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a thousandth of the width is enough"
    )]
    fn place(&self, mark: &Mark) -> Option<f64> {
        match self {
            Self::Time(start, width) => Some(mark.time?.seconds_after(*start)? / width),
            Self::Line(last) => Some(mark.line as f64 / *last as f64),
        }
    }

    /// Writes what stands below.
    fn scale(&self) -> String {
        let (start, end) = match self {
            Self::Time(start, width) => (clock(*start), span(*width)),
            Self::Line(last) => ("line 1".to_owned(), format!("line {}", number(*last))),
        };
        format!(
            "<div class=\"axis\"><span></span><span class=\"scale\"><span>{start}</span><span>{end}</span></span></div>\n"
        )
    }
}

/// Writes a point in time as people do: `2026-05-01 10:00:03`.
pub(super) fn clock(time: Stamp) -> String {
    time.to_string().replacen('T', " ", 1)
}

/// Writes a span of time: `+ 31 min 5 s`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a span is not negative, and centuries of seconds fit"
)]
fn span(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("+ {seconds:.2} s");
    }
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("+ {seconds} s"),
        (0, minutes, seconds) => format!("+ {minutes} min {seconds} s"),
        (hours, minutes, _) => format!("+ {hours} h {minutes} min"),
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

/// Gives the first folder of a log's name.
fn top(row: &Row) -> &str {
    let file = row.file.as_deref().unwrap_or_default();
    file.split_once('/').map_or("", |(folder, _)| folder)
}

/// Begins a text with a capital letter, if it begins with a word of pickfix's own.
fn capital(who: &str) -> String {
    match who.strip_prefix("rank ") {
        Some(rank) => format!("Rank {rank}"),
        None => who.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_written_as_people_say_them() {
        let spans = [0.5, 12.3, 1865.0, 11_000.0].map(span);
        assert_eq!(spans, ["+ 0.50 s", "+ 12 s", "+ 31 min 5 s", "+ 3 h 3 min"]);
    }
}
