//! What the last run found: one file in the user's state folder, for commands that come after it.
//!
//! The file is JSON lines. The first tells the form and the folder of the run; each other line is
//! an incident as `--report` writes it, with the change of the program that would fix it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::object::Patch;
use crate::regular;

/// The version of the form.
const SCHEMA: u32 = 1;
/// The most that the file holds, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// What a run found, as it was read from the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LastRun {
    /// The folder that it ran in.
    pub folder: PathBuf,
    /// Its failures, the first one first.
    pub found: Vec<LastFailure>,
}

/// One failure of a run: a line of the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct LastFailure {
    /// The incident as `--report` writes it.
    pub incident: Value,
    /// The change that would fix it.
    pub patch: Option<Patch>,
    /// Why there is none, where that is known.
    #[serde(default)]
    pub refusal: Option<String>,
    /// What its annotation says.
    #[serde(default)]
    pub card: Value,
}

/// A failure on its way into the file.
#[derive(Serialize)]
struct NewFailure<'f, C> {
    incident: &'f RawValue,
    patch: Option<Patch>,
    refusal: Option<String>,
    card: &'f C,
}

#[derive(Serialize, Deserialize)]
struct RunHead {
    schema: u32,
    folder: PathBuf,
}

/// What a run has found so far: the text of the file.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    text: String,
    /// The bytes of the first line; the file holds nothing if there is no other.
    head: usize,
    is_full: bool,
}

impl Recording {
    /// Begins a run in a folder.
    pub(crate) fn new(folder: PathBuf) -> Self {
        let head = RunHead {
            schema: SCHEMA,
            folder,
        };
        // A path that is no Unicode cannot be written: then nothing is kept.
        let text = serde_json::to_string(&head).map(|text| text + "\n");
        let text = text.unwrap_or_default();
        Self {
            head: text.len(),
            is_full: text.is_empty(),
            text,
        }
    }

    /// Returns whether a failure did not fit any more: those behind it are not kept either.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Adds a failure by its line of JSON, with the change that would fix it or why there is none,
    /// and with what its annotation says.
    pub(crate) fn push(
        &mut self,
        line: String,
        patch: Result<Patch, Option<String>>,
        card: &impl Serialize,
    ) {
        let Ok(incident) = RawValue::from_string(line) else {
            return;
        };
        let (patch, refusal) = match patch {
            Ok(patch) => (Some(patch), None),
            Err(why) => (None, why),
        };
        let new = NewFailure {
            incident: &incident,
            patch,
            refusal,
            card,
        };
        let Ok(line) = serde_json::to_string(&new) else {
            return;
        };
        self.is_full |= self.text.len() + line.len() + 1 > MAX_BYTES;
        if !self.is_full {
            self.text += &line;
            self.text.push('\n');
        }
    }

    /// Writes the file, for its owner alone; a run without a failure takes the one before away.
    ///
    /// # Errors
    /// Where the folder cannot be made or the file cannot be written.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        if self.text.len() == self.head {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        make_folder(folder)?;
        let new = path.with_extension(format!("{}.new", std::process::id()));
        let written = private(&new).and_then(|mut file| file.write_all(self.text.as_bytes()));
        written
            .and_then(|()| fs::rename(&new, path))
            .inspect_err(|_| {
                let _ = fs::remove_file(&new);
            })
    }
}

impl LastRun {
    /// Reads the file; `None` if there is none, or it cannot be understood.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        if !fs::symlink_metadata(path).ok()?.is_file() {
            return None;
        }
        let file = regular::open(path).ok()?.take(MAX_BYTES as u64);
        let mut lines = BufReader::new(file).lines();
        let head: RunHead = serde_json::from_str(&lines.next()?.ok()?).ok()?;
        if head.schema != SCHEMA {
            return None;
        }
        let found = lines.map(|line| serde_json::from_str(&line.ok()?).ok());
        Some(Self {
            folder: head.folder,
            found: found.collect::<Option<_>>()?,
        })
    }
}

/// Returns whether the file could be written: by its folder, or what there is of the way to it.
#[cfg(unix)]
pub(crate) fn is_writable(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    use rustix::io::Errno;
    let may = |folder: &Path| access(folder, Access::WRITE_OK | Access::EXEC_OK);
    let mut ways = path.ancestors().skip(1).map(may);
    ways.find(|may| *may != Err(Errno::NOENT)) == Some(Ok(()))
}

/// Returns whether the file could be written, as far as that can be told.
#[cfg(not(unix))]
pub(crate) fn is_writable(_: &Path) -> bool {
    true
}

/// Makes a file that nobody else can read, and that was not there before.
#[cfg(unix)]
pub(crate) fn private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
pub(crate) fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(unix)]
fn make_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

#[cfg(not(unix))]
fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::object::{Edit, Fingerprint};

    #[cfg(target_os = "linux")]
    #[test]
    fn only_what_can_be_made_can_be_written() {
        let folder = std::env::temp_dir();
        assert!(is_writable(&folder.join("last.jsonl")));
        assert!(is_writable(&folder.join("pickfix-none/below/last.jsonl")));
        assert!(!is_writable(Path::new("/proc/self/status/last.jsonl")));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = std::env::temp_dir().join(format!("pickfix-state-{}", std::process::id()));
        let path = folder.join("last.jsonl");
        let mut run = Recording::new(PathBuf::from("/home/user/project"));
        let patch = Patch {
            path: PathBuf::from("/home/user/project/a.py"),
            shown: "a.py".to_owned(),
            of: Fingerprint::of("x = 1\n"),
            edits: vec![Edit {
                start: 0,
                end: 1,
                text: "y".to_owned(),
            }],
        };
        let (lock, killed) = (
            json!({"id": "unpicklable-lock"}),
            json!({"id": "worker-killed"}),
        );
        run.push(lock.to_string(), Ok(patch.clone()), &"card");
        let why = "the class has slots".to_owned();
        run.push(killed.to_string(), Err(Some(why.clone())), &());
        run.write(&path).unwrap();
        let read = LastRun::read(&path).unwrap();
        assert_eq!(read.folder, Path::new("/home/user/project"));
        let failure = |incident, patch, refusal, card| LastFailure {
            incident,
            patch,
            refusal,
            card,
        };
        let first = failure(lock, Some(patch), None, json!("card"));
        let second = failure(killed, None, Some(why), Value::Null);
        assert_eq!(read.found, [first, second]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        Recording::new(read.folder).write(&path).unwrap();
        assert_eq!(LastRun::read(&path), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn of_many_failures_no_more_is_kept_than_the_file_holds() {
        let mut run = Recording::new(PathBuf::from("/"));
        let line = format!("\"{}\"", "x".repeat(1000));
        for _ in 0..2_000 {
            run.push(line.clone(), Err(None), &());
        }
        assert!(run.is_full() && run.text.len() <= MAX_BYTES);
        assert!(run.text.len() > MAX_BYTES - 2 * line.len());
    }
}
