//! What a rule knows of a failure, and the words for it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::object::{Attribute, Object};
use crate::traceback::notes::ObjectPath;

use super::failure::Failure;
use crate::corpus::rule::Rule;
use crate::corpus::rule::advice::{Advice, FixAdvice};
use crate::corpus::rule::file::Confidence;
use crate::corpus::rule::interpolation::{OWN_NAMES, Values, fill_text, of_fact};

/// The name of a fix in the words of the program itself.
const OWN_FIX: &str = "source";

/// What a rule knows of a failure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnosis<'c> {
    /// The rule.
    pub rule: &'c Rule,
    /// The index of the exception in its traceback.
    pub exception: usize,
    /// What the rule's templates captured.
    pub captures: BTreeMap<String, String>,
    /// The way to the offending part, where the notes of Python 3.14 tell it.
    pub object_path: Option<ObjectPath>,
    /// The offending part, where the program's own source tells it.
    pub object: Option<Box<Object>>,
    /// How sure it is.
    pub confidence: Confidence,
    /// The chosen fix and then the others that are shown beside it, by index.
    pub(crate) fixes: Vec<usize>,
    /// The title that replaces the rule's own, by index.
    pub(crate) title: Option<usize>,
    /// The cause that replaces the rule's own, by index.
    pub(crate) cause: Option<usize>,
}

#[cfg(test)]
impl<'c> Diagnosis<'c> {
    /// Makes a diagnosis of which nothing but the rule is known; all fixes of it apply.
    pub(crate) fn of(rule: &'c Rule) -> Self {
        Self {
            rule,
            exception: 0,
            captures: BTreeMap::new(),
            object_path: None,
            object: None,
            confidence: rule.confidence,
            fixes: (0..rule.fixes.len()).collect(),
            title: None,
            cause: None,
        }
    }
}

impl Diagnosis<'_> {
    /// Returns whether it is the rule's general case: the cause and the fix have no `when`.
    pub(crate) fn is_general(&self) -> bool {
        let chosen = self.fixes.first().map(|&fix| &self.rule.fixes[fix]);
        self.cause.is_none() && chosen.is_none_or(|fix| fix.when.is_none())
    }

    /// Returns which fix of the rule is chosen.
    pub fn chosen(&self) -> Option<usize> {
        self.fixes.first().copied()
    }

    /// Returns the title, as a template.
    pub(crate) fn title(&self) -> &str {
        let own = self.title.and_then(|i| self.rule.titles.get(i));
        own.map_or(self.rule.title.as_str(), |(_, text)| text)
    }

    /// Returns the cause, as a template.
    pub(crate) fn cause(&self) -> &str {
        let own = self.cause.and_then(|i| self.rule.causes.get(i));
        own.map_or(self.rule.cause.as_str(), |(_, text)| text)
    }

    /// Returns whether the text told enough for a cause other than the rule's usual one.
    pub fn has_own_cause(&self) -> bool {
        self.cause.is_some()
    }
}

impl Failure<'_> {
    /// Fills the templates of the rule, if one knows the failure; costs nothing until it is called.
    pub fn advice(&self) -> Advice {
        let Some(diagnosis) = &self.diagnosis else {
            return Advice::default();
        };
        let values = self.values(diagnosis);
        let rule = diagnosis.rule;
        let own = diagnosis.object.as_ref().and_then(|o| o.change.as_ref());
        let own = own.map(|change| FixAdvice {
            name: Some(OWN_FIX.to_owned()),
            chosen: true,
            text: change.text.clone(),
            code: Some(change.code.clone()),
            ..FixAdvice::default()
        });
        let is_chosen = own.is_none();
        let fixes = diagnosis.fixes.iter().enumerate();
        let by_hand = (diagnosis.object.as_ref()).and_then(|o| o.why_by_hand());
        let fixes = fixes.filter_map(|(n, i)| {
            let fix = rule.fixes.get(*i)?;
            let mut advice = fix.advice(&values, n == 0 && is_chosen);
            if let Some(why) = by_hand.filter(|_| advice.chosen) {
                let text = advice.text.trim_end_matches(['.', ':']);
                let end = if advice.code.is_some() { ':' } else { '.' };
                advice.text = format!("{text}. Mind that {why}{end}");
            }
            Some(advice)
        });
        Advice {
            title: fill_text(diagnosis.title(), &values),
            cause: fill_text(diagnosis.cause(), &values),
            fixes: own.into_iter().chain(fixes).collect(),
            links: rule.links.clone(),
        }
    }

    /// Fills the title of the rule, if one knows the failure.
    pub(crate) fn title(&self) -> Option<String> {
        let diagnosis = self.diagnosis.as_ref()?;
        let title = diagnosis.title();
        // Most titles have no hole.
        let values = if title.contains('{') {
            self.values(diagnosis)
        } else {
            Values::default()
        };
        Some(fill_text(title, &values))
    }

    /// Collects what may be filled in; a capture goes before a fact of the same name.
    fn values<'v>(&'v self, diagnosis: &'v Diagnosis) -> Values<'v> {
        let path = diagnosis.object_path.as_ref();
        let object = diagnosis.object.as_ref();
        let found = object.and_then(|o| o.attribute.as_ref());
        let found = |of: fn(&Attribute) -> &String| found.map(|a| of(a).as_str());
        // In the order of their names.
        let own = OWN_NAMES.into_iter().zip([
            self.exception.as_deref(),
            Some(self.message.as_str()),
            path.and_then(|p| p.attribute.as_deref())
                .or_else(|| found(|a| &a.name)),
            path.and_then(|p| p.holder.as_deref())
                .or_else(|| found(|a| &a.class)),
            path.map(|p| p.display.as_str()),
        ]);
        let own = own.map(|(name, value)| (name, value.map(Cow::Borrowed)));
        let facts = self.facts.list();
        let facts = facts.flat_map(|(fact, value)| of_fact(fact, value));
        let known = facts.chain(own).filter_map(|(n, value)| Some((n, value?)));
        let captures = diagnosis.captures.iter();
        let captures = captures.map(|(name, value)| (name.as_str(), value.as_str().into()));
        known.chain(captures).collect()
    }
}
