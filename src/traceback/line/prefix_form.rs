//! The forms that prefixes have: stamps, marks of ranks and workers, levels, names of services.

use std::iter;

use nom::branch::alt;
use nom::bytes::complete::{
    tag, take_till, take_till1, take_until, take_while, take_while_m_n, take_while1,
};
use nom::character::complete::{alphanumeric1, char, digit1, one_of, space0, space1};
use nom::combinator::{fail, opt, peek, recognize, verify};
use nom::error::Error;
use nom::sequence::{delimited, terminated};
use nom::{IResult, Parser};

use super::prefix::MAX_PREFIX_BYTES;
use super::time_stamp;
use crate::traceback::grammar::common::boundary;
use crate::traceback::grammar::exception::bare_exception;

/// The longest piece of a prefix in brackets, in bytes: `[pod/NAME/CONTAINER]`, with 63 for each name.
const MAX_MARK: usize = 160;

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

/// Returns the length of the columns in which Vertex AI streams its logs: `INFO\t2023-04-11 13:37:01 +0000\tworkerpool0-0\t`.
fn replica(text: &str) -> Option<usize> {
    let mut columns = text.splitn(4, '\t');
    let (level, time, name) = (columns.next()?, columns.next()?, columns.next()?);
    let rest = columns.next()?;
    let is_level = !level.is_empty() && level.bytes().all(|b| b.is_ascii_uppercase());
    let is_time = stamp(time).is_ok_and(|(behind, _)| behind.is_empty());
    (is_level && is_time && !name.contains(' ')).then(|| text.len() - rest.len())
}

/// `3:`, as `srun -l` numbers its tasks.
fn rank(input: &str) -> IResult<&str, &str> {
    recognize((digit1, char(':'), boundary)).parse(input)
}

/// The places where a prefix may end by its form: behind each of its pieces.
#[derive(Debug, Default)]
pub(crate) struct PrefixEnds {
    /// The length up to each, the blank behind it among it, the shortest first.
    lens: Vec<usize>,
    /// How many stand before the first level.
    before_level: Option<usize>,
}

impl PrefixEnds {
    /// Reads the prefix of a line, once for all that may ask.
    pub(crate) fn of(line: &str) -> Self {
        let mut ends = Self::default();
        let mut form = PrefixForm::default();
        let replica = replica(line);
        ends.lens.extend(replica);
        let mut at = replica.unwrap_or_else(|| behind_table(line));
        while at < MAX_PREFIX_BYTES
            && let Some(len) = form.next(&line[at..])
        {
            if form.has_level {
                ends.before_level.get_or_insert(ends.lens.len());
            }
            // The times of an export stand in columns: `1715677953123\t2024-05-14T09:12:33.123Z\t`.
            let is_column =
                form.is_stamped && !form.has_level && line[at + len..].starts_with('\t');
            let end = at + len + usize::from(is_column);
            at = line.len() - line[end..].trim_start_matches(' ').len();
            // Of the blanks behind it one is the prefix's, the others are the line's own.
            ends.lens.push(end + usize::from(at > end && !is_column));
        }
        ends
    }

    /// Returns the length of all of it; 0 where there is none.
    pub(crate) fn whole(&self) -> usize {
        self.lens.last().copied().unwrap_or(0)
    }

    /// Returns the other lengths that it may have: up to the level of an error, which may be the line's own,
    /// and up to each of its pieces but the last; `[1]+  Killed` is the shell's own.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> {
        let before = |pieces: usize| pieces.checked_sub(1).map_or(0, |last| self.lens[last]);
        let level = self.before_level.map_or(self.whole(), before);
        let shorter = self.lens.len().saturating_sub(1);
        iter::once(level).chain(self.lens[..shorter].iter().copied())
    }
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
        let marked = len(mark);
        self.has_level |= marked.is_some() && level_name(&text[1..]).is_ok();
        let stream = || self.is_stamped.then(|| len(stream))?;
        if let Some(len) = marked.or_else(stream) {
            return Some(len);
        }
        match self {
            // The exception's own name is not the logger's.
            _ if self.has_level && bare_exception(text).is_some() => None,
            _ if self.has_level && self.is_stamped => len(logger).or_else(|| len(django)),
            _ if self.has_level => len(logger),
            _ if self.is_stamped => self.named_level(text).or_else(|| len(syslog)),
            _ => len(service),
        }
    }

    /// Reads `train.loader ERROR`, behind a stamp: the logger's name before the level.
    fn named_level(&mut self, text: &str) -> Option<usize> {
        let named = (take_while1(is_in_logger), space1, level);
        let (_, named) = recognize(named).parse(text).ok()?;
        self.has_level = true;
        Some(named.len())
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
    let stamp = recognize((time_stamp::stamp, opt(zone)));
    alt((recognize(glog), stamp, epoch)).parse(input)
}

