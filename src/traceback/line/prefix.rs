//! What stands in front of each line of a writer, learned from the lines themselves.

use nom::branch::alt;
use nom::bytes::complete::{
    tag, take_till, take_till1, take_until, take_while, take_while_m_n, take_while1,
};
use nom::character::complete::{char, digit1, one_of, space0, space1};
use nom::combinator::{opt, peek, recognize, verify};
use nom::error::Error;
use nom::sequence::{delimited, terminated};
use nom::{IResult, Parser};

use super::time_stamp;
use crate::traceback::grammar::common::boundary;
use crate::traceback::grammar::exception::bare_exception;

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
const MAX_PREFIX_BYTES: usize = 200;
/// The longest piece of a prefix in brackets, in bytes.
const MAX_MARK: usize = 100;

impl Prefix {
    /// Learns the prefix that `text` is.
    pub(crate) fn learn(text: &str) -> Self {
        let mut tokens = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let time = if literal.ends_with(|p: char| p.is_ascii_alphanumeric()) {
                0
            } else if buildkit_step(&literal) {
                seconds_len(rest)
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
        len_up_to(text, |_| false)
    }

    /// Returns the length of the same up to the level of an error, which may be the line's own.
    pub(crate) fn stamp_len(text: &str) -> usize {
        len_up_to(text, |form| form.has_level)
    }

    /// Learns a prefix that numbers the lines, from how two neighbouring lines start: `  12  ` and
    /// `  13  `.
    pub(crate) fn learn_numbered(before: &str, next: &str) -> Option<Self> {
        let (blanks, number, behind) = numbered(before)?;
        let (next_blanks, next_number, rest) = numbered(next)?;
        let aligned = blanks.len() + number.len() == next_blanks.len() + next_number.len()
            || blanks == next_blanks;
        let follows = next_number.parse::<u32>().ok()? == number.parse::<u32>().ok()? + 1;
        (aligned && follows && rest.starts_with(behind) && !behind.is_empty()).then(|| Self {
            tokens: vec![Token::Number, Token::Literal(behind.to_owned())],
            head: None,
            as_printed: before.to_owned(),
        })
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

    /// Takes off what closes a line that this prefix opens: each line of a paste may stand in back
    /// quotes.
    pub(crate) fn without_closing<'a>(&self, rest: &'a str) -> &'a str {
        let closed = self
            .as_printed
            .ends_with('`')
            .then(|| rest.strip_suffix('`'));
        closed.flatten().unwrap_or(rest)
    }

