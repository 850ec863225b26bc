//! The shape of a rule file: `corpus/<family>/<id>.toml`.
//!
//! The doc comments here, and those of `Ask` for the keys of conditions, are the reference of the
//! format; `corpus/README.md` is the way in.
//! A *template* is plain text with `{name}` (a capture), `...` (anything) and `{{`, `}}` (braces).
//! Where a key takes a list, any of its entries will do.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

use super::error::{RuleError, words_of_toml};
use crate::named::named;

/// One rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleFile {
    /// The fault, in lower case and without a stop: `a lock cannot be sent to another process`.
    pub(crate) title: Spanned<String>,
    /// The mechanism, in one to three sentences.
    pub(crate) cause: Spanned<String>,
    /// Pages to read, `https` only; the first is the one an annotation shows.
    #[serde(default)]
    pub(crate) links: Texts,
    /// How bad it is; `note` is for harmless lines that look like failures.
    #[serde(default)]
    pub(crate) severity: Severity,
    /// `likely` where the text allows another reading; the annotation then says so.
    #[serde(default)]
    pub(crate) confidence: Confidence,
    /// Whether any other rule that matches is preferred to this one.
    #[serde(default)]
    pub(crate) fallback: bool,
    /// Whether it counts only where the program's own source shows the reason: the words alone may
    /// mean anything.
    #[serde(default)]
    pub(crate) needs_source: bool,
    /// What the source must show, where the words are those of several such rules.
    pub(crate) shows: Option<String>,
    /// Ids, or `family/*`, that give way when this rule matches the same traceback.
    #[serde(default)]
    pub(crate) beats: Texts,
    /// Ids, `family/*`, or `*` (any failure that ended its process) that this one follows from.
    #[serde(default)]
    pub(crate) consequence_of: Texts,
    /// A longer text in Markdown, for `pickfix explain`.
    pub(crate) explain: Option<Spanned<String>>,
    /// Names that the rule had before.
    #[serde(default)]
    pub(crate) formerly: Texts,
    /// What people type who look for it, in their words: `pool hangs`.
    #[serde(default)]
    pub(crate) asked: Texts,
    /// `"report"` where none of the samples could be captured from a run.
    pub(crate) seen: Option<Spanned<String>>,
    /// How the failure is recognised: any one of these.
    #[serde(default, rename = "match")]
    pub(crate) matches: Vec<Spanned<Keys>>,
    /// Other words for `title`; the first whose `when` holds replaces it.
    #[serde(default)]
    pub(crate) title_when: Vec<OtherWords>,
    /// Other words for `cause`; the first whose `when` holds replaces it.
    #[serde(default)]
    pub(crate) cause_when: Vec<OtherWords>,
    /// What to do; the first whose `when` holds is chosen, and the last has no `when`.
    #[serde(default)]
    pub(crate) fix: Vec<Spanned<FixFile>>,
    /// Texts that this rule must recognise. They come last in the file.
    #[serde(default)]
    pub(crate) example: Vec<Spanned<Example>>,
    /// Texts that this rule must leave alone.
    #[serde(default)]
    pub(crate) non_example: Vec<Spanned<NonExample>>,
}

/// Other words for the title or the cause, under a condition.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OtherWords {
    /// When they apply.
    pub(crate) when: WhenKeys,
    /// The words.
    pub(crate) text: Spanned<String>,
}

/// One way out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FixFile {
    /// A short name, by which examples refer to it.
    pub(crate) name: Option<String>,
    /// When it applies; none: where no fix above it does, or with `also` always.
    pub(crate) when: Option<WhenKeys>,
    /// Whether it is another way out, shown beside the chosen fix and never chosen itself.
    #[serde(default)]
    pub(crate) also: bool,
    /// What to do now, at most 240 characters.
    pub(crate) text: Spanned<String>,
    /// Python that runs when pasted; holes are `«name|words»`.
    pub(crate) code: Option<Spanned<String>>,
    /// How to see that it worked.
    pub(crate) check: Option<Spanned<String>>,
    /// What does not help, though it looks as if.
    pub(crate) not: Option<Spanned<String>>,
}

/// The keys of a `when`, or of each table of one that is a list: any one of them must hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WhenKeys(pub(crate) Vec<Keys>);

/// The keys of a `[[match]]`, a `when`, an `unless` and of tables in them, in the order of their names.
///
/// What each means, and which there are, is known to `Ask` alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Keys(pub(crate) Vec<(Spanned<String>, Spanned<Value>)>);

/// What a key may be given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// A text.
    Text(String),
    /// `true` or `false`.
    Flag(bool),
    /// A list of texts, or of tables.
    List(Vec<Spanned<Value>>),
    /// A table: `quoted.exception`, `captures.type`.
    Keys(Keys),
}

