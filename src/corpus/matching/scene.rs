//! What a condition is asked of, and what it found there.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::traceback::facts::Facts;
use crate::traceback::{Frame, Link, Raised, Traceback};

use super::message::Message;
use super::pattern::{Filled, Pattern};

/// One exception and all that a key may ask about.
pub(crate) struct Scene<'a> {
    /// The traceback that it belongs to.
    pub(crate) traceback: &'a Traceback,
    /// Its index; a dump without an exception has none there.
    pub(crate) raised: usize,
    /// The exceptions of its chain, itself among them.
    pub(crate) chain: &'a [usize],
    /// Its message.
    pub(crate) message: &'a Message,
    /// The circumstances, read when they are first asked for.
    pub(crate) facts: OnceCell<Facts>,
}

/// What matching found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The captures.
    pub(crate) captures: BTreeMap<String, String>,
    /// Whether the message had been cut.
    pub(crate) was_cut: bool,
    /// The literal bytes of the message template that fitted.
    pub(crate) literal_bytes: usize,
}

impl Scene<'_> {
    /// Gives the exception itself.
    pub(crate) fn raised(&self) -> Option<&Raised> {
        self.traceback.raised.get(self.raised)
    }

    /// Gives the frames of the whole chain.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.chain
            .iter()
            .filter_map(|i| self.traceback.raised.get(*i))
            .flat_map(|r| &r.frames)
    }

    /// Gives the circumstances.
    pub(crate) fn facts(&self) -> &Facts {
        self.facts
            .get_or_init(|| Facts::read(self.traceback, self.raised))
    }

    /// Gives the source lines of its frames.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &str> {
        self.frames().filter_map(|f| f.source.as_deref())
    }

    /// Gives the notes of the exception.
    pub(crate) fn notes(&self) -> impl Iterator<Item = &String> {
        self.raised().into_iter().flat_map(|r| &r.notes)
    }

    /// Gives the other exceptions of the traceback.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Raised> {
        self.traceback
            .raised
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != self.raised)
            .map(|(_, r)| r)
    }

    /// Gives what was read out of the message.
    pub(crate) fn quoted(&self) -> impl Iterator<Item = &Raised> {
        self.traceback
            .raised
            .iter()
            .filter(|r| r.link == Some((Link::Quoted, self.raised)))
    }
}

impl Found {
    /// Fills the first template that fits the message and whose captures are allowed.
    pub(crate) fn fill_message(
        &mut self,
        patterns: &[Pattern],
        message: &Message,
        allowed: impl Fn(&Filled) -> bool,
    ) -> bool {
        patterns.iter().any(|pattern| {
            let fill = message.fill(pattern).filter(|f| allowed(&f.filled));
            fill.is_some_and(|fill| {
                let is_new = self.add(fill.filled);
                if is_new {
                    self.was_cut |= fill.was_cut;
                    self.literal_bytes = self.literal_bytes.max(pattern.literal_bytes());
                }
                is_new
            })
        })
    }

    /// Fills the first template that fits a line.
    pub(crate) fn fill_line(&mut self, patterns: &[Pattern], line: &str) -> bool {
        patterns
            .iter()
            .any(|p| p.fill(line.trim()).is_some_and(|filled| self.add(filled)))
    }

    /// Adds captures; a name that is there already must be equal.
    fn add(&mut self, filled: Filled) -> bool {
        let differs = |(name, value): &(String, String)| {
            self.captures
                .get(name)
                .is_some_and(|before| before != value)
        };
        if filled.iter().any(differs) {
            return false;
        }
        self.captures.extend(filled);
        true
    }
}
