//! The keys of all rules by what they ask for first: from what a traceback shows to the `[[match]]`es
//! that may fit it, without a look at the rules.
//!
//! `build.rs` makes that of the built-in rules, a run that of a user's.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::iter;

use super::index::{Key, MIN_LITERAL, RuleEntry, Subject, texts};

/// The place of one `[[match]]`: its rule and its index there.
pub(crate) type MatchIndex = (usize, usize);

/// A list that is a constant for the built-in rules.
type List<T> = Cow<'static, [T]>;

/// The keys of all rules, by what they ask for first.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    pub(crate) literals: Literals,
    /// Those without a literal, by the hash of a mark.
    pub(crate) by_mark: Rows<(usize, MatchIndex)>,
    /// Those without a literal and a mark are asked about all that is of their kind; an exception's by the last
    /// dotted part of its type's name, which begins there in the key's.
    pub(crate) by_exception: Rows<(MatchIndex, usize)>,
    pub(crate) any_exception: List<MatchIndex>,
    pub(crate) log_lines_without_literal: List<MatchIndex>,
    pub(crate) threads_without_literal: List<MatchIndex>,
    /// By the hash of the type and the [`first_bytes`] of a template of one line: its outline, by its key and its
    /// place among the key's. Many rules have the same template; it is here once for each type.
    pub(crate) outlines: Rows<(usize, MatchIndex, usize)>,
    /// By the type: those with a template of several lines.
    pub(crate) of_several_lines: Rows<MatchIndex>,
}

impl Lookup {
    /// Makes the lookup of these rules, each with its place among all.
    pub(crate) fn of<'e>(entries: impl Iterator<Item = (usize, &'e RuleEntry)> + Clone) -> Self {
        let keys = entries.flat_map(|(n, entry)| {
            let keys = entry.keys.iter().enumerate();
            keys.map(move |(k, key)| ((n, k), key))
        });
        let literals = keys.clone().flat_map(|(place, key)| {
            let literals = key.literals.places();
            literals.map(move |(at, literal)| (literal, place, at))
        });
        let mut lookup = Self {
            literals: Literals::of(literals),
            ..Self::default()
        };
        let mut known = BTreeSet::new();
        for (place, key) in keys {
            lookup.add(key, place);
            lookup.add_outlines(key, place, &mut known);
        }
        lookup
    }

    fn add(&mut self, key: &Key, place: MatchIndex) {
        match key.kind {
            _ if !key.literals.is_empty() => {}
            _ if !key.marks.is_empty() => {
                for mark in key.marks.iter().map(of_name) {
                    self.by_mark.add(mark, (mark, place));
                }
            }
            Subject::Exception if key.exceptions.is_empty() => {
                self.any_exception.to_mut().push(place);
            }
            Subject::Exception => {
                for (at, name) in key.exceptions.places() {
                    self.by_exception.add(of_name(name), (place, at));
                }
            }
            Subject::LogLine => self.log_lines_without_literal.to_mut().push(place),
            Subject::Threads => self.threads_without_literal.to_mut().push(place),
        }
        if key.several_lines {
            for name in key.names_or_any() {
                self.of_several_lines.add(of_name(name), place);
            }
        }
    }

    /// Adds the outlines of a key, but for those that are known by the type and the outline.
    fn add_outlines<'e>(
        &mut self,
        key: &'e Key,
        place: MatchIndex,
        known: &mut BTreeSet<(&'e str, &'e str)>,
    ) {
        for name in key.names_or_any() {
            for (at, outline) in key.outlines.places() {
                if known.insert((name, outline)) {
                    let first = texts(outline).next().unwrap_or_default();
                    let hash = of_beginning(of_name(name), first_bytes(first));
                    self.outlines.add(hash, (hash, place, at));
                }
            }
        }
    }
}

/// The first 16 bytes of a text, in two halves, the first byte lowest, zeros behind one that is shorter.
pub(crate) type LiteralStart = [u64; 2];

/// The longest literals of all templates, each found by the piece of it that fewest of them hold.
#[derive(Debug)]
pub(crate) struct Literals {
    /// How each literal goes on from that piece, how much of it stands before, its key, and where in the
    /// key's it begins.
    pub(crate) rarest: Rows<(LiteralStart, usize, MatchIndex, usize)>,
    /// A bit for each hash of a piece: it tells at nearly all places of a text that none is there.
    pub(crate) hashes: List<u64>,
}

impl Default for Literals {
    fn default() -> Self {
        Self {
            rarest: Rows::new(4 * BUCKETS),
            hashes: vec![0; 1 << (HASH_BITS - 6)].into(),
        }
    }
}

impl Literals {
    /// Makes the rows of these literals, each with its key and its place among the key's.
    fn of<'e>(literals: impl Iterator<Item = (&'e str, MatchIndex, usize)> + Clone) -> Self {
        let mut holders = vec![0_u32; 1 << HASH_BITS];
        let first = |literal| pieces(literal).take(MOST_PIECES);
        for (_, hash) in literals.clone().flat_map(|(literal, ..)| first(literal)) {
            holders[hash] += 1;
        }
        let mut all = Self::default();
        for (literal, place, at) in literals {
            let rarest = first(literal).min_by_key(|(_, hash)| holders[*hash]);
            let (before, hash) = rarest.expect("the index has none that is shorter");
            let start = start_of(&literal.as_bytes()[before..]);
            all.rarest.add(hash, (start, before, place, at));
            let (word, bit) = bit_of(hash);
            all.hashes.to_mut()[word] |= bit;
        }
        all
    }
}

