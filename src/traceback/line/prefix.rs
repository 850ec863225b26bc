//! What stands in front of each line of a writer, learned from the lines themselves.

use std::borrow::Cow;

use nom::Parser;
use nom::bytes::complete::take_while;
use nom::character::complete::{char, digit1, one_of};
use nom::combinator::{opt, peek, recognize, verify};
use nom::error::Error;
use nom::sequence::terminated;

use super::prefix_form::{PrefixEnds, seconds};
use super::text::MARKS;
use super::time_stamp;

/// A learned line prefix: constant text in which time stamps vary.
///
/// `2024-05-01T10:00:01.5Z stderr F ` and `[rank0]: ` are prefixes; the ranks keep their digits,
/// since they tell writers apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prefix {
    tokens: Vec<Token>,
    /// The first bytes of a literal that it begins with, if that is so long: of many lanes nearly
    /// all are told from a line by these. None of them is a blank, which a line may lack.
    head: Option<[u8; HEAD_BYTES]>,
    /// The prefix as it stood on the line that it was learned from.
    pub(crate) as_printed: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Literal(String),
    Time,
    /// The number of the line, with the blanks that align it.
    Number,
}

/// How many bytes of a line tell most prefixes apart: `[rank12]`.
const HEAD_BYTES: usize = 8;
/// The longest prefix that is learned, in bytes.
pub(crate) const MAX_PREFIX_BYTES: usize = 400;

impl Prefix {
    /// Learns the prefix that `text` is.
    pub(crate) fn learn(text: &str) -> Self {
        let mut tokens = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let time = if literal.ends_with(|p: char| p.is_ascii_alphanumeric()) {
                0
            } else if literal.is_empty() || opens_seconds(&literal) || buildkit_step(&literal) {
                time_stamp::len(rest).max(seconds_len(rest))
            } else {
                time_stamp::len(rest)
            };
            if time > 0 {
                if !literal.is_empty() {
                    tokens.push(Token::Literal(std::mem::take(&mut literal)));
                }
                tokens.push(Token::Time);
                rest = &rest[time..];
            } else {
                literal.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
        if !literal.is_empty() {
            tokens.push(Token::Literal(literal));
        }
        let head = match tokens.first() {
            Some(Token::Literal(literal)) => literal.trim_end().as_bytes().first_chunk().copied(),
            _ => None,
        };
        Self {
            tokens,
            head,
            as_printed: text.to_owned(),
        }
    }

    /// Returns the length of what at the start of a line is a prefix by its form: marks of ranks,
    /// workers and streams, time stamps, levels of errors. Words alone are none: `handled: `.
    ///
    /// `[rank3]: `, `(train pid=12) `, `0: (EngineCore_DP0 pid=77) `, `[1,0]<stderr>:`,
    /// `2024-05-01T10:00:00.1Z stderr F `, `May 01 10:00:00 node-7 python[4711]: `,
    /// `2024-05-01 10:00:00,123 ERROR train: `, `E0501 10:00:00.1 77 train.py:12] `, `job-1  | `.
    pub(crate) fn plain_len(text: &str) -> usize {
        PrefixEnds::of(text).whole()
    }

    /// Learns a prefix that numbers the lines, from how two neighbouring lines start: `  12  ` and
    /// `  13  `, `L12: ` and `L13: `, `x.log:12:` and `x.log:13:`; on pages only the number may be left.
    pub(crate) fn learn_numbered(before: &str, next: &str) -> Option<Self> {
        let mark = before_number(before);
        let (blanks, number, behind) = numbered(&before[mark.len()..])?;
        let (next_blanks, next_number, rest) = numbered(next.strip_prefix(mark)?)?;
        let aligned = blanks.len() + number.len() == next_blanks.len() + next_number.len()
            || blanks == next_blanks;
        let follows = next_number.parse::<u32>().ok()? == number.parse::<u32>().ok()? + 1;
        let literal = |text: &str| (!text.is_empty()).then(|| Token::Literal(text.to_owned()));
        (aligned && follows && rest.starts_with(behind)).then(|| Self {
            tokens: literal(mark)
                .into_iter()
                .chain([Token::Number])
                .chain(literal(behind))
                .collect(),
            head: None,
            as_printed: before.to_owned(),
        })
    }

    /// Learns the same from the line above, whole, and what stands before a line's text.
    pub(crate) fn learn_numbered_below(above: &str, before: &str) -> Option<Self> {
        let mark = before_number(before);
        let (_, _, behind) = numbered(&before[mark.len()..])?;
        let (_, _, rest) = numbered(above.strip_prefix(mark)?)?;
        let is_borne = rest.starts_with(behind.trim_end());
        let shown = format!("{}{behind}", &above[..above.len() - rest.len()]);
        is_borne.then(|| Self::learn_numbered(&shown, before))?
    }

    /// Returns the prefix of lines that bear this one and another behind it.
    pub(crate) fn followed_by(&self, inner: &Self) -> Self {
        Self {
            tokens: [&self.tokens[..], &inner.tokens].concat(),
            head: self.head,
            as_printed: self.as_printed.clone() + &inner.as_printed,
        }
    }

    /// Returns whether it is a number and nothing else, which other text may begin with, too.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self.tokens[..], [Token::Number])
    }

