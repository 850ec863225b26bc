//! The figure of a page: a row for each rank or file, and on it what failed when.
//!
//! ```text
//! rank 0   ──────────────────◆──      ❶ a failure, ① the same on another rank
//! rank 3   ──❶───────────────◆──      ◆ what followed
//!            10:00:03      + 30 min
//! ```

mod axis;
mod draw;

use std::collections::BTreeMap;
use std::sync::Arc;

use axis::Axis;
pub(super) use axis::clock;

use crate::incident::{Incident, Location};
use crate::traceback::stamp::Stamp;

/// The most marks that are kept.
const MAX_MARKS: usize = 2000;
/// The most rows that are drawn.
const MAX_ROWS: usize = 64;
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

impl Figure {
    /// Adds an incident, which the element `target` tells of.
    pub(super) fn add(
        &mut self,
        incident: &Incident,
        number: Option<u64>,
        target: &str,
        what: &str,
    ) {
        let root = &incident.root;
        let mark = |location: &Location, role, what: &str| Mark {
            row: Row {
                file: location.file.clone(),
                rank: location.rank,
            },
            line: location.line,
            time: location.time,
            role,
            number,
            target: target.to_owned(),
            what: what.to_owned(),
        };
        let first = Location {
            rank: root.facts.rank,
            file: incident.seen.file.clone(),
            line: incident.seen.first_line,
            time: root.time,
        };
        let first = mark(&first, Role::Root, what);
        let repeats = incident.seen.repeats.iter();
        let repeats = repeats.map(|repeat| mark(repeat, Role::Repeat, what));
        let consequences = incident.consequences.iter();
        let consequences = consequences.map(|c| mark(&c.first, Role::Consequence, c.id));
        for mark in std::iter::once(first).chain(repeats).chain(consequences) {
            if self.marks.len() < MAX_MARKS {
                self.marks.push(mark);
            } else {
                self.left_out += 1;
            }
        }
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

    fn has_files(&self) -> bool {
        self.marks
            .iter()
            .any(|m| m.row.file != self.marks[0].row.file)
    }

    fn has_ranks(&self) -> bool {
        self.marks.iter().any(|m| m.row.rank.is_some())
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

/// Gives the first folder of a log's name.
fn top(row: &Row) -> &str {
    let file = row.file.as_deref().unwrap_or_default();
    file.split_once('/').map_or("", |(folder, _)| folder)
}
