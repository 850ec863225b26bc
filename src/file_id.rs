//! What tells a file from all others, whatever it is called.

use std::fs::Metadata;
use std::path::Path;

/// What tells a file from others: on Unix its device and its number there, elsewhere its path without links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileId(Id);

#[cfg(unix)]
type Id = (u64, u64);
#[cfg(not(unix))]
type Id = std::path::PathBuf;

impl FileId {
    /// Returns that of the file with this path and this status.
    #[cfg(unix)]
    pub(crate) fn of(_: &Path, status: &Metadata) -> Self {
        on_unix::of(status)
    }

    /// Returns that of the file with this path and this status.
    #[cfg(not(unix))]
    pub(crate) fn of(path: &Path, _: &Metadata) -> Self {
        Self(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }

    /// Returns that of a regular file; none of a terminal or a device, which may well be read and written.
    pub(crate) fn of_regular(path: &Path) -> Option<Self> {
        let status = path.metadata().ok().filter(Metadata::is_file)?;
        Some(Self::of(path, &status))
    }
}

#[cfg(unix)]
mod on_unix {
    use std::fs::Metadata;
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    use std::{fmt, io};

    use rustix::fs::{FileType, Stat, fstat};

    use super::FileId;

    pub(super) fn of(status: &Metadata) -> FileId {
        FileId((status.dev(), status.ino()))
    }

    impl FileId {
        /// Returns that of an open file, pipe or terminal.
        pub(crate) fn of_open(file: impl AsFd) -> io::Result<Self> {
            Ok(of_status(&fstat(file)?))
        }

        /// Returns that of an open file if it is a regular one.
        pub(crate) fn of_open_regular(file: impl AsFd) -> Option<Self> {
            let status = fstat(file).ok()?;
            let is_regular = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
            is_regular.then(|| of_status(&status))
        }
    }

    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_sign_loss,
        reason = "i32 on macOS"
    )]
    fn of_status(status: &Stat) -> FileId {
        FileId((status.st_dev as u64, status.st_ino as u64))
    }

    impl fmt::Display for FileId {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let (device, number) = self.0;
            write!(f, "{device}:{number}")
        }
    }
}