    /// Returns whether it is no prefix at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns whether it is a time stamp and nothing else but blanks.
    pub(crate) fn is_stamp(&self) -> bool {
        let is_blank = |t: &&Token| matches!(t, Token::Literal(text) if text.trim().is_empty());
        let mut tokens = self.tokens.iter().filter(|t| !is_blank(t));
        matches!((tokens.next(), tokens.next()), (Some(Token::Time), None))
    }

    /// Takes off what closes a line that this prefix opens: each line of a paste may be code or bold, each row
    /// of a table in quotes, which doubles those inside.
    pub(crate) fn without_closing<'a>(&self, rest: &'a str) -> Cow<'a, str> {
        let mut marks = MARKS.into_iter();
        // Only the cells of a table have a blank between the two.
        let printed = &self.as_printed;
        let cell = printed.trim_end().ends_with('|').then(|| rest.trim_end());
        if let Some(inner) = cell.and_then(|rest| rest.strip_suffix('|')) {
            return inner.trim_end().into();
        }
        // A writer's mark may stand behind the one that opens the line: `…,"[rank3]: `.
        let writer = printed
            .strip_suffix(": ")
            .and_then(|text| text.strip_suffix(']'));
        let opened = writer.and_then(|text| Some(&text[..text.rfind('[')?]));
        let opened = opened.unwrap_or(printed);
        let opening = marks.find(|mark| opened.ends_with(mark));
        let closed = opening.and_then(|mark| rest.strip_suffix(mark));
        match closed {
            Some(inner) if opening == Some("\"") && inner.contains("\"\"") => {
                inner.replace("\"\"", "\"").into()
            }
            closed => closed.unwrap_or(rest).into(),
        }
    }

    /// Returns whether a text of this length can be a prefix.
    pub(crate) fn fits(text: &str) -> bool {
        text.len() <= MAX_PREFIX_BYTES
    }

    /// Returns whether a text ends in a mark that prefixes end in. Far into a line a colon is the program's own.
    pub(crate) fn is_marked(text: &str) -> bool {
        const FAR: usize = 120;
        let mark = text.trim_end().chars().last();
        mark.is_some_and(|mark| match mark {
            ':' => text.len() <= FAR,
            mark => "])}>|#F".contains(mark),
        })
    }

    /// Returns whether a line that starts with this byte may bear the prefix.
    pub(crate) fn starts_with_byte(&self, byte: u8) -> bool {
        match self.tokens.first() {
            Some(Token::Literal(text)) => text.as_bytes().first() == Some(&byte),
            Some(Token::Time) => byte.is_ascii_alphanumeric(),
            Some(Token::Number) => byte.is_ascii_digit() || byte == b' ',
            None => false,
        }
    }

    /// Returns whether a line that begins with these bytes may bear the prefix; `None` for a line
    /// that is shorter.
    #[inline]
    pub(crate) fn may_head(&self, head: Option<&[u8; HEAD_BYTES]>) -> bool {
        self.head
            .is_none_or(|own| head.is_none_or(|head| own == *head))
    }

    /// Takes the prefix off a line; `None` if the line does not bear it.
    ///
    /// A line that is nothing but the prefix may lack the blanks at its end.
    pub(crate) fn strip<'a>(&self, line: &'a str) -> Option<&'a str> {
        if !self.may_head(line.as_bytes().first_chunk()) {
            return None;
        }
        let mut rest = line;
        for (at, token) in self.tokens.iter().enumerate() {
            match token {
                Token::Literal(text) => {
                    rest = match rest.strip_prefix(text.as_str()) {
                        Some(rest) => rest,
                        None if at + 1 == self.tokens.len() && rest == text.trim_end() => "",
                        None => return None,
                    };
                }
                Token::Time => {
                    let len = time_stamp::len(rest).max(seconds_len(rest));
                    if len == 0 {
                        return None;
                    }
                    rest = &rest[len..];
                }
                Token::Number => rest = numbered(rest)?.2,
            }
        }
        Some(rest)
    }
}

