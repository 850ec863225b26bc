//! From what a traceback shows to the `[[match]]`es that may fit it, without a look at the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::traceback::{Dialect, Exception, Traceback};

use super::message::Message;
use crate::corpus::rule::index::{Key, MIN_LITERAL, RuleEntry, Subject, Text, short_type};

/// The place of one `[[match]]`: its rule and its index there.
pub(crate) type MatchIndex = (usize, usize);

/// The keys of all rules, by what they ask for first.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    /// By the last dotted part of a type's name.
    by_exception: Rows<(Text, MatchIndex)>,
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
                        for name in key.exceptions.iter().cloned() {
                            lookup.by_exception.add(of_name(&name), (name, (n, k)));
                        }
                    }
                }
            }
        }
        lookup
    }

    /// Returns the keys that ask for a log line.
    pub(crate) fn log_lines(&self) -> &[MatchIndex] {
        &self.log_lines
    }

    /// Returns the types of exceptions that keys name, by their last dotted part; some more than once.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = &str> {
        self.by_exception.all().map(|(name, _)| name.as_ref())
    }

    /// Returns the keys that may fit an exception of this name.
    pub(crate) fn of_exception(&self, exception: &str) -> impl Iterator<Item = MatchIndex> {
        let name = short_type(exception);
        let rows = self.by_exception.at(of_name(name));
        let places = rows.filter_map(move |(own, place)| (*own == name).then_some(*place));
        places.chain(self.any_exception.iter().copied())
    }

    /// Returns the rules that may know a message, by their index, each with the types that it may come with;
    /// `None` is one of any type.
    pub(crate) fn exceptions_with<'e>(
        &self,
        message: &Message,
        key: impl Fn(MatchIndex) -> &'e Key,
        entries: impl Iterator<Item = &'e RuleEntry>,
    ) -> BTreeMap<usize, BTreeSet<Option<&'e str>>> {
        let literals = self.literals.get_or_init(|| Literals::of(entries));
        let mut rules: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for place in literals.present(message, &key) {
            let key = key(place);
            if key.kind == Subject::Exception {
                let types = rules.entry(place.0).or_default();
                types.extend(key.exceptions.iter().map(|name| Some(name.as_ref())));
                types.extend(key.exceptions.is_empty().then_some(None));
            }
        }
        rules
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
    /// How each literal starts, its key, and which of the key's it is.
    starts: Rows<(LiteralStart, MatchIndex, usize)>,
    /// A bit for each hash of a start: it tells at nearly all places of a text that none is there.
    hashes: Vec<u64>,
}

impl Literals {
    fn of<'e>(entries: impl Iterator<Item = &'e RuleEntry>) -> Self {
        let mut starts = Rows::default();
        let mut hashes = vec![0; 1 << (HASH_BITS - 6)];
        for (n, entry) in entries.enumerate() {
            for (k, key) in entry.keys.iter().enumerate() {
                for (i, literal) in key.literals.iter().enumerate() {
                    let start = literal.as_bytes().first_chunk();
                    let start = *start.expect("the index has none that is shorter");
                    let hash = of_start(start);
                    starts.add(hash, (start, (n, k), i));
                    let (word, bit) = bit_of(hash);
                    hashes[word] |= bit;
                }
            }
        }
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
                let hash = of_start(start);
                let (word, bit) = bit_of(hash);
                if self.hashes[word] & bit == 0 {
                    continue;
                }
                for (_, place, i) in self.starts.at(hash).filter(|(own, ..)| *own == start) {
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

/// Returns the hash of a start.
fn of_start(start: LiteralStart) -> usize {
    let mixed = u32::from_le_bytes(start).wrapping_mul(0x9E37_79B1);
    (mixed >> (32 - HASH_BITS)) as usize
}

/// Returns the hash of a name.
fn of_name(name: &str) -> usize {
    let mix = |hash: usize, byte| hash.wrapping_mul(31).wrapping_add(usize::from(byte));
    name.bytes().fold(0, mix)
}

/// Returns the place of the bit that belongs to a hash.
const fn bit_of(hash: usize) -> (usize, u64) {
    (hash / 64, 1 << (hash % 64))
}

/// Rows by a hash. They are made at each start, so they are not sorted, which took a fifth of it.
#[derive(Debug)]
struct Rows<T> {
    /// The last row of each bucket, counted from 1; 0: none.
    last: Vec<usize>,
    /// Each row, and the one before it in its bucket.
    rows: Vec<(usize, T)>,
}

/// How many buckets there are, a power of two.
const BUCKETS: usize = 1024;

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self {
            last: vec![0; BUCKETS],
            rows: Vec::new(),
        }
    }
}

impl<T> Rows<T> {
    fn add(&mut self, hash: usize, row: T) {
        let last = &mut self.last[hash % BUCKETS];
        self.rows.push((*last, row));
        *last = self.rows.len();
    }

    /// Returns the rows with this hash, and perhaps some others.
    fn at(&self, hash: usize) -> impl Iterator<Item = &T> {
        let row = |place: usize| self.rows.get(place.wrapping_sub(1));
        let last = row(self.last[hash % BUCKETS]);
        std::iter::successors(last, move |(before, _)| row(*before)).map(|(_, row)| row)
    }

    fn all(&self) -> impl Iterator<Item = &T> {
        self.rows.iter().map(|(_, row)| row)
    }
}
