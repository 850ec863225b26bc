//! The file of `--report`: one line of JSON for each incident.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::file_id::FileId;
use crate::incident::Incident;
use crate::regular;
use crate::render::json;

/// The open report.
pub(super) struct ReportFile {
    path: PathBuf,
    to: BufWriter<File>,
    failure: Option<io::Error>,
}

impl ReportFile {
    /// Makes the file, empty; the message says why it cannot be made. What is read or written
    /// already is left as it is.
    pub(super) fn create(path: &Path, streams: &Streams) -> Result<Self, String> {
        let made = regular::create(path).and_then(|file| {
            streams.keep_apart(path, &file.metadata()?)?;
            file.set_len(0)?;
            Ok(file)
        });
        Ok(Self {
            path: path.to_owned(),
            to: BufWriter::new(made.map_err(|e| fault(path, &e))?),
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

/// What is read and what else is written: nothing of it may become the report.
pub(super) struct Streams {
    files: Vec<FileId>,
    folders: Vec<PathBuf>,
}

impl Streams {
    /// Notes the standard streams and the files and folders that are read.
    pub(super) fn new(inputs: &[OsString]) -> Self {
        let paths = || inputs.iter().map(Path::new);
        Self {
            files: standard()
                .chain(paths().filter_map(FileId::of_regular))
                .collect(),
            folders: paths()
                .filter(|path| path.is_dir())
                .filter_map(|path| path.canonicalize().ok())
                .collect(),
        }
    }

    /// Returns whether a file is one of them.
    pub(super) fn have(&self, path: &Path) -> bool {
        FileId::of_regular(path).is_some_and(|id| self.files.contains(&id))
    }

    /// Refuses a file that is read or written otherwise.
    fn keep_apart(&self, path: &Path, status: &Metadata) -> io::Result<()> {
        if self.have(path) {
            return Err(io::Error::other("is the input or the output too"));
        }
        // A log of a folder that is read; the report of an earlier run is no log.
        let is_read = |path: PathBuf| self.folders.iter().any(|folder| path.starts_with(folder));
        if status.len() > 0 && path.canonicalize().is_ok_and(is_read) && !is_report(path) {
            return Err(io::Error::other(
                "is among the files to be read, and no report of an earlier run",
            ));
        }
        Ok(())
    }
}

/// Returns whether a file begins as a report does.
fn is_report(path: &Path) -> bool {
    use io::Read;
    const START: &[u8] = b"{\"schema\":";
    let mut start = [0; START.len()];
    regular::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok()) && start == START
}

/// Returns those of the standard streams that are files.
#[cfg(unix)]
fn standard() -> impl Iterator<Item = FileId> {
    let ids = [
        FileId::of_open_regular(io::stdin()),
        FileId::of_open_regular(io::stdout()),
        FileId::of_open_regular(io::stderr()),
    ];
    ids.into_iter().flatten()
}

#[cfg(not(unix))]
fn standard() -> impl Iterator<Item = FileId> {
    std::iter::empty()
}

fn fault(path: &Path, error: &io::Error) -> String {
    format!("{}: {}", path.display(), crate::input::plain(error))
}
