//! What stands in front of each line of a writer, learned from the lines themselves.

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
const MAX_PREFIX_BYTES: usize = 200;

impl Prefix {
    /// Learns the prefix that `text` is.
    pub(crate) fn learn(text: &str) -> Self {
        let mut tokens = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let time = if literal.ends_with(|p: char| p.is_ascii_alphanumeric()) {
                0
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

    /// Gives the length of what at the start of a line is a prefix by its form: marks of ranks,
    /// workers and streams, time stamps, levels of errors. Words alone are none: `handled: `.
    ///
    /// `[rank3]: `, `(train pid=12) `, `0: (EngineCore_DP0 pid=77) `, `[1,0]<stderr>:`,
    /// `2024-05-01T10:00:00.1Z stderr F `, `May 01 10:00:00 node-7 python[4711]: `,
    /// `2024-05-01 10:00:00,123 ERROR train: `, `E0501 10:00:00.1 77 train.py:12] `, `job-1  | `.
    pub(crate) fn plain_len(text: &str) -> usize {
        let (mut at, mut end) = (0, 0);
        let mut form = Form::default();
        while let Some(len) = form.next(&text[at..]).filter(|_| at < MAX_PREFIX_BYTES) {
            end = at + len;
            at = text.len() - text[end..].trim_start_matches(' ').len();
        }
        // Of the blanks behind it one is the prefix's, the others are the line's own.
        end + usize::from(at > end)
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

    /// Whether it is no prefix at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether it is a time stamp and nothing else.
    pub(crate) fn is_stamp(&self) -> bool {
        let mut tokens = self.tokens.iter();
        let rest = |t: &Token| matches!(t, Token::Literal(text) if text.trim().is_empty());
        matches!(tokens.next(), Some(Token::Time)) && tokens.all(rest)
    }

    /// Whether a text of this length can be a prefix.
    pub(crate) fn fits(text: &str) -> bool {
        text.len() <= MAX_PREFIX_BYTES
    }

    /// Whether a line that starts with this byte may bear the prefix.
    pub(crate) fn starts_with_byte(&self, byte: u8) -> bool {
        match self.tokens.first() {
            Some(Token::Literal(text)) => text.as_bytes().first() == Some(&byte),
            Some(Token::Time) => byte.is_ascii_alphanumeric(),
            Some(Token::Number) => byte.is_ascii_digit() || byte == b' ',
            None => false,
        }
    }

    /// Takes the prefix off a line; `None` if the line does not bear it.
    ///
    /// A line that is nothing but the prefix may lack the blanks at its end.
    pub(crate) fn strip<'a>(&self, line: &'a str) -> Option<&'a str> {
        if let (Some(own), Some(head)) = (self.head, line.as_bytes().first_chunk())
            && own != *head
        {
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
                    let len = time_stamp::len(rest);
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

/// Takes `  12  x` apart: the blanks, the digits, what follows.
fn numbered(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.len() - text.trim_start_matches(' ').len();
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    let (blanks, rest) = text.split_at(start);
    let (number, behind) = rest.split_at(digits);
    (1..=6)
        .contains(&digits)
        .then_some((blanks, number, behind))
}

/// What of a prefix was read, which says what may follow.
#[derive(Default)]
struct Form {
    is_stamped: bool,
    has_level: bool,
}

impl Form {
    /// Gives the length of the next piece of a prefix, without the blanks behind it.
    fn next(&mut self, text: &str) -> Option<usize> {
        let stamp = glog_len(text).or_else(|| Some(time_stamp::len(text)).filter(|len| *len > 0));
        if let Some(len) = stamp {
            self.is_stamped = true;
            let zone = text[len..].strip_prefix('+').map_or(0, |zone| {
                let digits = |c: &char| c.is_ascii_digit() || *c == ':';
                1 + zone.chars().take_while(digits).count()
            });
            return Some(len + zone);
        }
        if let Some(len) = level_len(text) {
            self.has_level = true;
            return Some(len);
        }
        if let Some(len) = bracket_len(text) {
            return Some(len);
        }
        let word = text.find(' ').unwrap_or(text.len());
        match &text[..word] {
            "|" | "-" if self.is_stamped => Some(1),
            ">" => Some(1),
            "F" | "stderr" | "stdout" if self.is_stamped => Some(word),
            rank if rank.len() > 1 && is_number(rank.strip_suffix(':')) => Some(word),
            _ if self.has_level => logger_len(text),
            _ if self.is_stamped => syslog_len(text),
            name if text[word..].trim_start().starts_with("| ")
                && name.contains(|c: char| c.is_ascii_digit())
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) =>
            {
                Some(text.find("| ")? + 1)
            }
            _ => None,
        }
    }
}

fn is_number(text: Option<&str>) -> bool {
    text.is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit()))
}

/// `E0501 10:00:00.123456 77 train.py:12]`: the length of such a stamp of an error.
fn glog_len(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(['E', 'F'])?;
    let stamp = time_stamp::len(rest);
    let end = rest.find(']')?;
    let place = rest.get(stamp..end)?;
    (stamp > 0 && place.len() < 100 && place.contains(':') && !place.contains('['))
        .then_some(end + 2)
}

/// `ERROR`, `| ERROR    |`, `CRITICAL:`: the length of a level that says failure.
fn level_len(text: &str) -> Option<usize> {
    const LEVELS: [&str; 6] = [
        "ERROR",
        "CRITICAL",
        "FATAL",
        "EXCEPTION",
        "error",
        "critical",
    ];
    let level = LEVELS.iter().find(|level| text.starts_with(**level))?;
    let rest = &text[level.len()..];
    let bar = rest.trim_start().starts_with("| ");
    if bar {
        return Some(level.len() + rest.find('|')? + 1);
    }
    let colon = usize::from(rest.starts_with(':'));
    rest[colon..]
        .starts_with(' ')
        .then_some(level.len() + colon)
}

/// `[rank3]:`, `[1,0]<stderr>:`, `(train pid=12)`, `[ERROR]`: the length of such marks.
fn bracket_len(text: &str) -> Option<usize> {
    let close = match text.as_bytes().first()? {
        b'[' => ']',
        b'(' => ')',
        b'<' => '>',
        _ => return None,
    };
    let end = text.find(close).filter(|end| *end < 100)?;
    let inner = &text[1..end];
    let names = match close {
        ']' => {
            level_len(&format!("{inner} ")).is_some()
                || inner.contains(|c: char| c.is_ascii_digit()) && !inner.contains(['\'', '"', '['])
        }
        ')' => inner.contains("pid="),
        _ => matches!(inner, "stderr" | "stdout"),
    };
    let colon = usize::from(text[end + 1..].starts_with(':'));
    names.then_some(end + 1 + colon)
}

/// `train:`, `train:main:12 -`, behind a level: the length of the logger's name.
fn logger_len(text: &str) -> Option<usize> {
    let word = text.find(' ')?;
    let name = &text[..word];
    // `/usr/lib/python3.11/…/x.py:224:` is the place of a warning.
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '<' | '>' | '-');
    // The exception's own name is not the logger's.
    let is_final = crate::traceback::grammar::cpython::bare_exception(text).is_some();
    let dash = text[word..].starts_with(" - ") || text[word..].starts_with(" | ");
    (name.chars().all(is_name) && !is_final && (name.ends_with(':') || dash)).then_some(if dash {
        word + 2
    } else {
        word
    })
}

/// `gpu-node-7 python[4711]:`, behind a stamp.
fn syslog_len(text: &str) -> Option<usize> {
    let end = text.find("]: ").filter(|end| *end < 100)?;
    let (host, program) = text[..end].split_once(' ')?;
    let (name, pid) = program.split_once('[')?;
    (!host.is_empty() && !name.contains(' ') && is_number(Some(pid))).then_some(end + 2)
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
            "[pod/job-0/main] ",
            "2024-05-01T10:00:00.1Z ",
            "2024-05-01T10:00:00.1+02:00 stderr F ",
            "May 01 10:00:00 gpu-node-7 python[4711]: ",
            "2024-05-01 10:00:00,123 ERROR train: ",
            "2024-05-01 10:00:00.123 | ERROR    | train:main:12 - ",
            "E0501 10:00:00.123456 77 train.py:12] ",
            "[2024-05-01 10:00:00] [ERROR] ",
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
            "node1: x",
            "a | b | c",
        ] {
            let rest = &line[Prefix::plain_len(line)..];
            assert!(
                !rest.starts_with("TypeError") || line.starts_with("TypeError"),
                "{line}"
            );
        }
    }
}
