//! A prefix of any form, told by the lines above that bear it too.

use super::prefix::Prefix;
use super::time_stamp;
use super::told::went_on;
use crate::traceback::grammar::cpython::HEAD;

/// The longest prefix that is told so, in bytes.
const MAX_BYTES: usize = 250;
/// So many of the lines above must bear it, if there are so many.
const WITNESSES: usize = 2;
/// So many words may stand in it; each is a place where it may end.
const MAX_WORDS: usize = 12;

/// Returns the lengths that a prefix of this line may have, the shortest first: up to a mark that
/// stands in the lines above it too, time stamps aside.
///
/// `train-worker-0 pytorch ` (stern), `2024-05-01T10:00:00Z app[web.1]: ` (Heroku), `gpu-01: ` (pdsh),
/// `[MainThread] ERROR x - `, `Fri Sep 25 16:52:53 2020[0]<stderr>:` (horovodrun).
pub(crate) fn prefix_lens<'a>(
    text: &str,
    above: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = usize> {
    let shared = shared_len(text, above);
    // The place of a warning tells no writer, and behind words that say so nothing failed; a head is sure.
    let is_doubtful = || text[..shared].contains(".py:") || went_on(&text[..shared]);
    let is_none = shared == 0 || is_doubtful() && !text.contains(HEAD);
    let text = if is_none { "" } else { text };
    let ends = ends(&text[..shared.min(text.len())]);
    ends.filter(|len| !text[..*len].ends_with(": ") || Prefix::is_marked(&text[..*len]))
}

/// Returns how much of a line the lines above have in common with it.
fn shared_len<'a>(text: &str, above: impl Iterator<Item = &'a str>) -> usize {
    let (mut longest, mut second, mut count) = (0, 0, 0);
    let mut stamps = Stamps::of(text);
    for line in above.filter(|line| !line.trim().is_empty()) {
        let len = agreed_len(&mut stamps, line);
        count += 1;
        (longest, second) = if len > longest {
            (len, longest)
        } else {
            (longest, second.max(len))
        };
    }
    if count < WITNESSES { longest } else { second }
}

/// The time stamps of a line, each read once though it is compared with several lines.
struct Stamps<'t> {
    text: &'t str,
    /// The length of that at each place, 0 if none begins there, as far as it was asked.
    lens: [Option<u8>; MAX_BYTES],
}

impl<'t> Stamps<'t> {
    fn of(text: &'t str) -> Self {
        let lens = [None; MAX_BYTES];
        Self { text, lens }
    }

    /// Returns the length of the one that begins at a place, less than [`MAX_BYTES`].
    fn len(&mut self, at: usize) -> usize {
        let len = || time_stamp::len(&self.text[at..]).try_into().unwrap_or(0);
        usize::from(*self.lens[at].get_or_insert_with(len))
    }
}

