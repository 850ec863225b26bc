//! Where the stream stands: lines with their numbers and offsets, the unfinished line, and the
//! last bytes that passed.

use std::borrow::Cow;

use memchr::memrchr;

use crate::history::{HISTORY_BYTES, History};
use crate::line::{RawLine, newlines};

/// How much of an unfinished line's head and tail is kept for parsing, in bytes.
const HEAD_BYTES: usize = 48 * 1024;
const TAIL_BYTES: usize = 16 * 1024;
/// The most bytes of a line that are handed on.
const KEPT_BYTES: usize = HEAD_BYTES + TAIL_BYTES;

/// The position in the stream, before the next byte.
#[derive(Debug)]
pub struct Position {
    /// The number of the line that comes next or is unfinished, 1-based.
    number: u64,
    /// The offset of that line's first byte.
    offset: u64,
    /// What there is of the unfinished line: its head and at least the last 16 KiB behind it.
    partial: Vec<u8>,
    /// How many bytes the unfinished line has, kept or not.
    partial_len: u64,
    /// What stood before the unfinished line, its last bytes.
    above: Vec<u8>,
    /// The last bytes that passed, whole lines or not.
    history: History,
}

impl Default for Position {
    fn default() -> Self {
        Self {
            number: 1,
            offset: 0,
            partial: Vec::new(),
            partial_len: 0,
            above: Vec::new(),
            history: History::default(),
        }
    }
}

impl Position {
    /// Returns the number of the line that comes next or is unfinished, 1-based.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the offset of that line's first byte, in bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns whether a line has begun and not ended.
    pub fn is_inside_line(&self) -> bool {
        self.partial_len > 0
    }

    /// Returns what is kept of the unfinished line.
    pub fn partial(&self) -> &[u8] {
        &self.partial
    }

    /// Passes over whole lines without reading them; `bytes` starts at a line start and ends
    /// behind a newline.
    pub fn skip(&mut self, bytes: &[u8]) {
        self.skip_counted(bytes.len() as u64, newlines(bytes));
    }

    /// Passes over so many bytes of whole lines, which hold so many newlines.
    pub fn skip_counted(&mut self, bytes: u64, newlines: u64) {
        debug_assert!(!self.is_inside_line());
        self.number += newlines;
        self.offset += bytes;
    }

    /// Begins a line that is unfinished; `passed` is what of the chunk stands before it.
    ///
    /// What is above it is put by: when it ends, it may long have passed out of the history.
    pub fn begin_line(&mut self, passed: &[u8], bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let passed = &passed[passed.len().saturating_sub(HISTORY_BYTES)..];
        let mut above = std::mem::take(&mut self.above);
        above.clear();
        above.extend_from_slice(self.history_before(passed));
        above.extend_from_slice(passed);
        self.above = above;
        self.extend(bytes);
    }

    /// Returns as much of the history as there is room for beside what passed of this chunk, so
    /// that cuts make no difference.
    fn history_before(&self, passed: &[u8]) -> &[u8] {
        let history = self.history.bytes();
        let room = (HISTORY_BYTES - passed.len()).min(history.len());
        &history[history.len() - room..]
    }

