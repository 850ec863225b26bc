//! Whether a stream is one of JSON lines: each of its lines is an object, or empty.

use crate::line::line_end;

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
        let Self::JsonLines { is_at_start } = self else {
            return;
        };
        while !bytes.is_empty() {
            if *is_at_start && !matches!(bytes[0], b'{' | b'\r' | b'\n') {
                *self = Self::Text;
                return;
            }
            let end = line_end(bytes);
            *is_at_start = end.is_some();
            bytes = &bytes[end.unwrap_or(bytes.len())..];
        }
    }
}
