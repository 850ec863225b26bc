//! How the values of keys are read.

use toml::Spanned;

use super::parts::FactTest;
use super::{Ask, BEFORE_FACTS, Condition, KEYS, names};
use crate::corpus::matching::any_of::{AnyOf, named};
use crate::corpus::matching::frame_pattern::FramePattern;
use crate::corpus::matching::pattern::{Anchor, Pattern};
use crate::corpus::rule::error::{Fault, unknown};
use crate::corpus::rule::file::{Keys, Value};
use crate::traceback::Dialect;
use crate::traceback::facts::FACTS;

impl Condition {
    /// Compiles the keys of a rule file.
    pub(crate) fn new(keys: &Keys) -> Result<Self, Fault> {
        let mut asks = Vec::with_capacity(keys.0.len());
        for (key, value) in &keys.0 {
            let name = key.get_ref().as_str();
            if let Some(at) = FACTS.iter().position(|fact| fact.name == name) {
                let test = FactTest::new(&FACTS[at].kind, value)?;
                asks.push(((BEFORE_FACTS, at), Ask::Fact(at, test)));
            } else if let Some(at) = KEYS.iter().position(|(key, _)| *key == name) {
                let place = if at < BEFORE_FACTS { at } else { at + 1 };
                asks.extend(KEYS[at].1(value)?.into_iter().map(|ask| ((place, 0), ask)));
            } else {
                return Err(unknown_key(key, names()));
            }
        }
        asks.sort_by_key(|(place, _)| *place);
        Ok(Self(asks.into_iter().map(|(_, ask)| ask).collect()))
    }
}

/// Reads a key that takes a list.
pub(super) fn list<T>(
    ask: fn(AnyOf<T>) -> Ask,
    value: &Spanned<Value>,
    compile: fn(&str) -> Result<T, String>,
) -> Result<Vec<Ask>, Fault> {
    Ok(vec![ask(AnyOf::new(value, compile)?)])
}

pub(super) fn optional<T>(
    value: Option<&Spanned<Value>>,
    compile: fn(&str) -> Result<T, String>,
) -> Result<Option<AnyOf<T>>, Fault> {
    value.map(|value| AnyOf::new(value, compile)).transpose()
}

/// Reads a key that takes one text.
pub(super) fn text(value: &Spanned<Value>) -> Result<&str, Fault> {
    match value.get_ref() {
        Value::Text(text) => Ok(text),
        _ => Err((value.span().start, "expected a text".to_owned())),
    }
}

/// Reads a key that takes a table.
pub(super) fn keys(value: &Spanned<Value>) -> Result<&Keys, Fault> {
    match value.get_ref() {
        Value::Keys(keys) => Ok(keys),
        _ => Err((
            value.span().start,
            "expected keys below this one".to_owned(),
        )),
    }
}

/// Reads a key that takes several tables.
pub(super) fn tables(value: &Spanned<Value>) -> Result<Vec<&Keys>, Fault> {
    match value.get_ref() {
        Value::List(all) => all.iter().map(keys).collect(),
        _ => Ok(vec![keys(value)?]),
    }
}

/// Returns the values of a table that has no keys but these.
pub(super) fn fields<'k, const N: usize>(
    keys: &'k Keys,
    names: [&'static str; N],
) -> Result<[Option<&'k Spanned<Value>>; N], Fault> {
    match keys
        .0
        .iter()
        .find(|(key, _)| !names.contains(&key.get_ref().as_str()))
    {
        Some((key, _)) => Err(unknown_key(key, names.into_iter())),
        None => Ok(names.map(|name| keys.get(name))),
    }
}

fn unknown_key(key: &Spanned<String>, valid: impl Iterator<Item = &'static str>) -> Fault {
    let valid: Vec<&str> = valid.collect();
    (key.span().start, unknown("key", key.get_ref(), &valid))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "any word will do, and the others may not"
)]
pub(super) fn function(name: &str) -> Result<FramePattern, String> {
    Ok(FramePattern::of_function(name))
}