impl Keys {
    /// Returns the value of a key, if it was written.
    pub(crate) fn get(&self, name: &str) -> Option<&Spanned<Value>> {
        let found = self.0.iter().find(|(key, _)| key.get_ref() == name);
        found.map(|(_, value)| value)
    }

    /// Returns the texts of a key, each with its byte offset; none if it holds no text.
    pub(crate) fn texts(&self, name: &str) -> impl Iterator<Item = (usize, &str)> {
        self.get(name).into_iter().flat_map(texts)
    }

    /// Returns where the last value ends, in bytes; none where there is no key.
    pub(crate) fn end(&self) -> Option<usize> {
        self.0.iter().map(|(_, value)| end(value)).max()
    }
}

/// Returns where a value ends: what is in a table may stand behind its heading.
fn end(value: &Spanned<Value>) -> usize {
    let inner = match value.get_ref() {
        Value::Keys(keys) => keys.end(),
        Value::List(list) => list.iter().map(end).max(),
        Value::Text(_) | Value::Flag(_) => None,
    };
    value.span().end.max(inner.unwrap_or(0))
}

/// Returns the texts of a value, each with its byte offset.
pub(crate) fn texts(value: &Spanned<Value>) -> Vec<(usize, &str)> {
    match value.get_ref() {
        Value::Text(text) => vec![(value.span().start, text)],
        Value::List(list) => list.iter().flat_map(texts).collect(),
        Value::Flag(_) | Value::Keys(_) => Vec::new(),
    }
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Expected;
        impl<'de> Visitor<'de> for Expected {
            type Value = Keys;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("keys")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    keys.push(entry);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Expected)
    }
}

impl<'de> Deserialize<'de> for WhenKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tables = match Value::deserialize(deserializer)? {
            Value::Keys(keys) => Some(vec![keys]),
            Value::List(all) if !all.is_empty() => {
                let tables = all.into_iter().map(|value| match value.into_inner() {
                    Value::Keys(keys) => Some(keys),
                    _ => None,
                });
                tables.collect()
            }
            _ => None,
        };
        let message = "expected keys, or a list of tables of which any may hold";
        tables.map(Self).ok_or_else(|| D::Error::custom(message))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Expected;
        impl<'de> Visitor<'de> for Expected {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a text in quotes or a list of them")
            }
            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(text.to_string()))
            }
            fn visit_bool<E>(self, is: bool) -> Result<Value, E> {
                Ok(Value::Flag(is))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
                let mut list = Vec::new();
                while let Some(value) = seq.next_element()? {
                    list.push(value);
                }
                Ok(Value::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
                Keys::deserialize(MapAccessDeserializer::new(map)).map(Value::Keys)
            }
        }
        deserializer.deserialize_any(Expected)
    }
}

/// A text that the rule must recognise.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Example {
    /// What it shows.
    pub(crate) name: String,
    /// The text, as it was printed.
    pub(crate) input: String,
    /// The name of the fix that must be chosen.
    pub(crate) fix: Option<String>,
    /// What must have been captured.
    #[serde(default)]
    pub(crate) captures: BTreeMap<String, String>,
    /// Words that must occur in what the annotation says.
    #[serde(default)]
    pub(crate) says: Texts,
    /// Ids of other failures that stand in the same text on their own account.
    #[serde(default)]
    pub(crate) also: Texts,
    /// `"report"` where it was not captured from a run of ours.
    pub(crate) seen: Option<String>,
    /// The Python version that printed it.
    pub(crate) python: Option<String>,
}

/// A text that the rule must leave alone.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NonExample {
    /// Why it is another thing.
    pub(crate) why: String,
    /// The text, as it was printed.
    pub(crate) input: String,
}

named! {
    /// How bad a failure is, as rules and reports write it.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Severity {
        /// A harmless line that looks like a failure.
        Note = "note",
        /// Something that may go wrong.
        Warning = "warning",
        /// Something that went wrong.
        #[default]
        Error = "error",
    }
}

named! {
    /// How sure a diagnosis is, as rules and reports write it.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Confidence {
        /// The text allows another reading.
        Likely = "likely",
        /// The text allows no other reading.
        #[default]
        Certain = "certain",
    }
}

/// One text or a list of them, each with its place in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Texts(pub(crate) Vec<Spanned<String>>);

impl Texts {
    /// Returns the texts without their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|t| t.get_ref().as_str())
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Spanned::<Value>::deserialize(deserializer)?;
        let all = texts(&value).into_iter();
        let all = all.map(|(start, text)| Spanned::new(start..start + text.len(), text.to_owned()));
        let all: Vec<Spanned<String>> = all.collect();
        let entries = match value.get_ref() {
            Value::List(list) => list.len(),
            _ => 1,
        };
        if all.len() < entries {
            return Err(D::Error::custom(
                "expected a text in quotes or a list of them",
            ));
        }
        Ok(Self(all))
    }
}

