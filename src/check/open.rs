//! Opens a log: plain, compressed or in UTF-16, which its first bytes tell.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use super::blocks::read_up_to;
use super::parts::LARGE;
use super::utf16::Utf16;
use crate::regular;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use lzma_rust2::{Action, Status, XzStream};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// How many first bytes tell the kind of a file.
const MAGIC: usize = 8 * 1024;
/// How many of them name a format of compression: of a stream no more is waited for.
const LONGEST_MAGIC: usize = 6;
/// How much is read at once of what is compressed, in bytes.
const BUFFER: usize = 64 * 1024;
/// The most memory that a decoder may ask for its window, in bytes: what `zstd --long` needs.
const MAX_WINDOW: u64 = 128 * 1024 * 1024;
/// The same for xz, in KiB, with what it needs besides.
const XZ_LIMIT: u32 = 144 * 1024;
/// The magic of a frame of zstd, and of a frame to be skipped, whose last digit varies.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const ZSTD_SKIPPED: [u8; 3] = [0x2a, 0x4d, 0x18];

/// The bytes of a log, decompressed if they were compressed.
pub(super) type LogReader = Box<dyn Read + Send>;

/// A file that was opened.
pub(super) enum Opened {
    /// It is a text, as far as its beginning tells.
    Text(LogReader),
    /// It is a text of so many bytes, worth several threads.
    Large(File, u64),
    /// It is none.
    Binary(LogReader),
}

/// What the first bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Text,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
    /// UTF-16, the bytes of a character in this order.
    Utf16 {
        is_big_endian: bool,
    },
    Binary,
}

/// Opens a file.
pub(super) fn file(path: &Path) -> io::Result<Opened> {
    let mut file = File::open(path)?;
    let status = file.metadata()?;
    if status.is_dir() {
        return Err(io::Error::other("is a folder"));
    }
    // Of a small file no byte behind its end is asked for. Those of /proc have a size of 0.
    let size = usize::try_from(status.len()).unwrap_or(MAGIC);
    let is_small = status.is_file() && (1..=MAGIC).contains(&size);
    let mut head = vec![0; if is_small { size } else { MAGIC }];
    let len = read_up_to(&mut file, &mut head)?;
    head.truncate(len);
    if is_small {
        return Ok(opened(head, io::empty()));
    }
    if status.is_file() && status.len() >= LARGE && Format::of(&head) == Format::Text {
        return Ok(Opened::Large(file, status.len()));
    }
    Ok(opened(head, file))
}

/// Opens what can only be read from its start on, and may be waited for: the standard input.
pub(super) fn stream(mut from: impl Read + Send + 'static) -> io::Result<Opened> {
    let mut head = vec![0; LONGEST_MAGIC];
    let len = read_up_to(&mut from, &mut head)?;
    head.truncate(len);
    Ok(opened(head, from))
}

/// Reads a stretch of a plain file again, from one byte to another one: to show what stood there.
///
/// Returns `None` for what is no plain file, or compressed, or shorter by now.
pub fn excerpt(file: &str, from: u64, to: u64) -> Option<String> {
    let mut file = regular::open(Path::new(file)).ok()?;
    let mut head = vec![0; MAGIC];
    let len = read_up_to(&mut file, &mut head).ok()?;
    if Format::of(&head[..len]) != Format::Text {
        return None;
    }
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut text = vec![0; usize::try_from(to.checked_sub(from)?).ok()?];
    file.read_exact(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

fn opened(head: Vec<u8>, from: impl Read + Send + 'static) -> Opened {
    let kind = Format::of(&head);
    let from = Cursor::new(head).chain(from);
    let buffered = |from| BufReader::with_capacity(BUFFER, from);
    let packed = |name: &'static str, data: LogReader| Box::new(Packed { name, data });
    Opened::Text(match kind {
        Format::Text => Box::new(from),
        Format::Binary => return Opened::Binary(Box::new(from)),
        Format::Gzip => packed("gzip", Box::new(MultiGzDecoder::new(buffered(from)))),
        Format::Bzip2 => packed("bzip2", Box::new(MultiBzDecoder::new(buffered(from)))),
        Format::Xz => packed("xz", Box::new(Xz::new(buffered(from)))),
        Format::Zstd => packed("zstd", Box::new(Zstd::new(buffered(from)))),
        Format::Utf16 { is_big_endian } => Box::new(Utf16::new(from, is_big_endian)),
    })
}

/// What is decompressed; its faults are worded the same for all formats.
struct Packed {
    name: &'static str,
    data: LogReader,
}

impl Read for Packed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.data.read(buffer).map_err(|error| {
            if error.raw_os_error().is_some() || error.kind() == io::ErrorKind::Interrupted {
                return error;
            }
            let name = self.name;
            // The libraries word the early end each in their own way.
            let text = error.to_string();
            let is_cut = error.kind() == io::ErrorKind::UnexpectedEof
                || ["incomplete", "EOF", "failed to fill whole buffer"]
                    .iter()
                    .any(|word| text.contains(word));
            io::Error::other(if is_cut {
                format!("the {name} data end too early: what stands before was read")
            } else {
                format!("damaged {name} data ({text}): what stands before was read")
            })
        })
    }
}

