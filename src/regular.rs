//! Regular files, and nothing else: what is opened here never waits for the other end of a FIFO,
//! and no endless device is read.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file to read it; a link is followed.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    opened(OpenOptions::new().read(true), path)
}

/// Opens a regular file to write it, and makes it where there is none. What is in it stays.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    opened(OpenOptions::new().write(true).create(true), path)
}

/// The most that is read of a file at once, in bytes.
pub(crate) const MOST_AT_ONCE: u64 = 256 * 1024 * 1024;

/// Reads a log as far as [`MOST_AT_ONCE`] goes: a regular file, or the standard input for `-`.
pub(crate) fn read_log(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let stdin = io::stdin().lock();
        stdin.take(MOST_AT_ONCE).read_to_end(&mut bytes)?;
    } else {
        open(path)?.take(MOST_AT_ONCE).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Reads a regular file of text, of at most so many bytes.
pub(crate) fn read_to_string(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    let read = open(path)?.take(most + 1).read_to_string(&mut text)?;
    if read as u64 > most {
        return Err(io::Error::other(format!("is larger than {most} bytes")));
    }
    Ok(text)
}

fn opened(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path);
    #[cfg(unix)]
    if matches!(&file, Err(e) if e.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())) {
        // A FIFO that nobody reads, a socket.
        return Err(io::Error::other("is no regular file"));
    }
    let file = file?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("is no regular file"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_large_is_refused_whole() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let len = std::fs::metadata(&path).unwrap().len();
        assert!(read_to_string(&path, len).is_ok());
        let error = read_to_string(&path, len - 1).unwrap_err();
        assert!(error.to_string().starts_with("is larger than"), "{error}");
    }

    #[test]
    fn folders_and_devices_are_refused() {
        for path in ["/", "/dev/null", "/dev/zero"].map(Path::new) {
            if path.exists() {
                assert!(open(path).is_err() && create(path).is_err(), "{path:?}");
            }
        }
    }
}
