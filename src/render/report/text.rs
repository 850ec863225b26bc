//! The report that people read: a table, each failure once, those that no rule knows, and a last
//! line that sums up.
//!
//! - [`known`]: the failures that a rule knows, one for each rule and title;
//! - [`unknown`]: those that none does, by what they say;
//! - [`sections`]: the table, file by file or job by job;
//! - [`table`]: columns of a width.
//!
//! The table comes first and sums up, so all is kept to the end; only of logs that still grow each
//! failure is written at once. What is kept is bounded: a failure for each rule and title with a
//! few of its places, and 1,000 others.

mod known;
mod sections;
mod table;
mod unknown;

use std::io::{self, Write};

use super::{Count, Counts, Number, ReadTotals, ReportOptions, summary};
use crate::incident::Incident;
use crate::render::block::{Block, StyledLine};
use crate::render::paint::paint_lines;
use crate::render::visible::visible;
use known::{KnownFailure, KnownFailures, Repeat};
use sections::Sections;
use table::ColumnWidths;
use unknown::UnknownFailures;

/// The most failures, and the most sections, that are kept.
const MAX_KEPT: usize = 1000;

/// What is kept for the end.
#[derive(Default)]
pub(super) struct TextReport {
    known: KnownFailures,
    unknown: UnknownFailures,
    sections: Sections,
    /// Whether something stands above.
    is_begun: bool,
}

/// Keeps an incident; writes it if the logs still grow.
pub(super) fn incident(
    report: &mut TextReport,
    options: &ReportOptions,
    incident: &Incident,
    out: &mut impl Write,
) -> io::Result<()> {
    if options.summary {
        return Ok(());
    }
    if let Some(name_of) = options.section {
        report.sections.add(name_of, options, incident);
    }
    let Some(failure) = KnownFailure::new(options, incident) else {
        if options.section.is_none() {
            report.unknown.add(options, incident);
        }
        return Ok(());
    };
    if options.is_live {
        let repeat = if report.known.has(&failure) {
            Repeat::Again
        } else {
            Repeat::First
        };
        separate(&mut report.is_begun, out)?;
        out.write_all(&failure.draw(options, repeat))?;
    }
    report.known.add(failure);
    Ok(())
}

/// Writes all that was kept, and the last line.
pub(super) fn end(
    mut report: TextReport,
    options: &ReportOptions,
    counts: Counts,
    read: ReadTotals,
    out: &mut impl Write,
) -> io::Result<()> {
    report.known.sort();
    report.unknown.sort();
    let mut paragraphs = Vec::new();
    let painted = |lines: Vec<StyledLine>| paint_lines(&lines, options.annotator.colour);
    if options.section.is_some() {
        paragraphs.push(painted(report.sections.lines(options)));
    } else if !options.is_live {
        paragraphs.push(painted(overview(&report, options)));
    }
    if !options.is_live {
        let failures = report.known.first(options.limit);
        paragraphs.extend(failures.map(|failure| failure.draw(options, Repeat::First)));
        paragraphs.push(painted(report.known.left_out(options)));
    }
    paragraphs.push(painted(report.unknown.lines(options)));
    let last = visible(&summary(counts, read), options.annotator.glyphs);
    paragraphs.push(format!("{last}\n").into_bytes());
    for paragraph in paragraphs.iter().filter(|text| !text.is_empty()) {
        separate(&mut report.is_begun, out)?;
        out.write_all(paragraph)?;
    }
    Ok(())
}

/// Writes an empty line, unless what follows is the first.
fn separate(is_begun: &mut bool, out: &mut impl Write) -> io::Result<()> {
    if std::mem::replace(is_begun, true) {
        writeln!(out)?;
    }
    Ok(())
}

/// Returns the table of all failures; nothing if one alone is told, which is its own table.
fn overview(report: &TextReport, options: &ReportOptions) -> Vec<StyledLine> {
    let rows: Vec<_> = report
        .known
        .first(options.limit)
        .map(KnownFailure::row)
        .collect();
    let unknown = report.unknown.count();
    if rows.len() + usize::from(unknown > 0) < 2 || rows.is_empty() {
        return Vec::new();
    }
    let glyphs = options.annotator.glyphs;
    let columns = ColumnWidths::of(&rows, options.annotator.width);
    let mut lines: Vec<StyledLine> = rows.iter().map(|row| columns.line(row, glyphs)).collect();
    let left = report.known.len() - rows.len();
    if left > 0 {
        let text = format!("and {} more", Number(left as u64));
        lines.push(columns.words(report.known.left_count(options.limit), &text, glyphs));
    }
    if unknown > 0 {
        lines.push(columns.words(unknown, "that no rule knows, listed below", glyphs));
    }
    lines
}

/// Returns a block of the report's width.
fn block(options: &ReportOptions) -> Block {
    Block::new(options.annotator.width, options.annotator.glyphs)
}
