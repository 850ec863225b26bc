//! A rule in full: all that its file says, in words for a reader.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::corpus::matching::ask::describe::{describe_all, shown_template};
use crate::corpus::matching::ask::{Ask, Condition};
use crate::corpus::matching::when::When;
use crate::corpus::rule::advice::FixAdvice;
use crate::corpus::rule::index::Key;
use crate::corpus::rule::interpolation::{TextPart, Values, fill_code, fill_text, text_parts};
use crate::corpus::{Confidence, Corpus, Fix, Rule, Sample, Severity};

/// All that is to be said about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// Its name.
    pub id: String,
    /// Its family.
    pub family: String,
    /// The fault.
    pub title: String,
    /// How bad it is.
    pub severity: Severity,
    /// How sure it is at best.
    pub confidence: Confidence,
    /// The mechanism.
    pub cause: String,
    /// Other mechanisms, under circumstances.
    pub causes: Vec<OtherCause>,
    /// A longer text in Markdown.
    pub explain: Option<String>,
    /// How it is recognised: any one of these.
    pub forms: Vec<RuleForm>,
    /// The ways out, in the order of the file.
    pub fixes: Vec<PageFix>,
    /// Texts that it recognises.
    pub examples: Vec<Sample>,
    /// Pages to read.
    pub links: Vec<String>,
    /// Names that it had before.
    pub formerly: Vec<String>,
}

/// Another mechanism, under circumstances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OtherCause {
    /// The circumstances: `sent by a DataLoader`.
    pub when: String,
    /// The mechanism.
    pub text: String,
}

/// One way in which a failure shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RuleForm {
    /// What is printed: `TypeError: cannot pickle '<type>' object`; each is enough.
    pub lines: Vec<String>,
    /// What must hold besides; empty if nothing must.
    pub when: String,
}

/// One way out, with the circumstances that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageFix {
    /// The circumstances; empty: any.
    pub when: String,
    /// Whether it stands beside the chosen one and is never chosen itself.
    pub also: bool,
    /// What to do.
    pub told: FixAdvice,
}

impl Rule {
    /// Returns the title with `<name>` for what only a traceback can tell.
    pub fn title_words(&self) -> String {
        shown(&self.title)
    }
}

impl Corpus {
    /// Returns all that is to be said about a rule, by its id or one that it had before.
    pub fn page(&self, id: &str) -> Option<Page> {
        let rule = self.rule(id)?;
        Some(Page::new(self, rule))
    }

    /// Returns the types of exceptions, by their last dotted part and in order, with which some rule may
    /// know a message, where there is nothing else: no frame, no heading.
    pub fn exceptions_with(&self, message: &str) -> BTreeSet<&str> {
        let keys = self.slots.iter().flat_map(|slot| slot.entry.keys.iter());
        let is_in = |key: &Key| key.literals.iter().any(|literal| message.contains(literal));
        let mut types = BTreeSet::new();
        let may_know = |key: &&Key| key.literals.is_empty() && key.marks.is_empty() || is_in(key);
        for key in keys.filter(may_know) {
            types.extend(key.exceptions.iter());
            // With any type, or as a line of a log.
            if key.exceptions.is_empty() && !key.literals.is_empty() {
                types.extend(["Error", "Exception"]);
            }
        }
        types
    }

    /// Returns the ids that were probably meant by one that no rule has, the nearest first.
    pub fn near_misses(&self, name: &str) -> Vec<&str> {
        let name = name.to_lowercase();
        let nearest = crate::corpus::rule::error::nearest(&name, self.ids());
        let mut found: Vec<&str> = nearest.into_iter().collect();
        let words: Vec<&str> = name
            .split(['-', '_', '/'])
            .filter(|w| w.len() > 2)
            .collect();
        let common = |id: &str| {
            words
                .iter()
                .filter(|w| id.split('-').any(|i| i == **w))
                .count()
        };
        let mut others: Vec<&str> = self
            .ids()
            .filter(|id| common(id) > 0 || id.contains(&name))
            .collect();
        // Of ids that have the word, that one is meant which says little else.
        let words_of = |id: &str| id.split('-').count();
        others.sort_by_key(|id| (std::cmp::Reverse(common(id)), words_of(id), *id));
        others.retain(|id| Some(*id) != nearest);
        found.extend(others);
        found.truncate(4);
        found
    }
}

