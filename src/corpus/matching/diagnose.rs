//! The way from one chain of exceptions to its diagnosis.

use std::cell::OnceCell;
use std::iter;

use crate::traceback::notes::ObjectPath;
use crate::traceback::{Dialect, Evidence, Traceback};

use super::condition::Condition;
use super::diagnosis::Diagnosis;
use super::failure::Failure;
use super::message::Message;
use super::precedence::{Match, choose, is_in_doubt};
use super::scene::{Found, Scene};
use crate::corpus::Corpus;
use crate::corpus::rule::Fix;
use crate::corpus::rule::file::Confidence;

/// The fewest literal bytes by which an exception line without frames is believed.
const MIN_BYTES_OF_A_LINE: usize = 12;

impl Corpus {
    /// Finds the failure that one chain of exceptions shows.
    pub(crate) fn diagnose_chain<'c>(
        &'c self,
        traceback: &Traceback,
        chain: &[usize],
    ) -> Option<Failure<'c>> {
        let matches: Vec<Match> = chain
            .iter()
            .flat_map(|i| self.matches(traceback, chain, *i))
            .collect();
        let known: Vec<usize> = matches.iter().map(|m| m.raised).collect();
        let Match {
            rule,
            raised,
            found,
            facts,
        } = choose(traceback, matches)?;

        let of_raised = traceback.raised.get(raised);
        let message = of_raised
            .map(|r| Message::of(r, traceback.dialect))
            .unwrap_or_default();
        let scene = Scene {
            traceback,
            raised,
            chain,
            message: &message,
            facts: OnceCell::from(facts),
        };
        let in_doubt = found.was_cut
            || is_in_doubt(traceback, chain, raised, &known)
            || is_weak(traceback, &found);
        // What a `when` captures is not kept. What was cut off tells no circumstance.
        let told = Found {
            was_cut: false,
            ..found.clone()
        };
        let holds = |when: &Condition| when.holds(&scene, &mut told.clone());
        let cause = rule.causes.iter().position(|(when, _)| holds(when));
        let applies = |fix: &Fix| fix.when.as_ref().is_none_or(holds);
        let fixes = ways_out(&rule.fixes, applies);
        let diagnosis = Diagnosis {
            rule,
            raised,
            object_path: of_raised.and_then(ObjectPath::read),
            confidence: if in_doubt {
                Confidence::Likely
            } else {
                rule.confidence
            },
            captures: found.captures,
            fixes,
            cause,
        };
        let (message, facts) = (message.text().to_string(), scene.facts().clone());
        Some(Failure {
            diagnosis: Some(diagnosis),
            ..Failure::new(traceback, of_raised, message, facts)
        })
    }

    /// Finds the rules that match one exception.
    fn matches<'c>(
        &'c self,
        traceback: &Traceback,
        chain: &[usize],
        raised: usize,
    ) -> Vec<Match<'c>> {
        let of_raised = traceback.raised.get(raised);
        let message = of_raised
            .map(|r| Message::of(r, traceback.dialect))
            .unwrap_or_default();
        let entries = self.slots.iter().map(|slot| &slot.entry);
        let places = self
            .lookup
            .candidates(traceback, of_raised, &message, entries);
        if places.is_empty() {
            return Vec::new();
        }
        let scene = Scene {
            traceback,
            raised,
            chain,
            message: &message,
            facts: OnceCell::new(),
        };
        let mut matches: Vec<Match> = Vec::new();
        for (n, k) in places {
            let Some(rule) = self.slots[n].rule() else {
                continue;
            };
            let mut found = Found::default();
            let is_new = !matches.iter().any(|m| m.rule.id == rule.id);
            if is_new
                && rule.matches[k].holds(&scene, &mut found)
                && is_believable(traceback, &found)
            {
                let facts = scene.facts().clone();
                matches.push(Match {
                    rule,
                    raised,
                    found,
                    facts,
                });
            }
        }
        matches
    }
}

/// Returns the chosen fix, the first that applies, and then the others that are to be shown beside it.
fn ways_out(fixes: &[Fix], applies: impl Fn(&Fix) -> bool) -> Vec<usize> {
    let applying = |also: bool| {
        let applies = &applies;
        let all = fixes.iter().enumerate();
        all.filter(move |(_, fix)| fix.also == also && applies(fix))
            .map(|(i, _)| i)
    };
    match applying(false).next() {
        Some(chosen) => iter::once(chosen).chain(applying(true)).collect(),
        None => Vec::new(),
    }
}

/// Whether what was found is enough: a line alone must show a good part of a template.
fn is_believable(traceback: &Traceback, found: &Found) -> bool {
    traceback.evidence != Evidence::Line
        || traceback.dialect == Dialect::LogLine
        || found.literal_bytes >= MIN_BYTES_OF_A_LINE
}

/// Whether there was too little of the traceback to be certain.
fn is_weak(traceback: &Traceback, found: &Found) -> bool {
    match (traceback.dialect, traceback.evidence) {
        (Dialect::LogLine, _) | (_, Evidence::Head) => false,
        (_, Evidence::Line) => true,
        (_, Evidence::Frames) => found.literal_bytes < MIN_BYTES_OF_A_LINE,
    }
}
