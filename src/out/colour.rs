//! Which colours a stream has switched on and not off again.

use memchr::memrchr_iter;

/// What one SGR code governs. The order is that of [`Colour::slots`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    Weight,
    Italic,
    Underline,
    Blink,
    Inverse,
    Hidden,
    Struck,
    Foreground,
    Background,
}

const SLOTS: usize = 9;

/// The longest code kept: `38;2;255;255;255`, with room for its forms with colons.
const LONGEST_CODE: usize = 24;

/// The longest sequence that is looked at; a longer one sets no colour.
const LONGEST_SEQUENCE: usize = 128;

/// The colours and styles that are on at the end of what was seen.
#[derive(Debug, Default)]
pub(super) struct Colour {
    slots: [Option<Vec<u8>>; SLOTS],
    /// An escape sequence that the last chunk began and did not end.
    begun: Vec<u8>,
}

impl Colour {
    /// Notes what these bytes switch on and off. Looks from the end backwards, and no further
    /// than the last full reset: in most logs that is one look for an escape character.
    pub(super) fn see(&mut self, bytes: &[u8]) {
        let mut decided = [false; SLOTS];
        let carried = if self.begun.is_empty() {
            None
        } else {
            let mut carried = std::mem::take(&mut self.begun);
            let room = LONGEST_SEQUENCE.saturating_sub(carried.len());
            carried.extend_from_slice(&bytes[..room.min(bytes.len())]);
            Some(carried)
        };
        let mut is_last = true;
        for at in memrchr_iter(0x1b, bytes) {
            let sequence = &bytes[at..];
            if is_last && is_unfinished(sequence) {
                self.begun = sequence.to_vec();
            }
            is_last = false;
            if self.apply(sequence, &mut decided) {
                return;
            }
        }
        if let Some(carried) = carried {
            if is_last && is_unfinished(&carried) {
                self.begun.clone_from(&carried);
            }
            self.apply(&carried, &mut decided);
        }
    }

    /// Tells whether text written here would be coloured.
    pub(super) fn is_open(&self) -> bool {
        self.slots.iter().any(Option::is_some)
    }

    /// Writes the sequence that switches on what is on.
    pub(super) fn write_to(&self, to: &mut Vec<u8>) {
        let codes: Vec<&[u8]> = self.slots.iter().flatten().map(Vec::as_slice).collect();
        if !codes.is_empty() {
            to.extend_from_slice(b"\x1b[");
            to.extend_from_slice(&codes.join(&b';'));
            to.push(b'm');
        }
    }

    /// Applies the sequence at the start of these bytes to the slots that no later one decided;
    /// says whether all are decided.
    fn apply(&mut self, sequence: &[u8], decided: &mut [bool; SLOTS]) -> bool {
        let Some(codes) = sgr(sequence) else {
            return false;
        };
        let mut set: [Option<Option<&[u8]>>; SLOTS] = [None; SLOTS];
        let mut rest = codes;
        loop {
            let (code, after) = first_code(rest);
            match meaning(code) {
                Meaning::Reset => set = [Some(None); SLOTS],
                Meaning::On(slot) if code.len() <= LONGEST_CODE => {
                    set[slot as usize] = Some(Some(code));
                }
                Meaning::Off(slot) => set[slot as usize] = Some(None),
                Meaning::On(_) | Meaning::Other => {}
            }
            match after {
                Some(after) => rest = after,
                None => break,
            }
        }
        for (slot, value) in set.into_iter().enumerate() {
            if let (Some(value), false) = (value, decided[slot]) {
                self.slots[slot] = value.map(<[u8]>::to_vec);
                decided[slot] = true;
            }
        }
        decided.iter().all(|&decided| decided)
    }
}

/// Gives the codes of a sequence `ESC [ codes m` at the start of these bytes.
fn sgr(sequence: &[u8]) -> Option<&[u8]> {
    let codes = sequence.strip_prefix(b"\x1b[")?;
    let end = codes
        .iter()
        .take(LONGEST_SEQUENCE)
        .position(|&byte| !is_code_byte(byte))?;
    (codes[end] == b'm').then_some(&codes[..end])
}

/// Tells whether these bytes are the start of an SGR sequence, and nothing more.
fn is_unfinished(sequence: &[u8]) -> bool {
    let codes = sequence.strip_prefix(b"\x1b").unwrap_or_default();
    let codes = match codes.split_first() {
        None => return true,
        Some((b'[', codes)) => codes,
        Some(_) => return false,
    };
    sequence.len() < LONGEST_SEQUENCE && codes.iter().all(|&byte| is_code_byte(byte))
}

fn is_code_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b';' || byte == b':'
}

