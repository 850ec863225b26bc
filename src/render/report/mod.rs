//! The report of `check`: incidents as they come, in one of several forms, and an end.
//!
//! - [`text`]: for people at a terminal;
//! - [`sarif`]: SARIF 2.1.0, for code scanning;
//! - [`github`]: workflow commands; [`gnu`]: `file:line: error: …`, for editors;
//! - [`html`]: a page of its own.

mod github;
mod gnu;
mod html;
mod sarif;
mod text;

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use super::count::{Count, Number};
use super::place::line_of;
use super::{Annotator, json};
use crate::corpus::{Advice, Severity};
use crate::incident::Incident;
use crate::named::named;

named! {
    /// The form of a report, by the name that is typed; the usual one first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ReportFormat {
        /// For people.
        Text = "text",
        /// A JSON array.
        Json = "json",
        /// One JSON object a line.
        Jsonl = "jsonl",
        /// SARIF 2.1.0.
        Sarif = "sarif",
        /// GitHub's workflow commands.
        Github = "github",
        /// `file:line: error: …`.
        Gnu = "gnu",
        /// A page.
        Html = "html",
    }
}

/// Reads a log again, from one byte to another one; `None` where that cannot be.
pub type ReadLog = fn(file: &str, from: u64, to: u64) -> Option<String>;

/// Names the part of what was read that a log belongs to: itself, or its job.
pub type SectionName = fn(file: &str) -> String;

/// How a report is written.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// Its form.
    pub form: ReportFormat,
    /// Width, characters and colour of [`ReportFormat::Text`].
    pub annotator: Annotator,
    /// Whether the JSON forms tell of failures that no rule knows.
    pub unknown: bool,
    /// Whether only the last line of [`ReportFormat::Text`] is written.
    pub summary: bool,
    /// How many failures [`ReportFormat::Text`] shows of a kind.
    pub limit: usize,
    /// What [`ReportFormat::Text`] lists failures by; `None`: by their rules.
    pub section: Option<SectionName>,
    /// Whether [`ReportFormat::Text`] tells of each failure at once, without a table.
    pub is_live: bool,
    /// How [`ReportFormat::Html`] comes by the text of a traceback.
    pub log: Option<ReadLog>,
}

/// What was read in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadTotals {
    /// Files that were read.
    pub files: u64,
    /// Files that could not be, or not to their end.
    pub failed: u64,
    /// Bytes, after decompression.
    pub bytes: u64,
    /// Lines that were left out because they bear pickfix's own gutter.
    pub own_lines: u64,
}

/// How many incidents there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that a rule calls an error.
    pub errors: u64,
    /// Those that a rule calls a warning.
    pub warnings: u64,
    /// Those that a rule calls a note.
    pub notes: u64,
    /// Those that no rule knows.
    pub unknown: u64,
}

/// A report that is being written.
pub struct Report<W> {
    out: W,
    options: ReportOptions,
    counts: Counts,
    state: FormatState,
    /// Whether a failure was known, and the file of the last one; `None`: the standard input.
    has_known: bool,
    known_in: Option<Arc<str>>,
}

/// What the forms keep between incidents.
enum FormatState {
    Text(text::TextReport),
    /// How many objects were written.
    Json(u64),
    Jsonl,
    Sarif(sarif::SarifReport),
    Html(Box<html::HtmlReport>),
    Github,
    Gnu,
}

impl<W: Write> Report<W> {
    /// Begins a report.
    pub fn new(mut out: W, options: ReportOptions) -> io::Result<Self> {
        let state = match options.form {
            ReportFormat::Text => FormatState::Text(text::TextReport::default()),
            ReportFormat::Json => {
                out.write_all(b"[")?;
                FormatState::Json(0)
            }
            ReportFormat::Jsonl => FormatState::Jsonl,
            ReportFormat::Sarif => FormatState::Sarif(sarif::begin(&mut out)?),
            ReportFormat::Html => FormatState::Html(Box::default()),
            ReportFormat::Github => FormatState::Github,
            ReportFormat::Gnu => FormatState::Gnu,
        };
        Ok(Self {
            out,
            options,
            counts: Counts::default(),
            state,
            has_known: false,
            known_in: None,
        })
    }

    /// Writes an incident; that somebody pressed Ctrl-C is none.
    pub fn incident(&mut self, incident: &Incident) -> io::Result<()> {
        if incident.root.is_interrupt() {
            return Ok(());
        }
        let is_known = incident.root.diagnosis.is_some();
        if is_known {
            self.has_known = true;
            self.known_in.clone_from(&incident.seen.file);
        }
        // Where a log ends inside a traceback, below a failure that is known, that is no other one.
        let is_rest =
            incident.root.is_cut() && self.has_known && self.known_in == incident.seen.file;
        if is_rest && matches!(self.state, FormatState::Text(_) | FormatState::Html(_)) {
            return Ok(());
        }
        match incident.root.severity() {
            _ if !is_known => self.counts.unknown += 1,
            Severity::Error => self.counts.errors += 1,
            Severity::Warning => self.counts.warnings += 1,
            Severity::Note => self.counts.notes += 1,
        }
        let is_told = self.options.unknown || is_known;
        let out = &mut self.out;
        match &mut self.state {
            FormatState::Text(state) => text::incident(state, &self.options, incident, out),
            FormatState::Json(count) if is_told => {
                *count += 1;
                let comma = if *count > 1 { "," } else { "" };
                write!(out, "{comma}\n{}", json::any_line(incident))
            }
            FormatState::Jsonl if is_told => {
                // In one piece, so that processes that share a file do not tear each other's lines.
                let mut line = json::any_line(incident);
                line.push('\n');
                out.write_all(line.as_bytes())
            }
            FormatState::Sarif(state) => sarif::incident(state, incident, out),
            FormatState::Html(page) => {
                page.add(incident);
                Ok(())
            }
            FormatState::Github => github::incident(incident, out),
            FormatState::Gnu => gnu::incident(incident, out),
            FormatState::Json(_) | FormatState::Jsonl => Ok(()),
        }
    }

