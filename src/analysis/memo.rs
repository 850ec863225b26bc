//! Diagnoses of tracebacks that come again: a worker that fails at each batch, 64 ranks that fail
//! alike. Matching is nearly all that a traceback costs, and only place, time and writer differ.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Failures;
use crate::corpus::{Corpus, Diagnosis};
use crate::incident::Failure;
use crate::traceback::Traceback;
use crate::traceback::facts::Writer;
use crate::traceback::stamp::Stamp;

/// How many tracebacks come before it is worth it: it takes a look at all rules.
const BEFORE: u32 = 64;

/// What tracebacks were found to be.
#[derive(Debug, Default)]
pub(super) struct Memo<'c> {
    known: HashMap<u128, Failures<'c>>,
    /// Roughly what they take, in bytes.
    bytes: usize,
    seen: u32,
}

impl<'c> Memo<'c> {
    /// Gives what a traceback is: as it was found before, or else as `find` finds it. Takes at most
    /// `room` bytes, roughly.
    pub(super) fn failures(
        &mut self,
        corpus: &Corpus,
        traceback: &Traceback,
        room: usize,
        find: impl FnOnce() -> Failures<'c>,
    ) -> Failures<'c> {
        self.seen = self.seen.saturating_add(1);
        if self.seen <= BEFORE {
            return find();
        }
        let writer = Writer::of(traceback);
        let key = key(corpus, traceback, writer);
        if let Some(known) = self.known.get(&key) {
            let mut failures = known.clone();
            for failure in &mut failures {
                move_to(failure, traceback, writer);
            }
            return failures;
        }
        let found = find();
        let bytes = 1024 + found.iter().map(size).sum::<usize>();
        if self.bytes + bytes > room {
            self.known.clear();
            self.bytes = 0;
        }
        if bytes <= room {
            self.bytes += bytes;
            self.known.insert(key, found.clone());
        }
        found
    }
}

/// Gives two hashes of all of a traceback that a rule may ask for; of its writer only whether it has
/// a rank and a pid.
fn key(corpus: &Corpus, traceback: &Traceback, writer: Writer) -> u128 {
    let Traceback {
        dialect,
        evidence,
        heading,
        above,
        raised,
        threads,
        at: _,
        prefix: _,
    } = traceback;
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    let above = above
        .iter()
        .filter(|line| is_fence(line) || corpus.may_ask_above(line));
    let above: Vec<_> = above.collect();
    let [first, second] = [0_u8, 1].map(|salt| {
        let mut hasher = DefaultHasher::new();
        (salt, dialect, evidence, heading, &above).hash(&mut hasher);
        (raised, threads).hash(&mut hasher);
        (writer.rank.is_some(), writer.pid.is_some()).hash(&mut hasher);
        hasher.finish()
    });
    u128::from(first) << 64 | u128::from(second)
}

fn move_to(failure: &mut Failure, traceback: &Traceback, writer: Writer) {
    let (at, time) = failure.place_mut();
    *at = traceback.at;
    *time = Stamp::of(traceback);
    let (Failure::Known(Diagnosis { prefix, .. }) | Failure::Unknown { prefix, .. }) = failure;
    prefix.clone_from(&traceback.prefix);
    failure.facts_mut().set_writer(writer);
}

/// Gives roughly what a failure takes, in bytes.
fn size(failure: &Failure) -> usize {
    let text = match failure {
        Failure::Known(diagnosis) => {
            let captures = diagnosis.captures.values().map(String::len);
            2 * diagnosis.message.len() + captures.sum::<usize>()
        }
        Failure::Unknown { message, .. } => message.len(),
    };
    2048 + text
}
