//! When a line was written, as far as it says so itself: the time stamp of a logger, a container
//! runtime, journald or C++ code in front of it.

use std::fmt;

use memchr::memchr_iter;
use nom::branch::alt;
use nom::bytes::complete::take;
use nom::character::complete::{char, digit1, one_of, satisfy, space0};
use nom::combinator::{map_opt, opt, peek, recognize, value};
use nom::error::{Error, ErrorKind};
use nom::sequence::preceded;
use nom::{IResult, Parser};

use crate::traceback::Traceback;

/// How far into a line a stamp may begin, in bytes.
const REACH: usize = 64;
/// How far behind its start a stamp has its first colon, in bytes: `2024-05-01 10:`.
const LONGEST_DAY: usize = 16;
const MICROS: i64 = 1_000_000;

/// A point in time.
///
/// Two are compared only if they were written in the same way: nothing tells which year or which
/// zone a stamp without one means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Microseconds since 1970, of the zone that the writer had in mind.
    micros: i64,
    form: StampForm,
}

/// What a stamp tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StampForm {
    /// The date and the time.
    Local,
    /// The date, the time and the zone; the microseconds are those of UTC.
    Zoned,
    /// The day and the time, without a year (journald, glog): as if in 2000.
    NoYear,
}

impl Stamp {
    /// Reads the first stamp near the start of a line.
    pub fn of_line(line: &str) -> Option<Self> {
        let bytes = line.as_bytes();
        // Nearly all lines have no clock, and need no parser.
        let near = &bytes[..bytes.len().min(REACH + LONGEST_DAY)];
        let is_clock = |colon: usize| near[..colon].last().is_some_and(u8::is_ascii_digit);
        if !memchr_iter(b':', near).any(is_clock) {
            return None;
        }
        let starts = 0..bytes.len().min(REACH);
        let is_start = |at: &usize| *at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        starts.filter(is_start).find_map(|at| {
            if !matches!(bytes[at], b'0'..=b'9' | b'A'..=b'Z') {
                return None;
            }
            let read = alt((written, glog)).parse(&line[at..]);
            read.ok().and_then(|(_, written)| written.stamp())
        })
    }

    /// Reads when a traceback was written: from its prefix, its heading, or the nearest line above.
    pub fn of(traceback: &Traceback) -> Option<Self> {
        let own = [&traceback.prefix, &traceback.heading];
        let own = own.into_iter().flatten().map(String::as_str);
        let above = traceback.above.iter().rev().map(String::as_str);
        own.chain(above).find_map(Self::of_line)
    }

    /// Returns how many seconds this one is after the other, if the two can be compared.
    pub fn seconds_after(self, other: Self) -> Option<f64> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a few centuries of microseconds fit"
        )]
        (self.form == other.form).then(|| (self.micros - other.micros) as f64 / MICROS as f64)
    }

    /// Returns whether it tells the year.
    pub fn has_year(self) -> bool {
        self.form != StampForm::NoYear
    }
}

impl fmt::Display for Stamp {
    /// Writes RFC 3339, without the zone where the log has none; without a year, `05-01T10:00:00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, micros) = (
            self.micros.div_euclid(MICROS),
            self.micros.rem_euclid(MICROS),
        );
        let (year, month, day) = civil(seconds.div_euclid(86_400));
        let second = seconds.rem_euclid(86_400);
        if self.has_year() {
            write!(f, "{year:04}-")?;
        }
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        match (micros % 1000, micros) {
            (_, 0) => {}
            (0, _) => write!(f, ".{:03}", micros / 1000)?,
            _ => write!(f, ".{micros:06}")?,
        }
        if self.form == StampForm::Zoned {
            f.write_str("Z")?;
        }
        Ok(())
    }
}

/// Returns the machine that a line prefix names: Ray's `ip=10.0.0.1`, the host of journald and syslog.
pub fn host(prefix: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    if let Some((_, rest)) = prefix.split_once("ip=") {
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        return (end > 0).then(|| &rest[..end]);
    }
    // `May 01 10:00:00 node7 python[123]: `
    named_day(prefix).ok()?;
    let name = prefix.split_whitespace().nth(3)?;
    let is_host = name.chars().all(is_name) && !name.ends_with(':');
    is_host.then_some(name)
}

/// What was written in front of a line, as far as it tells.
struct Written {
    day: Option<Day>,
    /// Microseconds since midnight; `None` for a time without seconds.
    micros: Option<i64>,
    /// Minutes east of UTC.
    zone: Option<i64>,
}

/// A day, with the year where it is written.
#[derive(Clone, Copy)]
struct Day(Option<i64>, i64, i64);

impl Written {
    fn stamp(self) -> Option<Stamp> {
        let Day(year, month, day) = self.day?;
        let micros = days(year.unwrap_or(2000), month, day)? * 86_400 * MICROS + self.micros?;
        let form = match (year, self.zone) {
            (None, _) => StampForm::NoYear,
            (_, None) => StampForm::Local,
            _ => StampForm::Zoned,
        };
        Some(Stamp {
            micros: micros - self.zone.unwrap_or(0) * 60 * MICROS,
            form,
        })
    }
}

