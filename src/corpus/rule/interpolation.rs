//! The texts of a rule, filled with what a traceback says.
//!
//! What is filled in comes from a log and is not trusted: it is never expanded again, its hidden
//! characters are made visible, and into code goes nothing but an identifier.

use std::borrow::Cow;

use memchr::memchr2;

use crate::python_name::is_name;
use crate::traceback::facts::{Fact, FactValue, Facts};
use crate::visible::short;

/// The longest value that is filled in, in characters.
const MAX_VALUE: usize = 160;

/// The values that may be filled in, each with its name; of two of one name the last one counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values<'v>(Vec<(&'v str, Cow<'v, str>)>);

impl Values<'_> {
    /// Returns the value of a name, or a part of it.
    fn get(&self, name: &str, part: DottedPart) -> Option<&str> {
        let found = self.0.iter().rev().find(|(own, _)| *own == name);
        found.and_then(|(_, value)| part.of(value))
    }
}

impl<'v> FromIterator<(&'v str, Cow<'v, str>)> for Values<'v> {
    fn from_iter<T: IntoIterator<Item = (&'v str, Cow<'v, str>)>>(values: T) -> Self {
        Self(values.into_iter().collect())
    }
}

/// The names of what may be filled in besides captures and facts.
pub(crate) const OWN_NAMES: [&str; 5] = ["exception", "message", "attribute", "holder", "object"];

/// Returns the names of what may be filled in besides captures.
pub(crate) fn names() -> Vec<&'static str> {
    let facts = Facts::default();
    let of_facts = facts.list().flat_map(|(fact, value)| of_fact(fact, value));
    of_facts.map(|(name, _)| name).chain(OWN_NAMES).collect()
}

/// Returns a fact under the names by which a text may call it; what only decides has none.
pub(crate) fn of_fact<'f>(
    fact: &Fact,
    value: FactValue<'f>,
) -> impl Iterator<Item = (&'static str, Option<Cow<'f, str>>)> {
    let text = |text: &'f str| Some(Cow::Borrowed(text));
    let (one, of_frame) = match value {
        FactValue::Word(word) => (Some(word.and_then(|word| text(word.spelling))), None),
        FactValue::Version(version) => {
            let written = |(major, minor)| Cow::Owned(format!("{major}.{minor}"));
            (Some(version.map(written)), None)
        }
        FactValue::Number(number) => (Some(number.map(|n| Cow::Owned(n.to_string()))), None),
        FactValue::Flag(_) => (None, None),
        FactValue::Frame(frame) => {
            let values = [
                ("user_file", frame.and_then(|f| text(f.path.as_str()))),
                ("user_line", frame.map(|f| Cow::Owned(f.line.to_string()))),
                ("user_source", frame.and_then(|f| text(f.source.as_ref()?))),
                ("user_function", frame.and_then(|f| text(&f.function))),
            ];
            (None, Some(values))
        }
    };
    let one = one.map(|value| (fact.name, value));
    one.into_iter().chain(of_frame.into_iter().flatten())
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TextPart<'a> {
    /// Text as it stands.
    Plain(&'a str),
    /// `{name}`, `{name|words}`, `{name.module|words}`.
    Hole {
        /// What to fill in.
        name: &'a str,
        /// Which part of it.
        part: DottedPart,
        /// What stands there if it is empty.
        words: Option<&'a str>,
    },
}

/// Which part of a dotted name, with or without quotes around it, is filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DottedPart {
    /// All of the value, whatever it is.
    Whole,
    /// `shop.tasks` of `shop.tasks.bill`.
    Module,
    /// `bill` of `shop.tasks.bill`, and of `bill`.
    Name,
}

impl DottedPart {
    fn of(self, value: &str) -> Option<&str> {
        if self == Self::Whole {
            return Some(value);
        }
        let dotted = value.trim_matches(['\'', '"']);
        if !dotted.split('.').all(is_identifier) || dotted.chars().count() > MAX_VALUE {
            return None;
        }
        match (self, dotted.rsplit_once('.')) {
            (Self::Module, Some((module, _))) => Some(module),
            (Self::Module, None) => None,
            (_, Some((_, name))) => Some(name),
            (_, None) => Some(dotted),
        }
    }
}

/// Takes a text apart: `{name|words}`, `{{`, `}}`.
pub(crate) fn text_parts(text: &str) -> Result<Vec<TextPart<'_>>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr2(b'{', b'}', rest.as_bytes()) {
        let sign = &rest[at..=at];
        let behind = &rest[at + 1..];
        if let Some(after) = behind.strip_prefix(sign) {
            parts.push(TextPart::Plain(&rest[..=at]));
            rest = after;
        } else if sign == "{" {
            let end = behind
                .find('}')
                .ok_or("\"{\" without \"}\"; write \"{{\" for a brace itself")?;
            parts.push(TextPart::Plain(&rest[..at]));
            parts.push(hole(&behind[..end])?);
            rest = &behind[end + 1..];
        } else {
            return Err("\"}\" without \"{\"; write \"}}\" for a brace itself".to_string());
        }
    }
    parts.push(TextPart::Plain(rest));
    Ok(parts)
}

