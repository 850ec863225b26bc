//! From chunks to lines, with their numbers and byte offsets, whatever the chunks were cut like.
//!
//! ```text
//! chunk      "…lo\nTraceback (most rec"   "ent call last):\n  File …"
//! take       "…lo"                        "Traceback (most recent call last):"
//! open             "Traceback (most rec"                               "  File …"
//! ```

use memchr::{memchr, memchr_iter, memrchr};

use crate::window::{WINDOW, Window};

/// Of a long line, this much of its beginning is kept for parsing …
pub const HEAD: usize = 48 * 1024;

/// … and this much of its end.
pub const TAIL: usize = 16 * 1024;

/// Counts and cuts the lines of one input. Its memory has a limit, whatever the lines are.
#[derive(Debug)]
pub struct Lines {
    /// The number of the open line, from 1.
    number: u64,
    /// Where the open line begins.
    offset: u64,
    open: Clipped,
    /// The line that was given last, where it did not lie in one chunk.
    ended: Clipped,
    /// The bytes before the open line.
    passed: Window,
}

/// A line, without its newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its bytes; of a long line the first [`HEAD`] and the last [`TAIL`].
    pub text: &'a [u8],
    /// Its number, from 1.
    pub number: u64,
    /// Where it begins in the input.
    pub offset: u64,
    /// Its length in the input, the newline included (an open line has none).
    pub length: u64,
}

impl Line<'_> {
    /// Tells whether something between head and tail is left out.
    pub fn is_clipped(&self) -> bool {
        // The newline is no part of the text.
        self.length > self.text.len() as u64 + 1
    }
}

impl Default for Lines {
    fn default() -> Self {
        Self {
            number: 1,
            offset: 0,
            open: Clipped::default(),
            ended: Clipped::default(),
            passed: Window::default(),
        }
    }
}

impl Lines {
    /// Starts at the first byte of an input.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one line off the front of `rest` and gives it with the number of bytes that it took,
    /// newline included. Where no newline is left, all of `rest` goes to the open line.
    pub fn take<'a>(&'a mut self, rest: &'a [u8]) -> Option<(Line<'a>, usize)> {
        let Some(end) = memchr(b'\n', rest) else {
            self.open.push(rest);
            return None;
        };
        let (text, taken) = (&rest[..end], end + 1);
        let line = if self.open.length == 0 && end <= HEAD + TAIL {
            self.passed.push(&rest[..taken]);
            Line {
                text,
                number: self.number,
                offset: self.offset,
                length: taken as u64,
            }
        } else {
            self.open.push(text);
            std::mem::swap(&mut self.open, &mut self.ended);
            self.open.clear();
            self.passed.push(&self.ended.bytes);
            self.passed.push(b"\n");
            Line {
                text: &self.ended.bytes,
                number: self.number,
                offset: self.offset,
                length: self.ended.length + 1,
            }
        };
        self.number += 1;
        self.offset += line.length;
        Some((line, taken))
    }

    /// Passes bytes that hold nothing of interest: counts their lines, opens the last one.
    pub fn skip(&mut self, bytes: &[u8]) {
        let Some(last) = memrchr(b'\n', bytes) else {
            self.open.push(bytes);
            return;
        };
        let (whole, open) = bytes.split_at(last + 1);
        // Of a clipped line the tail is whole, and longer than what is remembered.
        if whole.len() < WINDOW {
            self.passed.push(&self.open.bytes);
        }
        self.passed.push(whole);
        self.number += memchr_iter(b'\n', whole).count() as u64;
        self.offset += self.open.length + whole.len() as u64;
        self.open.clear();
        self.open.push(open);
    }

    /// Gives the open line: what came after the last newline, perhaps nothing.
    pub fn open(&self) -> Line<'_> {
        Line {
            text: &self.open.bytes,
            number: self.number,
            offset: self.offset,
            length: self.open.length,
        }
    }

    /// Gives the lines directly above the open one, the nearest first: those that lie wholly
    /// within the last 4 KiB.
    pub fn above(&self) -> impl Iterator<Item = Line<'_>> {
        let window = self.passed.bytes();
        let is_all = window.len() as u64 == self.offset;
        let whole = match memchr(b'\n', window) {
            Some(cut) if !is_all => &window[cut + 1..],
            Some(_) => window,
            None => &[],
        };
        let mut rest = whole;
        let mut number = self.number;
        std::iter::from_fn(move || {
            let above = rest.strip_suffix(b"\n")?;
            let start = memrchr(b'\n', above).map_or(0, |newline| newline + 1);
            number -= 1;
            let line = Line {
                text: &above[start..],
                number,
                offset: self.offset - (whole.len() - start) as u64,
                length: (rest.len() - start) as u64,
            };
            rest = &rest[..start];
            Some(line)
        })
    }
}

/// A line as it grows: all of it up to `HEAD + TAIL`, then its head and its tail.
#[derive(Debug, Default)]
struct Clipped {
    bytes: Vec<u8>,
    /// The length of the whole line.
    length: u64,
}