/// Returns the length of the date or time that a text starts with; 0 if it starts with none.
pub(super) fn len(text: &str) -> usize {
    stamp(text).map_or_else(|_| epoch_len(text), |(_, stamp)| stamp.len())
}

/// Returns the length of the milliseconds since 1970 that a text starts with, as `CloudWatch` has them:
/// `1715677953123`; 0 if it does not.
fn epoch_len(text: &str) -> usize {
    const DIGITS: usize = 13;
    let Some(b'1') = text.as_bytes().first() else {
        return 0;
    };
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == DIGITS { digits } else { 0 }
}

/// `2024-05-01 10:00:00,123`, `10:41:41`, `2024-05-01T10:00:01.123456789Z`, `Nov 21 01:36:00`,
/// `1121 00:27:33.607000`.
pub(super) fn stamp(input: &str) -> IResult<&str, &str> {
    let first = peek(satisfy(|c| c.is_ascii_digit() || c.is_ascii_uppercase()));
    preceded(first, recognize(written)).parse(input)
}

fn written(input: &str) -> IResult<&str, Written> {
    let dated = (date, opt((one_of(" T-"), clock, opt(zone))));
    let dated = map_opt(dated, |((day, separator), time)| match time {
        Some((_, micros, zone)) => Some(Written { day, micros, zone }),
        // `2024.05.01` alone may be a version.
        None => (separator != '.').then_some(Written {
            day,
            micros: None,
            zone: None,
        }),
    });
    let mut named = (named_day, clock).map(|(day, micros)| Written {
        day: Some(day),
        micros,
        zone: None,
    });
    // `1121 00:27:33.607000`, `20240501T10:00:00`: which digits are the day's is not said.
    let packed = (digit1, one_of(" T-"), clock, opt(zone));
    let packed = packed.map(|(.., micros, zone)| Written {
        day: None,
        micros,
        zone,
    });
    let timed = (clock_with_seconds, opt(zone));
    let timed = timed.map(|(micros, zone)| Written {
        day: None,
        micros,
        zone,
    });
    if input.starts_with(|c: char| c.is_ascii_digit()) {
        return alt((dated, packed, timed)).parse(input);
    }
    named.parse(input)
}

/// `2024-05-01`, `2024/05/01`; `05/01/24`, whose order is not said. Returns the separator too.
fn date(input: &str) -> IResult<&str, (Option<Day>, char)> {
    let whole = |input| {
        let (rest, (year, separator)) = (digits(4), one_of("-/.")).parse(input)?;
        let (rest, (month, _, day)) = (digits(2), char(separator), digits(2)).parse(rest)?;
        Ok((rest, (Some(Day(Some(year), month, day)), separator)))
    };
    let separator = || one_of("-/");
    let other = (digit1, separator(), digit1, separator(), digit1);
    alt((whole, other.map(|(_, separator, ..)| (None, separator)))).parse(input)
}

/// `May 01 `, `May  1 `, as journald and syslog write it.
fn named_day(input: &str) -> IResult<&str, Day> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = map_opt(take(3_usize), |name: &str| {
        (1..).zip(MONTHS).find(|(_, month)| *month == name)
    });
    let day = alt((digits(2), digits(1)));
    let mut parser = (month, char(' '), space0, day, char(' '));
    let (rest, ((month, _), _, _, day, _)) = parser.parse(input)?;
    Ok((rest, Day(None, month, day)))
}

/// `E0501 10:00:00.123456`, and torch's `E501 10:00:00.123456`.
fn glog(input: &str) -> IResult<&str, Written> {
    let day = alt(((digits(2), digits(2)), (digits(1), digits(2))));
    let mut parser = (one_of("IWEF"), day, char(' '), clock);
    let (rest, (_, (month, day), _, micros)) = parser.parse(input)?;
    let day = Some(Day(None, month, day));
    Ok((
        rest,
        Written {
            day,
            micros,
            zone: None,
        },
    ))
}

/// `10:00:00,123`, `10:00`; microseconds since midnight, if seconds are written.
fn clock(input: &str) -> IResult<&str, Option<i64>> {
    let fraction = opt(preceded(one_of(".,:"), digit1));
    let seconds = opt(preceded(char(':'), number));
    let mut parser = (number, preceded(char(':'), number), seconds, fraction);
    let (rest, (hour, minute, second, fraction)) = parser.parse(input)?;
    let micros = second.filter(|second| hour < 24 && minute < 60 && *second < 61);
    let micros = micros.map(|second| {
        let fraction = fraction.unwrap_or_default();
        let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(6);
        let fraction = digits.fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        ((hour * 60 + minute) * 60 + second) * MICROS + fraction
    });
    Ok((rest, micros))
}