/// Takes code apart: `«name|words»`.
pub(crate) fn code_parts(code: &str) -> Result<Vec<TextPart<'_>>, String> {
    let mut parts = Vec::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once('«') {
        let (inside, after) = after.split_once('»').ok_or("\"«\" without \"»\"")?;
        parts.push(TextPart::Plain(before));
        parts.push(hole(inside)?);
        rest = after;
    }
    if rest.contains('»') {
        return Err("\"»\" without \"«\"".to_string());
    }
    parts.push(TextPart::Plain(rest));
    Ok(parts)
}

fn hole(inside: &str) -> Result<TextPart<'_>, String> {
    let (name, words) = match inside.split_once('|') {
        Some((name, words)) => (name, Some(words)),
        None => (inside, None),
    };
    let (name, part) = match name.split_once('.') {
        Some((name, "module")) => (name, DottedPart::Module),
        Some((name, "name")) => (name, DottedPart::Name),
        _ => (name, DottedPart::Whole),
    };
    if crate::corpus::matching::template::is_name(name) {
        Ok(TextPart::Hole { name, part, words })
    } else {
        Err(format!(
            "\"{inside}\" is no name; write {{name}} or {{name|words}}, and \"{{{{\" for a brace itself"
        ))
    }
}

/// Fills a text and makes one line of it; one with a lone brace stays as it is. Words in place of a
/// value lose the back quotes around them: `an exception` is no code.
pub(crate) fn fill_text(text: &str, values: &Values) -> String {
    let mut filled = String::with_capacity(text.len() + MAX_VALUE / 2);
    let parts = text_parts(text).unwrap_or_else(|_| vec![TextPart::Plain(text)]);
    let mut parts = parts.into_iter().peekable();
    while let Some(part) = parts.next() {
        let (value, words) = match part {
            TextPart::Plain(plain) => {
                filled.push_str(plain);
                continue;
            }
            TextPart::Hole { name, part, words } => (values.get(name, part), words.unwrap_or("…")),
        };
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            suit_article(&mut filled, value);
            filled.push_str(&short(value, MAX_VALUE));
            continue;
        }
        if let Some(TextPart::Plain(behind)) = parts.peek_mut()
            && let Some(unquoted) = behind.strip_prefix('`')
            && words.contains(' ')
            && filled.ends_with('`')
        {
            filled.pop();
            *behind = unquoted;
        }
        filled.push_str(words);
    }
    one_line(filled)
}

/// Makes `an` of the `a` that a text ends in, where the value that follows is spoken so.
fn suit_article(filled: &mut String, value: &str) {
    let before = filled.strip_suffix('`').unwrap_or(filled);
    let is_article =
        |text: &str| matches!(text, "a" | "A") || text.ends_with(" a") || text.ends_with(" A");
    if before.strip_suffix(' ').is_some_and(is_article) && takes_an(value) {
        filled.insert(before.len() - 1, 'n');
    }
}