/// Reads a rule file; `file` is its name in errors.
pub(crate) fn read(file: &str, text: &str) -> Result<RuleFile, RuleError> {
    toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |s| s.start);
        RuleError::at(file, text, offset, words_of_toml(error.message()))
    })
}

/// Reads one `[[match]]` alone; `None` if the text is anything else.
pub(crate) fn read_match(text: &str) -> Option<Keys> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Alone {
        #[serde(rename = "match")]
        matches: [Keys; 1],
    }
    let Alone { matches: [keys] } = toml::from_str(text).ok()?;
    Some(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "title = \"t\"\ncause = \"c\"\n";

    fn error(text: &str) -> String {
        read("a.toml", text).expect_err("a fault").to_string()
    }

    #[test]
    fn one_text_is_a_list_of_one() {
        let rule = read(
            "a.toml",
            &format!("{HEAD}[[match]]\nexception = \"A\"\nmessage = [\"x\", \"y\"]\n"),
        )
        .unwrap();
        let keys = rule.matches[0].get_ref();
        let texts = |key| keys.texts(key).map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts("exception"), ["A"]);
        assert_eq!(texts("message"), ["x", "y"]);
    }

    #[test]
    fn a_text_knows_its_place() {
        let text = format!("{HEAD}[[match]]\nmessage = [\"x\", \"y\"]\n");
        let rule = read("a.toml", &text).unwrap();
        let keys = rule.matches[0].get_ref();
        let (offset, _) = keys.texts("message").nth(1).unwrap();
        assert!(text[offset..].starts_with("\"y\""));
        assert!(text[keys.0[0].0.span()].starts_with("message"));
        assert!(
            text[rule.matches[0].span()].starts_with("[[match]]"),
            "{}",
            &text[rule.matches[0].span()]
        );
    }

    #[test]
    fn a_misspelt_key_is_named_with_its_place_and_the_right_one() {
        let text = format!("{HEAD}[[fix]]\ntxt = \"x\"\n");
        assert_eq!(
            error(&text),
            "a.toml:4:1: unknown key \"txt\", did you mean \"text\"?"
        );
    }

    #[test]
    fn keys_may_hold_flags_and_keys() {
        let text = format!(
            "{HEAD}[[fix]]\ntext = \"t\"\nwhen.unless.via = \"pool\"\nwhen.notebook = true\n"
        );
        let rule = read("a.toml", &text).unwrap();
        let WhenKeys(tables) = rule.fix[0].get_ref().when.as_ref().unwrap();
        let [keys] = &tables[..] else {
            panic!("one table, and not {tables:?}");
        };
        let names: Vec<&str> = keys
            .0
            .iter()
            .map(|(key, _)| key.get_ref().as_str())
            .collect();
        assert_eq!(names, ["notebook", "unless"]);
        assert_eq!(keys.get("notebook").unwrap().get_ref(), &Value::Flag(true));
    }

    #[test]
    fn a_when_is_keys_or_a_list_of_tables_with_keys() {
        let fix = |when: &str| format!("{HEAD}[[fix]]\nwhen = {when}\ntext = \"t\"\n");
        let rule = read("a.toml", &fix("[{ via = 'pool' }, { via = 'joblib' }]")).unwrap();
        let WhenKeys(tables) = rule.fix[0].get_ref().when.as_ref().unwrap();
        let told = |keys: &Keys| keys.texts("via").map(|(_, text)| text.to_owned()).collect();
        let told: Vec<Vec<String>> = tables.iter().map(told).collect();
        assert_eq!(told, [["pool"], ["joblib"]]);
        let expected = "expected keys, or a list of tables of which any may hold";
        for wrong in ["'pool'", "[]", "['pool']", "true"] {
            let found = error(&fix(wrong));
            assert!(found.ends_with(expected), "{wrong}: {found}");
        }
    }

    #[test]
    fn an_unknown_value_lists_the_valid_ones() {
        let text = format!("{HEAD}severity = \"bad\"\n");
        assert_eq!(
            error(&text),
            "a.toml:3:12: unknown value \"bad\", expected one of: note, warning, error"
        );
    }

    #[test]
    fn a_missing_key_is_named() {
        assert_eq!(
            error("title = \"t\"\n"),
            "a.toml:1:1: the key \"cause\" is missing"
        );
    }

    #[test]
    fn a_number_where_text_belongs_is_an_error() {
        let text = format!("{HEAD}[[match]]\nmessage = 3\n");
        assert!(
            error(&text).contains("a text in quotes or a list of them"),
            "{}",
            error(&text)
        );
    }
}
