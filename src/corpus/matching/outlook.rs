//! How a message may go on: what several-line templates still want, and what a wrapped line lacks.

use crate::corpus::rule::index::first_text;
use crate::corpus::rule::lookup::MatchIndex;
use crate::line::find;
use crate::traceback::assembler::Continuation;

use super::ask::Condition;
use super::message::trimmed;
use super::pattern::Pattern;
use super::sequence;
use crate::corpus::Corpus;

/// A final line of that many bytes may have been wrapped although some template fits it.
const WIDE: usize = 60;

/// The least that a cut line must show of a template's literals, in bytes.
const LEAST_SHOWN: usize = 9;

/// How much of a template of one line a text shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown<'o> {
    /// The text is a beginning of what would fill it.
    Begun(Begun<'o>),
    /// The text fills it, with so many bytes of its literals.
    All(usize),
}

/// How far a text goes in an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Begun<'o> {
    /// How much of the literals it shows, in bytes.
    bytes: usize,
    /// Where in the text what is missing would come, behind a gap but at the start.
    at: usize,
    /// The literals that are missing, the first one perhaps in part.
    missing: &'o str,
}

/// Compares a text with the outline of a template.
fn shown<'o>(outline: &'o str, text: &str) -> Option<Shown<'o>> {
    shown_behind(
        Begun {
            bytes: 0,
            at: 0,
            missing: outline,
        },
        text,
    )
}

/// Compares a text with what is missing of an outline in another one, with which it begins.
fn shown_behind<'o>(begun: Begun<'o>, text: &str) -> Option<Shown<'o>> {
    let Begun {
        mut bytes,
        mut at,
        mut missing,
    } = begun;
    let enough = |begun: Begun<'o>| (begun.bytes >= LEAST_SHOWN).then_some(Shown::Begun(begun));
    if at == 0 {
        let (first, behind) = first_text(missing)?;
        if !text.starts_with(first) {
            bytes = text.len();
            return enough(Begun { bytes, at, missing }).filter(|_| first.starts_with(text));
        }
        (bytes, at, missing) = (first.len(), first.len(), behind);
    }
    let mut ends_so = at == text.len();
    while let Some((literal, behind)) = first_text(missing) {
        let rest = &text[at..];
        let Some(gap) = find(rest, literal) else {
            return enough(Begun { bytes, at, missing });
        };
        ends_so = rest.ends_with(literal);
        bytes += literal.len();
        at += gap + literal.len();
        missing = behind;
    }
    ends_so.then_some(Shown::All(bytes))
}

impl Corpus {
    /// Returns what may follow a message of this exception, as far as it stands.
    pub fn continuation(&self, exception: &str, message: &[String]) -> Continuation {
        let last = trimmed(message).last().unwrap_or_default();
        let (mut begun, mut filled) = (None, None);
        for outline in self.outlines(exception, last) {
            match shown(outline, last) {
                Some(Shown::Begun(shown)) => begun = begun.max(Some(shown.bytes)),
                Some(Shown::All(bytes)) => filled = filled.max(Some(bytes)),
                None => {}
            }
        }
        let is_wide = exception.len() + last.len() >= WIDE;
        Continuation {
            wants_lines: self.wants(exception, message, None),
            is_begun: begun.is_some(),
            is_cut: begun.is_some() && (is_wide || begun > filled),
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
        for outline in self.outlines(exception, last) {
            match shown(outline, last) {
                Some(Shown::Begun(shown)) => begun.push(shown),
                Some(Shown::All(_)) => fits_now = true,
                None => {}
            }
        }
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
            for now in &begun {
                match shown_behind(*now, &text) {
                    Some(Shown::Begun(more)) => {
                        goes_on |= more.bytes > now.bytes || is_full && more.bytes == now.bytes;
                    }
                    Some(Shown::All(_)) => return Some(text),
                    None => {}
                }
            }
            going_on = going_on.or_else(|| goes_on.then_some(text));
        }
        going_on
    }

    /// Returns the outlines of templates of one line for this exception that begin as the text does. Those of
    /// built-in rules that are left out are among them: how a message may go on, they tell as well.
    fn outlines(&self, exception: &str, text: &str) -> impl Iterator<Item = &str> {
        let lookups = self.lookups();
        let places = lookups.flat_map(move |lookup| lookup.outlines(exception, text));
        places.map(|(place, at)| self.key(place).outlines.at(at))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::matching::template::Template;
    use crate::corpus::rule::index::Strings;

    #[test]
    fn an_outline_tells_how_much_of_a_template_a_text_shows() {
        let begun = |bytes| Some((bytes, false));
        let all = |bytes| Some((bytes, true));
        for (template, text, wanted) in [
            (
                "cannot pickle '{type}' object",
                "cannot pickle '_thread.RL",
                begun(15),
            ),
            (
                "cannot pickle '{type}' object",
                "cannot pickle 'x' object",
                all(23),
            ),
            (
                "cannot pickle '{type}' object",
                "cannot pickle 'x' objects",
                None,
            ),
            ("cannot pickle '{type}' object", "cannot pickl", begun(12)),
            ("cannot pickle '{type}' object", "cannot p", None),
            ("cannot pickle '{type}' object", "cannot unpickle", None),
            ("'{name}' is no name", "'x", None),
            ("'{name}' is no name", "'x' is no name", all(13)),
            (
                "no such file: '{path}'",
                "no such file: 'a' -> 'b'",
                all(16),
            ),
            ("it failed with ...", "it failed with ", all(15)),
            (
                "it failed with {code}...",
                "it failed with 3, see above",
                all(15),
            ),
            ("it failed", "it failed", all(9)),
            ("it failed", "it failed again", None),
        ] {
            let template = Template::parse(template).unwrap();
            let outline = Strings::of(template.outline().unwrap());
            let told = |shown| match shown {
                Shown::Begun(begun) => (begun.bytes, false),
                Shown::All(bytes) => (bytes, true),
            };
            assert_eq!(shown(&outline.0, text).map(told), wanted, "{text}");
            for at in 0..text.len() {
                if let Some(Shown::Begun(begun)) = shown(&outline.0, &text[..at]) {
                    let gone_on = shown_behind(begun, text).map(told);
                    assert_eq!(gone_on, wanted, "{text} from byte {at} on");
                }
            }
        }
        let gap_first = Template::parse("{name} failed").unwrap();
        assert!(gap_first.outline().is_none());
    }
}
