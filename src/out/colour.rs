//! Which colours are on at the end of a text.

use memchr::memrchr_iter;

/// What one SGR code governs.
#[derive(Clone, Copy)]
enum Aspect {
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

const ASPECTS: usize = 9;

/// The colours and styles that a text switches on and not off again.
#[derive(Debug, Default)]
pub(super) struct OpenColours<'a> {
    /// For each aspect the code that is on.
    on: [Option<&'a [u8]>; ASPECTS],
}

impl<'a> OpenColours<'a> {
    /// Reads a text from its end backwards, no further than its last full reset.
    pub(super) fn at_end_of(text: &'a [u8]) -> Self {
        let mut colour = Self::default();
        let mut is_decided = [false; ASPECTS];
        for at in memrchr_iter(0x1b, text) {
            let Some(codes) = sgr(&text[at..]) else {
                continue;
            };
            for (aspect, switch) in switches(codes).into_iter().enumerate() {
                if is_decided[aspect] {
                    continue;
                }
                colour.on[aspect] = match switch {
                    Switch::None => continue,
                    Switch::On(code) => Some(code),
                    Switch::Off => None,
                };
                is_decided[aspect] = true;
            }
            if is_decided.iter().all(|&is_decided| is_decided) {
                break;
            }
        }
        colour
    }

    /// Returns whether text written here would be coloured.
    pub(super) fn is_on(&self) -> bool {
        self.on.iter().any(Option::is_some)
    }

    /// Writes the sequence that switches on what is on.
    pub(super) fn write_to(&self, to: &mut Vec<u8>) {
        let codes: Vec<&[u8]> = self.on.iter().flatten().copied().collect();
        if !codes.is_empty() {
            to.extend_from_slice(b"\x1b[");
            to.extend_from_slice(&codes.join(&b';'));
            to.push(b'm');
        }
    }
}

/// What a sequence does to one aspect.
#[derive(Clone, Copy)]
enum Switch<'a> {
    None,
    On(&'a [u8]),
    Off,
}

/// Returns what a sequence of codes does to each aspect.
fn switches(codes: &[u8]) -> [Switch<'_>; ASPECTS] {
    let mut switches = [Switch::None; ASPECTS];
    let mut rest = Some(codes);
    while let Some(codes) = rest {
        let (code, after) = first_code(codes);
        match meaning(code) {
            Meaning::Reset => switches = [Switch::Off; ASPECTS],
            Meaning::On(aspect) => switches[aspect as usize] = Switch::On(code),
            Meaning::Off(aspect) => switches[aspect as usize] = Switch::Off,
            Meaning::Other => {}
        }
        rest = after;
    }
    switches
}

/// Returns the codes of a sequence `ESC [ codes m` at the start of these bytes.
fn sgr(sequence: &[u8]) -> Option<&[u8]> {
    let codes = sequence.strip_prefix(b"\x1b[")?;
    let end = codes
        .iter()
        .position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    (codes[end] == b'm').then_some(&codes[..end])
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
    On(Aspect),
    Off(Aspect),
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
        Some(1 | 2) => On(Aspect::Weight),
        Some(22) => Off(Aspect::Weight),
        Some(3) => On(Aspect::Italic),
        Some(23) => Off(Aspect::Italic),
        Some(4 | 21) if code == b"4:0" => Off(Aspect::Underline),
        Some(4 | 21) => On(Aspect::Underline),
        Some(24) => Off(Aspect::Underline),
        Some(5 | 6) => On(Aspect::Blink),
        Some(25) => Off(Aspect::Blink),
        Some(7) => On(Aspect::Inverse),
        Some(27) => Off(Aspect::Inverse),
        Some(8) => On(Aspect::Hidden),
        Some(28) => Off(Aspect::Hidden),
        Some(9) => On(Aspect::Struck),
        Some(29) => Off(Aspect::Struck),
        Some(30..=38 | 90..=97) => On(Aspect::Foreground),
        Some(39) => Off(Aspect::Foreground),
        Some(40..=48 | 100..=107) => On(Aspect::Background),
        Some(49) => Off(Aspect::Background),
        _ => Meaning::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is on after this text, as the sequence that would switch it on.
    fn on(text: &str) -> String {
        let colour = OpenColours::at_end_of(text.as_bytes());
        let mut sequence = Vec::new();
        colour.write_to(&mut sequence);
        assert_eq!(colour.is_on(), !sequence.is_empty());
        String::from_utf8(sequence).unwrap().replace('\x1b', "␛")
    }

    #[test]
    fn plain_text_and_other_sequences_switch_nothing_on() {
        assert_eq!(
            on("loss 0.5\n\x1b[2K\x1b[1A\x1b]8;;http://x\x1b\\\x1b[31"),
            ""
        );
    }

    #[test]
    fn a_colour_stays_on_until_it_is_reset() {
        assert_eq!(on("\x1b[31mred"), "␛[31m");
        assert_eq!(on("\x1b[31mred\x1b[0m"), "");
        assert_eq!(on("\x1b[31mred\x1b[m"), "");
        assert_eq!(on("\x1b[31mred\x1b[39m"), "");
        assert_eq!(on("\x1b[31mred\x1b[0m\x1b[2K"), "");
    }

    #[test]
    fn parts_are_switched_off_alone() {
        assert_eq!(on("\x1b[1;31m bold red \x1b[22m"), "␛[31m");
        assert_eq!(on("\x1b[1;31m\x1b[0;4m"), "␛[4m");
        assert_eq!(on("\x1b[32m\x1b[44m\x1b[33m"), "␛[33;44m");
    }

    #[test]
    fn long_colours_keep_their_arguments() {
        assert_eq!(on("\x1b[38;5;1m"), "␛[38;5;1m");
        assert_eq!(on("\x1b[38;2;0;0;0;1m"), "␛[1;38;2;0;0;0m");
        assert_eq!(on("\x1b[48:2::1:2:3m"), "␛[48:2::1:2:3m");
    }
}
