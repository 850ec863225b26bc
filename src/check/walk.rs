//! The files that are to be read: those that were named, and those of folders that were.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use walkdir::{DirEntry, WalkDir};

use super::STDIN;
use super::job::{Member, natural};
use crate::file_id::FileId;
use crate::input::FileError;

/// A file to be read.
#[derive(Debug)]
pub(super) struct Item {
    /// Where it is; `None` is the standard input.
    pub(super) path: Option<PathBuf>,
    /// Its name in reports.
    pub(super) name: String,
    /// The job that it belongs to.
    pub(super) member: Member,
    /// Whether it was found in a folder, and so may be no log at all.
    pub(super) is_found: bool,
}

/// The files that the report goes into: reading them would be reading what is being written.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    ids: Vec<FileId>,
}

impl Outputs {
    /// Adds an open file.
    #[cfg(unix)]
    pub fn add(&mut self, file: impl std::os::fd::AsFd) {
        self.ids.extend(FileId::of_open_regular(file));
    }

    /// Returns whether a file is one of them.
    fn are(&self, path: &Path) -> bool {
        !self.ids.is_empty() && FileId::of_regular(path).is_some_and(|id| self.ids.contains(&id))
    }
}

/// Patterns of names, `--glob`: those that count, and with `!` those that do not.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    wanted: Option<GlobSet>,
    unwanted: Option<GlobSet>,
}

impl Globs {
    /// Reads patterns; one without `/` is matched with the last part of a path. The message says
    /// what is wrong with one.
    pub fn new(patterns: &[String]) -> Result<Self, String> {
        let set = |negated: bool| -> Result<Option<GlobSet>, String> {
            let chosen = patterns.iter().filter(|p| p.starts_with('!') == negated);
            let mut set = GlobSetBuilder::new();
            let mut count = 0;
            for pattern in chosen {
                let text = pattern.trim_start_matches('!');
                let text = if text.contains('/') {
                    text.to_owned()
                } else {
                    format!("**/{text}")
                };
                let glob = GlobBuilder::new(&text).literal_separator(true).build();
                let fault = |e: globset::Error| format!("--glob {pattern}: {}", e.kind());
                set.add(glob.map_err(fault)?);
                count += 1;
            }
            let set = set.build().map_err(|e| format!("--glob: {e}"))?;
            Ok((count > 0).then_some(set))
        };
        Ok(Self {
            wanted: set(false)?,
            unwanted: set(true)?,
        })
    }

    /// Returns whether a file counts, by where it is in the folder.
    fn let_through(&self, path: &Path, folder: &Path) -> bool {
        if self.wanted.is_none() && self.unwanted.is_none() {
            return true;
        }
        let path = path.strip_prefix(folder).unwrap_or(path);
        self.wanted.as_ref().is_none_or(|set| set.is_match(path))
            && !self.unwanted.as_ref().is_some_and(|set| set.is_match(path))
    }
}

/// Returns all files, one argument after the other; those of a folder sorted by name, numbers by
/// value, and those of a job behind each other.
pub(super) fn walk<'a>(
    paths: &'a [OsString],
    globs: &'a Globs,
    outputs: &'a Outputs,
) -> impl Iterator<Item = Result<Item, FileError>> + Send + 'a {
    paths
        .iter()
        .flat_map(move |path| -> Box<dyn Iterator<Item = _> + Send> {
            if path == STDIN {
                return Box::new(std::iter::once(Ok(Item {
                    path: None,
                    name: STDIN.to_owned(),
                    member: Member::default(),
                    is_found: false,
                })));
            }
            let path = Path::new(path);
            if path.is_dir() {
                Box::new(folder(path, globs, outputs))
            } else if outputs.are(path) {
                Box::new(std::iter::once(Err(FileError {
                    name: path.display().to_string(),
                    error: std::io::Error::other("is where the report goes"),
                })))
            } else {
                Box::new(std::iter::once(Ok(Item::new(path.to_owned(), false))))
            }
        })
}

fn folder<'a>(
    root: &'a Path,
    globs: &'a Globs,
    outputs: &'a Outputs,
) -> impl Iterator<Item = Result<Item, FileError>> + Send + 'a {
    // Links to folders are not followed, so that no loop can be.
    let entries = WalkDir::new(root)
        .follow_root_links(true)
        .sort_by(|a, b| {
            // Files before folders, so that those of a job stand together. Their paths differ in their
            // names alone, which would have to be looked for first.
            is_folder(a)
                .cmp(&is_folder(b))
                .then_with(|| natural(path_bytes(a), path_bytes(b)))
        })
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry));
    let real_root = fs::canonicalize(root).ok();
    entries.filter_map(move |entry| match entry {
        Ok(entry) => {
            let kind = entry.file_type();
            let is_file = kind.is_file()
                || kind.is_symlink() && leads_elsewhere(entry.path(), real_root.as_deref());
            let is_wanted =
                is_file && globs.let_through(entry.path(), root) && !outputs.are(entry.path());
            is_wanted.then(|| Ok(Item::new(entry.into_path(), true)))
        }
        Err(error) => Some(Err(FileError {
            name: error.path().unwrap_or(root).display().to_string(),
            error: error
                .into_io_error()
                .unwrap_or_else(|| std::io::Error::other("a link that leads to itself")),
        })),
    })
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_dir()
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

fn path_bytes(entry: &DirEntry) -> &[u8] {
    entry.path().as_os_str().as_encoded_bytes()
}

/// Returns whether a link leads to a file that is not read anyway, as `latest.log` beside `run3.log` is.
fn leads_elsewhere(link: &Path, root: Option<&Path>) -> bool {
    let Ok(target) = fs::canonicalize(link) else {
        return false;
    };
    target.is_file() && !root.is_some_and(|root| target.starts_with(root))
}

impl Item {
    fn new(path: PathBuf, is_found: bool) -> Self {
        let is_here = path.as_os_str().as_encoded_bytes().starts_with(b"./");
        let here = if is_here { "./" } else { "" };
        let shown = path.strip_prefix(here).unwrap_or(&path);
        Self {
            name: shown.to_string_lossy().into_owned(),
            member: Member::of(shown),
            path: Some(path),
            is_found,
        }
    }
}
