//! A log that was exported as a table: each row holds one of its lines, or the lines of one record.
//!
//! ```text
//! @timestamp,@message,@logStream
//! 2024-05-14 09:12:33.000,"  File ""x.py"", line 1, in f",train/9f0c
//! 2024-05-14 09:12:33.000,TypeError: bad,train/9f0c
//! ```

use std::borrow::Cow;

use memchr::{memchr_iter, memmem, memrchr};

/// What the column with the text is called, in lower case: in the exports of Amazon, Splunk,
/// Google, Azure, and all others.
const TEXTS: [&str; 11] = [
    "@message",
    "_raw",
    "textpayload",
    "logentry",
    "logmessage",
    "log_s",
    "message",
    "line",
    "log",
    "msg",
    "content",
];
/// What the name of a column with the time holds.
const TIMES: [&str; 3] = ["time", "date", "tsns"];

/// How many digits the milliseconds since 1970 have; the id of an event has more.
const STAMP: usize = 13;

/// A table, as its first row tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    separator: u8,
    /// How many columns it has.
    columns: usize,
    /// Which of them holds the time, from 0.
    time: usize,
    /// Which of them holds the text.
    text: usize,
    /// The number of the last line, if it ends within a text of several lines.
    open: Option<u64>,
}

impl Table {
    /// Reads the first line of an input as the first row of a log's table; data has no time.
    pub(crate) fn headed_by(line: &[u8]) -> Option<Self> {
        let line = str::from_utf8(line).ok()?.trim_end();
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        let separator = [',', ';', '\t'].into_iter().find(|c| line.contains(*c))?;
        let names = line.split(separator);
        let names: Vec<_> = names.map(|n| n.trim_matches('"').to_lowercase()).collect();
        let is_time = |name: &String| TIMES.iter().any(|time| name.contains(time));
        let place = |text: &&str| names.iter().position(|name| name == text);
        Some(Self {
            separator: u8::try_from(separator).ok()?,
            columns: names.len(),
            time: names.iter().position(is_time)?,
            text: TEXTS.iter().find_map(place)?,
            open: None,
        })
    }

    /// Returns the text that a line holds, with its number; `None` if it is no row.
    pub(crate) fn text<'l>(&mut self, line: &'l [u8], number: u64) -> Option<Cow<'l, [u8]>> {
        let is_inside = self.open.is_some_and(|open| open + 1 == number);
        self.open = None;
        let line = without_end(line);
        if is_inside {
            let text = quoted(line);
            self.open = (text.len() == line.len()).then_some(number);
            return Some(single_quotes(text));
        }
        let (mut rest, mut found) = (line, None);
        for column in 0..self.columns {
            let is_last = column + 1 == self.columns;
            let (cell, behind) = if let Some(inner) = rest.strip_prefix(b"\"") {
                let cell = quoted(inner);
                if cell.len() == inner.len() && column == self.text {
                    self.open = Some(number);
                    return Some(single_quotes(cell));
                }
                (cell, inner.get(cell.len() + 1..)?)
            } else {
                let end = rest.iter().position(|b| *b == self.separator);
                rest.split_at(end.unwrap_or(rest.len()))
            };
            // What a program prints beside its table may hold as many commas.
            if column == self.time && !cell.iter().any(u8::is_ascii_digit) {
                return None;
            }
            if column == self.text {
                found = Some(single_quotes(cell));
            }
            rest = match behind.split_first() {
                Some((separator, rest)) if *separator == self.separator && !is_last => rest,
                None if is_last => behind,
                _ => return None,
            };
        }
        found
    }
}

/// Returns a line without its end; columns may be empty, so that tabs are kept.
fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns what stands before the quote that closes a cell: one that is not doubled.
fn quoted(text: &[u8]) -> &[u8] {
    let mut at = 0;
    while let Some(quote) = text[at..].iter().position(|b| *b == b'"') {
        if text.get(at + quote + 1) != Some(&b'"') {
            return &text[..at + quote];
        }
        at += quote + 2;
    }
    text
}