/// Splits off the first code; `38` and `48` take their arguments along.
fn first_code(codes: &[u8]) -> (&[u8], Option<&[u8]>) {
    let arguments = match codes {
        [b'3' | b'4', b'8', b';', b'5', b';', ..] => 3,
        [b'3' | b'4', b'8', b';', b'2', b';', ..] => 5,
        _ => 1,
    };
    let mut ends = codes.iter().enumerate().filter(|(_, byte)| **byte == b';');
    match ends.nth(arguments - 1) {
        Some((end, _)) => (&codes[..end], Some(&codes[end + 1..])),
        None => (codes, None),
    }
}

enum Meaning {
    Reset,
    On(Slot),
    Off(Slot),
    Other,
}

fn meaning(code: &[u8]) -> Meaning {
    use Meaning::{Off, On};
    let number = code.split(|&b| b == b';' || b == b':').next();
    let number = number.map(<[u8]>::trim_ascii_start).and_then(|number| {
        let text = str::from_utf8(number).ok()?;
        if text.is_empty() {
            Some(0)
        } else {
            text.parse::<u16>().ok()
        }
    });
    match number {
        Some(0) => Meaning::Reset,
        Some(1 | 2) => On(Slot::Weight),
        Some(22) => Off(Slot::Weight),
        Some(3) => On(Slot::Italic),
        Some(23) => Off(Slot::Italic),
        Some(4 | 21) if code == b"4:0" => Off(Slot::Underline),
        Some(4 | 21) => On(Slot::Underline),
        Some(24) => Off(Slot::Underline),
        Some(5 | 6) => On(Slot::Blink),
        Some(25) => Off(Slot::Blink),
        Some(7) => On(Slot::Inverse),
        Some(27) => Off(Slot::Inverse),
        Some(8) => On(Slot::Hidden),
        Some(28) => Off(Slot::Hidden),
        Some(9) => On(Slot::Struck),
        Some(29) => Off(Slot::Struck),
        Some(30..=38 | 90..=97) => On(Slot::Foreground),
        Some(39) => Off(Slot::Foreground),
        Some(40..=48 | 100..=107) => On(Slot::Background),
        Some(49) => Off(Slot::Background),
        _ => Meaning::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is on after these chunks, as the sequence that would switch it on.
    fn on(chunks: &[&str]) -> String {
        let mut colour = Colour::default();
        for chunk in chunks {
            colour.see(chunk.as_bytes());
        }
        let mut text = Vec::new();
        colour.write_to(&mut text);
        assert_eq!(colour.is_open(), !text.is_empty());
        String::from_utf8(text).unwrap().replace('\x1b', "␛")
    }

    #[test]
    fn plain_text_and_other_sequences_switch_nothing_on() {
        assert_eq!(on(&["loss 0.5\n\x1b[2K\x1b[1A\x1b]8;;http://x\x1b\\"]), "");
    }

    #[test]
    fn a_colour_stays_on_until_it_is_reset() {
        assert_eq!(on(&["\x1b[31mred"]), "␛[31m");
        assert_eq!(on(&["\x1b[31mred", "still"]), "␛[31m");
        assert_eq!(on(&["\x1b[31mred\x1b[0m"]), "");
        assert_eq!(on(&["\x1b[31mred", "\x1b[m"]), "");
        assert_eq!(on(&["\x1b[31mred\x1b[39m"]), "");
    }

    #[test]
    fn parts_are_switched_off_alone() {
        assert_eq!(on(&["\x1b[1;31m bold red \x1b[22m"]), "␛[31m");
        assert_eq!(on(&["\x1b[1;31m\x1b[0;4m"]), "␛[4m");
        assert_eq!(on(&["\x1b[32m\x1b[44m\x1b[33m"]), "␛[33;44m");
    }

    #[test]
    fn long_colours_keep_their_arguments() {
        assert_eq!(on(&["\x1b[38;5;1m"]), "␛[38;5;1m");
        assert_eq!(on(&["\x1b[38;2;0;0;0;1m"]), "␛[1;38;2;0;0;0m");
        assert_eq!(on(&["\x1b[48:2::1:2:3m"]), "␛[48:2::1:2:3m");
    }

    #[test]
    fn the_answer_does_not_depend_on_where_the_text_was_cut() {
        let text = "a\x1b[1;31mb\x1b[38;5;200mc\x1b[22md\x1b[2Ke\x1b[0;4mf\x1b[24m\x1b[7m";
        for end in 0..=text.len() {
            let whole = on(&[&text[..end]]);
            for cut in 0..=end {
                assert_eq!(
                    on(&[&text[..cut], &text[cut..end]]),
                    whole,
                    "{cut} of {end}"
                );
            }
            let bytes: Vec<String> = text[..end].chars().map(String::from).collect();
            let bytes: Vec<&str> = bytes.iter().map(String::as_str).collect();
            assert_eq!(on(&bytes), whole, "{end} byte by byte");
        }
    }
}