    /// Returns whether a text of this length can be a prefix.
    pub(crate) fn fits(text: &str) -> bool {
        text.len() <= MAX_PREFIX_BYTES
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
                    let len = match time_stamp::len(rest) {
                        0 if self.as_printed.starts_with('#') => seconds_len(rest),
                        len => len,
                    };
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

/// Returns where a prefix goes on behind what a table of lines puts in front; 0 for all others:
/// ` | 2025-10-13 03:54:53 PDT | ` (Buildkite), `build\tRun tests\t2024-05-14T09:12:33Z `
/// (`gh run view --log`), and the blanks of ` 3: ` (`srun -l` with ten tasks or more).
fn behind_table(text: &str) -> usize {
    let columns = || {
        let (_, rest) = text.split_once('\t')?;
        let (_, rest) = rest.split_once('\t')?;
        Some(rest.strip_prefix('\u{feff}').unwrap_or(rest))
    };
    let blank = text.trim_start_matches(' ');
    let is_rank = (1..=3).contains(&(text.len() - blank.len())) && rank(blank).is_ok();
    if is_rank {
        return text.len() - blank.len();
    }
    let behind = blank.strip_prefix("| ").or_else(columns);
    let behind = behind.filter(|rest| stamp(rest).is_ok());
    behind.map_or(0, |rest| text.len() - rest.len())
}

/// `3:`, as `srun -l` numbers its tasks.
fn rank(input: &str) -> IResult<&str, &str> {
    recognize((digit1, char(':'), boundary)).parse(input)
}

/// Returns the length of a prefix by its form, up to the piece behind which it ends.
fn len_up_to(text: &str, ends: impl Fn(&PrefixForm) -> bool) -> usize {
    let (mut at, mut end) = (behind_table(text), 0);
    let mut form = PrefixForm::default();
    while let Some(len) = form.next(&text[at..]).filter(|_| at < MAX_PREFIX_BYTES) {
        if ends(&form) {
            break;
        }
        end = at + len;
        at = text.len() - text[end..].trim_start_matches(' ').len();
    }
    // Of the blanks behind it one is the prefix's, the others are the line's own.
    end + usize::from(at > end)
}

/// What of a prefix was read, which says what may follow.
#[derive(Default)]
struct PrefixForm {
    is_stamped: bool,
    has_level: bool,
}

impl PrefixForm {
    /// Returns the length of the next piece of a prefix, without the blanks behind it.
    fn next(&mut self, text: &str) -> Option<usize> {
        let len = |piece: fn(&str) -> IResult<&str, &str>| Some(piece(text).ok()?.1.len());
        if let Some(len) = len(stamp).or_else(|| len(buildkit)) {
            self.is_stamped = true;
            return Some(len);
        }
        if let Some(len) = len(level) {
            self.has_level = true;
            return Some(len);
        }
        len(mark)
            .or_else(|| self.is_stamped.then(|| len(stream))?)
            .or_else(|| match self {
                // The exception's own name is not the logger's.
                _ if self.has_level => bare_exception(text).is_none().then(|| len(logger))?,
                _ if self.is_stamped => len(syslog),
                _ => len(service),
            })
    }
}

/// A time stamp with its zone; `E0501 10:00:00.123456 77 train.py:12]`, that of an error.
fn stamp(input: &str) -> IResult<&str, &str> {
    let is_place =
        |place: &str| place.len() < MAX_MARK && place.contains(':') && !place.contains('[');
    let place = verify(take_until("]"), is_place);
    let glog = (one_of("EF"), time_stamp::stamp, place, char(']'));
    let zone = (
        char('+'),
        take_while(|c: char| c.is_ascii_digit() || c == ':'),
    );
    let named = (
        char(' '),
        verify(take_while1(|c: char| c.is_ascii_uppercase()), is_zone),
        boundary,
    );
    let zone = alt((recognize(zone), recognize(named)));
    alt((recognize(glog), recognize((time_stamp::stamp, opt(zone))))).parse(input)
}

/// `#12 34.101`: what `docker build` puts before each line of a step, its number and the seconds.
fn buildkit(input: &str) -> IResult<&str, &str> {
    recognize((char('#'), digit1, char(' '), seconds, boundary)).parse(input)
}

fn seconds(input: &str) -> IResult<&str, &str> {
    recognize((digit1, char('.'), digit1)).parse(input)
}

/// Returns the length of the seconds that a text begins with; 0 if it does not.
fn seconds_len(text: &str) -> usize {
    seconds(text).map_or(0, |(_, seconds)| seconds.len())
}

/// Returns whether a text is the number of a step: `#12 `.
fn buildkit_step(text: &str) -> bool {
    let number = text
        .strip_prefix('#')
        .and_then(|rest| rest.strip_suffix(' '));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns whether a word is the name of a time zone: `UTC`, `PDT`, `CEST`.
fn is_zone(word: &str) -> bool {
    matches!(word, "UTC" | "GMT")
        || (3..=4).contains(&word.len()) && word.ends_with("ST")
        || word.len() == 3 && word.ends_with("DT")
        || word == "CET"
}

/// `ERROR`, `| ERROR    |`, `CRITICAL:`: a level that says failure.
fn level(input: &str) -> IResult<&str, &str> {
    let bar = recognize((space0, char('|'), peek(char(' '))));
    let colon = recognize((opt(char(':')), peek(char(' '))));
    recognize((level_name, alt((bar, colon)))).parse(input)
}

fn level_name(input: &str) -> IResult<&str, &str> {
    let upper = alt((
        tag("ERROR"),
        tag("CRITICAL"),
        tag("FATAL"),
        tag("EXCEPTION"),
    ));
    alt((upper, tag("error"), tag("critical"))).parse(input)
}

/// `[rank3]:`, `[1,0]<stderr>:`, `(train pid=12)`, `[ERROR]`; `3:`, `>`.
fn mark(input: &str) -> IResult<&str, &str> {
    let square = bracket('[', ']', is_writer);
    let round = bracket('(', ')', |text| text.contains("pid="));
    let angle = bracket('<', '>', |text| matches!(text, "stderr" | "stdout"));
    let bracket = recognize((alt((square, round, angle)), opt(char(':'))));
    let quote = terminated(tag(">"), boundary);
    let pm2 = (
        digit1,
        char('|'),
        take_till1(|c| c == ' '),
        space1,
        char('|'),
    );
    alt((bracket, rank, quote, operator, recognize((pm2, boundary)))).parse(input)
}

/// `{subprocess.py:93} INFO -`: what Airflow writes before each line of a program that it runs. Behind the
/// names of other modules stands what Airflow itself says.
fn operator(input: &str) -> IResult<&str, &str> {
    let module = alt((
        tag("subprocess"),
        tag("process_utils"),
        tag("logging_mixin"),
        tag("pod_manager"),
        tag("spark_submit"),
        tag("docker"),
        tag("ssh"),
    ));
    let place = (char('{'), module, tag(".py:"), digit1, char('}'));
    let container = bracket('[', ']', |name| !name.contains(' '));
    let container = opt((char(' '), container, peek(boundary)));
    recognize((place, tag(" INFO -"), container, boundary)).parse(input)
}

/// Returns whether a text in brackets names a level that says failure, or a writer by its number.
fn is_writer(text: &str) -> bool {
    let is_level = (level_name, opt(char(':')), boundary).parse(text).is_ok();
    let is_numbered = text.contains(|c: char| c.is_ascii_digit());
    is_level || is_numbered && !text.contains(['\'', '"', '['])
}

/// A short text in brackets.
fn bracket<'a>(
    open: char,
    close: char,
    holds: impl Fn(&str) -> bool,
) -> impl Parser<&'a str, Output = &'a str, Error = Error<&'a str>> {
    let is = move |text: &str| text.len() < MAX_MARK && holds(text);
    delimited(
        char(open),
        verify(take_till(move |c| c == close), is),
        char(close),
    )
}

/// What a container's runtime, GitLab's runner (`01E`) and loggers put behind a stamp.
fn stream(input: &str) -> IResult<&str, &str> {
    let is_hex = |c: char| c.is_ascii_hexdigit() && !c.is_ascii_uppercase();
    let gitlab = (take_while_m_n(2, 2, is_hex), one_of("OE"), opt(char('+')));
    let words = alt((tag("|"), tag("-"), tag("F"), tag("stderr"), tag("stdout")));
    terminated(alt((words, recognize(gitlab))), boundary).parse(input)
}

/// `train:`, `train:main:12 -`, behind a level: the logger's name. `/usr/lib/…/x.py:224:` is the
/// place of a warning.
fn logger(input: &str) -> IResult<&str, &str> {
    let is_in_name = |c: char| c.is_alphanumeric() || "_.:<>-".contains(c);
    let name = || terminated(take_while1(is_in_name), peek(char(' ')));
    let dash = (char(' '), one_of("-|"), peek(char(' ')));
    let with_colon = verify(name(), |name: &str| name.ends_with(':'));
    alt((recognize((name(), dash)), with_colon)).parse(input)
}

/// `gpu-node-7 python[4711]:`, behind a stamp.
fn syslog(input: &str) -> IResult<&str, &str> {
    let program = take_till1(|c| matches!(c, '[' | ' '));
    let pid = (char('['), digit1, tag("]:"), peek(char(' ')));
    let whole = recognize((take_till1(|c| c == ' '), char(' '), program, pid));
    verify(whole, |text: &str| text.len() < MAX_MARK).parse(input)
}

/// `trainer-1  |`, `webserver  |`: a service of docker compose, or its `container_name`, which stands two
/// blanks before the bar at least.
fn service(input: &str) -> IResult<&str, &str> {
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_numbered = |name: &str| name.contains(|c: char| c.is_ascii_digit());
    let is_lower = |name: &str| !name.contains(|c: char| c.is_ascii_uppercase());
    let numbered = (verify(take_while1(is_in_name), is_numbered), space1);
    let named = (
        verify(take_while1(is_in_name), is_lower),
        verify(space1, |blanks: &str| blanks.len() > 1),
    );
    let name = alt((recognize(numbered), recognize(named)));
    recognize((name, char('|'), peek(char(' ')))).parse(input)
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
            "[2024-05-01, 10:00:00 UTC] {subprocess.py:93} INFO - ",
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