pub(super) fn dialect(name: &str) -> Result<Dialect, String> {
    let all = Dialect::ALL.iter().map(|dialect| (dialect.name(), dialect));
    named(name, all).copied()
}

pub(super) fn line_pattern(template: &str) -> Result<Pattern, String> {
    Pattern::new(template, Anchor::Line)
}

/// The least bytes of plain text that a line behind a prefix is known by: fewer would be found in every
/// log.
const MIN_LITERAL: usize = 8;

/// Makes the pattern of a line above, which bears the prefix of the line below it, unless it is short.
pub(super) fn above_pattern(template: &str) -> Result<Pattern, String> {
    let pattern = Pattern::new(template, Anchor::Line)?;
    Ok(if pattern.literal().len() < MIN_LITERAL {
        pattern
    } else {
        pattern.behind_prefixes()
    })
}

/// Makes the pattern of a log line, which a prefix may stand before.
pub(super) fn log_line_pattern(template: &str) -> Result<Pattern, String> {
    /// So many are enough for a line that holds nothing else: `Killed`.
    const MIN_LINE: usize = 6;
    let whole = Pattern::new(template, Anchor::Line)?;
    if whole.literal() == template && template.len() >= MIN_LINE && template.len() < MIN_LITERAL {
        return Ok(whole);
    }
    let pattern = whole.behind_prefixes();
    if pattern.literal().len() < MIN_LITERAL {
        return Err(format!(
            "a log_line needs {MIN_LITERAL} characters of plain text in one piece"
        ));
    }
    Ok(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the fault of these keys: the text at its place, and the message.
    fn fault(text: &str) -> (&str, String) {
        let keys: Keys = toml::from_str(text).expect("TOML");
        let (offset, message) = Condition::new(&keys).expect_err("a fault");
        (&text[offset..], message)
    }

    #[test]
    fn an_unknown_key_is_named_with_its_place_and_the_right_one() {
        let (at, message) = fault("via = 'pool'\nmesage = 'x'");
        assert_eq!(at, "mesage = 'x'");
        assert_eq!(message, "unknown key \"mesage\", did you mean \"message\"?");
        for (text, meant) in [
            ("platfrom = 'linux'", "platform"),
            ("quoted.exeption = 'A'", "exception"),
            ("unless.vai = 'pool'", "via"),
        ] {
            let (_, message) = fault(text);
            assert!(
                message.ends_with(&format!("did you mean \"{meant}\"?")),
                "{message}"
            );
        }
    }

    #[test]
    fn a_value_of_another_kind_is_named() {
        for (text, expected) in [
            ("via = true", "expected a text in quotes or a list of them"),
            (
                "message = []",
                "expected a text in quotes or a list of them",
            ),
            ("notebook = 'yes'", "expected true or false"),
            (
                "rank = 'some'",
                "unknown value \"some\", expected one of: any, none",
            ),
            ("quoted = 'A'", "expected keys below this one"),
            (
                "via = 'pol'",
                "unknown value \"pol\", did you mean \"pool\"?",
            ),
        ] {
            assert_eq!(fault(text).1, expected, "{text}");
        }
    }

    #[test]
    fn what_costs_least_is_asked_first_and_captures_after_their_templates() {
        let text = "captures.n = 'x'\nmessage = '{n}'\nrank = 'any'\nvia = 'pool'\nexception = 'A'\nunless.rank = 'none'";
        let keys: Keys = toml::from_str(text).expect("TOML");
        let condition = Condition::new(&keys).expect("a condition");
        assert!(matches!(
            condition.asks(),
            [
                Ask::Exception(_),
                Ask::Message(_),
                Ask::Fact(0, _),
                Ask::Fact(4, _),
                Ask::Capture(..),
                Ask::Unless(_)
            ]
        ));
    }
}
