//! What a full-screen program draws: from the sequence that switches to the alternate screen to the
//! one that leaves it. It is no log, and nothing may be written between its bytes.

use memchr::memchr;

/// The longest sequence that is looked at, in bytes.
const LONGEST: usize = 32;

/// The modes of the alternate screen, in all the forms that terminals have had.
const MODES: [&[u8]; 3] = [b"47", b"1047", b"1049"];

/// What a piece of the output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Lines, prompts, bars.
    Text,
    /// A drawing of a full-screen program.
    Drawing,
}

/// Knows which screen the output goes to.
#[derive(Debug, Default)]
pub(super) struct Screen {
    is_alternate: bool,
    /// A sequence that the last bytes may have begun.
    begun: Vec<u8>,
}

impl Screen {
    /// Cuts bytes into pieces, each with its end.
    pub(super) fn cut(&mut self, bytes: &[u8], mut take: impl FnMut(Piece, usize)) {
        let mut at = 0;
        let mut start = 0;
        while at < bytes.len() {
            if self.begun.is_empty() {
                let Some(next) = memchr(0x1b, &bytes[at..]) else {
                    break;
                };
                at += next;
            }
            let byte = bytes[at];
            at += 1;
            self.begun.push(byte);
            if is_open(&self.begun) {
                continue;
            }
            let begun = std::mem::take(&mut self.begun);
            if let Some(is_alternate) = switch(&begun)
                && is_alternate != self.is_alternate
            {
                // The sequence itself belongs to the drawing.
                let end = if is_alternate {
                    at.saturating_sub(begun.len()).max(start)
                } else {
                    at
                };
                if end > start {
                    take(self.piece(), end);
                }
                start = end;
                self.is_alternate = is_alternate;
            } else if byte == 0x1b {
                self.begun.push(byte);
            }
        }
        if bytes.len() > start {
            take(self.piece(), bytes.len());
        }
    }

    fn piece(&self) -> Piece {
        if self.is_alternate {
            Piece::Drawing
        } else {
            Piece::Text
        }
    }
}

/// Returns whether bytes may go on to be a sequence that sets or resets modes: `ESC [ ? 1049 h`.
fn is_open(begun: &[u8]) -> bool {
    let (head, rest) = begun.split_at(begun.len().min(3));
    b"\x1b[?".starts_with(head)
        && begun.len() < LONGEST
        && rest.iter().all(|byte| matches!(byte, b'0'..=b'9' | b';'))
}

/// Returns whether a sequence switches the alternate screen on or off.
fn switch(sequence: &[u8]) -> Option<bool> {
    let (last, modes) = sequence.strip_prefix(b"\x1b[?")?.split_last()?;
    let is_on = match last {
        b'h' => true,
        b'l' => false,
        _ => return None,
    };
    let mut modes = modes.split(|byte| *byte == b';');
    modes.any(|mode| MODES.contains(&mode)).then_some(is_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts a text that comes in reads of this size; `[` and `]` stand around drawings.
    fn cut(text: &str, size: usize) -> String {
        let mut screen = Screen::default();
        let mut shown = String::new();
        for read in text.as_bytes().chunks(size) {
            let mut at = 0;
            screen.cut(read, |piece, end| {
                let bytes = String::from_utf8_lossy(&read[at..end]);
                match piece {
                    Piece::Text => shown.push_str(&bytes),
                    Piece::Drawing => shown.extend(["<", &bytes, ">"]),
                }
                at = end;
            });
            assert_eq!(at, read.len());
        }
        shown.replace("><", "").replace('\x1b', "␛")
    }

    #[test]
    fn a_drawing_reaches_from_one_sequence_to_the_other() {
        let text = "a\x1b[31mb\x1b[?1049hcd\x1b[2Je\x1b[?25l\x1b[?1049lf\n";
        let shown = "a␛[31mb<␛[?1049hcd␛[2Je␛[?25l␛[?1049l>f\n";
        assert_eq!(cut(text, 100), shown);
    }

    #[test]
    fn a_sequence_may_come_in_pieces() {
        for size in 1..12 {
            let shown = cut("ab\x1b[?1049hc\x1b[?1;1049ld\n", size);
            // Where the sequence came in pieces, its first ones had gone through as text.
            let bare = shown.replace(['<', '>'], "");
            assert_eq!(bare, "ab␛[?1049hc␛[?1;1049ld\n");
            assert!(shown.contains("c␛[?1;1049l>d\n"), "{size}: {shown}");
            assert!(shown.starts_with("ab"), "{size}: {shown}");
        }
    }

    #[test]
    fn other_modes_are_text() {
        let text = "\x1b[?25l\x1b[?2004h\x1b[?104h\x1b\x1b[?47\x1b[?10490h";
        assert_eq!(cut(text, 100), text.replace('\x1b', "␛"));
        assert_eq!(cut("\x1b\x1b[?47hx", 100), "␛<␛[?47hx>");
    }
}