impl Clipped {
    fn push(&mut self, mut piece: &[u8]) {
        self.length += piece.len() as u64;
        if self.bytes.len() + piece.len() > HEAD + TAIL {
            let (head, rest) = piece.split_at(HEAD.saturating_sub(self.bytes.len()));
            self.bytes.extend_from_slice(head);
            piece = &rest[rest.len().saturating_sub(TAIL)..];
            let excess = (self.bytes.len() + piece.len()).saturating_sub(HEAD + TAIL);
            self.bytes.drain(HEAD..HEAD + excess);
        }
        self.bytes.extend_from_slice(piece);
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.length = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is known of a line, with its text owned.
    type Known = (Vec<u8>, u64, u64, u64);

    fn known(line: Line<'_>) -> Known {
        (line.text.to_vec(), line.number, line.offset, line.length)
    }

    /// All lines of a text that comes in chunks of this size, then the open one.
    fn cut(text: &[u8], size: usize) -> (Vec<Known>, Known) {
        let mut lines = Lines::new();
        let mut found = Vec::new();
        for chunk in text.chunks(size) {
            let mut rest = chunk;
            while let Some((line, taken)) = lines.take(rest) {
                found.push(known(line));
                rest = &rest[taken..];
            }
        }
        let open = known(lines.open());
        (found, open)
    }

    #[test]
    fn lines_have_their_numbers_and_offsets() {
        let (lines, open) = cut(b"one\n\ntwo\r\nthr", 100);
        assert_eq!(
            lines,
            [
                (b"one".to_vec(), 1, 0, 4),
                (b"".to_vec(), 2, 4, 1),
                (b"two\r".to_vec(), 3, 5, 5),
            ]
        );
        assert_eq!(open, (b"thr".to_vec(), 4, 10, 3));
    }

    #[test]
    fn lines_do_not_depend_on_where_the_text_was_cut() {
        let mut text = Vec::new();
        for length in [
            0,
            1,
            7,
            HEAD,
            HEAD + TAIL,
            HEAD + TAIL + 1,
            3 * HEAD,
            2,
            HEAD + TAIL + 9,
        ] {
            text.extend((0..length).map(|at| b'a' + u8::try_from(at % 23).unwrap()));
            text.push(b'\n');
        }
        text.pop();
        let whole = cut(&text, text.len());
        for size in [
            1,
            2,
            1000,
            TAIL,
            TAIL + 1,
            HEAD,
            HEAD + TAIL,
            HEAD + TAIL + 1,
            131_072,
        ] {
            assert!(cut(&text, size) == whole, "cut by {size}");
        }
    }

    #[test]
    fn of_a_long_line_head_and_tail_are_kept() {
        let mut text = vec![b'h'; HEAD];
        text.extend(vec![b'-'; 1_000_000]);
        text.extend(vec![b't'; TAIL]);
        let (lines, _) = cut(&[&text[..], b"\n"].concat(), 4096);
        assert_eq!(lines[0].0, [vec![b'h'; HEAD], vec![b't'; TAIL]].concat());
        assert_eq!(lines[0].3, text.len() as u64 + 1);
    }

    #[test]
    fn memory_is_bounded_while_a_line_does_not_end() {
        let mut lines = Lines::new();
        let chunk = vec![b'x'; 128 * 1024];
        for _ in 0..1000 {
            lines.skip(&chunk);
        }
        assert_eq!(lines.open().length, 1000 * 128 * 1024);
        assert!(lines.open().is_clipped());
        assert!(lines.open.bytes.capacity() <= 2 * (HEAD + TAIL));
    }

    #[test]
    fn skipping_counts_as_taking_does() {
        let text = b"one\ntwo\nthree\nfour\nfive";
        for from in 0..text.len() {
            for to in from..text.len() {
                let mut lines = Lines::new();
                lines.skip(&text[..from]);
                lines.skip(&text[from..to]);
                let Some((line, taken)) = lines.take(&text[to..]) else {
                    continue;
                };
                let start = usize::try_from(line.offset).unwrap();
                assert_eq!(line.text, &text[start..to + taken - 1]);
                let newlines = memchr_iter(b'\n', &text[..start]).count();
                assert_eq!(line.number, newlines as u64 + 1);
            }
        }
    }

    #[test]
    fn the_lines_above_are_the_same_however_they_passed() {
        let lines: Vec<String> = (1..2000).map(|n| format!("line {n}")).collect();
        let text = lines.join("\n") + "\nopen";
        let above = |size: usize, is_skipped: bool| {
            let mut lines = Lines::new();
            for chunk in text.as_bytes().chunks(size) {
                let mut rest = chunk;
                if is_skipped {
                    lines.skip(rest);
                } else {
                    while let Some((_, taken)) = lines.take(rest) {
                        rest = &rest[taken..];
                    }
                }
            }
            assert_eq!(lines.open().text, b"open");
            lines.above().map(known).collect::<Vec<_>>()
        };
        let expected = above(text.len(), false);
        assert_eq!(expected[0].0, b"line 1999");
        assert_eq!(expected[0].1, 1999);
        assert_eq!(expected[0].2, text.len() as u64 - 14);
        assert!((300..=410).contains(&expected.len()), "{}", expected.len());
        for size in [1, 3, 100, 4096, 5000, text.len()] {
            for is_skipped in [false, true] {
                assert_eq!(above(size, is_skipped), expected, "{size} {is_skipped}");
            }
        }
    }

    #[test]
    fn the_first_lines_of_an_input_have_what_is_above_them() {
        let mut lines = Lines::new();
        assert_eq!(lines.above().count(), 0);
        lines.skip(b"one\ntwo\nopen");
        let above: Vec<Known> = lines.above().map(known).collect();
        assert_eq!(
            above,
            [(b"two".to_vec(), 2, 4, 4), (b"one".to_vec(), 1, 0, 4)]
        );
    }

    #[test]
    fn a_line_above_that_is_too_long_is_left_out_with_all_before_it() {
        let mut lines = Lines::new();
        lines.skip(b"one\n");
        lines.skip(&[b'x'; 5000]);
        lines.skip(b"\ntwo\n");
        let above: Vec<Known> = lines.above().map(known).collect();
        assert_eq!(above, [(b"two".to_vec(), 3, 5005, 4)]);
    }
}
