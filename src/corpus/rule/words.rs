//! The words of a rule, for a search: taken out of its file once, at the build for built-in rules.
//!
//! Words are kept as their *stems*: `pickled`, `pickling` and `unpicklable` are one. A list of them
//! is a text with a space before and behind each, which a search for ` stem ` reads.

use super::file::{Keys, RuleFile, Value, texts};
use super::index::Strings;
use super::portion::{Portion, Text};

/// The longest word that counts, in bytes.
const MAX_WORD: usize = 60;
/// The least that is left of a word without its ending, in bytes.
const LEAST_STEM: usize = 3;

/// What a rule can be found by.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// Its title, as in the file.
    pub(crate) title: Text,
    /// The stems of each line that it looks for, in order.
    pub(crate) lines: Strings,
    /// The same of each text in `asked`.
    pub(crate) asked: Strings,
    /// The stems of its id, its title and `asked`, each once.
    pub(crate) names: Text,
    /// The stems of the types that it looks for.
    pub(crate) exceptions: Text,
    /// All of its stems, each once.
    pub(crate) all: Text,
}

impl Words {
    /// Returns the stems of each line that it looks for and of each text in `asked`.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().chain(self.asked.iter())
    }

    /// Takes them out of a rule file.
    pub(crate) fn of(id: &str, file: &RuleFile) -> Self {
        let (mut types, mut templates) = (Vec::new(), Vec::new());
        for keys in &file.matches {
            add(keys.get_ref(), &mut types, &mut templates);
        }
        let asked = file.asked.0.iter().map(|text| text.get_ref().as_str());
        let asked: Vec<Vec<String>> = asked.map(stems).collect();
        let lines = templates.iter().map(|line| stems(&plain(line)));
        let lines: Vec<Vec<String>> = lines.collect();
        let strings = |lines: &[Vec<String>]| {
            let lines: Vec<String> = lines.iter().map(|line| spaced(line)).collect();
            Strings::of(lines.iter().map(String::as_str))
        };
        let mut names = stems(id);
        names.extend(stems(&plain(file.title.get_ref())));
        names.extend(asked.iter().flatten().cloned());
        let exceptions: Vec<String> = types.iter().flat_map(|name| stems(name)).collect();
        let explain = file.explain.as_ref().map(toml::Spanned::get_ref);
        let others = file.title_when.iter().chain(&file.cause_when);
        let others = others.map(|words| words.text.get_ref());
        let prose = [file.cause.get_ref()].into_iter().chain(others);
        let mut all: Vec<String> = prose
            .chain(explain)
            .flat_map(|text| stems(&plain(text)))
            .collect();
        all.extend(names.iter().chain(&exceptions).cloned());
        all.extend(lines.iter().flatten().cloned());
        Self {
            title: Portion::own(file.title.get_ref().as_str()),
            lines: strings(&lines),
            asked: strings(&asked),
            names: Portion::own(spaced(&once(names))),
            exceptions: Portion::own(spaced(&once(exceptions))),
            all: Portion::own(spaced(&once(all))),
        }
    }
}

/// Collects the types and the templates of one `[[match]]`.
fn add<'f>(keys: &'f Keys, types: &mut Vec<&'f str>, templates: &mut Vec<&'f str>) {
    const LINES: [&str; 6] = ["message", "log_line", "heading", "above", "chain", "note"];
    for (key, value) in &keys.0 {
        let found = texts(value).into_iter().map(|(_, text)| text);
        match (key.get_ref().as_str(), value.get_ref()) {
            ("quoted", Value::Keys(quoted)) => add(quoted, types, templates),
            // What a capture must match names types.
            ("captures", Value::Keys(captures)) => {
                let all = captures.0.iter().flat_map(|(_, value)| texts(value));
                types.extend(all.map(|(_, text)| text));
            }
            ("exception", _) => types.extend(found),
            (key, _) if LINES.contains(&key) => templates.extend(found),
            _ => {}
        }
    }
}

