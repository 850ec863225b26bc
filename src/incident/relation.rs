//! Whether one failure follows from another.

use super::Grouping;
use crate::corpus::{Failure, RootName, Rule, Severity};
use crate::traceback::stamp::Stamp;

/// How many lines apart failures without a rank belong to one job.
pub(super) const NEAR: u64 = 1_000;
/// By how many lines a root may come after its consequence.
const LATE: u64 = 20_000;

/// The type of what comes back from Java.
const OF_JAVA: &str = "Py4JJavaError";

/// Seconds by which the clocks of a job's machines may differ.
const SKEW: f64 = 10.0;

/// A file among all that were told of, and the job that it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) job: u32,
    pub(super) file: u32,
    /// Whether the names of the job's files tell ranks.
    pub(super) has_ranks: bool,
}

impl Origin {
    /// Returns the number of the part that this file belongs to.
    pub(super) fn part(self, grouping: Grouping) -> u32 {
        match grouping {
            Grouping::All => 0,
            Grouping::Job => self.job,
            Grouping::File => self.file,
        }
    }
}

/// A line of a file, and when it was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) origin: Origin,
    pub(super) line: u64,
    pub(super) time: Option<Stamp>,
}

/// A stretch of lines of one file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) origin: Origin,
    pub(super) first: u64,
    pub(super) last: u64,
    /// When the first was written.
    pub(super) time: Option<Stamp>,
}

impl Extent {
    /// Returns whether they are of the same job; a file alone is one.
    pub(super) fn is_of_job(self, spot: Spot) -> bool {
        self.origin.job == spot.origin.job
    }

    /// Returns whether a line is within 1,000 lines of them. Each file of a job is near all others.
    pub(super) fn is_near(self, spot: Spot) -> bool {
        let within = spot.line.saturating_add(NEAR) >= self.first
            && spot.line <= self.last.saturating_add(NEAR);
        if self.origin == spot.origin {
            within
        } else {
            self.is_of_job(spot)
        }
    }

    /// Returns whether they come too late to be what a line follows from.
    fn is_too_late_for(self, spot: Spot) -> bool {
        if self.origin == spot.origin {
            return self.first > spot.line.saturating_add(LATE);
        }
        let after = self.time.zip(spot.time);
        after
            .and_then(|(root, consequence)| root.seconds_after(consequence))
            .is_some_and(|seconds| seconds > SKEW)
    }
}

/// How clearly a rule names a failure as its root, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// `*`: any failure that ended its process.
    Any,
    /// `family/*`.
    Family,
    /// The id.
    Id,
}

/// Returns how clearly `consequence` claims to follow from `root`; `None` if it does not.
///
/// `at` is where the consequence stood, `extent` goes from the root to where it was last seen. A failure
/// that was handled (logged, ignored, in a thread) has only those nearby that name it; a note never has any.
/// `*` reaches only errors of the same job.
pub(super) fn claim(
    consequence: &Failure,
    at: Spot,
    root: &Failure,
    extent: Extent,
) -> Option<Claim> {
    let rule = consequence.rule()?;
    if !extent.is_of_job(at) || extent.is_too_late_for(at) {
        return None;
    }
    let is_handled = !root.facts.ended_process;
    let claim = match root.rule() {
        Some(known) if known.severity == Severity::Note || known.id == rule.id => None,
        Some(known) => claim_by_name(rule, known),
        // Below the consequence a traceback without its end may be anything; directly above it, it was
        // cut by it: two workers wrote at once, and failed of one thing.
        None if root.is_cut() && (extent.first > at.line || root.at.end_line + 1 == at.line) => {
            None
        }
        // The same exception of another process, of which too little was kept.
        None if root.exception.is_some()
            && (&root.exception, &root.message)
                == (&consequence.exception, &consequence.message) =>
        {
            None
        }
        // Java tells of what failed in a Python worker, whose traceback it quotes.
        None if root
            .exception
            .as_deref()
            .is_some_and(|name| name.ends_with(OF_JAVA)) =>
        {
            None
        }
        // Who waited pressed Ctrl-C after it.
        None if root.exception.as_deref() == Some("KeyboardInterrupt")
            && extent.first > at.line =>
        {
            None
        }
        None => rule.follows_from_any().then_some(Claim::Any),
    };
    let is_error = root
        .rule()
        .is_none_or(|rule| rule.severity == Severity::Error);
    claim.filter(|claim| match claim {
        Claim::Any => !is_handled && is_error && is_same_job(consequence, at, root, extent),
        Claim::Family | Claim::Id => !is_handled || extent.is_near(at),
    })
}

/// Returns how clearly a rule names another one as its root.
pub(super) fn claim_by_name(rule: &Rule, root: &Rule) -> Option<Claim> {
    let names = rule.consequence_of.iter();
    let claims = names
        .filter(|name| name.names(root))
        .map(|name| match name {
            RootName::Any => Claim::Any,
            RootName::Family(_) => Claim::Family,
            RootName::Id(_) => Claim::Id,
        });
    claims.max()
}

