//! The words of a rule, for a search.

use crate::corpus::Corpus;
use crate::corpus::rule::file::{Keys, RuleFile, Value, read, texts};

use super::page::shown;

/// What a rule can be found by.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RuleWords {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The types of exceptions that it looks for, and what their captures must match.
    pub exceptions: Vec<String>,
    /// The templates of the lines that it looks for.
    pub templates: Vec<String>,
    /// Its cause and its explanation.
    pub prose: String,
}

impl Corpus {
    /// Returns the words of all rules, read from their files.
    pub fn words(&self) -> impl Iterator<Item = RuleWords> {
        self.slots.iter().filter_map(|slot| {
            let entry = &slot.entry;
            let file = read(&entry.file, entry.head_text()).ok()?;
            Some(RuleWords::new(&entry.id, &file))
        })
    }
}

impl RuleWords {
    fn new(id: &str, file: &RuleFile) -> Self {
        let mut words = Self {
            id: id.to_owned(),
            title: shown(file.title.get_ref()),
            prose: file.cause.get_ref().clone(),
            ..Self::default()
        };
        if let Some(explain) = &file.explain {
            words.prose.push_str(explain.get_ref());
        }
        for keys in &file.matches {
            words.add(keys.get_ref());
        }
        words
    }

    fn add(&mut self, keys: &Keys) {
        const LINES: [&str; 6] = ["message", "log_line", "heading", "above", "chain", "note"];
        for (key, value) in &keys.0 {
            let found = texts(value).into_iter().map(|(_, text)| text.to_owned());
            match (key.get_ref().as_str(), value.get_ref()) {
                ("quoted", Value::Keys(quoted)) => self.add(quoted),
                // What a capture must match names types.
                ("captures", Value::Keys(captures)) => {
                    let all = captures.0.iter().flat_map(|(_, value)| texts(value));
                    self.exceptions.extend(all.map(|(_, text)| text.to_owned()));
                }
                ("exception", _) => self.exceptions.extend(found),
                (key, _) if LINES.contains(&key) => self.templates.extend(found),
                _ => {}
            }
        }
    }
}
