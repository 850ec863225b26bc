//! Which files may be read, and how they are opened.
//!
//! A file is named by its path below a root and is opened folder by folder, so that neither `..`
//! nor a symbolic link leads out of the root. Only regular `.py` files are read.

use std::cell::{Cell, OnceCell};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// The largest file that is read, in bytes. The parser needs 50 to 160 times as much for a moment.
const MAX_FILE: u64 = 512 * 1024;
/// The most files that one search reads.
const MAX_FILES: u32 = 200;
/// The most that one search reads, in bytes.
const MAX_BYTES: u64 = 5 * 1024 * 1024;

/// The most entries of a folder that are looked at.
const MAX_ENTRIES: usize = 1_000;
/// The most scripts in a folder that are searched for one that no traceback names.
const MAX_SCRIPTS: usize = 30;

/// A folder below which source may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The folder on this machine.
    pub local: PathBuf,
    /// How the traceback spells that folder, where that differs.
    pub recorded: Option<String>,
}

/// The files below some roots, as far as limits allow.
#[derive(Debug)]
pub(super) struct Files {
    roots: Vec<Root>,
    /// The folders of the roots without links, found when a path asks for them.
    real: Vec<OnceCell<Option<PathBuf>>>,
    /// The folder that relative paths start from.
    here: PathBuf,
    count: Cell<u32>,
    bytes: Cell<u64>,
}

/// A file below a root: a root by index and the names that lead from it to the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Spot {
    root: usize,
    names: Vec<String>,
}

impl Files {
    /// Makes the files below these roots; paths that do not start at `/` start at `here`.
    pub(super) fn new(roots: Vec<Root>, here: PathBuf) -> Self {
        Self {
            real: vec![OnceCell::new(); roots.len()],
            roots,
            here,
            count: Cell::new(0),
            bytes: Cell::new(0),
        }
    }

    /// Returns the spots that a path in a traceback can mean.
    pub(super) fn spots(&self, printed: &str) -> Vec<Spot> {
        let mut spots = Vec::new();
        for (root, at) in self.roots.iter().enumerate() {
            let below = if let Some(recorded) = &at.recorded {
                let slashes = printed.replace('\\', "/");
                let recorded = recorded.replace('\\', "/");
                let recorded = recorded.trim_end_matches('/');
                let rest = slashes.strip_prefix(recorded).map(|r| r.strip_prefix('/'));
                match rest {
                    Some(Some(rest)) => Some(PathBuf::from(rest)),
                    _ => None,
                }
            } else {
                let path = Path::new(printed);
                let path = if path.is_absolute() {
                    path.to_path_buf()
                } else {
                    self.here.join(path)
                };
                below(&path, &at.local, || {
                    let real = self.real[root].get_or_init(|| at.local.canonicalize().ok());
                    real.as_deref()
                })
            };
            let names = below.and_then(|b| plain_names(&b));
            if let Some(names) = names.filter(|n| !n.is_empty()) {
                spots.push(Spot { root, names });
            }
        }
        spots
    }

    /// Returns the folder of a spot; itself a spot without a file.
    pub(super) fn folder(spot: &Spot) -> Spot {
        let mut names = spot.names.clone();
        names.pop();
        Spot {
            root: spot.root,
            names,
        }
    }

    /// Returns the spots of all roots' own folders.
    pub(super) fn root_folders(&self) -> Vec<Spot> {
        let all = 0..self.roots.len();
        all.map(|root| Spot {
            root,
            names: Vec::new(),
        })
        .collect()
    }

    /// Returns the spots of the `.py` files in the roots' own folders; none where there are many.
    pub(super) fn scripts(&self) -> Vec<Spot> {
        let mut found = Vec::new();
        for (root, at) in self.roots.iter().enumerate() {
            let Ok(entries) = std::fs::read_dir(&at.local) else {
                continue;
            };
            for entry in entries.take(MAX_ENTRIES).flatten() {
                let name = entry.file_name().into_string().unwrap_or_default();
                if name.ends_with(".py") {
                    let names = vec![name];
                    found.push(Spot { root, names });
                }
            }
        }
        if found.len() > MAX_SCRIPTS {
            return Vec::new();
        }
        found.sort_by(|a, b| a.names.cmp(&b.names));
        found
    }

