//! From what a traceback shows to the `[[match]]`es that may fit it, without a look at the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use crate::traceback::{Dialect, Exception, Traceback};

use super::message::Message;
use crate::corpus::rule::index::{Key, MIN_LITERAL, RuleEntry, Subject, short_type};

/// The place of one `[[match]]`: its rule and its index there.
pub(crate) type MatchIndex = (usize, usize);

/// The keys of all rules, by what they ask for first.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    /// By the last dotted part of a type's name, which begins there in the key's.
    by_exception: Rows<(MatchIndex, usize)>,
    any_exception: Vec<MatchIndex>,
    /// Those of which no literal must be in a text are asked about all that is of their kind.
    literals: Literals,
    log_lines_without_literal: Vec<MatchIndex>,
    threads_without_literal: Vec<MatchIndex>,
    /// By the type and the first byte of a template of one line.
    by_beginning: Rows<MatchIndex>,
    /// By the type: those with a template of several lines.
    of_several_lines: Rows<MatchIndex>,
}

impl Lookup {
    /// Makes the lookup of these rules.
    pub(crate) fn of<'e>(entries: impl Iterator<Item = &'e RuleEntry>) -> Self {
        let mut lookup = Self::default();
        for (n, entry) in entries.enumerate() {
            for (k, key) in entry.keys.iter().enumerate() {
                lookup.add(key, (n, k));
            }
        }
        lookup
    }

    fn add(&mut self, key: &Key, place: MatchIndex) {
        for (at, literal) in key.literals.places() {
            self.literals.add(literal, place, at);
        }
        match key.kind {
            Subject::Exception if key.exceptions.is_empty() => self.any_exception.push(place),
            Subject::Exception => {
                for (at, name) in key.exceptions.places() {
                    self.by_exception.add(of_name(name), (place, at));
                }
            }
            _ if !key.literals.is_empty() => {}
            Subject::LogLine => self.log_lines_without_literal.push(place),
            Subject::Threads => self.threads_without_literal.push(place),
        }
        let any = key.exceptions.is_empty().then_some(ANY);
        for name in key.exceptions.iter().chain(any) {
            let name = of_name(name);
            let firsts = key.beginnings.iter().map(|text| text.bytes().next());
            let mut last = None;
            for first in firsts {
                // They are in order.
                if last != Some(first) {
                    self.by_beginning.add(of_beginning(name, first), place);
                }
                last = Some(first);
            }
            if key.several_lines {
                self.of_several_lines.add(name, place);
            }
        }
    }

    /// Returns the keys for an exception of this name that have a template of one line which begins as
    /// the text does.
    pub(crate) fn begun_by<'k>(
        &self,
        exception: &str,
        text: &str,
        key: impl Fn(MatchIndex) -> &'k Key,
    ) -> impl Iterator<Item = MatchIndex> {
        let exception = short_type(exception);
        let first = text.bytes().next();
        let rows = [exception, ANY].map(|name| of_beginning(of_name(name), first));
        let places = rows.into_iter().flat_map(|row| self.by_beginning.at(row));
        places.copied().filter(move |place| {
            let key = key(*place);
            key.may_name(exception) && key.beginnings.iter().any(|b| text.starts_with(b))
        })
    }

    /// Returns the keys for an exception of this name that have a template of several lines.
    pub(crate) fn of_several_lines<'k>(
        &self,
        exception: &str,
        key: impl Fn(MatchIndex) -> &'k Key,
    ) -> impl Iterator<Item = MatchIndex> {
        let exception = short_type(exception);
        let rows = [exception, ANY].map(of_name).into_iter();
        let places = rows.flat_map(|row| self.of_several_lines.at(row)).copied();
        places.filter(move |place| key(*place).may_name(exception))
    }

    /// Returns the rules that may know a message, by their index, each with the types that it may come with;
    /// `None` is one of any type.
    pub(crate) fn exceptions_with<'k>(
        &self,
        message: &Message,
        key: impl Fn(MatchIndex) -> &'k Key,
    ) -> BTreeMap<usize, BTreeSet<Option<&'k str>>> {
        let mut rules: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for place in self.literals.present(message.texts(), &key) {
            let key = key(place);
            if key.kind == Subject::Exception {
                let types = rules.entry(place.0).or_default();
                types.extend(key.exceptions.iter().map(Some));
                types.extend(key.exceptions.is_empty().then_some(None));
            }
        }
        rules
    }

    /// Returns the keys that may fit one exception of a traceback, in the order of the rules.
    pub(crate) fn candidates<'k>(
        &self,
        traceback: &Traceback,
        raised: Option<&Exception>,
        message: &Message,
        key: impl Fn(MatchIndex) -> &'k Key,
    ) -> Vec<MatchIndex> {
        let exception = raised.and_then(|raised| raised.type_name.as_deref());
        let exception = exception.map(short_type);
        let is_line = traceback.dialect == Dialect::LogLine;
        let has_threads = !is_line && !traceback.threads.is_empty();
        let fits = |place: &MatchIndex| {
            let key = key(*place);
            match key.kind {
                Subject::LogLine => is_line,
                Subject::Threads => has_threads,
                Subject::Exception if is_line => false,
                Subject::Exception if key.exceptions.is_empty() => raised.is_some(),
                Subject::Exception => exception.is_some_and(|name| key.names(name)),
            }
        };
        let mut places = self.literals.present(message.texts(), &key);
        places.retain(fits);
        if is_line {
            places.extend(&self.log_lines_without_literal);
        } else if raised.is_some() {
            let of_type = exception.map(|name| named(&self.by_exception, name, &key));
            let any = self.any_exception.iter().copied();
            let all = of_type.into_iter().flatten().chain(any);
            places.extend(all.filter(|place| key(*place).literals.is_empty()));
        }
        if has_threads {
            places.extend(&self.threads_without_literal);
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Returns whether a line holds what some rule looks for, in a log line or a message.
    pub(crate) fn may_know<'k>(&self, line: &str, key: impl Fn(MatchIndex) -> &'k Key) -> bool {
        !self.log_lines_without_literal.is_empty()
            || !self.literals.present(iter::once(line), &key).is_empty()
    }
}

