//! The way from one chain of exceptions to its diagnosis.

use std::cell::RefCell;
use std::iter;

use crate::traceback::notes::ObjectPath;
use crate::traceback::{Dialect, Evidence, Exception, Link, Traceback};

use super::ask::Condition;
use super::context::{Captures, MatchContext};
use super::diagnosis::Diagnosis;
use super::failure::Failure;
use super::message::Messages;
use super::precedence::{Match, choose, is_in_doubt};
use super::when::When;
use crate::corpus::Corpus;
use crate::corpus::rule::Fix;
use crate::corpus::rule::file::Confidence;
use crate::corpus::rule::lookup::Lookup;

/// The fewest literal bytes by which an exception line without frames is believed.
const MIN_BYTES_OF_A_LINE: usize = 12;
/// The same for a message without its type.
const MIN_BYTES_OF_A_MESSAGE: usize = 20;

impl Corpus {
    /// Finds the failure that one chain of exceptions shows, leaving these rules out.
    pub(crate) fn diagnose_chain<'c>(
        &'c self,
        messages: &Messages,
        chain: &[usize],
        left_out: &[&str],
    ) -> Option<Failure<'c>> {
        let traceback = messages.traceback();
        let mut matches = Vec::new();
        let context = |i: &usize| {
            let context = MatchContext::new(messages, chain, *i);
            self.find_matches(&context, &mut matches);
            context
        };
        let contexts: Vec<MatchContext> = chain.iter().map(context).collect();
        matches.retain(|m| !left_out.contains(&&*m.entry.id));
        let known: Vec<usize> = matches.iter().map(|m| m.exception).collect();
        let Match {
            slot,
            exception,
            captures,
            ..
        } = choose(traceback, matches)?;
        let rule = self.slots[slot].rule()?;
        let mut contexts = contexts.into_iter();
        let context = contexts.find(|context| context.exception == exception)?;
        let of_exception = traceback.exceptions.get(exception);
        let in_doubt = captures.was_cut
            || is_in_doubt(traceback, chain, exception, &known)
            || is_weak(traceback, &captures);
        // What was cut off tells no circumstance.
        let told = RefCell::new(Captures {
            begun: Vec::new(),
            was_cut: false,
            ..captures
        });
        let holds = |when: &When| when.holds(&context, &mut told.borrow_mut());
        let title = rule.titles.iter().position(|(when, _)| holds(when));
        let cause = rule.causes.iter().position(|(when, _)| holds(when));
        let applies = |fix: &Fix| fix.when.as_ref().is_none_or(holds);
        let fixes = ways_out(&rule.fixes, applies);
        let diagnosis = Diagnosis {
            rule,
            exception,
            object_path: of_exception.and_then(|own| object_path(traceback, own)),
            object: None,
            confidence: if in_doubt {
                Confidence::Likely
            } else {
                rule.confidence
            },
            captures: told.into_inner().values.into_iter().collect(),
            fixes,
            title,
            cause,
        };
        let message = messages.of(exception).text().to_string();
        context.facts();
        let facts = context.facts.into_inner().unwrap_or_default();
        Some(Failure {
            diagnosis: Some(diagnosis),
            ..Failure::new(traceback, of_exception, message, facts)
        })
    }

    /// Returns whether a log line has the words of some rule, whatever else that asks for.
    pub(crate) fn has_words(&self, line: &Traceback) -> bool {
        let messages = Messages::new(line);
        let context = MatchContext::new(&messages, &[0], 0);
        let mut conditions = self
            .candidates(&context)
            .filter_map(|(n, k)| self.slots[n].condition(k));
        conditions.any(|condition| condition.has_words(&context))
    }

    /// Returns the `[[match]]`es that may fit one exception, each with the index of its rule.
    fn candidates(&self, context: &MatchContext) -> impl Iterator<Item = (usize, usize)> {
        let places = move |lookup: &Lookup| lookup.candidates(context, |place| self.key(place));
        let places = self.lookups().flat_map(places);
        places.filter_map(|(n, k)| Some((self.slot_at(n)?, k)))
    }

    /// Finds the rules that match one exception.
    fn find_matches<'c>(&'c self, context: &MatchContext, matches: &mut Vec<Match<'c>>) {
        let traceback = context.traceback;
        let others = matches.len();
        for (n, k) in self.candidates(context) {
            let slot = &self.slots[n];
            let is_new = !matches[others..].iter().any(|m| m.slot == n);
            let mut captures = Captures::default();
            let holds = |condition: &Condition| condition.holds(context, &mut captures);
            if is_new && slot.condition(k).is_some_and(holds) && is_believable(traceback, &captures)
            {
                matches.push(Match {
                    slot: n,
                    entry: &slot.entry,
                    exception: context.exception,
                    captures,
                });
            }
        }
    }
}

/// Reads the way to the part that cannot be pickled: out of the notes of the exception, or of the one
/// that it passes on (joblib's `PicklingError` says only that a task could not be sent).
fn object_path(traceback: &Traceback, own: &Exception) -> Option<ObjectPath> {
    ObjectPath::read(own).or_else(|| {
        let (Link::Cause | Link::Remote, told) = own.link? else {
            return None;
        };
        ObjectPath::read(traceback.exceptions.get(told)?)
    })
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

/// Returns whether what was found is enough: a line alone must show a good part of a template.
fn is_believable(traceback: &Traceback, captures: &Captures) -> bool {
    let least = match (traceback.evidence, traceback.dialect) {
        (Evidence::Head | Evidence::Frames, _) | (_, Dialect::LogLine) => 0,
        (Evidence::Line, _) => MIN_BYTES_OF_A_LINE,
        (Evidence::Message, _) => MIN_BYTES_OF_A_MESSAGE,
    };
    captures.literal_bytes >= least
}

/// Returns whether there was too little of the traceback to be certain.
fn is_weak(traceback: &Traceback, captures: &Captures) -> bool {
    match (traceback.dialect, traceback.evidence) {
        (Dialect::LogLine, _) | (_, Evidence::Head) => false,
        (_, Evidence::Line | Evidence::Message) => true,
        (_, Evidence::Frames) => captures.literal_bytes < MIN_BYTES_OF_A_LINE,
    }
}
