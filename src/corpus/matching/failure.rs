//! A traceback or log line, known to a rule or not.

use crate::traceback::facts::Facts;
use crate::traceback::stamp::Stamp;
use crate::traceback::{Exception, Link, Span, Traceback};

use super::diagnosis::Diagnosis;
use crate::corpus::rule::Rule;
use crate::corpus::rule::file::Severity;

/// One traceback or log line.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Failure<'c> {
    /// Where it stood.
    pub at: Span,
    /// When it was written, where the text says so.
    pub time: Option<Stamp>,
    /// What stood in front of its lines.
    pub prefix: Option<String>,
    /// The line above that says where it came from.
    pub heading: Option<String>,
    /// The exception's type as printed; `None` for a log line and where the end is cut off.
    pub exception: Option<String>,
    /// The message: where a rule knows it, without what Python and Ray append, else its first line.
    pub message: String,
    /// The circumstances.
    pub facts: Facts,
    /// What a rule knows of it; without one it may still be the root of others.
    pub diagnosis: Option<Diagnosis<'c>>,
}

impl<'c> Failure<'c> {
    /// Returns an exception of a traceback, or the line or dump without one, as a failure that no
    /// rule knows.
    pub(super) fn new(
        traceback: &Traceback,
        raised: Option<&Exception>,
        message: String,
        facts: Facts,
    ) -> Self {
        Self {
            at: traceback.at,
            time: Stamp::of(traceback),
            prefix: traceback.prefix.clone(),
            heading: traceback.heading.clone(),
            exception: raised.and_then(|r| r.type_name.clone()),
            message,
            facts,
            diagnosis: None,
        }
    }

    /// Returns the last exception of a traceback that no rule knows; `None` if it has none.
    pub fn unknown(traceback: &Traceback) -> Option<Self> {
        let raised = traceback.exceptions.last()?;
        let message = raised.message.first().cloned().unwrap_or_default();
        let mut facts = Facts::read(traceback, traceback.exceptions.len() - 1);
        // Where a worker failed tells more than where its caller waited.
        if let Some((Link::Remote, worker)) = raised.link
            && let Some(place) = traceback.exceptions[worker].user_frame()
        {
            facts.user_frame = Some(place.clone());
        }
        Some(Self::new(traceback, Some(raised), message, facts))
    }

    /// Returns the rule that knows it.
    pub fn rule(&self) -> Option<&'c Rule> {
        self.diagnosis.as_ref().map(|diagnosis| diagnosis.rule)
    }

    /// Returns the id of the rule that knows it.
    pub fn id(&self) -> Option<&'c str> {
        self.rule().map(|rule| rule.id.as_str())
    }

    /// Returns whether no rule knows it and its end is missing.
    pub fn is_cut(&self) -> bool {
        self.diagnosis.is_none() && self.exception.is_none()
    }

    /// Returns whether it is nobody's failure: somebody pressed Ctrl-C.
    pub fn is_interrupt(&self) -> bool {
        self.diagnosis.is_none() && self.exception.as_deref() == Some("KeyboardInterrupt")
    }

    /// Returns how bad it is: what no rule knows is an error, and so is a warning that was raised
    /// and ended its process, unless somebody stopped the process. A line of Python's `warnings` is a
    /// warning, whatever else its rule knows.
    pub fn severity(&self) -> Severity {
        const NO_ERROR: [&str; 3] = ["Warning", "KeyboardInterrupt", "SignalException"];
        let exception = self.exception.as_deref();
        let is_raised = exception.is_some_and(|e| !NO_ERROR.iter().any(|n| e.ends_with(n)));
        match self.rule().map_or(Severity::Error, |rule| rule.severity) {
            Severity::Warning if is_raised && self.facts.ended_process => Severity::Error,
            Severity::Error if exception.is_none() && self.message.contains("Warning: ") => {
                Severity::Warning
            }
            severity => severity,
        }
    }
}

#[cfg(test)]
impl<'c> Failure<'c> {
    /// Makes a failure of which nothing but the rule is known; all fixes of it apply.
    pub(crate) fn of(rule: &'c Rule) -> Self {
        Self {
            diagnosis: Some(Diagnosis::of(rule)),
            ..Self::default()
        }
    }

    /// Returns its diagnosis, to change it.
    pub(crate) fn diagnosis_mut(&mut self) -> &mut Diagnosis<'c> {
        self.diagnosis.as_mut().expect("a rule knows it")
    }
}
