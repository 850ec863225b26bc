//! What a rule knows of a failure, and the words for it.

use std::collections::BTreeMap;

use crate::traceback::facts::{Facts, Platform, StartMethod, Via, name_of};
use crate::traceback::notes::ObjectPath;

use super::failure::Failure;
use crate::corpus::rule::Rule;
use crate::corpus::rule::advice::Advice;
use crate::corpus::rule::file::Confidence;
use crate::corpus::rule::interpolation::{Values, fill_text};

/// What a rule knows of a failure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnosis<'c> {
    /// The rule.
    pub rule: &'c Rule,
    /// The index of the exception in its traceback.
    pub raised: usize,
    /// What the rule's templates captured.
    pub captures: BTreeMap<String, String>,
    /// The way to the offending part, where the notes of Python 3.14 tell it.
    pub object_path: Option<ObjectPath>,
    /// How sure it is.
    pub confidence: Confidence,
    /// The chosen fix and then the others that are shown beside it, by index.
    pub(crate) fixes: Vec<usize>,
    /// The cause that replaces the rule's own, by index.
    pub(crate) cause: Option<usize>,
}

#[cfg(test)]
impl<'c> Diagnosis<'c> {
    /// Makes a diagnosis of which nothing but the rule is known; all fixes of it apply.
    pub(crate) fn of(rule: &'c Rule) -> Self {
        Self {
            rule,
            raised: 0,
            captures: BTreeMap::new(),
            object_path: None,
            confidence: rule.confidence,
            fixes: (0..rule.fixes.len()).collect(),
            cause: None,
        }
    }
}

impl Diagnosis<'_> {
    /// Whether the text told enough for a cause other than the rule's usual one.
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
        let cause = diagnosis
            .cause
            .and_then(|i| rule.causes.get(i))
            .map_or(rule.cause.as_str(), |(_, text)| text);
        let fixes = diagnosis.fixes.iter().enumerate();
        Advice {
            title: fill_text(&rule.title, &values),
            cause: fill_text(cause, &values),
            fixes: fixes
                .filter_map(|(n, i)| Some(rule.fixes.get(*i)?.advice(&values, n == 0)))
                .collect(),
            links: rule.links.clone(),
        }
    }

    /// Collects what may be filled in; a capture goes before a fact of the same name.
    fn values(&self, diagnosis: &Diagnosis) -> Values {
        let Facts {
            via,
            start_method,
            platform,
            python,
            rank,
            worker,
            pid,
            notebook: _,
            ended_process: _,
            user_frame,
        } = &self.facts;
        let frame = user_frame.as_ref();
        let path = diagnosis.object_path.as_ref();
        let number = |n: &Option<u32>| n.map(|n| n.to_string());
        let facts = [
            ("via", via.map(|v| spelling(v).to_string())),
            (
                "start_method",
                start_method.map(|m| name_of(StartMethod::NAMES, m).to_string()),
            ),
            (
                "platform",
                platform.map(|p| platform_spelling(p).to_string()),
            ),
            (
                "python",
                python.map(|(major, minor)| format!("{major}.{minor}")),
            ),
            ("rank", number(rank)),
            ("worker", number(worker)),
            ("pid", number(pid)),
            ("user_file", frame.map(|f| f.path.to_string())),
            ("user_line", frame.map(|f| f.line.to_string())),
            ("user_source", frame.and_then(|f| f.source.clone())),
            ("user_function", frame.map(|f| f.function.clone())),
            ("exception", self.exception.clone()),
            ("message", Some(self.message.clone())),
            ("attribute", path.and_then(|p| p.attribute.clone())),
            ("holder", path.and_then(|p| p.holder.clone())),
            ("object", path.map(|p| p.display.clone())),
        ];
        let mut values: Values = facts
            .into_iter()
            .filter_map(|(name, v)| Some((name.to_string(), v?)))
            .collect();
        values.extend(
            diagnosis
                .captures
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        values
    }
}

/// The facts that a text may name.
pub(crate) const FACT_NAMES: &[&str] = &[
    "via",
    "start_method",
    "platform",
    "python",
    "rank",
    "worker",
    "pid",
    "user_file",
    "user_line",
    "user_source",
    "user_function",
    "exception",
    "message",
    "attribute",
    "holder",
    "object",
];

/// Spells a `via` as Python people do.
fn spelling(via: Via) -> &'static str {
    match via {
        Via::DataLoader => "DataLoader",
        Via::Pool => "Pool",
        Via::Executor => "ProcessPoolExecutor",
        Via::Joblib => "joblib",
        Via::Ray => "Ray",
        Via::Dask => "Dask",
        Via::Spark => "Spark",
        Via::Datasets => "datasets",
        Via::Manager => "Manager",
        Via::Queue => "Queue",
        Via::Process => "Process",
        Via::Dump => "pickle",
        Via::Deepcopy => "deepcopy",
    }
}

/// Spells a platform as people do.
fn platform_spelling(platform: Platform) -> &'static str {
    match platform {
        Platform::Linux => "Linux",
        Platform::Macos => "macOS",
        Platform::Windows => "Windows",
    }
}
