//! The `[[match]]`es that may fit what a traceback shows.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use crate::traceback::Dialect;

use super::context::MatchContext;
use super::message::Message;
use crate::corpus::rule::index::{Key, Subject, short_type};
use crate::corpus::rule::lookup::{
    ANY, Literals, Lookup, MatchIndex, Rows, bit_of, first_bytes, may_begin, of_beginning, of_name,
    pieces, start_of,
};

/// Nearly always there are no more places than that.
const MOST_PLACES: usize = 32;

impl Lookup {
    /// Returns the outlines of templates of one line for an exception of this name, of those that begin as the
    /// text does: each by its key and its place among the key's.
    pub(crate) fn outlines(
        &self,
        exception: &str,
        text: &str,
    ) -> impl Iterator<Item = (MatchIndex, usize)> {
        let names = [short_type(exception), ANY].map(of_name);
        let first = first_bytes(text);
        let firsts = (1..=first.len()).map(move |len| &first[..len]);
        let hashes = firsts.flat_map(move |first| names.map(|name| of_beginning(name, first)));
        hashes.flat_map(move |hash| {
            let rows = self.outlines.at(hash);
            let own = rows.filter(move |(own, ..)| *own == hash);
            own.map(|(_, place, at)| (*place, *at))
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

    /// Returns the keys that may fit one exception, in the order of the rules.
    pub(crate) fn candidates<'k>(
        &self,
        context: &MatchContext,
        key: impl Fn(MatchIndex) -> &'k Key,
    ) -> Vec<MatchIndex> {
        let (traceback, raised) = (context.traceback, context.exception());
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
        let mut places = Vec::with_capacity(MOST_PLACES);
        // Many ask for a message that any program may have, and for a frame that few have.
        let may_have = |mark| context.marks().may_have(of_name(mark));
        let is_shown = |place: &MatchIndex| {
            let marks = &key(*place).marks;
            marks.is_empty() || marks.iter().any(may_have)
        };
        let present = self.literals.present(context.message().texts(), &key);
        places.extend(present.filter(fits).filter(is_shown));
        if !is_line {
            let marked = |mark| named_so(&self.by_mark, mark);
            places.extend(context.marks().all().flat_map(marked).filter(fits));
        }
        if is_line {
            places.extend(self.log_lines_without_literal.iter());
        } else if raised.is_some() {
            let of_type = exception.map(|name| named(&self.by_exception, name, &key));
            places.extend(of_type.into_iter().flatten());
            places.extend(self.any_exception.iter());
        }
        if has_threads {
            places.extend(self.threads_without_literal.iter());
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Returns whether a line holds what some rule looks for, in a log line or a message.
    pub(crate) fn may_know<'k>(&self, line: &str, key: impl Fn(MatchIndex) -> &'k Key) -> bool {
        !self.log_lines_without_literal.is_empty()
            || self
                .literals
                .present(iter::once(line), &key)
                .next()
                .is_some()
    }
}

/// Returns the places of the rows with this hash.
fn named_so(rows: &Rows<(usize, MatchIndex)>, hash: usize) -> impl Iterator<Item = MatchIndex> {
    let own = rows.at(hash).filter(move |(own, _)| *own == hash);
    own.map(|(_, place)| *place)
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

impl Literals {
    /// Finds the keys one of whose literals occurs in a text; some more than once.
    fn present<'k, 't>(
        &self,
        texts: impl Iterator<Item = &'t str>,
        key: &impl Fn(MatchIndex) -> &'k Key,
    ) -> impl Iterator<Item = MatchIndex> {
        texts.flat_map(move |text| {
            let places = pieces(text).filter(|(_, hash)| self.may_hold(*hash));
            places.flat_map(move |(at, hash)| self.around(text, at, hash, key))
        })
    }

    /// Returns whether some literal may have a piece of this hash as its rarest.
    fn may_hold(&self, hash: usize) -> bool {
        let (word, bit) = bit_of(hash);
        self.hashes[word] & bit != 0
    }

    /// Finds the keys with a literal whose rarest piece stands at this place of a text.
    fn around<'k>(
        &self,
        text: &str,
        at: usize,
        hash: usize,
        key: &impl Fn(MatchIndex) -> &'k Key,
    ) -> impl Iterator<Item = MatchIndex> {
        let start = start_of(&text.as_bytes()[at..]);
        let rows = self.rarest.at(hash);
        let rows = rows.filter(move |(own, ..)| may_begin(start, *own));
        rows.filter_map(move |(_, before, place, own)| {
            let literal = key(*place).literals.at(*own).as_bytes();
            let from = at.checked_sub(*before)?;
            text.as_bytes()[from..]
                .starts_with(literal)
                .then_some(*place)
        })
    }
}
