//! Stand-ins for the rules and diagnoses.

use std::collections::BTreeMap;

use crate::traceback::Span;
use crate::traceback::facts::Facts;
use crate::traceback::notes::ObjectPath;

/// One known failure.
#[derive(Debug, Default)]
pub struct Rule {
    /// Its name.
    pub id: String,
    /// The family that it belongs to.
    pub family: String,
    /// The fault.
    pub title: String,
    /// How bad it is.
    pub severity: Severity,
    /// Ids, `family/*` or `*` that it follows from.
    pub consequence_of: Vec<String>,
    /// The words.
    pub told: Told,
}

/// How bad a failure is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// A harmless line that looks like a failure.
    Note,
    /// Something that may go wrong.
    Warning,
    /// Something that went wrong.
    #[default]
    Error,
}

/// How sure a diagnosis is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Confidence {
    /// The text allows another reading.
    Likely,
    /// The text allows no other reading.
    #[default]
    Certain,
}

/// An exception or log line that a rule knows.
#[derive(Clone, Debug)]
pub struct Diagnosis<'c> {
    /// The rule.
    pub rule: &'c Rule,
    /// The index of the exception in its traceback.
    pub raised: usize,
    /// The exception's type as printed.
    pub exception: Option<String>,
    /// Its message.
    pub message: String,
    /// The circumstances.
    pub facts: Facts,
    /// What the rule's templates captured.
    pub captures: BTreeMap<String, String>,
    /// The way to the offending part.
    pub object_path: Option<ObjectPath>,
    /// How sure it is.
    pub confidence: Confidence,
    /// Where the traceback stood.
    pub at: Span,
    /// What stood in front of its lines.
    pub prefix: Option<String>,
    /// The line above that says where it came from.
    pub heading: Option<String>,
}

/// The words of a rule with everything filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The fault.
    pub title: String,
    /// The mechanism.
    pub cause: String,
    /// The ways out that apply, the chosen one first.
    pub fixes: Vec<ToldFix>,
    /// Pages to read.
    pub links: Vec<String>,
}

/// One way out with everything filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldFix {
    /// Its name within the rule.
    pub name: Option<String>,
    /// Whether it is the one to try first.
    pub chosen: bool,
    /// What to do now.
    pub text: String,
    /// Python to paste, without a newline at its ends.
    pub code: Option<String>,
    /// How to see that it worked.
    pub check: Option<String>,
    /// What does not help.
    pub not: Option<String>,
}

impl Diagnosis<'_> {
    /// Fills the templates of the rule.
    pub fn told(&self) -> Told {
        Told { title: self.rule.title.clone(), ..self.rule.told.clone() }
    }
}
