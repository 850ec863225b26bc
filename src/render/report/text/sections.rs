//! The table, file by file or job by job.

use std::collections::HashMap;

use super::table::{ColumnWidths, TableRow};
use super::{Count, MAX_KEPT, ReportOptions, block};
use crate::incident::Incident;
use crate::render::annotation::said;
use crate::render::block::{Style, StyledLine};
use crate::render::card::mark;
use crate::render::report::{SectionName, log_place, place};
use crate::render::visible::{ellipsis, visible};
use crate::render::wrap::cut_front;

/// The sections that have failures, in the order in which they came.
#[derive(Default)]
pub(super) struct Sections {
    all: Vec<Section>,
    by_name: HashMap<String, usize>,
    /// How many failures were in sections that were too many to be kept.
    dropped: u64,
}

/// A file or a job.
struct Section {
    name: String,
    rows: Vec<TableRow>,
    /// How many failures more there are.
    more: u64,
}

impl Sections {
    pub(super) fn add(
        &mut self,
        name_of: SectionName,
        options: &ReportOptions,
        incident: &Incident,
    ) {
        let name = name_of(incident.seen.file.as_deref().unwrap_or("-"));
        let at = match self.by_name.get(&name) {
            Some(at) => *at,
            None if self.all.len() >= MAX_KEPT.min(options.limit) => {
                self.dropped += 1;
                return;
            }
            None => {
                self.by_name.insert(name.clone(), self.all.len());
                self.all.push(Section {
                    name,
                    rows: Vec::new(),
                    more: 0,
                });
                self.all.len() - 1
            }
        };
        let section = &mut self.all[at];
        if section.rows.len() >= options.limit {
            section.more += 1;
        } else {
            section.rows.push(row(&section.name, options, incident));
        }
    }

    /// Returns them all below each other, in the same columns.
    pub(super) fn lines(&self, options: &ReportOptions) -> Vec<StyledLine> {
        let (width, glyphs) = (options.annotator.width, options.annotator.glyphs);
        let rows = self.all.iter().flat_map(|section| &section.rows);
        let columns = ColumnWidths::of(&rows.collect::<Vec<_>>(), width);
        let mut lines = Vec::new();
        for section in &self.all {
            let name = visible(&section.name, glyphs);
            let name = cut_front(&name, width, ellipsis(glyphs));
            lines.push(vec![(Style::Strong, name)]);
            lines.extend(section.rows.iter().map(|row| columns.line(row, glyphs)));
            if section.more > 0 {
                lines.push(columns.words(section.more, "more", glyphs));
            }
        }
        if self.dropped > 0 {
            let mut block = block(options);
            block.paragraph(&format!(
                "{} in other logs left out; a greater `--limit` shows them",
                Count(self.dropped, "more failure")
            ));
            lines.extend(block.lines);
        }
        lines
    }
}

/// Returns an incident as a row of its section; what the section is called is not said again.
fn row(section: &str, options: &ReportOptions, incident: &Incident) -> TableRow {
    let log = log_place(incident);
    let log = match log.strip_prefix(section) {
        Some(rest) if rest.starts_with(':') => format!("line {}", &rest[1..]),
        Some(rest) if rest.starts_with(['/', '\\']) => rest[1..].to_owned(),
        // A job may be called what the names of its files begin with.
        Some(_) => log
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or_default()
            .to_owned(),
        None => log,
    };
    let root = &incident.root;
    let (name, title) = match root.id() {
        Some(id) => (id.to_owned(), root.advice().title),
        None if incident.victims > 0 => (said(root), "failed first".to_owned()),
        None => (said(root), String::new()),
    };
    TableRow {
        count: incident.seen.count,
        mark: mark(root.severity()),
        name,
        title,
        place: place(incident, options.annotator.folder.as_deref()),
        log,
    }
}
