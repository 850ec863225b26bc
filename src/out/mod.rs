//! The only writer of the stream: what came in goes out as it is, and annotations between lines.

mod colour;
mod stdout;
mod unfinished;

pub use stdout::Stdout;

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use colour::OpenColours;
use unfinished::Unfinished;

use crate::history::{HISTORY_BYTES, History};

/// Writes the stream, unbuffered, and knows where in it the next byte would stand.
#[derive(Debug)]
pub struct Out<W> {
    to: W,
    /// What was written of the input. The reader keeps such a buffer of its own (`position`): it runs
    /// ahead of what is written inside a chunk, and begins again with each FILE, of which a colour
    /// that is still on takes no notice.
    passed: History,
    /// Whether an annotation stands at the end of what was written.
    is_annotated: bool,
    blocked: Duration,
    terminal: Option<Terminal>,
}

/// The terminal that the stream is drawn on, where it is known.
#[derive(Clone, Copy, Debug)]
struct Terminal {
    columns: usize,
    line_end: LineEnd,
}

/// What ends a line of pickfix's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`.
    Newline,
    /// `\r\n`: the terminal is raw.
    Raw,
}

/// Why the output cannot be written any more.
#[derive(Debug)]
pub enum OutError {
    /// Nobody reads it: `pickfix | head` has what it wanted. No fault, and no message.
    Closed,
    /// The disk is full, the terminal is gone, …
    Failed(io::Error),
}

impl fmt::Display for OutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the output is closed"),
            Self::Failed(error) => {
                write!(f, "cannot write the output: {}", crate::input::plain(error))
            }
        }
    }
}

impl Error for OutError {}

impl<W: Write> Out<W> {
    /// Starts at the start of a line, with no colour on. The writer must not buffer.
    pub fn new(to: W) -> Self {
        Self {
            to,
            passed: History::default(),
            is_annotated: false,
            blocked: Duration::ZERO,
            terminal: None,
        }
    }

    /// Writes to a terminal of so many columns: annotations go above an unfinished line that can be
    /// drawn again.
    #[must_use]
    pub fn on_terminal(self, columns: u16, line_end: LineEnd) -> Self {
        Self {
            terminal: Some(Terminal {
                columns: columns.into(),
                line_end,
            }),
            ..self
        }
    }

    /// Goes on with a terminal of so many columns.
    pub fn resize(&mut self, columns: u16) {
        if let Some(terminal) = &mut self.terminal {
            terminal.columns = columns.into();
        }
    }

    /// Writes what a full-screen program draws: it leaves the lines and colours as they were.
    pub fn forward_drawing(&mut self, bytes: &[u8]) -> Result<(), OutError> {
        self.write(bytes)
    }

    /// Writes bytes of the input, all of them, before it returns.
    pub fn forward(&mut self, bytes: &[u8]) -> Result<(), OutError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.write(bytes)?;
        self.passed.push(bytes);
        self.is_annotated = false;
        Ok(())
    }

    /// Writes an annotation: whole lines, with the newline of the last. Inside an unfinished line
    /// it brings a newline of its own first, so ask [`is_at_line_start`](Self::is_at_line_start)
    /// before the text is made: its first line must say so. Where colour is on and the block brings
    /// its own, it is switched off before the block and on again at the end of the block's last
    /// line; a block without colour is written as it is.
    pub fn annotate(&mut self, block: &[u8]) -> Result<(), OutError> {
        let Some(lines) = block.strip_suffix(b"\n") else {
            debug_assert!(block.is_empty(), "an annotation ends with a newline");
            return Ok(());
        };
        let colour = if lines.contains(&0x1b) {
            self.colour()
        } else {
            OpenColours::default()
        };
        // With room for what begins and ends it, and for line ends of two bytes.
        let mut text = Vec::with_capacity(lines.len() + 64);
        let unfinished = self.unfinished();
        if unfinished.is_some() {
            text.extend_from_slice(b"\r\x1b[2K");
        } else if !self.is_at_line_start() {
            self.end_line(&mut text);
        }
        if colour.is_on() {
            text.extend_from_slice(b"\x1b[0m");
        }
        for (number, line) in lines.split(|byte| *byte == b'\n').enumerate() {
            if number > 0 {
                self.end_line(&mut text);
            }
            text.extend_from_slice(line);
        }
        let Some(Unfinished { before, text: line }) = unfinished else {
            colour.write_to(&mut text);
            self.end_line(&mut text);
            self.write(&text)?;
            self.is_annotated = true;
            return Ok(());
        };
        self.end_line(&mut text);
        OpenColours::at_end_of(before).write_to(&mut text);
        text.extend_from_slice(line);
        self.write(&text)
    }

    /// Returns whether an annotation here begins on a line of its own: at the start of one, or
    /// above an unfinished one that is drawn again.
    pub fn has_place(&self) -> bool {
        self.is_at_line_start() || self.unfinished().is_some()
    }

    /// Returns the unfinished line, if it can be drawn again.
    fn unfinished(&self) -> Option<Unfinished<'_>> {
        let terminal = self.terminal.filter(|_| !self.is_annotated)?;
        let passed = self.passed.bytes();
        let is_all = passed.len() < HISTORY_BYTES;
        Unfinished::at_end_of(passed, is_all, terminal.columns)
    }

    fn end_line(&self, text: &mut Vec<u8>) {
        let is_raw = self.terminal.is_some_and(|t| t.line_end == LineEnd::Raw);
        text.extend_from_slice(if is_raw { b"\r\n" } else { b"\n" });
    }

    /// Returns whether the next byte would be the first of its line.
    pub fn is_at_line_start(&self) -> bool {
        self.is_annotated || matches!(self.passed.bytes(), [] | [.., b'\n'])
    }

    /// Returns whether the input has switched a colour or style on and not off again, as far as
    /// its last 16 KiB show.
    pub fn is_colour_open(&self) -> bool {
        self.colour().is_on()
    }

    fn colour(&self) -> OpenColours<'_> {
        OpenColours::at_end_of(self.passed.bytes())
    }

    /// Returns how long all writes have taken, a slow reader's time included.
    pub fn blocked(&self) -> Duration {
        self.blocked
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), OutError> {
        let start = Instant::now();
        let result = write_all(&mut self.to, bytes);
        self.blocked += start.elapsed();
        result
    }
}