/// Returns what stands before the number of a line: a letter, or the name of the file that `grep -n` found it in.
fn before_number(text: &str) -> &str {
    const MARKS: [&str; 2] = ["L", "#"];
    const FILES: [&str; 8] = [
        ".log:", ".txt:", ".out:", ".err:", ".log-", ".txt-", ".out-", ".err-",
    ];
    let mark = MARKS.into_iter().find(|mark| text.starts_with(mark));
    let name = || {
        let mut ends = FILES
            .iter()
            .filter_map(|end| Some(text.find(end)? + end.len()));
        let name = &text[..ends.next()?];
        (!name.contains(' ')).then_some(name)
    };
    mark.or_else(name).unwrap_or_default()
}

/// Takes `  12  x` apart: the blanks, the digits, what follows. Kaggle's logs have the seconds in front:
/// `7.2s  12  x`.
fn numbered(text: &str) -> Option<(&str, &str, &str)> {
    let seconds = (
        digit1::<_, Error<&str>>,
        char('.'),
        digit1,
        char('s'),
        one_of(" \t"),
    );
    let (text, _) = opt(recognize(seconds)).parse(text).ok()?;
    let blanks = take_while::<_, _, Error<&str>>(|c| c == ' ');
    let number = verify(digit1, |digits: &str| digits.len() <= 6);
    let (behind, (blanks, number)) = (blanks, number).parse(text).ok()?;
    Some((blanks, number, behind))
}

/// Returns the length of the seconds that a text begins with, as a stamp: `42.34 `, `12.345s] `; 0 if
/// it does not.
fn seconds_len(text: &str) -> usize {
    let stamp = terminated(seconds, peek(one_of(" s]"))).parse(text);
    stamp.map_or(0, |(_, seconds)| seconds.len())
}

/// Returns whether seconds may stand behind a text: in brackets, `[ 4711.123456] ` (dmesg),
/// `[ERROR] [1715677953.123]: ` (ROS), `[+1.123s] `.
fn opens_seconds(text: &str) -> bool {
    text.trim_end_matches([' ', '+']).ends_with('[')
}

