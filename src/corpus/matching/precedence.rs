//! Which of several matches is the diagnosis of a chain of exceptions.

use crate::traceback::{Link, Traceback};

use super::context::Captures;
use crate::corpus::rule::index::RuleEntry;

/// A rule that matched an exception.
pub(crate) struct Match<'c> {
    /// The rule's place among all.
    pub(crate) slot: usize,
    /// What is known of it without reading it.
    pub(crate) entry: &'c RuleEntry,
    /// The exception, by index.
    pub(crate) exception: usize,
    /// What was captured.
    pub(crate) captures: Captures,
}

/// Returns the chains of a traceback: each member of a group is the end of one of its own.
pub(crate) fn chains(traceback: &Traceback) -> Vec<Vec<usize>> {
    let count = traceback.exceptions.len();
    // The smallest index of each chain stands for it.
    let mut chain: Vec<usize> = (0..count).collect();
    for (i, exception) in traceback.exceptions.iter().enumerate() {
        match exception.link {
            Some((Link::Cause | Link::Context | Link::Remote | Link::Quoted, other))
                if other < count =>
            {
                let (a, b) = (chain[i].min(chain[other]), chain[i].max(chain[other]));
                chain.iter_mut().filter(|c| **c == b).for_each(|c| *c = a);
            }
            _ => {}
        }
    }
    (0..count)
        .map(|c| (0..count).filter(|i| chain[*i] == c).collect::<Vec<_>>())
        .filter(|c| !c.is_empty())
        .collect()
}

/// Chooses the diagnosis among the matches of one chain.
///
/// First `beats`, then what was raised over what was only quoted, then rules that are no
/// `fallback`, then the cause over what came of it, then the template with more to it.
pub(crate) fn choose<'c>(traceback: &Traceback, mut matches: Vec<Match<'c>>) -> Option<Match<'c>> {
    let rules: Vec<&RuleEntry> = matches.iter().map(|m| m.entry).collect();
    let is_beaten = |m: &Match| rules.iter().any(|r| r.beats(m.entry));
    // Rules that beat each other are a fault of the corpus; then neither does.
    if !matches.iter().all(is_beaten) {
        matches.retain(|m| !is_beaten(m));
    }
    matches.into_iter().min_by_key(|m| {
        let entry = m.entry;
        (
            is_quoted(traceback, m.exception),
            entry.fallback,
            depth(traceback, m.exception),
            m.exception,
            std::cmp::Reverse(m.captures.literal_bytes),
            &*entry.id,
        )
    })
}

/// Returns whether the chain went on, by `During handling`, from an exception to one that no rule knows.
pub(crate) fn is_in_doubt(
    traceback: &Traceback,
    chain: &[usize],
    chosen: usize,
    known: &[usize],
) -> bool {
    let mut is_context = false;
    let mut at = chosen;
    // Each step goes to a later exception; a ring of links ends the walk.
    for _ in chain {
        let next = chain
            .iter()
            .find_map(|i| match traceback.exceptions.get(*i)?.link {
                Some((link @ (Link::Cause | Link::Context | Link::Remote), other))
                    if other == at =>
                {
                    Some((link, *i))
                }
                _ => None,
            });
        let Some((link, i)) = next else { break };
        is_context |= link == Link::Context;
        at = i;
    }
    is_context && !known.contains(&at)
}

fn is_quoted(traceback: &Traceback, exception: usize) -> bool {
    traceback
        .exceptions
        .get(exception)
        .is_some_and(|r| matches!(r.link, Some((Link::Quoted, _))))
}

/// Counts the exceptions that came before one: 0 for the first cause.
fn depth(traceback: &Traceback, exception: usize) -> usize {
    let mut depth = 0;
    let mut at = exception;
    while let Some((Link::Cause | Link::Context | Link::Remote, other)) =
        traceback.exceptions.get(at).and_then(|r| r.link)
    {
        depth += 1;
        at = other;
        if depth > traceback.exceptions.len() {
            break;
        }
    }
    depth
}