/// Writes all of it, in as many writes as it takes.
fn write_all(to: &mut impl Write, mut bytes: &[u8]) -> Result<(), OutError> {
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(0) => return Err(OutError::Failed(io::ErrorKind::WriteZero.into())),
            Ok(count) => bytes = &bytes[count..],
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::BrokenPipe => return Err(OutError::Closed),
                _ => return Err(OutError::Failed(error)),
            },
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that takes at most three bytes, and is interrupted before each of them.
    #[derive(Default)]
    struct Reluctant {
        taken: Vec<u8>,
        interrupted: bool,
    }

    impl Write for Reluctant {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.interrupted = !self.interrupted;
            if self.interrupted {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let count = bytes.len().min(3);
            self.taken.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Broken(io::ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn short_and_interrupted_writes_lose_nothing() {
        let mut out = Out::new(Reluctant::default());
        out.forward(b"0123456789").unwrap();
        assert_eq!(out.to.taken, b"0123456789");
    }

    #[test]
    fn a_closed_pipe_is_no_failure() {
        let result = Out::new(Broken(io::ErrorKind::BrokenPipe)).forward(b"a");
        assert!(matches!(result, Err(OutError::Closed)));
        let result = Out::new(Broken(io::ErrorKind::StorageFull)).forward(b"a");
        assert!(matches!(result, Err(OutError::Failed(_))));
    }

    #[test]
    fn an_annotation_inside_a_line_brings_its_newline() {
        let mut out = Out::new(Vec::new());
        out.forward(b"one\ntwo").unwrap();
        assert!(!out.is_at_line_start());
        out.annotate(b"# note\n").unwrap();
        assert!(out.is_at_line_start());
        out.annotate(b"# more\n").unwrap();
        assert_eq!(out.to, b"one\ntwo\n# note\n# more\n");
    }

    #[test]
    fn open_colour_is_switched_off_for_the_annotation_and_on_again_inside_its_last_line() {
        let mut out = Out::new(Vec::new());
        out.forward(b"\x1b[31mred\n").unwrap();
        assert!(out.is_colour_open());
        out.annotate(b"\x1b[1m# one\x1b[0m\n# two\n").unwrap();
        out.forward(b"red\x1b[0m\n").unwrap();
        assert!(!out.is_colour_open());
        assert_eq!(
            out.to,
            b"\x1b[31mred\n\x1b[0m\x1b[1m# one\x1b[0m\n# two\x1b[31m\nred\x1b[0m\n"
        );
    }

    #[test]
    fn on_a_terminal_an_annotation_goes_above_a_bar() {
        let mut out = Out::new(Vec::new()).on_terminal(80, LineEnd::Raw);
        out.forward(b"one\r\n\r 5%|#  |\r \x1b[32m6%|## |").unwrap();
        assert!(out.has_place() && !out.is_at_line_start());
        out.annotate(b"# one\n# two\n").unwrap();
        out.forward(b"\r 7%|###|").unwrap();
        let text = String::from_utf8(out.to).unwrap();
        assert_eq!(
            text,
            "one\r\n\r 5%|#  |\r \x1b[32m6%|## |\r\x1b[2K# one\r\n# two\r\n \x1b[32m6%|## |\r 7%|###|"
        );
    }

    #[test]
    fn a_line_that_moves_the_cursor_is_broken_on_a_terminal_too() {
        let mut out = Out::new(Vec::new()).on_terminal(80, LineEnd::Raw);
        out.forward(b"bar\x1b[A").unwrap();
        assert!(!out.has_place());
        out.annotate(b"# one\n").unwrap();
        assert_eq!(out.to, b"bar\x1b[A\r\n# one\r\n");
    }

    #[test]
    fn an_empty_write_changes_nothing() {
        let mut out = Out::new(Vec::new());
        out.forward(b"bar").unwrap();
        out.forward(b"").unwrap();
        out.annotate(b"").unwrap();
        assert!(!out.is_at_line_start());
        assert_eq!(out.to, b"bar");
    }
}
