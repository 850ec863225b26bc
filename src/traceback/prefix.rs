//! What stands in front of each line of a writer, learned from the lines themselves.

/// A learned line prefix: constant text in which time stamps vary.
///
/// `2024-05-01T10:00:01.5Z stderr F ` and `[rank0]: ` are prefixes; the ranks keep their digits,
/// since they tell writers apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prefix {
    tokens: Vec<Token>,
    /// The prefix as it stood on the line that it was learned from.
    pub(crate) shown: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Literal(String),
    Time,
}

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
                time_len(rest)
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
        Self {
            tokens,
            shown: text.to_owned(),
        }
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
            None => false,
        }
    }

    /// Takes the prefix off a line; `None` if the line does not bear it.
    ///
    /// A line that is nothing but the prefix may lack the blanks at its end.
    pub(crate) fn strip<'a>(&self, line: &'a str) -> Option<&'a str> {
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
                    let len = time_len(rest);
                    if len == 0 {
                        return None;
                    }
                    rest = &rest[len..];
                }
            }
        }
        Some(rest)
    }
}

/// Gives the length of the date or time that `text` starts with; 0 if it starts with none.
///
/// `2024-05-01 10:00:00,123`, `10:41:41`, `2024-05-01T10:00:01.123456789Z`, `Nov 21 01:36:00`,
/// `1121 00:27:33.607000`.
fn time_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = month_day_len(text);
    let start = at;
    let mut groups = 0;
    let mut colons = 0;
    let mut dashes = 0;
    loop {
        let digits = bytes[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        if digits == 0 {
            break;
        }
        at += digits;
        groups += 1;
        let next_is_digit = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        match bytes.get(at) {
            Some(b':') if next_is_digit => colons += 1,
            Some(b'-' | b'/') if next_is_digit => dashes += 1,
            Some(b'.' | b',' | b'T' | b'+') if next_is_digit => {}
            Some(b' ')
                if next_is_digit
                    && (dashes == 2 || (groups == 1 && looks_like_clock(&text[at + 1..]))) => {}
            _ => break,
        }
        at += 1;
    }
    let stamped = groups >= 3 && (colons >= 1 || dashes == 2) || start > 0 && colons >= 1;
    if !stamped {
        return 0;
    }
    if bytes.get(at) == Some(&b'Z') {
        at += 1;
    }
    at
}

/// Whether a text starts like `10:00:00`.
fn looks_like_clock(text: &str) -> bool {
    let b = text.as_bytes();
    b.len() >= 5
        && b[0].is_ascii_digit()
        && b[1].is_ascii_digit()
        && b[2] == b':'
        && b[3].is_ascii_digit()
}

/// Gives the length of `Nov 21 ` in `Nov 21 01:36:00`, 0 where there is none.
fn month_day_len(text: &str) -> usize {
    const MONTHS: [&str; 12] = [
        "Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ",
        "Dec ",
    ];
    let Some(month) = MONTHS.iter().find(|m| text.starts_with(**m)) else {
        return 0;
    };
    let rest = &text[month.len()..];
    let blanks = rest.bytes().take_while(|b| *b == b' ').count();
    let digits = rest[blanks..]
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let end = month.len() + blanks + digits;
    if (1..=2).contains(&digits)
        && text[end..].starts_with(' ')
        && looks_like_clock(&text[end + 1..])
    {
        end + 1
    } else {
        0
    }
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
            assert_eq!(time_len(stamp), stamp.len(), "{stamp}");
        }
        for other in ["rank0", "123", "12.5", "1,0", "192.0.2.2"] {
            assert_eq!(time_len(other), 0, "{other}");
        }
    }
}
