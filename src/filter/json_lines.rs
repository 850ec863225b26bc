//! Whether a stream is one of JSON lines: each of its lines is an object, or empty.

use memchr::memchr_iter;

/// What a stream is, by the bytes that have passed.
#[derive(Debug)]
pub(super) enum StreamForm {
    /// None has.
    Unknown,
    /// A brace has, and blanks behind it.
    Brace,
    /// It is JSON lines.
    JsonLines {
        /// Whether the next byte begins a line.
        is_at_start: bool,
    },
    /// It is any text.
    Text,
}

impl StreamForm {
    /// Returns whether nothing is to be written between the lines.
    pub(super) fn is_json_lines(&self) -> bool {
        matches!(self, Self::JsonLines { .. })
    }

    /// Looks at bytes that pass; where the stream is cut makes no difference.
    pub(super) fn see(&mut self, mut bytes: &[u8]) {
        if let (Self::Unknown, Some((first, rest))) = (&self, bytes.split_first()) {
            *self = if *first == b'{' {
                Self::Brace
            } else {
                Self::Text
            };
            bytes = rest;
        }
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
        if let (Self::Brace, Some(first)) = (&self, bytes.iter().find(|b| !is_blank(b))) {
            // A dict that Python prints has other quotes.
            *self = match first {
                b'"' | b'}' => Self::JsonLines { is_at_start: false },
                _ => Self::Text,
            };
        }
        if let Self::JsonLines { is_at_start } = self {
            let first = is_at_start.then_some(0);
            let mut starts = first
                .into_iter()
                .chain(memchr_iter(b'\n', bytes).map(|at| at + 1));
            let is_json = |at| matches!(bytes.get(at), None | Some(b'{' | b'\r' | b'\n'));
            if starts.all(is_json) {
                *is_at_start = bytes.last().map_or(*is_at_start, |last| *last == b'\n');
            } else {
                *self = Self::Text;
            }
        }
    }
}
