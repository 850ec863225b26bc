//! A rule: its file, its entry in the index, and itself, parsed and ready to be asked.

pub(crate) mod advice;
pub(crate) mod error;
pub(crate) mod file;
pub(crate) mod index;
pub(crate) mod interpolation;
pub(crate) mod lookup;
pub(crate) mod portion;
pub(crate) mod words;

use std::collections::BTreeSet;

use crate::corpus::matching::ask::Condition;
use crate::corpus::matching::when::When;
use advice::FixAdvice;
use error::{Fault, RuleError};
use file::{Confidence, FixFile, OtherWords, RuleFile, Severity, Texts, read};
use index::{RuleEntry, selects};
use interpolation::{Values, fill_code, fill_text};

/// One known failure: how to recognise it, its cause, its fixes.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its name, which is never given to another rule.
    pub id: String,
    /// The family that it belongs to.
    pub family: String,
    /// The fault, as a template.
    pub title: String,
    /// The mechanism, as a template.
    pub cause: String,
    /// Pages to read.
    pub links: Vec<String>,
    /// How bad it is.
    pub severity: Severity,
    /// How sure the rule is at best.
    pub confidence: Confidence,
    /// Whether any other rule is preferred.
    pub fallback: bool,
    /// Whether it counts only where the program's own source shows the reason.
    pub needs_source: bool,
    /// What that reason is, where other rules have the same words.
    pub shows: Option<String>,
    /// Ids and `family/*` that give way to it.
    pub beats: Vec<String>,
    /// What it follows from.
    pub consequence_of: Vec<RootName>,
    /// A longer text in Markdown.
    pub explain: Option<String>,
    /// Names that it had before.
    pub formerly: Vec<String>,
    /// The ways out, in the order of the file.
    pub fixes: Vec<Fix>,
    pub(crate) titles: Vec<(When, String)>,
    pub(crate) causes: Vec<(When, String)>,
}

/// A rule with all that its `[[match]]`es ask for; a run parses of these what it asks.
#[derive(Debug)]
pub(crate) struct CheckedRule {
    pub(crate) rule: Rule,
    pub(crate) matches: Vec<Condition>,
}

/// What a failure may follow from, as a rule names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootName {
    /// `*`: any failure that ended its process.
    Any,
    /// `family/*`.
    Family(String),
    /// The id of a rule.
    Id(String),
}

impl RootName {
    fn new(name: &str) -> Self {
        match (name, name.strip_suffix("/*")) {
            ("*", _) => Self::Any,
            (_, Some(family)) => Self::Family(family.to_string()),
            (id, None) => Self::Id(id.to_string()),
        }
    }

    /// Returns whether it names a rule.
    pub fn names(&self, rule: &Rule) -> bool {
        match self {
            Self::Any => true,
            Self::Family(family) => *family == rule.family,
            Self::Id(id) => *id == rule.id,
        }
    }
}

/// One way out, as templates.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fix {
    /// Its name within the rule.
    pub name: Option<String>,
    /// What to do now.
    pub text: String,
    /// Python to paste.
    pub code: Option<String>,
    /// How to see that it worked.
    pub check: Option<String>,
    /// What does not help.
    pub not: Option<String>,
    /// Whether it stands beside the chosen one and is never chosen itself.
    pub also: bool,
    pub(crate) when: Option<When>,
}

#[cfg(test)]
impl Rule {
    /// Reads a rule for a test and never frees it.
    pub(crate) fn of(family: &str, id: &str, text: &str) -> &'static Self {
        let entry = RuleEntry::read(id, family, &format!("{family}/{id}.toml"), text);
        let rule = entry.and_then(|(entry, file)| Self::compile(&entry, file));
        Box::leak(Box::new(rule.unwrap_or_else(|error| panic!("{error}"))))
    }
}