impl Page {
    fn new(corpus: &Corpus, rule: &Rule) -> Self {
        let causes = rule.causes.iter().map(|(when, text)| OtherCause {
            when: when.describe(),
            text: shown(text),
        });
        Self {
            id: rule.id.clone(),
            family: rule.family.clone(),
            title: rule.title_words(),
            severity: rule.severity,
            confidence: rule.confidence,
            cause: shown(&rule.cause),
            causes: causes.collect(),
            explain: rule.explain.clone(),
            forms: corpus.conditions(&rule.id).map(form).collect(),
            fixes: rule.fixes.iter().map(PageFix::new).collect(),
            examples: corpus.examples(&rule.id),
            links: rule.links.clone(),
            formerly: rule.formerly.clone(),
        }
    }
}

impl PageFix {
    fn new(fix: &Fix) -> Self {
        let text = |text: &Option<String>| text.as_deref().map(shown);
        Self {
            when: fix.when.as_ref().map(When::describe).unwrap_or_default(),
            also: fix.also,
            told: FixAdvice {
                name: fix.name.clone(),
                chosen: false,
                text: shown(&fix.text),
                code: fix
                    .code
                    .as_deref()
                    .map(|c| fill_code(c, &Values::default())),
                check: text(&fix.check),
                not: text(&fix.not),
            },
        }
    }
}

/// Returns how a `[[match]]` shows: what is printed, and what must hold besides.
fn form(condition: &Condition) -> RuleForm {
    let (mut types, mut messages, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = Vec::new();
    for ask in condition.asks() {
        match ask {
            Ask::Exception(all) => types.extend(all.written()),
            Ask::Message(all) => messages.extend(all.written().map(shown_template)),
            Ask::LogLine(all) => lines.extend(all.written().map(shown_template)),
            ask => rest.push(ask),
        }
    }
    if messages.is_empty() {
        lines.extend(types.into_iter().map(str::to_owned));
    } else {
        // Every type goes with every message; the types are written once.
        let types = types.join(" | ");
        let with_type = |m: String| {
            if types.is_empty() {
                m
            } else {
                format!("{types}: {m}")
            }
        };
        lines.extend(messages.into_iter().map(with_type));
    }
    RuleForm {
        lines,
        when: describe_all(rest.into_iter()).join("; "),
    }
}

/// Fills a text for a reader who has no traceback: `<name>` where it gives no words of its own.
pub(super) fn shown(text: &str) -> String {
    let parts = text_parts(text).unwrap_or_default();
    let wordless = parts.iter().filter_map(|part| match part {
        TextPart::Hole {
            name, words: None, ..
        } => Some((*name, format!("<{name}>").into())),
        _ => None,
    });
    fill_text(text, &wordless.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_page_with_a_form_and_a_fix() {
        let corpus = Corpus::built_in();
        for id in corpus.ids() {
            // That each rule compiles is the matter of another test.
            let Some(page) = corpus.page(id) else {
                continue;
            };
            assert!(!page.forms.is_empty(), "{id}");
            let is_note = page.severity == Severity::Note;
            assert!(is_note || !page.fixes.is_empty(), "{id} has no fix");
            for form in &page.forms {
                assert!(
                    !form.lines.is_empty() || !form.when.is_empty(),
                    "{id} has an empty form"
                );
            }
            let mut told = vec![&page.title, &page.cause];
            told.extend(page.fixes.iter().map(|fix| &fix.told.text));
            assert!(told.iter().all(|text| !text.is_empty()), "{id}");
        }
    }

    #[test]
    fn what_only_a_traceback_tells_is_named() {
        assert_eq!(
            shown("a `{type}` by {start_method|spawn}, {{x}}"),
            "a `<type>` by spawn, {x}"
        );
    }

    #[test]
    fn a_slip_and_a_half_name_are_understood() {
        let corpus = Corpus::built_in();
        assert_eq!(
            corpus.near_misses("unpicklable-lok").first(),
            Some(&"unpicklable-lock")
        );
        assert!(corpus.near_misses("lock").contains(&"unpicklable-lock"));
        assert_eq!(corpus.near_misses("xyzzy"), Vec::<&str>::new());
    }
}