impl Format {
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            _ if is_zstd(head) => Self::Zstd,
            [0xff, 0xfe, ..] if !head.starts_with(&[0xff, 0xfe, 0, 0]) => Self::Utf16 {
                is_big_endian: false,
            },
            [0xfe, 0xff, ..] => Self::Utf16 {
                is_big_endian: true,
            },
            _ if is_binary(head) => Self::Binary,
            _ => Self::Text,
        }
    }
}

fn is_zstd(head: &[u8]) -> bool {
    head.starts_with(&ZSTD)
        || head.first().is_some_and(|b| (0x50..=0x5f).contains(b))
            && head[1..].starts_with(&ZSTD_SKIPPED)
}

/// Returns whether these bytes are no text. A few NULs are: a log that was cut while a program held it open
/// begins with some.
fn is_binary(head: &[u8]) -> bool {
    const MAGICS: [&[u8]; 5] = [
        b"\x7fELF",
        b"PK\x03\x04",
        b"\x89PNG",
        b"%PDF-",
        b"\x80\x02\x8a",
    ];
    let front = head.iter().take_while(|b| **b == 0).count();
    let nuls = memchr::memchr_iter(0, &head[front..]).count();
    MAGICS.iter().any(|magic| head.starts_with(magic))
        || nuls * 64 > head.len()
        || !head.is_empty() && head.len() < MAGIC && head.iter().all(|b| *b == 0)
}

/// Frames of zstd, one after the other, as `pzstd` and appended logs have them.
struct Zstd<R> {
    source: BufReader<R>,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: Read> Zstd<R> {
    fn new(source: BufReader<R>) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Self {
            source,
            decoder,
            in_frame: false,
        }
    }

    /// Begins the next frame; `false` at the end.
    fn begin_frame(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = self.source.by_ref().take(length.into());
                    io::copy(&mut skipped, &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if self.in_frame && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder
                    .decode_blocks(&mut self.source, one)
                    .map_err(io::Error::other)?;
            } else {
                self.in_frame = self.begin_frame()?;
                if !self.in_frame {
                    return Ok(0);
                }
            }
        }
    }
}

/// Streams of xz, one after the other.
///
/// The crate's own reader decodes a piece of up to 64 KiB only when it has all of it, which a small
/// log that is cut off never gives.
struct Xz<R> {
    source: BufReader<R>,
    decoder: XzStream,
    fault: Option<io::Error>,
}

impl<R: Read> Xz<R> {
    fn new(source: BufReader<R>) -> Self {
        Self {
            source,
            decoder: XzStream::new_mem_limit(true, XZ_LIMIT),
            fault: None,
        }
    }
}

impl<R: Read> Read for Xz<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        loop {
            let input = self.source.fill_buf()?;
            let action = if input.is_empty() {
                Action::Finish
            } else {
                Action::Run
            };
            let before = self.decoder.total_out();
            match self.decoder.process(input, buffer, action) {
                Ok(done) => {
                    let is_stuck = input.is_empty() && done.status != Status::StreamEnd;
                    self.source.consume(done.bytes_consumed);
                    match done.bytes_produced {
                        0 if done.status == Status::StreamEnd || buffer.is_empty() => return Ok(0),
                        0 if is_stuck => return Err(io::ErrorKind::UnexpectedEof.into()),
                        0 => {}
                        count => return Ok(count),
                    }
                }
                Err(fault) => {
                    // What was decoded before the fault is in the buffer, but not told.
                    let count = self.decoder.total_out() - before;
                    if count == 0 {
                        return Err(fault);
                    }
                    self.fault = Some(fault);
                    return Ok(usize::try_from(count).unwrap_or_default());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let Opened::Text(mut stream) = stream(Cursor::new(bytes.to_vec()))? else {
            panic!("no text");
        };
        let mut text = Vec::new();
        stream.read_to_end(&mut text)?;
        Ok(text)
    }

    /// What `printf 'one\n' | zstd` writes, of version 1.5.
    const ZSTD_FRAME: &[u8] = &[
        0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x21, 0x00, 0x00, 0x6f, 0x6e, 0x65, 0x0a, 0, 0, 0, 0,
    ];

    #[test]
    fn a_text_stays_as_it_is() {
        for text in ["", "a", "BZhello\n", "\u{1f}\u{2}"] {
            assert_eq!(all(text.as_bytes()).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn frames_of_zstd_follow_each_other() {
        let mut frame = ZSTD_FRAME.to_vec();
        frame.truncate(13);
        // Without the checksum, and its flag.
        frame[4] = 0;
        let skipped = [0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
        let bytes = [&frame[..], &skipped[..], &frame[..]].concat();
        assert_eq!(all(&bytes).unwrap(), b"one\none\n");
        assert!(
            all(&bytes[..bytes.len() - 2]).is_err(),
            "a cut frame is a fault"
        );
    }

    #[test]
    fn nuls_make_a_binary_but_for_those_in_front() {
        assert!(is_binary(b"\x7fELF\x02\x01"));
        assert!(is_binary(&[0; 40]));
        assert!(is_binary(b"a\0b\0c\0"));
        assert!(!is_binary(b""));
        assert!(!is_binary(b"\0\0\0\0Traceback (most recent call last):\n"));
        assert!(!is_binary("über\n".as_bytes()));
    }
}
