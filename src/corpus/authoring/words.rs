//! What a search finds rules by.

use crate::corpus::Corpus;
use crate::corpus::rule::words::Words;

use super::page::shown;

pub(crate) use crate::corpus::rule::words::{spaced, stems};

/// A rule, as a search sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Findable<'c> {
    /// Its id.
    pub(crate) id: &'c str,
    /// Its words.
    pub(crate) words: &'c Words,
    /// What its file says above the samples.
    pub(crate) text: &'c str,
    /// The bytes of its samples: the more, the more often it is met.
    pub(crate) met: usize,
}

impl Findable<'_> {
    /// Returns its title, for a reader who has no traceback.
    pub(crate) fn title(&self) -> String {
        shown(&self.words.title)
    }
}

impl Corpus {
    /// Returns all rules as a search sees them.
    pub(crate) fn findable(&self) -> impl Iterator<Item = Findable<'_>> {
        self.slots.iter().map(|slot| Findable {
            id: &slot.entry.id,
            words: slot.words(),
            text: &slot.entry.head,
            met: slot.entry.samples.len(),
        })
    }
}