/// Returns each piece of a text that is as long as all literals are at least: its place and its hash.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let pieces = text.as_bytes().windows(MIN_LITERAL).enumerate();
    pieces.map(|(at, piece)| {
        (
            at,
            of_piece(*piece.first_chunk().expect("a window is as long")),
        )
    })
}

/// Returns the start of a text, to be compared with those of literals at once.
pub(crate) fn start_of(text: &[u8]) -> LiteralStart {
    let mut start = [0; 16];
    let len = text.len().min(start.len());
    start[..len].copy_from_slice(&text[..len]);
    let (halves, _) = start.as_chunks();
    [halves[0], halves[1]].map(u64::from_le_bytes)
}

/// Returns whether a text that starts so may begin with a literal that starts so.
pub(crate) fn may_begin(text: LiteralStart, literal: LiteralStart) -> bool {
    text.into_iter().zip(literal).all(|(text, literal)| {
        let differing = text ^ literal;
        let same_bits = differing.trailing_zeros() / 8 * 8;
        // Where they differ the literal must be over.
        differing == 0 || literal >> same_bits == 0
    })
}

/// So many pieces of a literal, the first ones, are compared: of more none is much rarer.
const MOST_PIECES: usize = 13;

/// How many bits of a hash count.
const HASH_BITS: u32 = 16;

/// Returns the hash of as many bytes as each literal has at least.
fn of_piece(piece: [u8; MIN_LITERAL]) -> usize {
    let mixed = u32::from_le_bytes(piece).wrapping_mul(0x9E37_79B1);
    (mixed >> (32 - HASH_BITS)) as usize
}

/// The name of any exception: none has it.
pub(crate) const ANY: &str = "";

/// Returns of a template's beginning as much as it is looked up by; a shorter one is looked up by all of it.
pub(crate) fn first_bytes(text: &str) -> &[u8] {
    const MOST: usize = 4;
    &text.as_bytes()[..text.len().min(MOST)]
}

/// Returns the hash of a type, by its name's, and of what a template begins with.
pub(crate) fn of_beginning(name: usize, first: &[u8]) -> usize {
    first.iter().copied().fold(mix(name, b':'), mix)
}

/// Returns the hash of a name.
pub(crate) fn of_name(name: &str) -> usize {
    of_more(0, name)
}

/// Returns the hash of a name that goes on with some more.
pub(crate) fn of_more(hash: usize, more: &str) -> usize {
    more.bytes().fold(hash, mix)
}

fn mix(hash: usize, byte: u8) -> usize {
    hash.wrapping_mul(31).wrapping_add(usize::from(byte))
}

/// Returns the place of the bit that belongs to a hash.
pub(crate) const fn bit_of(hash: usize) -> (usize, u64) {
    (hash / 64, 1 << (hash % 64))
}

/// Rows by a hash.
#[derive(Debug)]
pub(crate) struct Rows<T: Clone + 'static> {
    /// The last row of each bucket, counted from 1; 0: none.
    pub(crate) last: List<usize>,
    /// Each row, and the one before it in its bucket.
    pub(crate) rows: List<(usize, T)>,
}

/// How many buckets there are, a power of two.
const BUCKETS: usize = 1024;

impl<T: Clone> Default for Rows<T> {
    fn default() -> Self {
        Self::new(BUCKETS)
    }
}

impl<T: Clone> Rows<T> {
    /// Makes room for rows in so many buckets, a power of two.
    fn new(buckets: usize) -> Self {
        Self {
            last: vec![0; buckets].into(),
            rows: List::default(),
        }
    }

    fn add(&mut self, hash: usize, row: T) {
        let bucket = hash % self.last.len();
        let last = &mut self.last.to_mut()[bucket];
        self.rows.to_mut().push((*last, row));
        *last = self.rows.len();
    }

    /// Returns the rows with this hash, and perhaps some others.
    pub(crate) fn at(&self, hash: usize) -> impl Iterator<Item = &T> {
        let row = |place: usize| self.rows.get(place.wrapping_sub(1));
        let last = row(self.last[hash & (self.last.len() - 1)]);
        iter::successors(last, move |(before, _)| row(*before)).map(|(_, row)| row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_tells_which_literals_a_text_may_begin_with() {
        for (text, literal, is_told) in [
            ("cannot pickle 'x' object", "cannot pickle 'x' obj", true),
            ("cannot pickle 'x' object", "cannot pickle 'y' obj", false),
            ("cannot pickle", "cannot", true),
            ("cannot", "cannot", true),
            ("cannot", "cannot pickle", false),
            ("cannot\0", "cannot", true),
            ("can't pickle", "cannot", false),
        ] {
            let [text_start, own] = [text, literal].map(|text| start_of(text.as_bytes()));
            assert_eq!(may_begin(text_start, own), is_told, "{text}: {literal}");
        }
    }
}
