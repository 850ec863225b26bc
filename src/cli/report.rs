//! The file of `--report`: one line of JSON for each incident.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::incident::Incident;
use crate::render::json;

/// The open report.
pub(super) struct ReportFile {
    path: PathBuf,
    to: BufWriter<File>,
    failure: Option<io::Error>,
}

impl ReportFile {
    /// Makes the file, empty; the message says why it cannot be made.
    pub(super) fn create(path: &Path) -> Result<Self, String> {
        let file = File::create(path).map_err(|e| fault(path, &e))?;
        Ok(Self {
            path: path.to_owned(),
            to: BufWriter::new(file),
            failure: None,
        })
    }

    /// Returns the file.
    #[cfg(unix)]
    pub(super) fn file(&self) -> &File {
        self.to.get_ref()
    }

    /// Writes an incident, if a rule knows its root.
    pub(super) fn write(&mut self, incident: &Incident<'_>) {
        if self.failure.is_some() {
            return;
        }
        if let Some(line) = json::line(incident) {
            self.failure = writeln!(self.to, "{line}").err();
        }
    }

    /// Ends the file; the message says what went wrong with it.
    pub(super) fn end(mut self) -> Result<(), String> {
        let written = self.failure.take().map_or_else(|| self.to.flush(), Err);
        written.map_err(|e| format!("--report: {}", fault(&self.path, &e)))
    }
}

fn fault(path: &Path, error: &io::Error) -> String {
    format!("{}: {}", path.display(), crate::input::plain(error))
}
