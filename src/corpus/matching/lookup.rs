//! From what a traceback shows to the `[[match]]`es that may fit it, without a look at the rules.

use std::sync::OnceLock;

use crate::traceback::{Dialect, Exception, Traceback};

use super::message::Message;
use crate::corpus::rule::index::{Key, MIN_LITERAL, RuleEntry, Subject, Text, short_type};

/// The place of one `[[match]]`: its rule and its index there.
pub(crate) type MatchIndex = (usize, usize);

/// The keys of all rules, by what they ask for first.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    /// By the last dotted part of a type's name; sorted.
    by_exception: Vec<(Text, MatchIndex)>,
    any_exception: Vec<MatchIndex>,
    log_lines: Vec<MatchIndex>,
    threads: Vec<MatchIndex>,
    /// Made when it is first needed: a log without a failure needs none.
    literals: OnceLock<Literals>,
}

impl Lookup {
    /// Makes the lookup of these rules.
    pub(crate) fn of<'e>(entries: impl Iterator<Item = &'e RuleEntry>) -> Self {
        let mut lookup = Self::default();
        for (n, entry) in entries.enumerate() {
            for (k, key) in entry.keys.iter().enumerate() {
                match key.kind {
                    Subject::LogLine => lookup.log_lines.push((n, k)),
                    Subject::Threads => lookup.threads.push((n, k)),
                    Subject::Exception if key.exceptions.is_empty() => {
                        lookup.any_exception.push((n, k));
                    }
                    Subject::Exception => {
                        let own = key.exceptions.iter().cloned();
                        lookup.by_exception.extend(own.map(|name| (name, (n, k))));
                    }
                }
            }
        }
        lookup.by_exception.sort_unstable();
        lookup
    }

    /// Returns the keys that ask for a log line.
    pub(crate) fn log_lines(&self) -> &[MatchIndex] {
        &self.log_lines
    }

    /// Returns the types of exceptions that keys name, by their last dotted part, in order; some
    /// more than once.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = &str> {
        self.by_exception.iter().map(|(name, _)| name.as_ref())
    }

    /// Returns the keys that may fit an exception of this name.
    pub(crate) fn of_exception(&self, exception: &str) -> impl Iterator<Item = MatchIndex> {
        let name = short_type(exception);
        let first = self.by_exception.partition_point(|(own, _)| **own < *name);
        let rest = &self.by_exception[first..];
        let count = rest.partition_point(|(own, _)| *own == name);
        let places = rest[..count].iter().map(|(_, place)| *place);
        places.chain(self.any_exception.iter().copied())
    }

    /// Returns the keys that may fit one exception of a traceback, in the order of the rules.
    pub(crate) fn candidates<'e>(
        &self,
        traceback: &Traceback,
        raised: Option<&Exception>,
        message: &Message,
        key: impl Fn(MatchIndex) -> &'e Key,
        entries: impl Iterator<Item = &'e RuleEntry>,
    ) -> Vec<MatchIndex> {
        let mut places = Vec::new();
        if traceback.dialect == Dialect::LogLine {
            places.extend(&self.log_lines);
        } else {
            if let Some(raised) = raised {
                let exception = raised.type_name.as_deref();
                match exception {
                    Some(exception) => places.extend(self.of_exception(exception)),
                    None => places.extend(&self.any_exception),
                }
            }
            if !traceback.threads.is_empty() {
                places.extend(&self.threads);
            }
        }
        if !places.is_empty() {
            let literals = self.literals.get_or_init(|| Literals::of(entries));
            let present = literals.present(message, &key);
            let is_there = |place: &MatchIndex| present.binary_search(place).is_ok();
            places.retain(|place| is_there(place) || key(*place).literals.is_empty());
            places.sort_unstable();
        }
        places
    }
}

/// How many bytes a literal has at least: by so many it is found.
type LiteralStart = [u8; MIN_LITERAL];

/// The longest literals of all templates, found by how they start.
#[derive(Debug)]
struct Literals {
    /// How each literal starts, its key, and which of the key's it is; sorted.
    starts: Vec<(LiteralStart, MatchIndex, usize)>,
    /// A bit for each hash of a start: it tells at nearly all places of a text that none is there.
    hashes: Vec<u64>,
}

impl Literals {
    fn of<'e>(entries: impl Iterator<Item = &'e RuleEntry>) -> Self {
        let mut starts = Vec::new();
        let mut hashes = vec![0; 1 << (HASH_BITS - 6)];
        for (n, entry) in entries.enumerate() {
            for (k, key) in entry.keys.iter().enumerate() {
                for (i, literal) in key.literals.iter().enumerate() {
                    let start = literal.as_bytes().first_chunk();
                    let start = *start.expect("the index has none that is shorter");
                    starts.push((start, (n, k), i));
                    let (word, bit) = hash(start);
                    hashes[word] |= bit;
                }
            }
        }
        starts.sort_unstable();
        Self { starts, hashes }
    }

    /// Returns the keys one of whose literals occurs in a message, in order.
    fn present<'k>(
        &self,
        message: &Message,
        key: &impl Fn(MatchIndex) -> &'k Key,
    ) -> Vec<MatchIndex> {
        let mut present = Vec::new();
        for text in message.texts().map(str::as_bytes) {
            for (at, start) in text.windows(MIN_LITERAL).enumerate() {
                let start = *start.first_chunk().expect("a window is as long");
                let (word, bit) = hash(start);
                if self.hashes[word] & bit == 0 {
                    continue;
                }
                let first = self.starts.partition_point(|(other, ..)| *other < start);
                let same = self.starts[first..].iter();
                for (_, place, i) in same.take_while(|(other, ..)| *other == start) {
                    if text[at..].starts_with(key(*place).literals[*i].as_bytes()) {
                        present.push(*place);
                    }
                }
            }
        }
        present.sort_unstable();
        present
    }
}

/// How many bits of a hash count.
const HASH_BITS: u32 = 14;

/// Returns the place of the bit that belongs to a start.
fn hash(start: LiteralStart) -> (usize, u64) {
    let mixed = u32::from_le_bytes(start).wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS);
    (mixed as usize / 64, 1 << (mixed % 64))
}
