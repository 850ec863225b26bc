//! What a regular expression says before it is compiled: whether it is one, its alternatives, and how
//! all that it fits begins and what it holds.

/// What a capture may begin with.
#[derive(Debug)]
pub(super) struct Beginning {
    pub(super) text: String,
    pub(super) then: Then,
}

/// What may come behind a beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing.
    End,
    /// Anything on the same line: `.*`.
    Anything,
    /// Some bytes of a class, and no others: `\d+`, `\w+`, `\S+`.
    Only(Class),
    /// What the whole expression must be asked for.
    Unknown,
}

/// A class of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Digit,
    Word,
    NonSpace,
}

impl Class {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            // `\s` has the vertical tab, too.
            Self::NonSpace => !byte.is_ascii_whitespace() && byte != 0x0b,
        }
    }
}

/// Returns whether an expression is sure to be one: nothing but plain characters, `.`, `\d` and the like, groups
/// and quantifiers of these. To parse it would take a hundred times as long, and most are such.
pub(super) fn is_simple(expression: &str) -> bool {
    const MOST_GROUPS: usize = 50;
    let (mut depth, mut may_be_repeated) = (0, false);
    let mut bytes = expression.bytes();
    while let Some(byte) = bytes.next() {
        let is_atom = match byte {
            b'(' if depth < MOST_GROUPS => {
                depth += 1;
                false
            }
            b')' if depth > 0 => {
                depth -= 1;
                true
            }
            b'|' => false,
            b'*' | b'+' | b'?' if may_be_repeated => false,
            b'\\' => match bytes.next() {
                Some(b'd' | b'D' | b'w' | b'W' | b's' | b'S') => true,
                Some(sign) if sign.is_ascii_punctuation() && !b"<>".contains(&sign) => true,
                _ => return false,
            },
            byte if byte.is_ascii() && !b"()*+?[]{}^$".contains(&byte) => true,
            _ => return false,
        };
        may_be_repeated = is_atom;
    }
    depth == 0
}

impl Beginning {
    pub(super) fn new(text: &str, then: Then) -> Self {
        let text = text.to_owned();
        Self { text, then }
    }
}

