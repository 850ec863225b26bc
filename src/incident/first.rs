//! Which rank of a job failed first, where no rule knows its failure.

use super::entry::IncidentEntry;
use super::{Consequence, RankSet};
use crate::corpus::Severity;

/// Words of failures that may follow from another rank's though no rule says so, in lower case.
const MAY_FOLLOW: &[&str] = &[
    "abort",
    "broken",
    "closed",
    "connect",
    "dist",
    "gloo",
    "interrupt",
    "kill",
    "nccl",
    "peer",
    "reset",
    "shut",
    "sig",
    "socket",
    "tcp",
    "terminat",
    "time out",
    "timed out",
    "timeout",
];

impl IncidentEntry<'_> {
    /// Returns whether its root is an error that ended its process.
    pub(super) fn is_fatal(&self) -> bool {
        let root = &self.incident.root;
        root.facts.ended_process && root.severity() == Severity::Error
    }

    /// Returns how many other ranks died of its root, if no rule knows that, it happened once, and
    /// nothing contradicts that it came first.
    pub(super) fn victims(&self) -> Option<u64> {
        let root = &self.incident.root;
        let rank = root.facts.rank?;
        let text = format!("{} {}", root.exception.as_deref()?, root.message).to_lowercase();
        let may_follow = MAY_FOLLOW.iter().any(|word| text.contains(word));
        if root.diagnosis.is_some() || self.incident.seen.count > 1 || may_follow {
            return None;
        }
        let is_earlier = |consequence: &Consequence| {
            let after = consequence.first.time.zip(root.time);
            after
                .and_then(|(consequence, root)| consequence.seconds_after(root))
                .is_some_and(|seconds| seconds < 0.0)
        };
        // What a launcher says is no rank's failure.
        let of_ranks = self.incident.consequences.iter();
        let of_ranks = of_ranks.filter(|consequence| consequence.first.rank.is_some());
        if of_ranks.clone().any(is_earlier) {
            return None;
        }
        let mut others = RankSet::default();
        let ranks = of_ranks.filter_map(|consequence| consequence.first.rank);
        ranks
            .filter(|other| *other != rank)
            .for_each(|rank| others.insert(rank));
        let count = others.iter().count() as u64;
        (count > 0).then_some(count)
    }
}
