//! The shape of a rule file: `corpus/<family>/<id>.toml`.
//!
//! The doc comments here are the reference of the format; `corpus/README.md` is the way in.
//! A *template* is plain text with `{name}` (a capture), `...` (anything) and `{{`, `}}` (braces).
//! Where a key takes a list, any of its entries will do.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use toml::Spanned;

use super::error::{RuleError, words_of_toml};

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
    /// `"report"` where none of the samples could be captured from a run.
    pub(crate) seen: Option<Spanned<String>>,
    /// How the failure is recognised: any one of these.
    #[serde(default, rename = "match")]
    pub(crate) matches: Vec<Spanned<Keys>>,
    /// Other words for `cause`; the first whose `when` holds replaces it.
    #[serde(default)]
    pub(crate) cause_when: Vec<CauseWhen>,
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

/// Other words for the cause, under a condition.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CauseWhen {
    /// When they apply.
    pub(crate) when: Keys,
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
    pub(crate) when: Option<Keys>,
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

/// The keys of `[[match]]`, `when` and `unless`: all that are written must hold.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keys {
    /// The exception's type, compared by its last dotted part, and by as many parts as the rule
    /// writes and the text shows.
    pub(crate) exception: Option<Texts>,
    /// A template that fills a line of the message; one of several lines fills lines in that order.
    pub(crate) message: Option<Texts>,
    /// A template that fills a line outside tracebacks; it has a literal of at least 8 bytes.
    pub(crate) log_line: Option<Texts>,
    /// A regular expression that the whole of a capture must match.
    #[serde(default)]
    pub(crate) captures: BTreeMap<String, Texts>,
    /// A captured amount against another: `in_use > 0.9 * total`; without either it does not hold.
    pub(crate) compare: Option<Texts>,
    /// A frame of the traceback, as `path/end.py:function`, `path/end.py` or `:function`.
    pub(crate) frame: Option<Texts>,
    /// The name of any frame's function.
    pub(crate) function: Option<Texts>,
    /// The innermost frame, written as in `frame`.
    pub(crate) last_frame: Option<Texts>,
    /// The innermost frame's function.
    pub(crate) last_function: Option<Texts>,
    /// A template that fills any frame's source line.
    pub(crate) source: Option<Texts>,
    /// A template that fills the innermost frame's source line.
    pub(crate) last_source: Option<Texts>,
    /// A template that fills the heading: `Process {process}:`.
    pub(crate) heading: Option<Texts>,
    /// A template that fills a line directly above the head.
    pub(crate) above: Option<Texts>,
    /// Which printer wrote it: `cpython`, `ipython`, `pytest` …
    pub(crate) dialect: Option<Texts>,
    /// Another exception of the same traceback: `Type` or `Type: template`.
    pub(crate) chain: Option<Texts>,
    /// A template that fills a line of the notes.
    pub(crate) note: Option<Texts>,
    /// The exception that was read out of the message (the reason of `MaybeEncodingError`).
    pub(crate) quoted: Option<Quoted>,
    /// How the object was being sent.
    pub(crate) via: Option<Texts>,
    /// How processes are started: `fork`, `spawn`, `forkserver`.
    pub(crate) start_method: Option<Texts>,
    /// `linux`, `macos`, `windows`.
    pub(crate) platform: Option<Texts>,
    /// Python's version: `>=3.14`, `<3.8`, `3.12`, `>=3.8,<3.12`.
    pub(crate) python: Option<Texts>,
    /// Whether the code ran in a notebook.
    pub(crate) notebook: Option<bool>,
    /// Whether the failure ended its process.
    pub(crate) ended_process: Option<bool>,
    /// `any`: the rank is known; `none`: it is not.
    pub(crate) rank: Option<Presence>,
    /// The same of the worker's number.
    pub(crate) worker: Option<Presence>,
    /// The same of the process id.
    pub(crate) pid: Option<Presence>,
    /// The same of the frame that the user can change.
    pub(crate) user_frame: Option<Presence>,
    /// Threads of a dump: each entry must fit one of them.
    #[serde(default)]
    pub(crate) thread: Vec<ThreadKeys>,
    /// None of these may hold.
    pub(crate) unless: Option<Box<Keys>>,
}

/// The keys of `quoted.`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quoted {
    /// Its type, compared as `exception` is.
    pub(crate) exception: Option<Texts>,
    /// A template that fills a line of its message.
    pub(crate) message: Option<Texts>,
}

/// The keys of `[[match.thread]]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThreadKeys {
    /// A template that fills the thread's name.
    pub(crate) name: Option<Texts>,
    /// A template that fills its state.
    pub(crate) state: Option<Texts>,
    /// Its innermost frame, written as in `frame`.
    pub(crate) last_frame: Option<Texts>,
    /// Any of its frames.
    pub(crate) frame: Option<Texts>,
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

/// How bad a failure is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A harmless line that looks like a failure.
    Note,
    /// Something that may go wrong.
    Warning,
    /// Something that went wrong.
    #[default]
    Error,
}

/// How sure a diagnosis is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The text allows another reading.
    Likely,
    /// The text allows no other reading.
    #[default]
    Certain,
}

/// Whether something is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Presence {
    /// It is known.
    Any,
    /// It is not.
    None,
}

/// One text or a list of them, each with its place in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Texts(pub(crate) Vec<Spanned<String>>);

impl Texts {
    /// Gives the texts without their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|t| t.get_ref().as_str())
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Spanned::<OneOrMany>::deserialize(deserializer)?;
        let span = found.span();
        Ok(Self(match found.into_inner() {
            OneOrMany::One(text) => vec![Spanned::new(span, text)],
            OneOrMany::Many(texts) => texts,
        }))
    }
}

/// What may stand where a key takes a list.
enum OneOrMany {
    One(String),
    Many(Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Expected;
        impl<'de> Visitor<'de> for Expected {
            type Value = OneOrMany;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a text in quotes or a list of them")
            }
            fn visit_str<E>(self, text: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany::One(text.to_string()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OneOrMany, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = seq.next_element()? {
                    texts.push(text);
                }
                Ok(OneOrMany::Many(texts))
            }
        }
        deserializer.deserialize_any(Expected)
    }
}

/// Reads a rule file; `file` is its name in errors.
pub(crate) fn read(file: &str, text: &str) -> Result<RuleFile, RuleError> {
    toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |s| s.start);
        RuleError::at(file, text, offset, words_of_toml(error.message()))
    })
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
        assert_eq!(
            keys.exception.as_ref().unwrap().iter().collect::<Vec<_>>(),
            ["A"]
        );
        assert_eq!(
            keys.message.as_ref().unwrap().iter().collect::<Vec<_>>(),
            ["x", "y"]
        );
    }

    #[test]
    fn a_text_knows_its_place() {
        let text = format!("{HEAD}[[match]]\nmessage = [\"x\", \"y\"]\n");
        let rule = read("a.toml", &text).unwrap();
        let span = rule.matches[0].get_ref().message.as_ref().unwrap().0[1].span();
        assert_eq!(&text[span], "\"y\"");
        assert!(
            text[rule.matches[0].span()].starts_with("[[match]]"),
            "{}",
            &text[rule.matches[0].span()]
        );
    }

    #[test]
    fn a_misspelt_key_is_named_with_its_place_and_the_right_one() {
        let text = format!("{HEAD}[[match]]\nmesage = \"x\"\n");
        assert_eq!(
            error(&text),
            "a.toml:4:1: unknown key \"mesage\", did you mean \"message\"?"
        );
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
