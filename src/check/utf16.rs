//! UTF-16 as UTF-8: what `>` and `Tee-Object` of Windows PowerShell write.

use std::io::{self, Read};

/// How much is read at once, in bytes.
const BUFFER: usize = 64 * 1024;

/// Text in UTF-16, read as UTF-8; what is no character becomes U+FFFD.
pub(super) struct Utf16<R> {
    source: R,
    is_big_endian: bool,
    /// What was read and is half a character yet.
    rest: Vec<u8>,
    text: Vec<u8>,
    /// How much of the text was handed out.
    handed: usize,
}

impl<R: Read> Utf16<R> {
    /// Reads what stands behind the byte order mark, which is passed over.
    pub(super) fn new(source: R, is_big_endian: bool) -> Self {
        Self {
            source,
            is_big_endian,
            rest: Vec::new(),
            text: Vec::new(),
            handed: 0,
        }
    }

    /// Reads on; returns whether the source has ended.
    fn fill(&mut self) -> io::Result<bool> {
        let before = self.rest.len();
        self.rest.resize(before + BUFFER, 0);
        let read = self.source.read(&mut self.rest[before..]);
        self.rest
            .truncate(before + read.as_ref().copied().unwrap_or(0));
        let is_end = read? == 0;
        let units = self.rest.chunks_exact(2).map(|pair| {
            let pair = [pair[0], pair[1]];
            if self.is_big_endian {
                u16::from_be_bytes(pair)
            } else {
                u16::from_le_bytes(pair)
            }
        });
        let mut units: Vec<u16> = units.collect();
        // The second half of the last character may still come.
        if !is_end && units.last().is_some_and(|unit| unit >> 10 == 0xD800 >> 10) {
            units.pop();
        }
        self.rest.drain(..units.len() * 2);
        let chars = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        let text: String = chars.filter(|c| *c != '\u{feff}').collect();
        self.text = text.into_bytes();
        self.handed = 0;
        Ok(is_end)
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.handed == self.text.len() {
            if self.fill()? && self.text.is_empty() {
                return Ok(0);
            }
        }
        let len = buffer.len().min(self.text.len() - self.handed);
        buffer[..len].copy_from_slice(&self.text[self.handed..][..len]);
        self.handed += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out a few bytes at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = self.0.len().min(3);
            buffer[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    #[test]
    fn text_of_both_orders_is_read_however_it_comes() {
        let text = "\u{feff}Grüße 😀\r\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, is_big_endian) in [(little, false), (big, true)] {
            let mut read = String::new();
            let mut utf16 = Utf16::new(Slow(&bytes), is_big_endian);
            utf16.read_to_string(&mut read).unwrap();
            assert_eq!(read, "Grüße 😀\r\n");
            let mut cut = Vec::new();
            let half = &bytes[..bytes.len() - 7];
            let mut utf16 = Utf16::new(half, is_big_endian);
            utf16.read_to_end(&mut cut).unwrap();
            assert!(cut.starts_with("Grüße ".as_bytes()));
        }
    }
}