/// Returns whether `an` goes before a name, by its first letter or digit: `an _io.TextIOWrapper`.
pub(crate) fn takes_an(name: &str) -> bool {
    // Spoken with a `y`: a `unittest.TestCase`, a `uuid.UUID`.
    const AS_YOU: [&str; 8] = ["unit", "unic", "unio", "univ", "us", "url", "uuid", "utf"];
    // Spoken letter by letter, the first as `ex`, `aitch`, `ess` …: an `ssl.SSLContext`.
    const SPELLED: [&str; 8] = ["xml", "html", "http", "h5", "ssl", "lxml", "nltk", "mpi4"];
    let word = name.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_vowel = |first: char| matches!(first.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u');
    let begins = |begin: &&str| {
        let start = word.get(..begin.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(begin))
    };
    word.starts_with(is_vowel) && !AS_YOU.iter().any(begins) || SPELLED.iter().any(begins)
}

/// Makes one line of a text, its words a blank apart; that it is so already is told without a look
/// at each character.
pub(crate) fn one_line(text: String) -> String {
    let mut before = b' ';
    let is_plain = text.bytes().all(|byte| {
        let is_single = byte != b' ' || before != b' ';
        before = byte;
        is_single && matches!(byte, b' '..=b'~')
    });
    if is_plain && before != b' ' {
        return text;
    }
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Fills code; a value that is no identifier gives way to the words.
pub(crate) fn fill_code(code: &str, values: &Values) -> String {
    let mut filled = String::new();
    let parts = code_parts(code).unwrap_or_else(|_| vec![TextPart::Plain(code)]);
    for part in parts {
        match part {
            TextPart::Plain(plain) => filled.push_str(plain),
            TextPart::Hole { name, part, words } => {
                let is_code = |value: &&str| part != DottedPart::Whole || is_identifier(value);
                let value = values.get(name, part).filter(is_code);
                filled.push_str(value.or(words).unwrap_or(name));
            }
        }
    }
    filled.trim_matches('\n').to_string()
}

/// Returns whether a word is a Python identifier and no keyword.
fn is_identifier(word: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class",
        "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global",
        "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return",
        "try", "while", "with", "yield",
    ];
    is_name(word) && word.chars().count() <= MAX_VALUE && !KEYWORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values<'v>(pairs: &[(&'v str, &'v str)]) -> Values<'v> {
        let pairs = pairs.iter();
        pairs.map(|(n, v)| (*n, Cow::Borrowed(*v))).collect()
    }

    #[test]
    fn a_hole_is_filled_or_gives_its_words() {
        let values = values(&[("type", "RLock"), ("empty", "")]);
        assert_eq!(
            fill_text("a `{type|lock}` {empty|there} {none|here} {{x}}", &values),
            "a `RLock` there here {x}"
        );
    }

    #[test]
    fn words_in_place_of_a_value_are_not_quoted_as_code() {
        let text = "`{class|an exception}` in `{where|spawn}`, `x.{name|a part}`, `{type|a lock}`";
        let values = values(&[("type", "RLock")]);
        assert_eq!(
            fill_text(text, &values),
            "an exception in `spawn`, `x.a part`, `RLock`"
        );
    }

    #[test]
    fn a_dotted_name_is_filled_in_by_its_parts() {
        let values = values(&[
            ("task", "'shop.tasks.bill'"),
            ("plain", "bill"),
            ("local", "shop.make.<locals>.bill"),
            ("evil", "os.system('x').y"),
        ]);
        let code = "from «task.module|m» import «task.name|n», «plain.name|n»";
        assert_eq!(
            fill_code(code, &values),
            "from shop.tasks import bill, bill"
        );
        let code = "«plain.module|m» «local.name|n» «evil.module|m» «task|whole»";
        assert_eq!(fill_code(code, &values), "m n m whole");
        assert_eq!(fill_text("`{task.name|it}`", &values), "`bill`");
    }

    #[test]
    fn an_article_suits_the_value_behind_it() {
        let values = values(&[("io", "_io.TextIOWrapper"), ("lock", "_thread.lock")]);
        assert_eq!(
            fill_text(
                "A `{io}` is a {io}, a `{lock}` a {lock}, data {io}",
                &values
            ),
            "An `_io.TextIOWrapper` is an _io.TextIOWrapper, a `_thread.lock` a _thread.lock, data \
             _io.TextIOWrapper"
        );
        for (name, is_so) in [
            ("ssl.SSLContext", true),
            ("XMLParser", true),
            ("uuid.UUID", false),
            ("socket.socket", false),
        ] {
            assert_eq!(takes_an(name), is_so, "{name}");
        }
    }

    #[test]
    fn what_is_filled_in_is_not_expanded_again() {
        let values = values(&[("a", "{b} {{ «b»"), ("b", "no")]);
        assert_eq!(fill_text("{a}", &values), "{b} {{ «b»");
    }

    #[test]
    fn control_and_bidi_characters_become_visible() {
        let values = values(&[("a", "x\u{1b}[31m\u{202e}y\tz\u{9b}")]);
        assert_eq!(fill_text("{a}", &values), "x\\x1b[31m\\u202ey z\\x9b");
    }

    #[test]
    fn a_long_value_is_cut() {
        let filled = fill_text("{a}", &values(&[("a", &"x".repeat(1000))]));
        assert_eq!(filled.chars().count(), MAX_VALUE + 1);
    }

    #[test]
    fn lines_of_a_text_become_one() {
        assert_eq!(fill_text("one\n  two\n", &Values::default()), "one two");
    }

    #[test]
    fn only_an_identifier_goes_into_code() {
        let code = "state.pop(\"«attribute|_lock»\", {1})\n";
        for (value, expected) in [
            ("cache_lock", "state.pop(\"cache_lock\", {1})"),
            ("\"); import os", "state.pop(\"_lock\", {1})"),
            ("class", "state.pop(\"_lock\", {1})"),
            ("1a", "state.pop(\"_lock\", {1})"),
            ("", "state.pop(\"_lock\", {1})"),
        ] {
            assert_eq!(fill_code(code, &values(&[("attribute", value)])), expected);
        }
    }

    #[test]
    fn a_lone_brace_or_guillemet_is_an_error() {
        assert!(
            text_parts("a { b").is_err()
                && text_parts("a } b").is_err()
                && text_parts("{a b}").is_err()
        );
        assert!(code_parts("a « b").is_err() && code_parts("a » b").is_err());
        assert!(code_parts("d = {1: 2}").is_ok());
    }
}