/// A time that stands alone: two numbers may be anything.
fn clock_with_seconds(input: &str) -> IResult<&str, Option<i64>> {
    let three = (digit1, char(':'), digit1, one_of(":.,"), digit1);
    preceded(peek(three), clock).parse(input)
}

/// `Z`, `+02:00`, ` +0200`: minutes east of UTC.
fn zone(input: &str) -> IResult<&str, i64> {
    let sign = preceded(
        opt(char(' ')),
        alt((value(1, char('+')), value(-1, char('-')))),
    );
    let offset = (sign, digits(2), preceded(opt(char(':')), digits(2)));
    let offset = map_opt(offset, |(sign, hours, minutes)| {
        (hours < 15 && minutes < 60).then_some(sign * (hours * 60 + minutes))
    });
    alt((value(0, char('Z')), offset)).parse(input)
}

/// Reads a number of any length.
fn number(input: &str) -> IResult<&str, i64> {
    let len = input.bytes().take_while(u8::is_ascii_digit).count();
    digits(len.max(1)).parse(input)
}

/// Reads a number of exactly so many digits; a further one may stand behind it.
fn digits<'a>(count: usize) -> impl Parser<&'a str, Output = i64, Error = Error<&'a str>> {
    // Stamps are read in each line: bytes take a third of what characters do.
    move |input: &'a str| {
        let more = |value: i64, byte: &u8| {
            let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
            value.checked_mul(10)?.checked_add(digit)
        };
        let bytes = input.as_bytes().get(..count);
        let value = bytes.and_then(|bytes| bytes.iter().try_fold(0, more));
        let value = value.ok_or(nom::Err::Error(Error::new(input, ErrorKind::Digit)))?;
        Ok((&input[count..], value))
    }
}

/// Returns the days since 1970 of a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1970..=2199).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // March is the first month, so that the leap day is the last day of the year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leaps = year / 4 - year / 100 + year / 400;
    Some(year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468)
}

/// Returns the date that so many days after 1970 is.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Option<String> {
        Stamp::of_line(line).map(|stamp| stamp.to_string())
    }

    #[test]
    fn the_forms_of_loggers_and_runtimes() {
        let forms = [
            (
                "2024-05-01 10:00:00,123 ERROR train: x",
                "2024-05-01T10:00:00.123",
            ),
            (
                "2024-02-29T23:59:59.123456789Z stderr F x",
                "2024-02-29T23:59:59.123456Z",
            ),
            ("[2026-11-21 01:02:03] x", "2026-11-21T01:02:03"),
            ("2024/05/01 00:30:00 +0200 x", "2024-04-30T22:30:00Z"),
            ("May  1 10:00:00 node7 python[123]: x", "05-01T10:00:00"),
            (
                "[rank0]:[E501 10:00:00.000123 ProcessGroupNCCL.cpp:1] x",
                "05-01T10:00:00.000123",
            ),
            ("W1231 10:00:00 12 launch.py:3] x", "12-31T10:00:00"),
        ];
        for (line, wanted) in forms {
            assert_eq!(shown(line).as_deref(), Some(wanted), "{line}");
        }
    }

    #[test]
    fn what_is_no_stamp() {
        let lines = [
            "epoch 12 10:00:00",
            "10:00:00 x",
            "v12024-05-01 10:00:00",
            "2024-13-01 10:00:00",
            "2024-05-01 25:00:00",
            "Mayor 10:00:00",
            "E501 is a lint",
            "Überlauf",
        ];
        for line in lines {
            assert_eq!(shown(line), None, "{line}");
        }
    }

    #[test]
    fn a_prefix_names_the_machine() {
        assert_eq!(host("May  1 10:00:00 node7 python[123]: "), Some("node7"));
        assert_eq!(
            host("(RayTrainWorker pid=12, ip=10.0.0.1) "),
            Some("10.0.0.1")
        );
        assert_eq!(host("[rank0]: "), None);
        assert_eq!(host("2024-05-01T10:00:00Z "), None);
    }

    #[test]
    fn only_stamps_of_one_form_are_compared() {
        let of = |line| Stamp::of_line(line).unwrap();
        let (a, b) = (of("2024-05-01 10:00:00"), of("2024-05-01 10:00:01,5"));
        assert_eq!(b.seconds_after(a), Some(1.5));
        assert_eq!(of("2024-05-01 10:00:00Z").seconds_after(a), None);
        assert_eq!(of("May 01 10:00:00").seconds_after(a), None);
    }

    #[test]
    fn usual_time_stamps_are_seen() {
        for stamp in [
            "2024-05-01 10:00:00,123",
            "10:41:41",
            "2024-05-01T10:00:01.123456789Z",
            "Nov 21 01:36:00",
            "Nov  1 01:36:00",
            "1121 00:27:33.607000",
            "2024/05/01 10:00:00",
        ] {
            assert_eq!(len(stamp), stamp.len(), "{stamp}");
        }
        for other in ["rank0", "123", "12.5", "1,0", "192.0.2.2"] {
            assert_eq!(len(other), 0, "{other}");
        }
    }
}
