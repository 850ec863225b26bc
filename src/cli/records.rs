//! What is kept of the failures of a run: the report, and the file that `last` and `fix` read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::report::{ReportFile, Streams};
use super::resolve::FilterSettings;
use crate::incident::Incident;
use crate::object::Patch;
use crate::render::card::Card;
use crate::render::json;
use crate::state::{self, Recording};

/// What is kept of the failures of a run.
pub(super) struct Records {
    report: Option<ReportFile>,
    last: Option<(PathBuf, Recording)>,
    /// The folder that files are named from.
    folder: Option<Arc<Path>>,
}

impl Records {
    /// Begins with nothing; the message says why the report cannot be made. A state file that is
    /// read or written otherwise, or that cannot be written, is taken out of the settings.
    pub(super) fn begin(settings: &mut FilterSettings) -> Result<Self, String> {
        let folder = std::env::current_dir().unwrap_or_default();
        let streams = Streams::new(&settings.files);
        let origins = &settings.selection.origins;
        let report = super::report(settings.report.as_deref(), &streams, origins)?;
        settings
            .state
            .take_if(|path| streams.have(path) || !state::is_writable(path));
        let state = settings.state.clone();
        Ok(Self {
            report,
            last: state.map(|state| (state, Recording::new(folder))),
            folder: settings.annotator.folder.clone(),
        })
    }

    /// Returns whether there is a report.
    pub(super) fn has_report(&self) -> bool {
        self.report.is_some()
    }

    /// Takes an incident.
    pub(super) fn take(&mut self, incident: &Incident) {
        if let Some(report) = &mut self.report {
            report.write(incident);
        }
        if let Some((_, run)) = &mut self.last
            && !run.is_full()
            && let Some(line) = json::line(incident)
        {
            let card = Card::new(&incident.root, self.folder.as_deref());
            run.push(line, patch(incident), &card);
        }
    }

    /// Writes what is to be kept; the message says what went wrong with the report.
    pub(super) fn end(self) -> Result<(), String> {
        if let Some((path, run)) = &self.last {
            // Nobody asked for it: where it cannot be kept, `fix` says so.
            let _ = run.write(path);
        }
        self.report.map_or(Ok(()), ReportFile::end)
    }
}

/// Returns the change that fixes an incident, or why there is none.
fn patch(incident: &Incident) -> Result<Patch, Option<String>> {
    let diagnosis = incident.root.diagnosis.as_ref();
    let object = diagnosis.and_then(|d| d.object.as_ref()).ok_or(None)?;
    let patch = object.change.as_ref().and_then(|c| c.patch.clone());
    patch.ok_or_else(|| object.why_not())
}