/// Returns a template or a text without its holes: of `{name|words}` only the words.
fn plain(text: &str) -> String {
    let text = text.replace("{{", " ").replace("}}", " ");
    let mut found = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, hole)) = rest.split_once('{') {
        let (hole, after) = hole.split_once('}').unwrap_or((hole, ""));
        let words = hole.split_once('|').map_or("", |(_, words)| words);
        found.extend([before, " ", words, " "]);
        rest = after;
    }
    found + rest
}

/// Puts a space before and behind each.
pub(crate) fn spaced(stems: &[String]) -> String {
    let mut text = String::from(" ");
    for stem in stems {
        text.extend([stem.as_str(), " "]);
    }
    text
}

fn once(mut stems: Vec<String>) -> Vec<String> {
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// Splits a text into words (letters, digits and `_`), and returns the stem of each.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = text.split(|c: char| !is_word(c));
    let words = words.map(|word| word.trim_matches('_'));
    // An address, a number of many digits: no rule names it.
    let is_number =
        |word: &str| word.len() > 6 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let counts = |word: &&str| !word.is_empty() && word.len() <= MAX_WORD && !is_number(word);
    words
        .filter(counts)
        .map(|word| stem(&word.to_lowercase()).to_owned())
        .collect()
}

/// Returns a word in small letters without what its grammar adds: `unpicklable`, `pickled` and
/// `pickles` are `pickl`.
fn stem(word: &str) -> &str {
    let mut word = singular(word);
    if word.ends_with("able")
        && let Some(positive) = word.strip_prefix("un")
        && positive.len() >= LEAST_STEM + "able".len()
    {
        word = positive;
    }
    let endings = ["able", "ing", "ed"];
    if let Some(begin) = endings.iter().find_map(|end| word.strip_suffix(end)) {
        // `string` has no ending.
        let has_vowel = begin.contains(['a', 'e', 'i', 'o', 'u', 'y']);
        if begin.len() >= LEAST_STEM && has_vowel {
            word = undoubled(begin);
        }
    }
    let is_long = word.len() > LEAST_STEM;
    word.strip_suffix('e').filter(|_| is_long).unwrap_or(word)
}

/// Returns `run` of `runn`, the beginning of `running`.
fn undoubled(begin: &str) -> &str {
    let short = &begin[..begin.len() - begin.chars().last().map_or(0, char::len_utf8)];
    let last = &begin[short.len()..];
    let is_doubled = begin.len() > LEAST_STEM && short.ends_with(last);
    if is_doubled && !["l", "s", "z"].contains(&last) {
        short
    } else {
        begin
    }
}

/// Returns a word without the ending of a plural or of the third person.
fn singular(word: &str) -> &str {
    let is_other =
        |word: &str| word.len() < 4 || ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    let Some(stem) = word.strip_suffix('s').filter(|_| !is_other(word)) else {
        return word;
    };
    let stem_of_es = stem.strip_suffix('e');
    let is_es = |stem: &&str| {
        ["ss", "x", "ch", "sh"]
            .iter()
            .any(|end| stem.ends_with(end))
    };
    stem_of_es.filter(is_es).unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_stem_are_one() {
        for (words, stem) in [
            ("workers worker", "worker"),
            ("hangs hanging hang", "hang"),
            ("processes process processed", "process"),
            ("pickles pickled pickling picklable unpicklable", "pickl"),
            ("runs running", "run"),
            ("killed kills killing", "kill"),
            ("status", "status"),
            ("this", "this"),
            ("nfs", "nfs"),
            ("string strings", "string"),
            ("unable", "unabl"),
        ] {
            for word in stems(words) {
                assert_eq!(word, stem, "{words}");
            }
        }
    }

    #[test]
    fn of_a_hole_its_own_words_count() {
        assert_eq!(
            plain("`{name|this}` was {made} in {{x}}"),
            "` this ` was    in  x "
        );
    }
}
