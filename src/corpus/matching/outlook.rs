//! How a message may go on: what several-line templates still want, and what a wrapped line lacks.

use crate::corpus::rule::lookup::MatchIndex;
use crate::traceback::assembler::Continuation;

use super::ask::Condition;
use super::message::trimmed;
use super::pattern::Pattern;
use super::sequence;
use crate::corpus::Corpus;

/// A final line of that many bytes may have been wrapped although some template fits it.
const WIDE: usize = 60;

impl Corpus {
    /// Returns what may follow a message of this exception, as far as it stands.
    pub fn continuation(&self, exception: &str, message: &[String]) -> Continuation {
        let last = trimmed(message).last().unwrap_or_default();
        let (mut shown, mut filled) = (None, None);
        self.one_line_patterns(exception, last).for_each(|pattern| {
            // What lacks a literal fits no template, and that is found out sooner.
            if let Some(begun) = pattern.begun_by(last) {
                shown = shown.max(Some(begun));
                return;
            }
            // Many rules have the same template.
            let bytes = Some(pattern.literal_bytes());
            if bytes > filled && pattern.fits(last) {
                filled = bytes;
            }
        });
        let is_wide = exception.len() + last.len() >= WIDE;
        Continuation {
            wants_lines: self.wants(exception, message, None),
            is_begun: shown.is_some(),
            is_cut: shown.is_some() && (is_wide || shown > filled),
        }
    }

    /// Returns whether a several-line template for this exception wants `next` as its next line.
    pub fn expects(&self, exception: &str, message: &[String], next: &str) -> bool {
        self.wants(exception, message, Some(next.trim()))
    }

    /// Joins `next` to the last line of a message that was wrapped, where some rule for this
    /// exception wants that; `directly` if no empty line is between them.
    pub fn rejoin(
        &self,
        exception: &str,
        message: &[String],
        next: &str,
        directly: bool,
    ) -> Option<String> {
        let last = trimmed(message).last()?;
        let (mut begun, mut fits_now) = (Vec::new(), false);
        self.one_line_patterns(exception, last).for_each(|pattern| {
            if let Some(shown) = pattern.begun_by(last) {
                begun.push((pattern, shown));
            } else {
                fits_now = fits_now || pattern.fits(last);
            }
        });
        if begun.is_empty() {
            return None;
        }
        let next = next.trim();
        let mut joined = [format!("{last} {next}"), format!("{last}{next}")];
        if last.ends_with(['.', '_', '/', '<', '\'']) || next.starts_with(['.', '_', '/', '>']) {
            // A terminal breaks inside words.
            joined.reverse();
        }
        // A long value may be wrapped over several lines, each of them full or broken behind a comma.
        let is_full = directly && !fits_now && (next.len() >= WIDE || next.ends_with(','));
        let mut going_on = None;
        for text in joined {
            let mut goes_on = false;
            for (pattern, now) in &begun {
                match pattern.begun_by(&text) {
                    Some(more) => goes_on |= more > *now || is_full && more == *now,
                    None if pattern.fits(&text) => return Some(text),
                    None => {}
                }
            }
            going_on = going_on.or_else(|| goes_on.then_some(text));
        }
        going_on
    }

    /// Returns the templates of one line of the rules for this exception that begin as the text does.
    fn one_line_patterns<'a>(
        &'a self,
        exception: &str,
        text: &'a str,
    ) -> impl Iterator<Item = &'a Pattern> {
        let key = |place| self.key(place);
        self.lookups()
            .flat_map(move |lookup| lookup.begun_by(exception, text, key))
            .flat_map(|place| self.messages(place))
            .filter(|p| p.lines().len() == 1 && p.may_begin(text))
    }

    /// Returns the message templates of a `[[match]]`.
    fn messages(&self, (n, k): MatchIndex) -> impl Iterator<Item = &Pattern> {
        let slot = self.slot_at(n).map(|n| &self.slots[n]);
        let condition = slot.and_then(|slot| slot.condition(k));
        condition.into_iter().flat_map(Condition::messages)
    }

    fn wants(&self, exception: &str, message: &[String], next: Option<&str>) -> bool {
        let key = |place| self.key(place);
        let mut places = self
            .lookups()
            .flat_map(|lookup| lookup.of_several_lines(exception, key))
            .peekable();
        if places.peek().is_none() {
            return false;
        }
        let starts_below = message.first().is_some_and(|m| m.trim().is_empty());
        let message: Vec<&str> = trimmed(message).collect();
        let starts_below = starts_below && message.is_empty();
        places.any(|place| {
            self.messages(place)
                .filter(|p| p.lines().len() > 1)
                .any(|p| {
                    sequence::expects(p, &message, next)
                        || starts_below && sequence::expects_first(p, next)
                })
        })
    }
}
