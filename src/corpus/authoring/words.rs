//! The words of a rule, for a search.

use crate::corpus::Corpus;
use crate::corpus::rule::index::{RuleEntry, Text};

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
    /// The words of its cause and its explanation.
    pub prose: String,
}

impl Corpus {
    /// Returns the words of all rules.
    pub fn words(&self) -> impl Iterator<Item = RuleWords> {
        self.slots.iter().map(|slot| RuleWords::new(&slot.entry))
    }
}

impl RuleWords {
    fn new(entry: &RuleEntry) -> Self {
        let owned = |texts: &[Text]| texts.iter().map(|text| text.clone().into_owned()).collect();
        let words = &entry.words;
        Self {
            id: entry.id.clone().into_owned(),
            title: shown(&words.title),
            exceptions: owned(&words.exceptions),
            templates: owned(&words.templates),
            prose: words.prose.clone().into_owned(),
        }
    }
}