/// Returns whether a failure follows from another one, by its rule.
pub(super) fn is_consequence(failure: &Failure) -> bool {
    let rule = failure.rule();
    rule.is_some_and(|rule| !rule.consequence_of.is_empty())
}

/// Returns whether a rule names `*` and nothing else.
pub(super) fn names_only_any(rule: &Rule) -> bool {
    rule.consequence_of == [RootName::Any]
}

/// Returns whether a rule names itself: what happened once may be told in several forms.
fn names_itself(rule: &Rule) -> bool {
    rule.consequence_of.iter().any(|name| is_id(name, &rule.id))
}

fn is_id(root: &RootName, id: &str) -> bool {
    matches!(root, RootName::Id(own) if own == id)
}

/// Returns whether a failure may follow from another one than itself, or may yet be told by a copy with a
/// frame of the user's.
pub(super) fn waits(consequence: &Failure) -> bool {
    consequence.rule().is_some_and(|rule| {
        let mut names = rule.consequence_of.iter();
        names.any(|name| !is_id(name, &rule.id))
            || names_itself(rule) && consequence.facts.user_frame.is_none()
    })
}

/// Returns whether two failures are one, of a rule that names itself: told in two forms, or on two ranks.
pub(super) fn are_one(one: &Failure, other: &Failure) -> bool {
    let ranks = one.facts.rank.zip(other.facts.rank);
    one_rule(one, other).is_some_and(names_itself)
        && (are_forms(one, other) || ranks.is_some_and(|(a, b)| a != b))
}

/// Returns whether one of two failures of a rule that names itself has no frame of the user's, or is a log
/// line or dump.
pub(super) fn are_forms(one: &Failure, other: &Failure) -> bool {
    let is_short = |f: &Failure| f.exception.is_none() || f.facts.user_frame.is_none();
    one_rule(one, other).is_some_and(names_itself) && (is_short(one) || is_short(other))
}

/// Returns the rule that knows both failures.
fn one_rule<'c>(one: &Failure<'c>, other: &Failure<'c>) -> Option<&'c Rule> {
    one.rule()
        .filter(|rule| Some(rule.id.as_str()) == other.id())
}

/// Returns whether two failures come from one job, as far as the text tells.
///
/// Writers whose prefixes name different things are different jobs. A failure with a rank belongs to
/// a job that lasts; all others are one job only when near each other.
fn is_same_job(consequence: &Failure, at: Spot, root: &Failure, extent: Extent) -> bool {
    let compatible = may_be_one(consequence.prefix.as_deref(), root.prefix.as_deref());
    compatible && (root.facts.rank.is_some() || extent.is_near(at))
}

/// Words in prefixes that do not tell jobs apart.
const COMMON: &[&str] = &[
    "cuda", "critical", "debug", "default", "error", "gpu", "info", "ip", "local", "node", "pid",
    "process", "rank", "stderr", "stdout", "warn", "warning",
];

/// Returns whether two prefixes do not name different writers: `trainer` of `trainer-1  | `, if they name
/// any.
fn may_be_one(one: Option<&str>, other: Option<&str>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return true;
    };
    let is_nameless = |prefix| writer_name(prefix).next().is_none();
    let name = |prefix| writer_name(prefix).map(str::to_lowercase);
    is_nameless(one) || is_nameless(other) || name(one).eq(name(other))
}

/// Returns the words of a prefix that name its writer.
fn writer_name(prefix: &str) -> impl Iterator<Item = &str> {
    let words = prefix.split(|c: char| !c.is_alphabetic());
    words.filter(|word| {
        let is_common = COMMON.iter().any(|c| c.eq_ignore_ascii_case(word));
        word.chars().nth(1).is_some() && !is_common && !word.to_ascii_lowercase().contains("worker")
    })
}

#[cfg(test)]
mod tests {
    use super::{may_be_one, writer_name};

    #[test]
    fn a_prefix_names_its_writer() {
        let none = [
            "[rank0]: ",
            "[1,0]<stderr>:",
            "ERROR | worker-3 | ",
            "(RayWorkerWrapper pid=12, ip=10.0.0.1) ",
            "2024-05-01T10:00:00Z ",
        ];
        for prefix in none {
            assert_eq!(writer_name(prefix).next(), None, "{prefix}");
        }
        assert!(writer_name("trainer-1  | ").eq(["trainer"]));
    }

    #[test]
    fn writers_of_one_name_or_none_may_be_one() {
        let are_one = |a, b| may_be_one(Some(a), Some(b));
        assert!(are_one("trainer-1  | ", "Trainer-2  | "));
        assert!(are_one("trainer-1  | ", "[rank3]: "));
        assert!(!are_one("trainer-1  | ", "loader-1  | "));
        assert!(!are_one("trainer-1  | ", "trainer-loader-1  | "));
        assert!(may_be_one(None, Some("trainer-1  | ")));
    }
}