/// The time since 1970: in seconds, `1715677953.123`, or in a column in milliseconds, `1715677953123`.
fn epoch(input: &str) -> IResult<&str, &str> {
    let (_, digits) = peek(digit1).parse(input)?;
    match digits.len() {
        10 => terminated(seconds, boundary).parse(input),
        13 => terminated(digit1, peek(char('\t'))).parse(input),
        _ => fail().parse(input),
    }
}

/// `#12 34.101`: what `docker build` puts before each line of a step, its number and the seconds.
fn buildkit(input: &str) -> IResult<&str, &str> {
    recognize((char('#'), digit1, char(' '), seconds, boundary)).parse(input)
}

pub(super) fn seconds(input: &str) -> IResult<&str, &str> {
    recognize((digit1, char('.'), digit1)).parse(input)
}

/// Returns whether a word is the name of a time zone: `UTC`, `PDT`, `CEST`.
fn is_zone(word: &str) -> bool {
    matches!(word, "UTC" | "GMT")
        || (3..=4).contains(&word.len()) && word.ends_with("ST")
        || word.len() == 3 && word.ends_with("DT")
        || word == "CET"
}

/// `ERROR`, `| ERROR    |`, `CRITICAL:`: a level that says failure. Columns may end in tabs.
fn level(input: &str) -> IResult<&str, &str> {
    let bar = recognize((space0, char('|'), peek(char(' '))));
    let colon = recognize((opt(char(':')), peek(char(' '))));
    let end = alt((bar, colon, tag("\t")));
    recognize((opt(char('\t')), level_name, end)).parse(input)
}

/// `loader 4711 140234`, behind both: the module, the process and the thread of Django's verbose form.
fn django(input: &str) -> IResult<&str, &str> {
    let numbers = (char(' '), digit1, char(' '), digit1);
    recognize((take_while1(is_in_logger), numbers, peek(char(' ')))).parse(input)
}

fn is_in_logger(c: char) -> bool {
    c.is_alphanumeric() || "_.-".contains(c)
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

/// `[rank3]:`, `[1,0]<stderr>:`, `(train pid=12)`, `[ERROR]`; `3:`, `>`; `6ed813d5 [rank=0] ||`.
fn mark(input: &str) -> IResult<&str, &str> {
    let square = bracket('[', ']', is_writer);
    let round = bracket('(', ')', |text| text.contains("pid="));
    let angle = bracket('<', '>', |text| matches!(text, "stderr" | "stdout"));
    let bracket = recognize((alt((square, round, angle)), opt(char(':'))));
    let quote = terminated(tag(">"), boundary);
    // Determined: the container's id, and the rank.
    let id = verify(alphanumeric1, |id: &str| id.len() == 8);
    let of_rank = delimited(tag(" [rank="), digit1, char(']'));
    let determined = recognize((id, opt(of_rank), tag(" ||"), boundary));
    let pm2 = (
        digit1,
        char('|'),
        take_till1(|c| c == ' '),
        space1,
        char('|'),
    );
    let pm2 = recognize((pm2, boundary));
    alt((bracket, rank, quote, operator, determined, pm2)).parse(input)
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

/// `train:`, `train:main:12 -`, `train:x.py:12`, behind a level: the logger's name. `/usr/lib/…/x.py:224:` is
/// the place of a warning.
fn logger(input: &str) -> IResult<&str, &str> {
    let is_in_name = |c: char| c.is_alphanumeric() || "_.:<>-".contains(c);
    let name = || terminated(take_while1(is_in_name), peek(char(' ')));
    let dash = (char(' '), alt((tag("--"), tag("-"), tag("|"))), boundary);
    let is_place = |name: &str| {
        let numbered = name.rsplit_once(".py:").map(|(_, line)| line.as_bytes());
        numbered.is_some_and(|line| line.iter().all(u8::is_ascii_digit))
    };
    let alone = verify(name(), move |name: &str| {
        name.ends_with(':') || is_place(name)
    });
    let column = recognize((take_while1(is_in_name), char('\t')));
    alt((recognize((name(), dash)), alone, column)).parse(input)
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
