//! From what a traceback shows to the `[[match]]`es that may fit it, without a look at the rules.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;

use crate::traceback::{Dialect, Exception, Traceback};

use super::message::Message;
use crate::corpus::rule::index::{Entry, Key, Subject, short_type};

/// The place of one `[[match]]`: its rule and its index there.
pub(crate) type Place = (usize, usize);

/// The keys of all rules, by what they ask for first.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    by_exception: HashMap<String, Vec<Place>>,
    any_exception: Vec<Place>,
    log_lines: Vec<Place>,
    threads: Vec<Place>,
    /// Made when it is first needed: a log without a failure needs none.
    literals: OnceLock<Literals>,
}

impl Lookup {
    /// Makes the lookup of these rules.
    pub(crate) fn of<'e>(entries: impl Iterator<Item = &'e Entry>) -> Self {
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
                        for exception in key.exceptions.iter() {
                            let places = lookup.by_exception.entry(exception.to_string());
                            places.or_default().push((n, k));
                        }
                    }
                }
            }
        }
        lookup
    }

    /// Returns the keys that ask for a log line.
    pub(crate) fn log_lines(&self) -> &[Place] {
        &self.log_lines
    }

    /// Returns the types of exceptions that keys name, by their last dotted part, in no order.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = &str> {
        self.by_exception.keys().map(String::as_str)
    }

    /// Returns the keys that may fit an exception of this name.
    pub(crate) fn of_exception(&self, exception: &str) -> impl Iterator<Item = Place> {
        let places = self.by_exception.get(short_type(exception));
        let places = places.into_iter().flatten();
        places.chain(&self.any_exception).copied()
    }

    /// Returns the keys that may fit one exception of a traceback, in the order of the rules.
    pub(crate) fn candidates<'e>(
        &self,
        traceback: &Traceback,
        raised: Option<&Exception>,
        message: &Message,
        entries: impl Iterator<Item = &'e Entry>,
    ) -> Vec<Place> {
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
            let present = literals.present(message);
            places.retain(|place| present.contains(literals.number(*place)));
            places.sort_unstable();
        }
        places
    }
}

/// The longest literals of all templates, searched for at once.
#[derive(Debug)]
struct Literals {
    /// `None` if there are none, or far too many.
    search: Option<AhoCorasick>,
    /// The keys that each literal belongs to.
    owners: Vec<Vec<usize>>,
    /// The keys that ask for no literal.
    always: KeySet,
    /// The number of each rule's first key.
    firsts: Vec<usize>,
}

impl Literals {
    fn of<'e>(entries: impl Iterator<Item = &'e Entry>) -> Self {
        let mut owners: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let (mut always, mut firsts, mut number) = (KeySet::default(), Vec::new(), 0);
        for entry in entries {
            firsts.push(number);
            for Key { literals, .. } in entry.keys.iter() {
                for literal in literals.iter() {
                    owners.entry(literal).or_default().push(number);
                }
                if literals.is_empty() {
                    always.insert(number);
                }
                number += 1;
            }
        }
        let search = AhoCorasick::new(owners.keys()).ok();
        if search.is_none() {
            (0..number).for_each(|n| always.insert(n));
        }
        Self {
            search,
            owners: owners.into_values().collect(),
            always,
            firsts,
        }
    }

    fn number(&self, (n, k): Place) -> usize {
        self.firsts[n] + k
    }

    /// Returns the keys one of whose literals occurs in a message, and those that have none.
    fn present(&self, message: &Message) -> KeySet {
        let mut present = self.always.clone();
        for text in message.texts() {
            for found in self
                .search
                .iter()
                .flat_map(|s| s.find_overlapping_iter(text))
            {
                let owners = &self.owners[found.pattern().as_usize()];
                for number in owners {
                    present.insert(*number);
                }
            }
        }
        present
    }
}

/// A set of keys, by their numbers.
#[derive(Clone, Debug, Default)]
struct KeySet(Vec<u64>);

impl KeySet {
    fn insert(&mut self, number: usize) {
        let word = number / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    fn contains(&self, number: usize) -> bool {
        let word = self.0.get(number / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}