    /// Returns the spot of a file in, or below, a folder; `None` for names that are none.
    pub(super) fn within(folder: &Spot, names: &[&str]) -> Option<Spot> {
        let mut all = folder.names.clone();
        for name in names {
            if name.is_empty() || name.contains(['/', '\\', '\0']) || matches!(*name, "." | "..") {
                return None;
            }
            all.push((*name).to_owned());
        }
        Some(Spot {
            root: folder.root,
            names: all,
        })
    }

    /// Returns the path of a spot on this machine.
    pub(super) fn path(&self, spot: &Spot) -> PathBuf {
        let mut path = self.roots[spot.root].local.clone();
        path.extend(&spot.names);
        path
    }

    /// Returns the path as a reader knows it: from the current folder on where it is below that.
    pub(super) fn shown(&self, spot: &Spot) -> String {
        let path = self.path(spot);
        let below = below(&path, &self.here, || self.here.canonicalize().ok());
        below.unwrap_or(path).display().to_string()
    }

    /// Reads a file; `None` if it is none that may be read, or the limits are reached.
    pub(super) fn read(&self, spot: &Spot) -> Option<String> {
        let name = spot.names.last()?;
        if !name.ends_with(".py") || self.count.get() >= MAX_FILES {
            return None;
        }
        let file = open(&self.roots[spot.root].local, &spot.names)?;
        let about = file.metadata().ok()?;
        let size = about.len();
        if !about.is_file() || size > MAX_FILE || self.bytes.get() + size > MAX_BYTES {
            return None;
        }
        self.count.set(self.count.get() + 1);
        let mut bytes = Vec::new();
        file.take(MAX_FILE).read_to_end(&mut bytes).ok()?;
        self.bytes.set(self.bytes.get() + bytes.len() as u64);
        if bytes.contains(&0) {
            return None;
        }
        // What is no UTF-8 is not changed by a patch either: see `patch`.
        Some(
            String::from_utf8(bytes)
                .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
        )
    }
}

/// Returns what of a path is below a folder, by its letters or by those of the folder without links.
fn below<P: AsRef<Path>>(
    path: &Path,
    folder: &Path,
    real: impl FnOnce() -> Option<P>,
) -> Option<PathBuf> {
    let rest = path.strip_prefix(folder).ok();
    let rest = rest.or_else(|| path.strip_prefix(real()?).ok());
    rest.map(Path::to_path_buf)
}

/// Returns the names of a relative path; `None` if one of them is `..`.
fn plain_names(path: &Path) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name.to_str()?.to_owned()),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(names)
}

/// Opens a file below a folder without following a link.
#[cfg(unix)]
fn open(root: &Path, names: &[String]) -> Option<std::fs::File> {
    use rustix::fs::{Mode, OFlags, openat};
    let folder_flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut at = rustix::fs::open(root, folder_flags, Mode::empty()).ok()?;
    let (name, folders) = names.split_last()?;
    for folder in folders {
        let flags = folder_flags | OFlags::NOFOLLOW;
        at = openat(&at, folder.as_str(), flags, Mode::empty()).ok()?;
    }
    // Without NONBLOCK the opening of a FIFO would wait for a writer.
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(&at, name.as_str(), flags, Mode::empty()).ok()?;
    Some(std::fs::File::from(file))
}

/// Opens a file below a folder; a link anywhere below it is refused.
#[cfg(not(unix))]
fn open(root: &Path, names: &[String]) -> Option<std::fs::File> {
    let mut path = root.to_path_buf();
    for name in names {
        path.push(name);
        let about = std::fs::symlink_metadata(&path).ok()?;
        if about.file_type().is_symlink() {
            return None;
        }
    }
    std::fs::metadata(&path)
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    std::fs::File::open(&path).ok()
}