/// Takes an expression apart at its outermost `|`; `None` where that is not sure to be right: flags
/// count for what follows, too, and sets may hold sets.
pub(super) fn alternatives(expression: &str) -> Option<Vec<&str>> {
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

/// No more beginnings are told apart.
pub(super) const MAX_BEGINNINGS: usize = 200;

/// Returns what all begins with that an expression without outermost `|` fits.
pub(super) fn beginnings(expression: &str) -> Vec<Beginning> {
    let mut found = Vec::new();
    begin(expression, "", &mut found);
    found
}

/// The same, behind what stands before it.
fn begin(expression: &str, before: &str, found: &mut Vec<Beginning>) {
    // Each piece that may be missing makes twice as many.
    if found.len() > MAX_BEGINNINGS {
        return found.push(Beginning::new(before, Then::Unknown));
    }
    let mut plain = before.to_owned();
    let mut rest = expression;
    loop {
        let (sign, behind) = match rest.as_bytes() {
            [] => return found.push(Beginning::new(&plain, Then::End)),
            b".*" => return found.push(Beginning::new(&plain, Then::Anything)),
            br"\d+" => return found.push(Beginning::new(&plain, Then::Only(Class::Digit))),
            br"\w+" => return found.push(Beginning::new(&plain, Then::Only(Class::Word))),
            br"\S+" => return found.push(Beginning::new(&plain, Then::Only(Class::NonSpace))),
            [b'\\', sign, ..] if sign.is_ascii_punctuation() && !b"<>".contains(sign) => {
                (*sign, &rest[2..])
            }
            [b'(', ..] => return begin_group(rest, &plain, found),
            [sign, ..] if sign.is_ascii() && !b"\\.|^$*+?{)[]}".contains(sign) => {
                (*sign, &rest[1..])
            }
            _ => return found.push(Beginning::new(&plain, Then::Unknown)),
        };
        let one = char::from(sign);
        match Quantifier::of(behind) {
            Quantifier::None => rest = behind,
            Quantifier::MayBeMissing(after) => {
                begin(after, &plain, found);
                rest = after;
            }
            Quantifier::Any => {
                // It may be missing, and there may be many.
                return found.push(Beginning::new(&plain, Then::Unknown));
            }
        }
        plain.push(one);
    }
}

/// How often a piece may come.
enum Quantifier<'e> {
    /// Once.
    None,
    /// Once or not at all: `?`; and what is behind it.
    MayBeMissing(&'e str),
    /// In any other way.
    Any,
}

impl<'e> Quantifier<'e> {
    /// Reads the one that an expression starts with.
    fn of(expression: &'e str) -> Self {
        match expression.as_bytes() {
            [b'?', b'?', ..] | [b'*' | b'+' | b'{', ..] => Self::Any,
            [b'?', ..] => Self::MayBeMissing(&expression[1..]),
            _ => Self::None,
        }
    }
}

/// Goes on with a group, and behind it.
fn begin_group(expression: &str, before: &str, found: &mut Vec<Beginning>) {
    let unknown = |found: &mut Vec<_>| found.push(Beginning::new(before, Then::Unknown));
    let Some((inner, behind)) = group(&expression[1..]) else {
        return unknown(found);
    };
    let behind = match Quantifier::of(behind) {
        Quantifier::None => behind,
        Quantifier::MayBeMissing(after) => {
            begin(after, before, found);
            after
        }
        Quantifier::Any => return unknown(found),
    };
    let mut begun = Vec::new();
    for alternative in inner {
        begin(alternative, before, &mut begun);
    }
    for beginning in begun {
        if beginning.then == Then::End {
            begin(behind, &beginning.text, found);
        } else {
            found.push(Beginning::new(&beginning.text, Then::Unknown));
        }
    }
}

/// Reads on behind a `(`: returns the alternatives of the group, and what is behind it.
fn group(expression: &str) -> Option<(Vec<&str>, &str)> {
    let mut ends = expression.match_indices(')').map(|(at, _)| at);
    ends.find_map(|end| Some((alternatives(&expression[..end])?, &expression[end + 1..])))
}

/// Returns the longest piece of plain text that all holds which an expression without outermost `|` fits:
/// `_Array_` of `.*_Array_\d+`. What stands in a group or a set is none.
pub(super) fn required(expression: &str) -> String {
    let (mut longest, mut run) = (String::new(), String::new());
    let mut chars = expression.chars();
    loop {
        let next = chars.next();
        let plain = match next {
            Some('[') => {
                // The outermost pieces were told apart, so it has none in it and ends here.
                chars.by_ref().find(|sign| *sign == ']');
                None
            }
            Some('(') => {
                let Some((_, behind)) = group(chars.as_str()) else {
                    return String::new();
                };
                chars = behind.chars();
                None
            }
            Some(')' | ']' | '{') => return String::new(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_no_parser_is_known() {
        for expression in [
            ".+",
            r"\d+",
            "",
            "a|b",
            r"(_?x\.)?(y|z)|",
            "()*",
            r"-?\d+\.\d*",
        ] {
            assert!(is_simple(expression), "{expression}");
        }
        for expression in [
            "(", ")", "*", "a|+", "(?i)a", "[a]", r"\", r"\1", r"\x61", "é", "a??",
        ] {
            assert!(!is_simple(expression), "{expression}");
        }
        assert!(!is_simple(&format!(
            "{}{}",
            "(".repeat(300),
            ")".repeat(300)
        )));
    }

    #[test]
    fn what_all_hold_is_found() {
        for (expression, text) in [
            (r".*_Array_\d+", "_Array_"),
            (r"`?__main__\..*", "__main__."),
            (r"\w+Backward\d*", "Backward"),
            (r"ab*cde", "cde"),
            (r"(a|b(c)d)efg", "efg"),
            (r"(\w+\.)*DuckDBPy\w+", "DuckDBPy"),
            (r"\w*[Ww]eak\w*", "eak"),
            (r"[a\]bcd]e", ""),
            (r"(a", ""),
            (r"\x61b", ""),
        ] {
            assert_eq!(required(expression), text, "{expression}");
        }
    }
}
