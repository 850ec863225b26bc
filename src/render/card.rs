//! What an annotation says of a failure, put together once: what the short form, the full form and
//! `pickfix last` are drawn from.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::block::Mark;
use super::finder::{FINDER, object};
use super::place::{Row, places};
use crate::corpus::{Confidence, Diagnosis, Failure, FixAdvice, Severity};
use crate::python_name::is_word;

/// What a cause says of a failure that comes again and again.
const ENDLESS: &str = "press Ctrl-C";

/// What is said of a failure that a rule knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// The id of the rule.
    pub id: String,
    pub(super) mark: Mark,
    /// The words before the title: `likely: `.
    pub(super) kind: String,
    pub(super) title: String,
    /// Whether it comes again until somebody stops the program.
    pub(super) is_endless: bool,
    pub(super) places: Vec<Row>,
    pub(super) reached: Option<String>,
    pub(super) cause: String,
    /// What `explain` of the finder is called with, where nothing names the object.
    pub(super) sent: Option<String>,
    /// The chosen way out first.
    pub(super) fixes: Vec<FixAdvice>,
    /// Whether the failure's own text proposes what the first fix warns of.
    pub(super) is_misled: bool,
    pub(super) link: Option<String>,
    /// What the program's own source gave for the first fix.
    pub(super) own: Own,
}

/// How much of a fix is the program's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Own {
    /// Nothing: it is the rule's.
    Nothing,
    /// Its words and its code.
    Code,
    /// The same, and `pickfix fix` can write it.
    Patch,
}

impl Card {
    /// Puts together what is said of a failure; files below `folder` are named from there.
    pub fn new(failure: &Failure, folder: Option<&Path>) -> Option<Self> {
        let diagnosis = failure.diagnosis.as_ref()?;
        let told = failure.advice();
        let path = diagnosis.object_path.as_ref();
        let change = diagnosis.object.as_ref().and_then(|o| o.change.as_ref());
        Some(Self {
            id: diagnosis.rule.id.clone(),
            mark: mark(failure.severity()),
            kind: kind(failure.severity(), diagnosis.confidence).to_owned(),
            is_endless: is_endless(diagnosis),
            places: places(failure, folder),
            reached: path.and_then(|path| path.reached.clone()),
            sent: object(failure, &told),
            is_misled: told.fixes.first().is_some_and(|fix| {
                let not = fix.not.as_deref();
                not.is_some_and(|not| proposes(&failure.message, not))
            }),
            link: told.links.first().cloned(),
            own: match change {
                None => Own::Nothing,
                Some(change) if change.patch.is_none() => Own::Code,
                Some(_) => Own::Patch,
            },
            title: told.title,
            cause: told.cause,
            fixes: told.fixes,
        })
    }

    /// Returns the code of the first fix, as it is pasted.
    pub fn code(&self) -> Option<&str> {
        self.fixes.first()?.code.as_deref()
    }

    /// Returns the way out besides the first that is worth a word. What is said in the program's own
    /// words needs no example beside it.
    pub(super) fn other_fix(&self) -> Option<&FixAdvice> {
        if self.own != Own::Nothing {
            return None;
        }
        let (first, others) = self.fixes.split_first()?;
        others.iter().find(|fix| {
            fix.name.as_deref() != Some(FINDER) && (fix.code.is_none() || fix.code != first.code)
        })
    }
}

/// Returns whether a failure comes again until somebody stops the program.
pub(super) fn is_endless(diagnosis: &Diagnosis) -> bool {
    diagnosis.cause().contains(ENDLESS)
}

/// Returns the mark of a severity.
pub(super) fn mark(severity: Severity) -> Mark {
    match severity {
        Severity::Error => Mark::Error,
        Severity::Warning => Mark::Warning,
        Severity::Note => Mark::Quiet,
    }
}

/// Returns the words before a title.
pub(super) fn kind(severity: Severity, confidence: Confidence) -> &'static str {
    match (severity, confidence) {
        (Severity::Error, Confidence::Certain) => "",
        (Severity::Error, Confidence::Likely) => "likely: ",
        (Severity::Warning, Confidence::Certain) => "warning: ",
        (Severity::Warning, Confidence::Likely) => "warning, likely: ",
        (Severity::Note, Confidence::Certain) => "note: ",
        (Severity::Note, Confidence::Likely) => "note, likely: ",
    }
}

/// Returns whether a message proposes what a text warns of: it holds the code that is quoted first
/// there, up to the arguments: `find_unused_parameters=True`. A plain word counts in quotes: 'spawn'.
fn proposes(message: &str, warning: &str) -> bool {
    let Some(code) = warning.split('`').nth(1) else {
        return false;
    };
    let name = code.split(['(', '…', ' ']).next().unwrap_or(code);
    let name = name.rsplit('.').next().unwrap_or(name);
    let mut found = message.match_indices(name);
    name.len() > 3
        && found.any(|(at, _)| {
            let (before, behind) = (&message[..at], &message[at + name.len()..]);
            if name.chars().all(|c| c.is_ascii_lowercase()) {
                return before.ends_with(['\'', '"', '`']);
            }
            !before.ends_with(is_word) && !behind.starts_with(is_word)
        })
}

#[cfg(test)]
mod tests {
    use super::proposes;

    #[test]
    fn a_warning_is_against_what_the_message_proposes() {
        let cuda = "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method";
        assert!(proposes(cuda, "The `spawn` that the message asks for …"));
        assert!(!proposes(cuda, "`num_workers=0` hides it"));
        let guard = "you are not using fork to start your child processes";
        assert!(!proposes(guard, "`fork` (Linux) works without a guard"));
        assert!(!proposes("respawned", "`spawn` does not help"));
        assert!(proposes(
            "enable unused parameter detection by passing `find_unused_parameters=True` to",
            "`find_unused_parameters=True` is one of the causes"
        ));
        assert!(!proposes("anything", "no code"));
    }
}
