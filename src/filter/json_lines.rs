//! Whether a stream is one of JSON lines: it begins as an object, and holds no plain traceback.

use crate::line::{PLAIN_HEAD, holds_plain_head};

/// What a stream is, by the bytes that have passed.
#[derive(Debug)]
pub(super) enum StreamForm {
    /// None has.
    Unknown,
    /// A brace has, and blanks behind it.
    Brace,
    /// It is JSON lines; the last bytes, in which a head may begin.
    JsonLines(Vec<u8>),
    /// It is any text.
    Text,
}

impl StreamForm {
    /// Returns whether nothing is to be written between the lines.
    pub(super) fn is_json_lines(&self) -> bool {
        matches!(self, Self::JsonLines(_))
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
        if let (Self::Brace, Some(first)) = (&self, bytes.trim_ascii_start().first()) {
            // A dict that Python prints has other quotes.
            *self = match first {
                b'"' | b'}' => Self::JsonLines(Vec::new()),
                _ => Self::Text,
            };
        }
        if let Self::JsonLines(last) = self {
            const REACH: usize = PLAIN_HEAD.len();
            last.extend_from_slice(&bytes[..bytes.len().min(REACH)]);
            if holds_plain_head(last) || holds_plain_head(bytes) {
                *self = Self::Text;
            } else if bytes.len() < REACH {
                last.drain(..last.len().saturating_sub(REACH));
            } else {
                *last = bytes[bytes.len() - REACH..].to_vec();
            }
        }
    }
}
