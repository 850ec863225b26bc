//! Where bytes come from: standard input and FILE arguments, as a sequence of [`Event`]s.
//!
//! ```text
//! NextFile("a.log") Bytes … NextFile("b.log") Bytes … Quiet … Bytes … Eof
//! ```
//!
//! One `read` is one [`Event::Bytes`]. To add an input, add a way to open it in [`Input`]; the
//! rest of the program sees only the trait [`Source`].

mod clock;
#[cfg(unix)]
mod fd;
mod patience;
pub mod scripted;
#[cfg(not(unix))]
mod thread;

pub use clock::Clock;
#[cfg(unix)]
pub use fd::Input;
#[cfg(unix)]
pub(crate) use patience::Patience;
#[cfg(not(unix))]
pub use thread::Input;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::time::Duration;

/// How much one read asks for, in bytes: a busy pipe that was widened gives so much at once.
pub const READ_SIZE: usize = 256 * 1024;

/// Something that events come from.
pub trait Source {
    /// Waits for the next event; with [`Wait::AtMost`] no longer than that, and then returns
    /// [`Event::Quiet`]. What was lent before is overwritten.
    fn next(&mut self, wait: Wait) -> io::Result<Event<'_>>;

    /// Returns the clock of this source, which can be asked while an event is held.
    fn clock(&self) -> Clock;
}

/// How long [`Source::next`] may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Until something happens.
    Forever,
    /// Until nothing has been readable for this long.
    AtMost(Duration),
}

/// What can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// One read brought these bytes; never empty.
    Bytes(&'a [u8]),
    /// These bytes are a full-screen program's: they go through, and nothing may be written beside
    /// them until other bytes come.
    Drawing(&'a [u8]),
    /// This line is told of the program that writes, and is not among what it wrote: it is read as
    /// if it came next, and never written. It has no newline.
    Aside(&'a [u8]),
    /// The screen that the output goes to has another size.
    Resized {
        /// Its columns.
        columns: u16,
        /// Its lines.
        rows: u16,
    },
    /// Nothing was readable for as long as the caller wanted to wait.
    Quiet,
    /// What was read so far has ended, and this FILE begins (`-` is standard input). It also
    /// stands before the first byte of all.
    NextFile(&'a str),
    /// The end of all input; every later event is this one too.
    Eof,
    /// The user or the system wants an end: finish what is open, write what must be written, and
    /// end by this signal.
    Stopped(Signal),
}

/// A signal that ends the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGHUP: the terminal is gone.
    Hangup,
    /// SIGINT: the second Ctrl-C on a pipe that stays open, or any on a file or a terminal.
    Interrupt,
    /// SIGPIPE: nobody reads the output any more. It comes from the output, never from a source.
    Pipe,
    /// SIGTERM.
    Terminate,
}

/// A FILE that could not be read, or not to its end; the others still are.
#[derive(Debug)]
pub struct FileError {
    /// The name as it was given; `-` is standard input.
    pub name: String,
    /// What the system says about it.
    pub error: io::Error,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.name.as_str() {
            "-" => "standard input",
            name => name,
        };
        write!(f, "{name}: {}", plain(&self.error))
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Returns an I/O error as other Unix tools word it: without Rust's `(os error 2)`.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Returns the FILE arguments as they were typed; without any it is standard input.
fn or_stdin(mut names: Vec<OsString>) -> Vec<OsString> {
    if names.is_empty() {
        names.push("-".into());
    }
    names
}

/// What is called for each FILE that cannot be read.
pub type OnError = Box<dyn FnMut(FileError)>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_file_is_told_in_the_words_of_other_tools() {
        let missing = FileError {
            name: "train.log".to_owned(),
            error: std::fs::File::open("/no/such/file").unwrap_err(),
        };
        assert_eq!(missing.to_string(), "train.log: No such file or directory");
    }
}
