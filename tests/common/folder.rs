//! Folders for tests.

use std::fs;
use std::path::{Path, PathBuf};

/// Makes an empty folder with this path below cargo's own for tests; each test needs another one.
pub(crate) fn empty(path: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(path);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// The same, where the search for settings ends, whatever lies above.
pub(crate) fn with_settings(path: &str) -> PathBuf {
    let folder = empty(path);
    fs::write(folder.join("pickfix.toml"), "").expect("it can be written");
    folder
}
