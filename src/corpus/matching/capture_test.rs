//! Regular expressions on captures: the one place that knows them.
//!
//! To compile one takes longer than all else that a rule needs, and most are lists of what a capture
//! may be: `sqlite3\\.\\w+|pyodbc\\.\\w+|Cursor`. So each alternative is one by itself, and is compiled when
//! a capture begins as it must.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

/// The limit on a compiled expression, in bytes.
const SIZE_LIMIT: usize = 1 << 18;

/// A regular expression on a capture, anchored at both ends.
#[derive(Debug)]
pub(crate) struct CaptureTest(Vec<Alternative>);

/// One of the alternatives.
#[derive(Debug)]
struct Alternative {
    expression: String,
    /// What all that it fits begins with.
    beginning: String,
    /// Whether that is all of it.
    is_plain: bool,
    /// Compiled when it is first asked.
    regex: OnceLock<Result<Regex, String>>,
}

impl CaptureTest {
    /// Takes a user's expression, right or wrong.
    pub(crate) fn new(expression: &str) -> Self {
        let all = alternatives(expression);
        let whole = || vec![Alternative::of(expression, (String::new(), false))];
        let each = |all: Vec<&str>| {
            all.iter()
                .map(|a| Alternative::of(a, beginning(a)))
                .collect()
        };
        Self(all.map_or_else(whole, each))
    }

    /// Returns whether all of a capture matches; what is no expression never does.
    pub(crate) fn holds(&self, value: &str) -> bool {
        self.0.iter().any(|alternative| alternative.holds(value))
    }

    /// Compiles it.
    ///
    /// # Errors
    /// Where that fails: what is wrong with it.
    pub(crate) fn compile(&self) -> Result<(), &String> {
        let mut all = self.0.iter().filter(|a| !a.is_plain);
        all.try_for_each(|a| a.regex().map(|_| ()))
    }
}

impl Alternative {
    fn of(expression: &str, (beginning, is_plain): (String, bool)) -> Self {
        Self {
            expression: expression.to_owned(),
            beginning,
            is_plain,
            regex: OnceLock::new(),
        }
    }

    fn holds(&self, value: &str) -> bool {
        if self.is_plain {
            return value == self.beginning;
        }
        value.starts_with(&self.beginning)
            && self.regex().is_ok_and(|r| r.is_match(value.as_bytes()))
    }

    fn regex(&self) -> Result<&Regex, &String> {
        let compiled = self.regex.get_or_init(|| {
            let anchored = format!("^(?:{})$", self.expression);
            let mut builder = RegexBuilder::new(&anchored);
            let built = builder.unicode(false).size_limit(SIZE_LIMIT).build();
            built.map_err(|error| {
                let text = error.to_string();
                let text = text.lines().last().unwrap_or_default();
                let text = text.trim_start_matches("error: ");
                format!("no regular expression: {text}")
            })
        });
        compiled.as_ref()
    }
}

/// Takes an expression apart at its outermost `|`; `None` where that is not sure to be right: flags
/// count for what follows, too, and sets may hold sets.
fn alternatives(expression: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let (mut start, mut depth, mut is_in_set) = (0, 0_usize, false);
    let mut bytes = expression.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next()?;
            }
            b'[' if is_in_set => return None,
            // A `]` that comes first is one of the set.
            b'[' if matches!(
                expression[at + 1..].as_bytes(),
                [b']', ..] | [b'^', b']', ..]
            ) =>
            {
                return None;
            }
            b'[' => is_in_set = true,
            b']' => is_in_set = false,
            _ if is_in_set => {}
            b'(' if expression[at + 1..].starts_with('?') => return None,
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            b'|' if depth == 0 => {
                found.push(&expression[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&expression[start..]);
    (depth == 0 && !is_in_set).then_some(found)
}

/// Returns what all begins with that an expression without outermost `|` fits, and whether that is all
/// of it.
fn beginning(expression: &str) -> (String, bool) {
    let mut plain = String::new();
    let mut rest = expression.chars();
    loop {
        match rest.next() {
            None => return (plain, true),
            Some('\\') => match rest.next() {
                Some(sign) if sign.is_ascii_punctuation() && !matches!(sign, '<' | '>') => {
                    plain.push(sign);
                }
                _ => return (plain, false),
            },
            // `a?` may be nothing.
            Some('*' | '?' | '{') => {
                plain.pop();
                return (plain, false);
            }
            Some('.' | '|' | '^' | '$' | '+' | '(' | ')' | '[' | ']' | '}') => {
                return (plain, false);
            }
            Some(c) if c.is_ascii() => plain.push(c),
            // Not one byte, which a sign behind it would be of.
            Some(_) => return (plain, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_anchored_at_both_ends() {
        let test = CaptureTest::new(r"(_?thread\.)?(lock|RLock)");
        assert!(test.holds("_thread.lock") && test.holds("RLock"));
        assert!(!test.holds("_thread.lock2") && !test.holds("my lock"));
        let wrong = CaptureTest::new("(");
        let message = wrong.compile().unwrap_err();
        assert!(message.starts_with("no regular expression: "), "{message}");
        assert!(!wrong.holds("("));
        assert!(CaptureTest::new("[a-z]{900}{900}").compile().is_err());
    }

    /// Holds each alternative by itself against the whole, compiled at once.
    #[test]
    fn the_alternatives_together_are_the_expression() {
        let expressions = [
            r"sqlite3\.\w+|_?sqlite3\.\w+|Cursor|",
            r"a|b(c|d)|[e|f]|\|",
            r"ab?|ab*c|a{2}|ab+",
            r"(?i)a|b",
            r"(?:a|b)c",
            r"[]a|]|b",
            r"[^]|]",
            r"[a[b|c]]|d",
            r"x[a[b]]|d",
            r"x[a[b]]|d",
            r"a.c|.*x|\.|\d+|\<a",
            r"é?|éa",
            r"^a$|a\b",
            "}|]|{",
            "a||b",
            r"\x61|\Qa\E",
        ];
        let values = [
            "",
            "a",
            "b",
            "c",
            "d",
            "A",
            "B",
            "ab",
            "abb",
            "abbc",
            "aa",
            "ac",
            "bc",
            "bd",
            "e",
            "f",
            "|",
            "]",
            "^",
            "x",
            "yx",
            ".",
            "7",
            "77",
            "<a",
            "é",
            "éa",
            "}",
            "{",
            "sqlite3.Row",
            "_sqlite3.x",
            "sqlite3.",
            "Cursor",
            "Cursors",
            "\\",
            "axc",
            "a\n",
        ];
        for expression in expressions {
            let test = CaptureTest::new(expression);
            let whole = Alternative::of(expression, (String::new(), false));
            assert_eq!(
                test.compile().is_ok(),
                whole.regex().is_ok(),
                "{expression}"
            );
            if whole.regex().is_ok() {
                for value in values {
                    assert_eq!(
                        test.holds(value),
                        whole.holds(value),
                        "{expression}: {value:?}"
                    );
                }
            }
        }
    }
}
