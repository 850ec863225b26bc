//! One line of the input as it came, and where lines end.

use memchr::{memchr, memchr_iter, memrchr};

/// A line as it comes from the input.
#[derive(Clone, Copy, Debug)]
pub struct RawLine<'a> {
    /// The line with its line end, or as much of it as is kept.
    pub bytes: &'a [u8],
    /// Its number, 1-based.
    pub number: u64,
    /// The offset of its first byte.
    pub offset: u64,
    /// The offset behind its last byte.
    pub end_offset: u64,
    /// Whether it may start a traceback, or be one that some rule knows: whether the gate wants it.
    pub may_matter: bool,
}

/// Returns the end of the first line of `bytes`: behind its newline; `None` if it is unfinished.
pub fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr(b'\n', bytes).map(|at| at + 1)
}

/// Returns the start of the line that the byte at `at` belongs to.
pub fn line_start(bytes: &[u8], at: usize) -> usize {
    memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1)
}

/// Returns the end of the last whole line: behind the last newline, 0 if there is none.
pub fn last_line_end(bytes: &[u8]) -> usize {
    line_start(bytes, bytes.len())
}

/// Counts the newlines.
pub fn newlines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// Finds a literal in a line. Both are short: to prepare a search would take longer than to search.
pub(crate) fn find(line: &str, literal: &str) -> Option<usize> {
    let (line, literal) = (line.as_bytes(), literal.as_bytes());
    let Some(first) = literal.first() else {
        return Some(0);
    };
    let mut starts = memchr_iter(*first, line);
    starts.find(|at| line[*at..].starts_with(literal))
}
