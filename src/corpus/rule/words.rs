//! The words of a rule, for a search: taken out of its file once, at the build for built-in rules.

use std::borrow::Cow;

use super::file::{Keys, RuleFile, Value, texts};
use super::index::{List, Text};

/// What a rule can be found by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// Its title, as in the file.
    pub(crate) title: Text,
    /// The types of exceptions that it looks for, and what their captures must match.
    pub(crate) exceptions: List<Text>,
    /// The templates of the lines that it looks for.
    pub(crate) templates: List<Text>,
    /// The words of its cause and its explanation, each once.
    pub(crate) prose: Text,
}

impl Words {
    /// Takes them out of a rule file.
    pub(crate) fn of(file: &RuleFile) -> Self {
        let (mut exceptions, mut templates) = (Vec::new(), Vec::new());
        for keys in &file.matches {
            add(keys.get_ref(), &mut exceptions, &mut templates);
        }
        let explain = file.explain.as_ref().map(|text| text.get_ref().as_str());
        let prose = [file.cause.get_ref(), explain.unwrap_or_default()].join(" ");
        let prose = prose.to_lowercase();
        let words = prose.split(|c: char| !c.is_alphanumeric() && c != '_');
        let mut prose: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        prose.sort_unstable();
        prose.dedup();
        Self {
            title: Cow::Owned(file.title.get_ref().clone()),
            exceptions: Cow::Owned(exceptions),
            templates: Cow::Owned(templates),
            prose: Cow::Owned(prose.join(" ")),
        }
    }
}

fn add(keys: &Keys, exceptions: &mut Vec<Text>, templates: &mut Vec<Text>) {
    const LINES: [&str; 6] = ["message", "log_line", "heading", "above", "chain", "note"];
    let owned = |text: &str| Cow::Owned(text.to_owned());
    for (key, value) in &keys.0 {
        let found = texts(value).into_iter().map(|(_, text)| owned(text));
        match (key.get_ref().as_str(), value.get_ref()) {
            ("quoted", Value::Keys(quoted)) => add(quoted, exceptions, templates),
            // What a capture must match names types.
            ("captures", Value::Keys(captures)) => {
                let all = captures.0.iter().flat_map(|(_, value)| texts(value));
                exceptions.extend(all.map(|(_, text)| owned(text)));
            }
            ("exception", _) => exceptions.extend(found),
            (key, _) if LINES.contains(&key) => templates.extend(found),
            _ => {}
        }
    }
}