    /// Adds to the unfinished line.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.partial_len += bytes.len() as u64;
        let room = HEAD_BYTES.saturating_sub(self.partial.len());
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.partial.extend_from_slice(head);
        self.partial
            .extend_from_slice(&rest[rest.len().saturating_sub(TAIL_BYTES)..]);
        // The tail may grow to twice its size, so that small pieces do not each move it.
        if self.partial.len() > KEPT_BYTES + TAIL_BYTES {
            self.drop_middle();
        }
    }

    /// Leaves of the unfinished line what is handed on: its head and its tail.
    fn drop_middle(&mut self) {
        if self.partial.len() > KEPT_BYTES {
            let cut = self.partial.len() - TAIL_BYTES;
            self.partial.drain(HEAD_BYTES..cut);
        }
    }

    /// Ends the line that `bytes` complete (with its newline), and hands it to `read`; of a long
    /// one the first 48 and the last 16 KiB, however it came.
    pub fn end_line(&mut self, bytes: &[u8], read: impl FnOnce(RawLine<'_>)) {
        let end_offset = self.offset + self.partial_len + bytes.len() as u64;
        let (number, offset) = (self.number, self.offset);
        self.number += 1;
        self.offset = end_offset;
        if self.partial_len == 0 && bytes.len() <= KEPT_BYTES {
            return read(RawLine {
                bytes,
                number,
                offset,
                end_offset,
                may_matter: true,
            });
        }
        self.extend(bytes);
        self.drop_middle();
        self.partial_len = 0;
        let line = std::mem::take(&mut self.partial);
        read(RawLine {
            bytes: &line,
            number,
            offset,
            end_offset,
            may_matter: true,
        });
        self.partial = line;
        self.partial.clear();
        self.partial.shrink_to(HISTORY_BYTES);
    }

    /// Ends the unfinished line without a newline: the input has ended.
    pub fn end_input(&mut self, read: impl FnOnce(RawLine<'_>)) {
        if self.is_inside_line() {
            self.end_line(b"", read);
        }
    }

    /// Remembers the last bytes of a chunk that has passed.
    pub fn remember(&mut self, chunk: &[u8]) {
        self.history.push(chunk);
    }

    /// Reads the whole lines that stood directly before the next line, oldest first: all below the
    /// nearest one that is not wanted, by how many are below it and its bytes. `passed` is what of
    /// the current chunk stood before the next line; it is not looked at where that line was begun
    /// before.
    pub fn lines_above(
        &self,
        passed: &[u8],
        wants: impl Fn(usize, &[u8]) -> bool,
        mut read: impl FnMut(RawLine<'_>),
    ) {
        let text = if self.is_inside_line() {
            Cow::Borrowed(self.above.as_slice())
        } else {
            let passed = &passed[passed.len().saturating_sub(HISTORY_BYTES)..];
            match self.history_before(passed) {
                [] => Cow::Borrowed(passed),
                before => Cow::Owned([before, passed].concat()),
            }
        };
        let complete = self.offset <= text.len() as u64;
        let Some(end) = memrchr(b'\n', &text).map(|at| at + 1) else {
            return;
        };
        let text = &text[..end];
        let mut starts = vec![end];
        let mut at = end;
        while at > 0 {
            let start = match memrchr(b'\n', &text[..at - 1]) {
                Some(newline) => newline + 1,
                None if complete => 0,
                None => break,
            };
            if !wants(starts.len() - 1, &text[start..at]) {
                break;
            }
            at = start;
            starts.push(at);
        }
        starts.reverse();
        let count = starts.len() as u64 - 1;
        let mut offset = self.offset - (end - starts[0]) as u64;
        for (index, pair) in (0..).zip(starts.windows(2)) {
            let bytes = &text[pair[0]..pair[1]];
            let end_offset = offset + bytes.len() as u64;
            read(RawLine {
                bytes,
                number: self.number - count + index,
                offset,
                end_offset,
                may_matter: true,
            });
            offset = end_offset;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_came_in_pieces_is_whole() {
        let mut position = Position::default();
        position.skip(b"one\ntwo\n");
        position.extend(b"th");
        position.extend(b"re");
        position.end_line(b"e\n", |l| {
            assert_eq!((l.bytes, l.number), (b"three\n".as_slice(), 3));
            assert_eq!((l.offset, l.end_offset), (8, 14));
        });
        assert_eq!((position.number(), position.offset()), (4, 14));
    }

    #[test]
    fn a_line_without_end_stays_small() {
        let mut position = Position::default();
        for _ in 0..10_000 {
            position.extend(&[b'x'; 1000]);
        }
        assert!(position.partial().len() <= KEPT_BYTES + TAIL_BYTES);
        position.end_line(b"\n", |_| ());
        assert_eq!(position.offset(), 10_000_001);
    }

    #[test]
    fn of_a_long_line_the_same_is_kept_however_it_is_cut() {
        for len in [
            HEAD_BYTES,
            KEPT_BYTES - 1,
            KEPT_BYTES,
            KEPT_BYTES + TAIL_BYTES + 1,
            300_000,
        ] {
            let mut line: Vec<u8> = (b'a'..=b'w').cycle().take(len).collect();
            line.push(b'\n');
            let mut kept = line.clone();
            if kept.len() > KEPT_BYTES {
                kept.drain(HEAD_BYTES..line.len() - TAIL_BYTES);
            }
            for size in [1, 1000, 16 * 1024, 47_000, 128 * 1024, len, len + 1] {
                let mut position = Position::default();
                let mut pieces = line.chunks(size).peekable();
                while let Some(piece) = pieces.next() {
                    if pieces.peek().is_some() {
                        position.extend(piece);
                    } else {
                        position.end_line(piece, |l| {
                            assert!(l.bytes == kept, "{len} bytes in pieces of {size}");
                        });
                    }
                }
                assert_eq!(position.offset(), line.len() as u64);
            }
        }
    }

    #[test]
    fn the_lines_above_are_found_in_this_chunk_and_the_last() {
        let mut position = Position::default();
        position.skip(b"a\nb\n");
        position.remember(b"a\nb\n");
        position.skip(b"c\n");
        let mut seen = Vec::new();
        position.lines_above(
            b"c\n",
            |below, _| below < 2,
            |l| {
                seen.push((l.bytes.to_vec(), l.number, l.offset));
            },
        );
        assert_eq!(seen, [(b"b\n".to_vec(), 2, 2), (b"c\n".to_vec(), 3, 4)]);
        let mut all = 0;
        position.lines_above(b"c\n", |_, _| true, |_| all += 1);
        assert_eq!(all, 3);
    }
}