/// Returns the places of the rows with this name.
fn named<'k>(
    rows: &Rows<(MatchIndex, usize)>,
    name: &str,
    key: impl Fn(MatchIndex) -> &'k Key,
) -> impl Iterator<Item = MatchIndex> {
    let is_it = move |(place, at): &&(MatchIndex, usize)| key(*place).exceptions.at(*at) == name;
    rows.at(of_name(name))
        .filter(is_it)
        .map(|(place, _)| *place)
}

/// How many bytes a literal has at least: by so many it is found.
type LiteralStart = [u8; MIN_LITERAL];

/// The longest literals of all templates, found by how they start.
#[derive(Debug)]
struct Literals {
    /// How each literal starts, its key, and where in the key's it begins.
    starts: Rows<(LiteralStart, MatchIndex, usize)>,
    /// A bit for each hash of a start: it tells at nearly all places of a text that none is there.
    hashes: Vec<u64>,
}

impl Default for Literals {
    fn default() -> Self {
        Self {
            starts: Rows::default(),
            hashes: vec![0; 1 << (HASH_BITS - 6)],
        }
    }
}

impl Literals {
    fn add(&mut self, literal: &str, place: MatchIndex, at: usize) {
        let start = literal.as_bytes().first_chunk();
        let start = *start.expect("the index has none that is shorter");
        let hash = of_start(start);
        self.starts.add(hash, (start, place, at));
        let (word, bit) = bit_of(hash);
        self.hashes[word] |= bit;
    }

    /// Returns the keys one of whose literals occurs in a text; some more than once.
    fn present<'k, 't>(
        &self,
        texts: impl Iterator<Item = &'t str>,
        key: &impl Fn(MatchIndex) -> &'k Key,
    ) -> Vec<MatchIndex> {
        let mut present = Vec::new();
        for text in texts.map(str::as_bytes) {
            for (at, start) in text.windows(MIN_LITERAL).enumerate() {
                let start = *start.first_chunk().expect("a window is as long");
                let hash = of_start(start);
                let (word, bit) = bit_of(hash);
                if self.hashes[word] & bit == 0 {
                    continue;
                }
                for (_, place, own) in self.starts.at(hash).filter(|(own, ..)| *own == start) {
                    if text[at..].starts_with(key(*place).literals.at(*own).as_bytes()) {
                        present.push(*place);
                    }
                }
            }
        }
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

/// The name of any exception: none has it.
const ANY: &str = "";

/// Returns the hash of a type, by its name's, and the first byte of a template.
fn of_beginning(name: usize, first: Option<u8>) -> usize {
    name.wrapping_mul(31)
        .wrapping_add(first.map_or(0, usize::from))
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

/// Rows by a hash. They are made in each run that has a failure, so they are not sorted: that took a
/// fifth of its start.
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
        iter::successors(last, move |(before, _)| row(*before)).map(|(_, row)| row)
    }
}