/// Returns whether a text is the number of a step: `#12 `.
fn buildkit_step(text: &str) -> bool {
    let number = text
        .strip_prefix('#')
        .and_then(|rest| rest.strip_suffix(' '));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps_vary_and_ranks_do_not() {
        let prefix = Prefix::learn("2024-05-01T10:00:01.123Z stderr F ");
        assert_eq!(
            prefix.strip("2024-05-01T10:00:02.9Z stderr F   File"),
            Some("  File")
        );
        let rank = Prefix::learn("[rank0]: ");
        assert_eq!(rank.strip("[rank0]: x"), Some("x"));
        assert_eq!(rank.strip("[rank1]: x"), None);
        assert_eq!(rank.strip("[rank0]:"), Some(""));
    }

    #[test]
    fn numbers_of_lines_are_told_by_two_lines() {
        let prefix = Prefix::learn_numbered("   9  ", "  10    File \"x.py\"").expect("numbers");
        assert_eq!(prefix.strip("  11      f()"), Some("    f()"));
        assert_eq!(prefix.strip(" 111"), Some(""));
        assert_eq!(prefix.strip("TypeError: x"), None);
        let kaggle = Prefix::learn_numbered("9.8s\t9\t", "10.1s\t10\t  File \"x.py\"");
        let kaggle = kaggle.expect("numbers");
        assert_eq!(kaggle.strip("11.0s\t11\t    f()"), Some("    f()"));
        for (before, next) in [
            ("L9: ", "L10:   File \"x.py\""),
            ("368", "369  File \"x.py\""),
            ("a/b.log:9:", "a/b.log:10:  File \"x.py\""),
        ] {
            let prefix = Prefix::learn_numbered(before, next).expect("numbers");
            assert_eq!(prefix.strip(next), Some("  File \"x.py\""), "{next}");
        }
        let below = Prefix::learn_numbered_below("   9 |     f()", "  10 | ").expect("numbers");
        assert_eq!(below.strip("  11 | TypeError: x"), Some("TypeError: x"));
        assert_eq!(Prefix::learn_numbered_below("   9 a", "  11 "), None);
        assert_eq!(Prefix::learn_numbered("[rank3]: ", "[rank4]:   File"), None);
        assert_eq!(Prefix::learn_numbered("3: ", "3:   File"), None);
        assert_eq!(Prefix::learn_numbered("1 ", "Error 2 "), None);
    }

    #[test]
    fn usual_prefixes_are_told_by_their_form() {
        for prefix in [
            "[rank3]: ",
            "(train pid=12) ",
            "0: (EngineCore_DP0 pid=77) (RayWorkerWrapper pid=12, ip=10.0.0.2) ",
            "[1,0]<stderr>:",
            "3: ",
            "> > ",
            "trainer-1  | ",
            "webserver  | ",
            "[pod/job-0/main] ",
            "2024-05-01T10:00:00.1Z ",
            "2024-05-01T10:00:00.1+02:00 stderr F ",
            "May 01 10:00:00 gpu-node-7 python[4711]: ",
            "2024-05-01 10:00:00,123 ERROR train: ",
            "2024-05-01 10:00:00.123 | ERROR    | train:main:12 - ",
            "E0501 10:00:00.123456 77 train.py:12] ",
            "[2024-05-01 10:00:00] [ERROR] ",
            "[ERROR] train: ",
            "2024-05-01 10:00:00,123 train.loader ERROR ",
            "2024-05-01 10:00:00\tERROR\ttrain\t",
            "INFO\t2024-05-01 10:00:00 +0000\tworkerpool0-0\t",
            "ERROR\t2024-05-01 10:00:00 +0000\tworkerpool0-0\t[rank3]: ",
            "2024-05-01 10:00:00,123\tERROR worker.py:409 -- ",
            "ERROR 2024-05-01 10:00:00,123 loader 4711 140234 ",
            "ERROR    train.loader:loader.py:12 ",
            "[2024-05-01, 10:00:00 UTC] {subprocess.py:93} INFO - ",
            "[2024-05-01T10:00:00.123456Z] 6ed813d5 [rank=0] || ",
            "[2024-05-01, 10:00:00 UTC] {pod_manager.py:431} INFO - [base] ",
            "ERROR: ",
        ] {
            for text in ["TypeError: x", "E   TypeError: x"] {
                let line = format!("{prefix}{text}");
                assert_eq!(Prefix::plain_len(&line), prefix.len(), "{line}");
            }
        }
        for line in [
            "TypeError: x",
            "handled: TypeError: x",
            "INFO handled: TypeError: x",
            "2024-05-01 10:00:00 INFO TypeError: x",
            "INFO\t2024-05-01 10:00:00 handled\ttrain\tTypeError: x",
            "[2024-05-01, 10:00:00 UTC] {taskinstance.py:93} INFO - TypeError: x",
            "node1: x",
            "a | b | c",
            "name | TypeError: x",
            "Name  | TypeError: x",
        ] {
            let rest = &line[Prefix::plain_len(line)..];
            assert!(
                !rest.starts_with("TypeError") || line.starts_with("TypeError"),
                "{line}"
            );
        }
    }
}
