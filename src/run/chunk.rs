//! What was read of the command at once, cut into the segments that are handed on.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::time::Duration;

use memchr::memmem;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};

use super::screen::{Piece, Screen};

/// How much is gathered before it is handed on, in bytes.
const SIZE: usize = 64 * 1024;

/// The most that a pseudo-terminal gives at once, in bytes (`N_TTY_BUF_SIZE` in Linux).
const TERMINAL_READ: usize = 4 * 1024;

/// What is gathered of a pseudo-terminal: it holds little, and while more is gathered, the terminal that
/// it goes to has nothing to do.
const TERMINAL_SIZE: usize = 2 * TERMINAL_READ;

/// How long a carriage return at the end of what was read waits for what belongs to it.
const TURN: Duration = Duration::from_millis(2);

/// What a segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    /// Lines, or parts of them.
    Text,
    /// What a full-screen program draws.
    Drawing,
    /// No bytes: what came before is complete, as after quiet.
    Break,
}

/// What was read at once.
pub(super) struct Chunk {
    buffer: Box<[u8]>,
    /// What is to be handed on: what it is, and where it ends.
    segments: VecDeque<(Segment, usize)>,
    handed: usize,
    screen: Screen,
}

impl Default for Chunk {
    fn default() -> Self {
        Self {
            buffer: vec![0; SIZE].into_boxed_slice(),
            segments: VecDeque::new(),
            handed: 0,
            screen: Screen::default(),
        }
    }
}

impl Chunk {
    /// Reads what there is, up to the size of the buffer; `None` for the output when that has ended.
    /// Returns whether there was something.
    pub(super) fn read(
        &mut self,
        output: &mut Option<OwnedFd>,
        is_terminal: bool,
    ) -> io::Result<bool> {
        let mut filled = 0;
        // Not for the few bytes between what two reads gave and what they could have given.
        let (size, enough) = if is_terminal {
            (TERMINAL_SIZE, TERMINAL_SIZE - TERMINAL_READ + 1)
        } else {
            (SIZE, SIZE)
        };
        while filled < enough {
            let Some(fd) = &*output else { break };
            match read(fd, &mut self.buffer[filled..size]) {
                // A pseudo-terminal whose other end is closed.
                Ok(0) | Err(Errno::IO) => *output = None,
                Ok(count) => filled += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    // What is behind it decides whether it ends a line or takes a bar's back.
                    if self.buffer[..filled].last() == Some(&b'\r') && is_readable(fd, TURN) {
                        continue;
                    }
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.handed = 0;
        self.cut(filled, is_terminal);
        Ok(filled > 0)
    }

    fn cut(&mut self, filled: usize, is_terminal: bool) {
        if !is_terminal {
            if filled > 0 {
                self.segments.push_back((Segment::Text, filled));
            }
            return;
        }
        let (bytes, segments) = (&self.buffer[..filled], &mut self.segments);
        let mut start = 0;
        self.screen.cut(bytes, |piece, end| {
            match piece {
                Piece::Drawing => segments.push_back((Segment::Drawing, end)),
                Piece::Text => cut_before_bars(bytes, start..end, segments),
            }
            start = end;
        });
    }

    /// Returns what the next segment is.
    pub(super) fn next(&self) -> Option<Segment> {
        self.segments.front().map(|(segment, _)| *segment)
    }

    /// Returns the bytes of the next segment, and takes it away.
    pub(super) fn take(&mut self) -> &[u8] {
        let Some((_, end)) = self.segments.pop_front() else {
            return &[];
        };
        let start = std::mem::replace(&mut self.handed, end);
        &self.buffer[start..end]
    }

    /// Forgets what is not handed on.
    pub(super) fn clear(&mut self) {
        self.segments.clear();
    }
}

/// Cuts a text before each bar that begins a line, and lets the reader know that what came before it
/// is complete: lines of a terminal end with `\r\n`, so that `\r` alone tells it nothing.
fn cut_before_bars(bytes: &[u8], range: Range<usize>, segments: &mut VecDeque<(Segment, usize)>) {
    for at in memmem::find_iter(&bytes[range.clone()], b"\n\r") {
        let bar = range.start + at + 1;
        if bytes[bar..range.end]
            .get(1)
            .is_some_and(|next| *next != b'\n')
        {
            segments.push_back((Segment::Text, bar));
            segments.push_back((Segment::Break, bar));
        }
    }
    segments.push_back((Segment::Text, range.end));
}

fn is_readable(fd: &OwnedFd, limit: Duration) -> bool {
    let limit = Timespec::try_from(limit).ok();
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    matches!(poll(&mut fds, limit.as_ref()), Ok(1..))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(text: &str) -> Vec<String> {
        let mut segments = VecDeque::new();
        cut_before_bars(text.as_bytes(), 0..text.len(), &mut segments);
        let mut at = 0;
        let shown = segments.into_iter().map(|(segment, end)| match segment {
            Segment::Break => "…".to_owned(),
            _ => text[std::mem::replace(&mut at, end)..end].to_owned(),
        });
        shown.collect()
    }

    #[test]
    fn a_bar_that_begins_a_line_completes_what_is_above_it() {
        assert_eq!(
            segments("ValueError: x\r\n\r 5%|\r 6%|"),
            ["ValueError: x\r\n", "…", "\r 5%|\r 6%|"]
        );
        assert_eq!(segments("a\r\n\r\nb\r\n"), ["a\r\n\r\nb\r\n"]);
        assert_eq!(segments("a\r\n\r"), ["a\r\n\r"]);
    }
}