/// Returns how much of a line another has in common with it, whatever their time stamps say.
fn agreed_len(stamps: &mut Stamps<'_>, other: &str) -> usize {
    let text = stamps.text;
    let (bytes, others) = (text.as_bytes(), other.as_bytes());
    let (mut at, mut there) = (0, 0);
    while at < bytes.len().min(MAX_BYTES) && there < others.len() {
        let is_start = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        let may_be_stamp = is_start && bytes[at].is_ascii_alphanumeric();
        let stamp = if may_be_stamp { stamps.len(at) } else { 0 };
        if stamp > 0 {
            let others_stamp = other.get(there..).map_or(0, time_stamp::len);
            if others_stamp == 0 {
                break;
            }
            (at, there) = (at + stamp, there + others_stamp);
        } else if bytes[at] == others[there] {
            (at, there) = (at + 1, there + 1);
        } else {
            break;
        }
    }
    (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// Returns where in a shared text a prefix may end.
fn ends(shared: &str) -> impl Iterator<Item = usize> {
    let (mut at, mut is_named, mut was_end, mut count) = (0, false, false, 0);
    let words = shared.split_inclusive([' ', '\t']).take_while(move |word| {
        count += usize::from(word.len() > 1);
        count <= MAX_WORDS
    });
    words.filter_map(move |word| {
        let stem = word.trim_end_matches([' ', '\t']);
        is_named |= is_stamp(stem) || at == 0 && is_address(stem);
        let start = at;
        at += word.len();
        if let Some((writer, _)) = stem.split_once(">:") {
            return Some(start + writer.len() + 2);
        }
        // Columns may be aligned by blanks.
        let ends = stem.len() < word.len();
        was_end =
            ends && (ends_prefix(&shared[..at], stem, is_named) || was_end && stem.is_empty());
        was_end.then_some(at)
    })
}

/// Returns whether a prefix may end with this word, the last one of `text`.
fn ends_prefix(text: &str, word: &str, is_named: bool) -> bool {
    let is_of_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_./".contains(c);
    let has_mark = text.ends_with('\t') || word.ends_with([':', ']', ')', '}', '|']) || word == "-";
    // Words alone are the program's own: `handled: `.
    let tells_writer = is_named || text.contains(['[', '(', '<']) || has_digit(word);
    has_mark && tells_writer
        || is_named && !word.is_empty() && word.chars().all(is_of_name)
        || is_stamp(word)
        || is_service(text)
}

/// `scheduler | `: a service, as Airflow's standalone command names it.
fn is_service(text: &str) -> bool {
    let name = text.strip_suffix(" | ").unwrap_or_default();
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
}

/// `train-worker-0`, `gpu-01:`, `train/trainer/4a1b`: the name of a machine, a pod or a stream.
fn is_address(word: &str) -> bool {
    let has_letter = word.contains(|c: char| c.is_ascii_alphabetic());
    has_letter && has_digit(word) && word.contains(['-', '/', '_'])
}

fn has_digit(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
}

/// Returns whether a word is a time stamp, with its zone perhaps.
fn is_stamp(word: &str) -> bool {
    time_stamp::len(word) > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(text: &str, above: &[&str]) -> usize {
        prefix_lens(text, above.iter().copied()).last().unwrap_or(0)
    }

    #[test]
    fn what_the_lines_above_bear_too_is_a_prefix_up_to_a_mark() {
        for prefix in [
            "train-worker-0 pytorch ",
            "train-x7k2p-1234567890: ",
            "gpu-01: ",
            "10.0.0.12: ",
            "[train] ",
            "scheduler | ",
            "[MainThread] ERROR x - ",
            "ERROR\t2024-05-14 09:12:33 +0200\tworkerpool0-0\t\t",
            "ERROR   2024-05-14 09:12:33 +0200       workerpool0-0   ",
        ] {
            let text = format!("{prefix}TypeError: x");
            let above = [&*format!("{prefix}step 1"), &*format!("{prefix}E   step 2")];
            assert_eq!(longest(&text, &above), prefix.len(), "{prefix}");
            assert_eq!(longest(&text, &["other", "lines"]), 0, "{prefix}");
        }
    }

    #[test]
    fn time_stamps_need_not_agree() {
        for form in [
            "TIME app[web.1]: ",
            "train-worker-0 pytorch TIME+02:00 ",
            "<11>1 TIME gpu01 trainer 4711 - - ",
            "TIME train/trainer/4a1b2c3d4e5f ",
        ] {
            let with = |time: &str, rest: &str| form.replace("TIME", time) + rest;
            let text = with("2024-05-14T09:12:33.9Z", "TypeError: x");
            let above = with("2024-05-14T09:12:31Z", "step");
            let prefix = text.len() - "TypeError: x".len();
            assert_eq!(longest(&text, &[&above]), prefix, "{form}");
        }
        let text = "Fri Sep 25 16:52:53 2020[0]<stderr>:TypeError: x";
        let above = "Fri Sep 25 16:52:52 2020[0]<stderr>:step";
        assert_eq!(longest(text, &[above]), text.len() - "TypeError: x".len());
    }

    #[test]
    fn words_that_two_lines_share_are_no_prefix() {
        for words in [
            "handled: ",
            "Loading the model ",
            "- ",
            "[3] INFO ",
            "[3] retrying: ",
            "/a/x.py:12: ",
        ] {
            let text = format!("{words}TypeError: x");
            let above = format!("{words}ValueError: x");
            assert_eq!(longest(&text, &[&above, &above]), 0, "{words}");
        }
    }
}
