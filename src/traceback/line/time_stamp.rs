//! When a line was written, as far as it says so itself: the time stamp of a logger, a container
//! runtime, journald or C++ code in front of it.

use std::fmt;

use crate::traceback::Traceback;

/// How far into a line a stamp may begin, in bytes.
const REACH: usize = 64;
const MICROS: i64 = 1_000_000;

/// A point in time.
///
/// Two are compared only if they were written in the same way: nothing tells which year or which
/// zone a stamp without one means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Microseconds since 1970, of the zone that the writer had in mind.
    micros: i64,
    form: Form,
}

/// What a stamp tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
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
        let starts = 0..bytes.len().min(REACH);
        let is_start = |at: &usize| *at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        starts.filter(is_start).find_map(|at| {
            let rest = &bytes[at..];
            match rest[0] {
                b'0'..=b'9' => dated(rest),
                b'A'..=b'Z' => named_month(rest).or_else(|| glog(rest)),
                _ => None,
            }
        })
    }

    /// Reads when a traceback was written: from its prefix, its heading, or the nearest line above.
    pub fn of(traceback: &Traceback) -> Option<Self> {
        let own = [&traceback.prefix, &traceback.heading];
        let own = own.into_iter().flatten().map(String::as_str);
        let above = traceback.above.iter().rev().map(String::as_str);
        own.chain(above).find_map(Self::of_line)
    }

    /// Gives how many seconds this one is after the other, if the two can be compared.
    pub fn seconds_after(self, other: Self) -> Option<f64> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a few centuries of microseconds fit"
        )]
        (self.form == other.form).then(|| (self.micros - other.micros) as f64 / MICROS as f64)
    }

    /// Whether it tells the year.
    pub fn has_year(self) -> bool {
        self.form != Form::NoYear
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
        if self.form == Form::Zoned {
            f.write_str("Z")?;
        }
        Ok(())
    }
}

/// Gives the machine that a line prefix names: Ray's `ip=10.0.0.1`, the host of journald and syslog.
pub fn host(prefix: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    if let Some((_, rest)) = prefix.split_once("ip=") {
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        return (end > 0).then(|| &rest[..end]);
    }
    // `May 01 10:00:00 node7 python[123]: `
    named_month(prefix.as_bytes())?;
    let name = prefix.split_whitespace().nth(3)?;
    let is_host = name.chars().all(is_name) && !name.ends_with(':');
    is_host.then_some(name)
}

/// Reads `2024-05-01 10:00:00,123`, `2024/05/01T10:00:00.123456Z`, `…+02:00`.
fn dated(text: &[u8]) -> Option<Stamp> {
    let (year, rest) = number(text, 4)?;
    let separator = *rest.first().filter(|b| matches!(b, b'-' | b'/' | b'.'))?;
    let (month, rest) = number(rest.strip_prefix(&[separator])?, 2)?;
    let (day, rest) = number(rest.strip_prefix(&[separator])?, 2)?;
    let rest = rest.strip_prefix(b" ").or_else(|| rest.strip_prefix(b"T"));
    let (time, rest) = time(rest?)?;
    let date = days(year, month, day)? * 86_400 * MICROS;
    let micros = date + time;
    Some(match zone(rest) {
        Some(offset) => Stamp {
            micros: micros - offset * 60 * MICROS,
            form: Form::Zoned,
        },
        None => Stamp {
            micros,
            form: Form::Local,
        },
    })
}

/// Reads `May 01 10:00:00`, as journald and syslog write it.
fn named_month(text: &[u8]) -> Option<Stamp> {
    const MONTHS: [&[u8]; 12] = [
        b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov",
        b"Dec",
    ];
    let month = (1..)
        .zip(MONTHS)
        .find(|(_, name)| text.starts_with(name))?
        .0;
    let rest = text[3..].strip_prefix(b" ")?;
    let (day, rest) = match rest.strip_prefix(b" ") {
        Some(rest) => number(rest, 1)?,
        None => number(rest, 2)?,
    };
    let (time, _) = time(rest.strip_prefix(b" ")?)?;
    without_year(month, day, time)
}

/// Reads `E0501 10:00:00.123456` and torch's `E501 10:00:00.123456`.
fn glog(text: &[u8]) -> Option<Stamp> {
    let (first, rest) = text.split_first()?;
    if !matches!(first, b'I' | b'W' | b'E' | b'F') {
        return None;
    }
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let (month, rest) = number(rest, digits.checked_sub(2).filter(|n| (1..=2).contains(n))?)?;
    let (day, rest) = number(rest, 2)?;
    let (time, _) = time(rest.strip_prefix(b" ")?)?;
    without_year(month, day, time)
}

fn without_year(month: i64, day: i64, time: i64) -> Option<Stamp> {
    let micros = days(2000, month, day)? * 86_400 * MICROS + time;
    Some(Stamp {
        micros,
        form: Form::NoYear,
    })
}

/// Reads `10:00:00`, with a fraction or without; gives microseconds.
fn time(text: &[u8]) -> Option<(i64, &[u8])> {
    let (hour, rest) = number(text, 2)?;
    let (minute, rest) = number(rest.strip_prefix(b":")?, 2)?;
    let (second, rest) = number(rest.strip_prefix(b":")?, 2)?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let micros = ((hour * 60 + minute) * 60 + second) * MICROS;
    let Some(fraction) = rest.strip_prefix(b".").or_else(|| rest.strip_prefix(b",")) else {
        return Some((micros, rest));
    };
    let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
    let value = fraction[..digits.min(6)]
        .iter()
        .fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    let scale = (digits.min(6)..6).fold(1, |scale, _| scale * 10);
    Some((micros + value * scale, &fraction[digits..]))
}

/// Reads `Z`, `+02:00`, ` +0200`; gives minutes east of UTC.
fn zone(text: &[u8]) -> Option<i64> {
    if text.starts_with(b"Z") {
        return Some(0);
    }
    let text = text.strip_prefix(b" ").unwrap_or(text);
    let (sign, rest) = match text.split_first()? {
        (b'+', rest) => (1, rest),
        (b'-', rest) => (-1, rest),
        _ => return None,
    };
    let (hours, rest) = number(rest, 2)?;
    let (minutes, _) = number(rest.strip_prefix(b":").unwrap_or(rest), 2)?;
    (hours < 15 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

/// Reads a number of exactly so many digits, with no further one behind it.
fn number(text: &[u8], digits: usize) -> Option<(i64, &[u8])> {
    let (number, rest) = text.split_at_checked(digits)?;
    let all = number.iter().all(u8::is_ascii_digit);
    let value = number.iter().fold(0, |value, digit| {
        value * 10 + i64::from(digit.wrapping_sub(b'0'))
    });
    all.then_some((value, rest))
}

/// Gives the days since 1970 of a date of the Gregorian calendar.
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

/// Gives the date that so many days after 1970 is.
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
}