/// Returns a cell without the doubling of its quotes.
fn single_quotes(cell: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(cell, b"\"\"").is_none() {
        return cell.into();
    }
    let mut single = Vec::with_capacity(cell.len());
    let mut rest = cell;
    while let Some(at) = memmem::find(rest, b"\"\"") {
        single.extend_from_slice(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    single.extend_from_slice(rest);
    single.into()
}

/// Returns the text of a row that `aws logs get-log-events --output text` writes, or `filter-log-events`; it has
/// no header: `EVENTS\t1715677953200\tTypeError: bad\t1715677953123`, and with the event's id in front and the
/// stream's name behind the first time.
pub(crate) fn event_of_aws(line: &[u8]) -> Option<&[u8]> {
    let row = line.strip_prefix(b"EVENTS\t")?;
    let row = &row[..memrchr(b'\t', row)?];
    let first = row.iter().take_while(|b| b.is_ascii_digit()).count();
    let columns = if first > STAMP { 3 } else { 1 };
    let mut tabs = memchr_iter(b'\t', row);
    let text = &row[tabs.nth(columns - 1)? + 1..];
    (first >= STAMP).then_some(text)
}

/// Returns the text of a row as `CloudWatch`'s console copies it, with the stream's name behind it perhaps:
/// `| 1715677953200 | TypeError: bad     | train/9f0c |`.
pub(crate) fn copied_row(line: &[u8]) -> Option<&[u8]> {
    let row = line.trim_ascii_end().strip_prefix(b"| ")?;
    let (stamp, row) = row.strip_suffix(b"|")?.split_at_checked(STAMP)?;
    let row = row.strip_prefix(b" | ")?;
    let stream = memmem::rfind(row, b" | ");
    let is_name = |at: &usize| !row[at + 3..].trim_ascii().contains(&b' ');
    let text = &row[..stream.filter(is_name).unwrap_or(row.len())];
    let is_time = stamp.iter().all(u8::is_ascii_digit);
    is_time.then(|| text.trim_ascii_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[&str]) -> Vec<Option<String>> {
        let mut table = Table::headed_by(lines[0].as_bytes()).expect("a table's first row");
        let rows = (2..).zip(&lines[1..]);
        let texts = rows.map(|(number, row)| table.text(row.as_bytes(), number));
        let texts = texts.map(|text| text.map(|t| String::from_utf8_lossy(&t).into_owned()));
        texts.collect()
    }

    #[test]
    fn a_row_holds_a_text_in_the_column_that_the_first_row_names() {
        let some = |text: &str| Some(text.to_owned());
        let rows = [
            "\"Date\",\"Host\",\"Message\",\"Tags\"\r\n",
            "1,a,b c,d\r\n",
            "1,a,\"b, \"\"c\"\"\",\r\n",
        ];
        assert_eq!(texts(&rows), [some("b c"), some("b, \"c\"")]);
        let rows = [
            "@timestamp;@message",
            "1;\"a",
            "\"\"b\"\"",
            "\"\"\"\"",
            "c\"",
            "2;d",
        ];
        let all = ["a", "\"b\"", "\"\"", "c", "d"].map(some);
        assert_eq!(texts(&rows), all);
        let rows = [
            "time\tline\tx",
            "1\ta\t",
            "1\ta",
            "1\ta\tb\tc",
            "\"1",
            "\"1\"a\tb\tc",
        ];
        assert_eq!(texts(&rows), [some("a"), None, None, None, None]);
    }

    #[test]
    fn data_is_no_log() {
        for line in [
            "id,text,label",
            "id,message,label",
            "time,value",
            "step 3, message at the time",
            "",
        ] {
            assert_eq!(Table::headed_by(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn events_of_aws_are_rows() {
        let id = "3".repeat(56);
        for (row, text) in [
            (
                "EVENTS\t1715677953200\t  a\tb\t1715677953123\n".to_owned(),
                Some("  a\tb"),
            ),
            (
                format!("EVENTS\t{id}\t1715677953200\tt/a/9f\ta\t1715677953123\n"),
                Some("a"),
            ),
            ("EVENTS\t17156\n".to_owned(), None),
            ("EVENTS\ta\tb\t1715677953123\n".to_owned(), None),
        ] {
            let found = event_of_aws(row.as_bytes());
            assert_eq!(found, text.map(str::as_bytes), "{row}");
        }
    }

    #[test]
    fn rows_that_the_console_copied_hold_a_text() {
        for (row, text) in [
            ("| 1715677953200 |   a | b      |\n", "  a"),
            ("| 1715677953200 | a | b c      |\r\n", "a | b c"),
            ("| 1715677953200 | a            | t/a/9f |", "a"),
        ] {
            let found = copied_row(row.as_bytes());
            assert_eq!(found, Some(text.as_bytes()), "{row}");
        }
        for other in [
            "| 171567 | a |",
            "| 1715677953200 | a",
            "|   timestamp   | message |",
        ] {
            assert_eq!(copied_row(other.as_bytes()), None, "{other}");
        }
    }
}
