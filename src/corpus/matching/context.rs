//! What a condition is asked of, and what it captured there.

use std::cell::OnceCell;

use super::any_of::AnyOf;
use super::frame_pattern::FramePattern;
use super::marks::Marks;
use super::message::{Fill, Message, Messages};
use super::pattern::{Filled, Pattern};
use crate::traceback::facts::Facts;
use crate::traceback::{Exception, Frame, Link, Traceback};

/// One exception and all that a key may ask about.
pub(crate) struct MatchContext<'a> {
    /// The traceback that it belongs to.
    pub(crate) traceback: &'a Traceback,
    /// Its index; a dump without an exception has none there.
    pub(crate) exception: usize,
    /// The exceptions of its chain, itself among them.
    pub(crate) chain: &'a [usize],
    /// The messages of all exceptions.
    pub(crate) messages: &'a Messages<'a>,
    /// The circumstances, read when they are first asked for.
    pub(crate) facts: OnceCell<Facts>,
    marks: OnceCell<Marks>,
}

/// What matching captured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captures {
    /// The captures with their names, each name once, in the order in which they were made.
    pub(crate) values: Vec<(String, String)>,
    /// What is left of captures where the message had been cut.
    pub(crate) begun: Vec<(String, String)>,
    /// Whether the message had been cut.
    pub(crate) was_cut: bool,
    /// The literal bytes of the message template that fitted.
    pub(crate) literal_bytes: usize,
}

impl<'a> MatchContext<'a> {
    /// Makes the context of an exception, by its index.
    pub(crate) fn new(messages: &'a Messages<'a>, chain: &'a [usize], exception: usize) -> Self {
        Self {
            traceback: messages.traceback(),
            exception,
            chain,
            messages,
            facts: OnceCell::new(),
            marks: OnceCell::new(),
        }
    }

    /// Returns the exception itself.
    pub(crate) fn exception(&self) -> Option<&Exception> {
        self.traceback.exceptions.get(self.exception)
    }

    /// Returns its message.
    pub(crate) fn message(&self) -> &Message {
        self.messages.of(self.exception)
    }

    /// Returns the innermost frame of the exception.
    pub(crate) fn last_frame(&self) -> Option<&Frame> {
        self.exception().and_then(|r| r.frames.last())
    }

    /// Returns the frames of the whole chain.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> + Clone {
        self.chain
            .iter()
            .filter_map(|i| self.traceback.exceptions.get(*i))
            .flat_map(|r| &r.frames)
    }

    /// Returns the circumstances.
    pub(crate) fn facts(&self) -> &Facts {
        self.facts
            .get_or_init(|| Facts::read(self.traceback, self.exception))
    }

    /// Returns what the frames of the whole chain are told by.
    pub(crate) fn marks(&self) -> &Marks {
        let has_heading = self.traceback.heading.is_some();
        self.marks
            .get_or_init(|| Marks::of(self.frames(), has_heading))
    }

    /// Returns whether a frame of the whole chain is in one of these places.
    pub(crate) fn has_frame(&self, places: &AnyOf<FramePattern>) -> bool {
        let may_be = |place: &FramePattern| place.mark().is_none_or(|m| self.marks().may_have(m));
        places.any(|place| may_be(place) && self.frames().any(|frame| place.holds(frame)))
    }

    /// Returns the source lines of its frames, and those shown with them that they are in.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &str> {
        self.frames()
            .flat_map(|f| f.source.iter().chain(&f.around))
            .map(String::as_str)
    }

    /// Returns the notes of the exception.
    pub(crate) fn notes(&self) -> impl Iterator<Item = &str> {
        let notes = self.exception().into_iter().flat_map(|r| &r.notes);
        notes.map(String::as_str)
    }

    /// Returns the indices of the other exceptions of the traceback.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> {
        let all = 0..self.traceback.exceptions.len();
        all.filter(|i| *i != self.exception)
    }

    /// Returns the indices of what was read out of the message.
    pub(crate) fn quoted(&self) -> impl Iterator<Item = usize> {
        let all = self.traceback.exceptions.iter().enumerate();
        all.filter(|(_, r)| r.link == Some((Link::Quoted, self.exception)))
            .map(|(i, _)| i)
    }
}

impl Captures {
    /// Returns what a name captured.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.values.iter();
        values.find_map(|(own, value)| (own == name).then_some(value.as_str()))
    }

    /// Returns what a name captured, or what is left of it in a cut message.
    pub(crate) fn shown(&self, name: &str) -> Option<&str> {
        let mut begun = self.begun.iter();
        let begun = || begun.find_map(|(own, value)| (own == name).then_some(value.as_str()));
        self.get(name).or_else(begun)
    }

    /// Asks something whose captures are forgotten again.
    pub(crate) fn beside(&mut self, ask: impl FnOnce(&mut Self) -> bool) -> bool {
        let (known, was_cut, literal_bytes) = (self.values.len(), self.was_cut, self.literal_bytes);
        let begun = self.begun.len();
        let holds = ask(self);
        self.values.truncate(known);
        self.begun.truncate(begun);
        (self.was_cut, self.literal_bytes) = (was_cut, literal_bytes);
        holds
    }

    /// Fills the first template that fits the message and whose captures are allowed; one that fits what
    /// is left of a cut message only where none fits the whole.
    pub(crate) fn fill_message(
        &mut self,
        patterns: &AnyOf<Pattern>,
        message: &Message,
        allowed: impl Fn(&Pattern, &Fill) -> bool,
    ) -> bool {
        let mut take = |pattern: &Pattern, fill: Option<Fill>| {
            let fill = fill.filter(|f| allowed(pattern, f));
            fill.is_some_and(|fill| {
                let is_new = self.add(fill.filled);
                if is_new {
                    self.begun.extend(fill.begun.into_iter().map(owned));
                    self.was_cut |= fill.was_cut;
                    self.literal_bytes = self.literal_bytes.max(pattern.literal_bytes());
                }
                is_new
            })
        };
        patterns.any(|p| take(p, message.fill(p)))
            || message.is_cut() && patterns.any(|p| take(p, message.fill_cut(p)))
    }

    /// Fills the first template that fits one of these lines.
    pub(crate) fn fill_any<'l>(
        &mut self,
        patterns: &AnyOf<Pattern>,
        lines: impl IntoIterator<Item = &'l str>,
    ) -> bool {
        lines.into_iter().any(|line| {
            let mut fill = |p: &Pattern| p.fill(line.trim()).is_some_and(|filled| self.add(filled));
            patterns.any(|p| p.may_fit(line) && fill(p))
        })
    }

    /// Adds captures; a name that is there already must be equal.
    pub(crate) fn add(&mut self, mut filled: Filled) -> bool {
        let before = |name: &str| self.get(name);
        if filled
            .iter()
            .any(|(n, value)| before(n).is_some_and(|b| b != *value))
        {
            return false;
        }
        filled.retain(|(name, _)| self.get(name).is_none());
        self.values.extend(filled.into_iter().map(owned));
        true
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
