//! Regular expressions on captures: the one place that knows them.
//!
//! To compile one takes longer than all else that a rule needs, and most are lists of what a capture
//! may be: `sqlite3\\.\\w+|pyodbc\\.\\w+|Cursor`. So each alternative is one by itself, and is compiled when
//! a capture begins as it must and holds what it must.

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
    /// All that it fits begins with one of these.
    beginnings: Vec<String>,
    /// All that it fits holds this.
    required: String,
    /// Whether it is the one beginning itself.
    is_plain: bool,
    /// Compiled when it is first asked.
    regex: OnceLock<Result<Regex, String>>,
}

impl CaptureTest {
    /// Takes a user's expression, right or wrong.
    pub(crate) fn new(expression: &str) -> Self {
        let whole = || vec![Alternative::whole(expression)];
        let each = |all: Vec<&str>| all.into_iter().map(Alternative::new).collect();
        Self(alternatives(expression).map_or_else(whole, each))
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
    fn new(expression: &str) -> Self {
        let mut beginnings = Vec::new();
        let is_plain = begin(expression, "", &mut beginnings);
        Self {
            beginnings,
            required: required(expression),
            is_plain,
            ..Self::whole(expression)
        }
    }

    /// Makes one of an expression of which nothing is known.
    fn whole(expression: &str) -> Self {
        Self {
            expression: expression.to_owned(),
            beginnings: vec![String::new()],
            required: String::new(),
            is_plain: false,
            regex: OnceLock::new(),
        }
    }

    fn holds(&self, value: &str) -> bool {
        if self.is_plain {
            return self.beginnings.iter().any(|plain| plain == value);
        }
        self.beginnings.iter().any(|b| value.starts_with(b))
            && value.contains(&self.required)
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
                expression.as_bytes()[at + 1..],
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

/// Finds what all begins with that an expression without outermost `|` fits, behind what stands
/// before it; returns whether it is plain text.
fn begin(expression: &str, before: &str, found: &mut Vec<String>) -> bool {
    let mut plain = before.to_owned();
    let mut rest = expression;
    loop {
        let (sign, behind) = match rest.as_bytes() {
            [] => {
                found.push(plain);
                return true;
            }
            [b'\\', sign, ..] if sign.is_ascii_punctuation() && !b"<>".contains(sign) => {
                (*sign, &rest[2..])
            }
            [b'(', ..] => {
                begin_group(rest, &plain, found);
                return false;
            }
            [sign, ..] if sign.is_ascii() && !b"\\.|^$*+?{)[]}".contains(sign) => {
                (*sign, &rest[1..])
            }
            _ => {
                found.push(plain);
                return false;
            }
        };
        if let Some(b'*' | b'?' | b'{') = behind.bytes().next() {
            // It may be missing.
            begin_optional(behind, &plain, found);
            found.push(plain + char::from(sign).encode_utf8(&mut [0; 4]));
            return false;
        }
        plain.push(char::from(sign));
        rest = behind;
    }
}

/// Returns the longest piece of plain text that all holds which an expression without outermost `|` fits:
/// `_Array_` of `.*_Array_\d+`; nothing of one with groups or sets.
fn required(expression: &str) -> String {
    let (mut longest, mut run) = (String::new(), String::new());
    let mut chars = expression.chars();
    loop {
        let next = chars.next();
        let plain = match next {
            Some('(' | ')' | '[' | ']' | '{') => return String::new(),
            Some('\\') => match chars.next() {
                Some(class) if "dDwWsSbB<>".contains(class) => None,
                Some(sign) if sign.is_ascii_punctuation() => Some(sign),
                _ => return String::new(),
            },
            Some('*' | '?') => {
                // What stands before it may be missing.
                run.pop();
                None
            }
            Some('.' | '+' | '^' | '$') | None => None,
            plain => plain,
        };
        match plain {
            Some(plain) => run.push(plain),
            None if run.len() > longest.len() => longest = std::mem::take(&mut run),
            None => run.clear(),
        }
        if next.is_none() {
            return longest;
        }
    }
}

/// Goes on behind what may be missing, whose quantifier comes first.
fn begin_optional(quantifier: &str, before: &str, found: &mut Vec<String>) {
    match quantifier[1..].bytes().next() {
        // `a??`, `a{0,2}`.
        Some(b'*' | b'?' | b'{' | b'+') | None => found.push(before.to_owned()),
        _ if quantifier.starts_with('{') => found.push(before.to_owned()),
        _ => {
            begin(&quantifier[1..], before, found);
        }
    }
}

/// Goes on with a group, and behind it where it may be missing.
fn begin_group(expression: &str, before: &str, found: &mut Vec<String>) {
    let mut ends = expression.match_indices(')').map(|(at, _)| at);
    let inner = ends.find_map(|end| Some((end, alternatives(&expression[1..end])?)));
    let Some((end, inner)) = inner else {
        found.push(before.to_owned());
        return;
    };
    for alternative in inner {
        begin(alternative, before, found);
    }
    let behind = &expression[end + 1..];
    if behind.starts_with(['*', '?', '{']) {
        begin_optional(behind, before, found);
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

    #[test]
    fn what_all_hold_is_found() {
        for (expression, text) in [
            (r".*_Array_\d+", "_Array_"),
            (r"`?__main__\..*", "__main__."),
            (r"\w+Backward\d*", "Backward"),
            (r"ab*cde", "cde"),
            (r"(a)bc", ""),
            (r"\x61b", ""),
        ] {
            assert_eq!(required(expression), text, "{expression}");
        }
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
            r"(a|b)?c|(d|)e|(f)(x)?",
            r"(_?a\.)?(b|c)x?|(a(b|c))*d",
            r"a??b|(a|b)??c|a{0,1}b|(a)+b",
            r"(\)|a)b|([)]|a)c",
            r"(a|[|)]b)c|x?y?z?",
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
            let whole = Alternative::whole(expression);
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