impl CheckedRule {
    /// Takes the rule out of its file, and checks all that is in it.
    pub(crate) fn new(entry: &RuleEntry, file: RuleFile) -> Result<Self, RuleError> {
        let at = |(offset, message)| RuleError::at(&entry.file, &entry.head, offset, message);
        let matches = file.matches.iter().map(|m| Condition::new(m.get_ref()));
        let matches: Result<Vec<_>, Fault> = matches.collect();
        let rule = Rule::compile(entry, file)?;
        let matches = matches.map_err(at)?;
        let of_fixes = rule.fixes.iter().filter_map(|fix| fix.when.as_ref());
        let of_words = rule.titles.iter().chain(&rule.causes);
        let whens = of_words.map(|(when, _)| when).chain(of_fixes);
        let mut all = matches.iter().chain(whens.flat_map(When::conditions));
        let checked = all.try_for_each(Condition::check);
        checked.map_err(|(expression, message)| {
            let offset = entry.head.find(expression).unwrap_or(0);
            at((offset, message))
        })?;
        Ok(Self { rule, matches })
    }

    /// Returns the names that its templates capture.
    pub(crate) fn capture_names(&self) -> BTreeSet<&str> {
        self.matches.iter().flat_map(Condition::captured).collect()
    }
}

impl Rule {
    /// Parses what an entry's text says; its `[[match]]`es, often the greater part, were parsed when they were
    /// asked.
    pub(crate) fn new(entry: &RuleEntry) -> Result<Self, RuleError> {
        Self::compile(entry, read(&entry.file, &entry.advice())?)
    }

    fn compile(entry: &RuleEntry, file: RuleFile) -> Result<Self, RuleError> {
        Self::parts(entry, file)
            .map_err(|(offset, message)| RuleError::at(&entry.file, &entry.head, offset, message))
    }

    fn parts(entry: &RuleEntry, file: RuleFile) -> Result<Self, Fault> {
        let titles = other_words(file.title_when)?;
        let causes = other_words(file.cause_when)?;
        let mut fixes = Vec::new();
        for fix in file.fix {
            fixes.push(Fix::new(fix.into_inner())?);
        }
        let owned = |texts: &Texts| texts.iter().map(str::to_string).collect();
        Ok(Self {
            id: entry.id.to_string(),
            family: entry.family.to_string(),
            title: file.title.into_inner(),
            cause: file.cause.into_inner(),
            links: owned(&file.links),
            severity: file.severity,
            confidence: file.confidence,
            fallback: file.fallback,
            needs_source: file.needs_source,
            shows: file.shows,
            beats: owned(&file.beats),
            consequence_of: file.consequence_of.iter().map(RootName::new).collect(),
            explain: file.explain.map(|e| e.into_inner().trim().to_string()),
            formerly: owned(&file.formerly),
            fixes,
            titles,
            causes,
        })
    }

    /// Returns whether another rule gives way to this one when both match a traceback.
    pub fn beats(&self, other: &Rule) -> bool {
        self.id != other.id
            && self
                .beats
                .iter()
                .any(|s| selects(s, &other.id, &other.family))
    }

    /// Returns whether it follows from any failure that ended its process, known or not.
    pub fn follows_from_any(&self) -> bool {
        self.consequence_of.contains(&RootName::Any)
    }
}

/// Compiles the conditions of words that replace the rule's own.
fn other_words(all: Vec<OtherWords>) -> Result<Vec<(When, String)>, Fault> {
    let read = |words: OtherWords| Ok((When::new(&words.when)?, words.text.into_inner()));
    all.into_iter().map(read).collect()
}

impl Fix {
    fn new(fix: FixFile) -> Result<Self, Fault> {
        Ok(Self {
            when: fix.when.as_ref().map(When::new).transpose()?,
            also: fix.also,
            name: fix.name,
            text: fix.text.into_inner(),
            code: fix.code.map(toml::Spanned::into_inner),
            check: fix.check.map(toml::Spanned::into_inner),
            not: fix.not.map(toml::Spanned::into_inner),
        })
    }

    /// Fills its templates.
    pub(crate) fn advice(&self, values: &Values, chosen: bool) -> FixAdvice {
        FixAdvice {
            name: self.name.clone(),
            chosen,
            text: fill_text(&self.text, values),
            code: self.code.as_deref().map(|c| fill_code(c, values)),
            check: self.check.as_deref().map(|t| fill_text(t, values)),
            not: self.not.as_deref().map(|t| fill_text(t, values)),
        }
    }
}