    /// Writes what was kept back for speed.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes what comes last; returns how many incidents there were.
    pub fn end(mut self, read: ReadTotals) -> io::Result<Counts> {
        let out = &mut self.out;
        match self.state {
            FormatState::Text(state) => text::end(state, &self.options, self.counts, read, out)?,
            FormatState::Json(0) => out.write_all(b"]\n")?,
            FormatState::Json(_) => out.write_all(b"\n]\n")?,
            FormatState::Sarif(state) => sarif::end(state, read, out)?,
            FormatState::Html(page) => page.end(&self.options, self.counts, read, out)?,
            FormatState::Jsonl | FormatState::Github | FormatState::Gnu => {}
        }
        self.out.flush()?;
        Ok(self.counts)
    }
}

impl Counts {
    /// Returns how many are to be acted on: notes and what no rule knows are not.
    pub fn found(self) -> u64 {
        self.errors + self.warnings
    }
}

/// A place that a program can go to: the user's own line, or else that of the log.
struct JumpTarget<'a> {
    file: &'a str,
    /// 1-based.
    line: u64,
}

impl<'a> JumpTarget<'a> {
    fn of(incident: &'a Incident) -> Self {
        let frame = incident.root.facts.user_frame.as_ref();
        // A notebook's cell has no file.
        let is_file = |path: &str| !path.is_empty() && !path.contains(['<', '\n']);
        match frame.filter(|f| f.line > 0 && is_file(f.path.as_str())) {
            Some(frame) => Self {
                file: frame.path.as_str(),
                line: frame.line.into(),
            },
            None => Self::in_log(incident),
        }
    }

    /// Returns the line of the log; `-` is the standard input.
    fn in_log(incident: &'a Incident) -> Self {
        Self {
            file: incident.seen.file.as_deref().unwrap_or("-"),
            line: incident.seen.first_line,
        }
    }
}

/// Returns `train.log:212`, the place in the log.
fn log_place(incident: &Incident) -> String {
    let JumpTarget { file, line } = JumpTarget::in_log(incident);
    format!("{file}:{line}")
}

/// Returns `train.py:47`, or nothing; a table has no room for folders.
fn place(incident: &Incident, folder: Option<&Path>) -> String {
    let frame = incident.root.facts.user_frame.as_ref();
    let place = frame.map(|frame| line_of(frame, folder));
    let place = place.unwrap_or_default();
    match place.rfind(['/', '\\']) {
        Some(at) => place[at + 1..].to_owned(),
        None => place,
    }
}

/// Returns the cause and the first way out, with its code.
fn advice(told: &Advice) -> String {
    let mut text = told.cause.clone();
    if let Some(fix) = told.fixes.first() {
        text += "\n\nFix: ";
        text += &fix.text;
        if let Some(code) = &fix.code {
            text += "\n\n";
            text += code;
        }
    }
    text
}

/// Sums up: `2 errors and 1 warning in 14 files; 3 failures that no rule knows`.
fn summary(counts: Counts, read: ReadTotals) -> String {
    let kinds = [
        (counts.errors, "error"),
        (counts.warnings, "warning"),
        (counts.notes, "note"),
    ];
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| Count(*count, name).to_string())
        .collect();
    let unknown = Count(counts.unknown, "failure");
    let found = match kinds.as_slice() {
        [] if counts.unknown > 0 => unknown.to_string(),
        [] => "Nothing that pickfix knows".to_owned(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    };
    let mut text = format!("{found} in {}", Count(read.files, "file"));
    if kinds.is_empty() && counts.unknown > 0 {
        text += ", which no rule knows";
    } else if counts.unknown > 0 {
        let _ = write!(text, "; {unknown} that no rule knows");
    }
    if read.failed > 0 {
        let _ = write!(text, "; {} could not be read", Count(read.failed, "file"));
    }
    // What was taken for pickfix's own is told: any log can imitate that.
    if read.own_lines > 0 {
        let lines = Count(read.own_lines, "line");
        let _ = write!(text, "; {lines} of pickfix's own left out");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_sums_up() {
        let read = ReadTotals {
            files: 1,
            failed: 0,
            bytes: 9,
            own_lines: 0,
        };
        assert_eq!(
            summary(Counts::default(), read),
            "Nothing that pickfix knows in 1 file"
        );
        let own = ReadTotals {
            own_lines: 3,
            ..read
        };
        assert_eq!(
            summary(Counts::default(), own),
            "Nothing that pickfix knows in 1 file; 3 lines of pickfix's own left out"
        );
        let unknown = Counts {
            unknown: 3,
            ..Counts::default()
        };
        assert_eq!(
            summary(unknown, read),
            "3 failures in 1 file, which no rule knows"
        );
        let counts = Counts {
            errors: 2,
            warnings: 1,
            notes: 0,
            unknown: 1200,
        };
        let read = ReadTotals {
            files: 14,
            failed: 1,
            bytes: 9,
            own_lines: 0,
        };
        let with_note = Counts {
            notes: 1,
            unknown: 0,
            ..counts
        };
        assert_eq!(
            summary(with_note, read),
            "2 errors, 1 warning and 1 note in 14 files; 1 file could not be read"
        );
        assert_eq!(
            summary(counts, read),
            "2 errors and 1 warning in 14 files; 1,200 failures that no rule knows; \
             1 file could not be read"
        );
    }
}
