//! From what a walk came upon to the object: certain, likely, one of a few, or none.

use std::collections::HashSet;

use super::walk::{Event, Suspect};
use crate::object::Certainty;

/// The most suspects that are named.
const MAX_NAMED: usize = 3;

/// The suspects to name, the first one first, and how sure that is.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) suspects: Vec<Suspect>,
    pub(super) certainty: Certainty,
    /// Others that cannot be sent either, where one is named.
    pub(super) rest: Vec<Suspect>,
}

impl Verdict {
    pub(super) fn of(suspects: Vec<Suspect>, certainty: Certainty) -> Self {
        Self {
            suspects,
            certainty,
            rest: Vec::new(),
        }
    }

    /// The object is one of the first of these.
    fn one_of(mut suspects: Vec<Suspect>) -> Self {
        suspects.truncate(MAX_NAMED);
        Self::of(suspects, Certainty::OneOf)
    }
}

/// What a walk came upon, each place once.
#[derive(Default)]
struct Seen {
    suspects: Vec<Suspect>,
    libraries: Vec<Suspect>,
    has_unknown: bool,
    /// Whether something unknown came before the first suspect.
    unknown_before: bool,
    /// Whether something of a library did.
    library_before: bool,
}

impl Seen {
    fn collect(events: Vec<Event>) -> Self {
        let mut seen = Self::default();
        let mut places = HashSet::new();
        for event in events {
            let is_before = seen.suspects.is_empty();
            match event {
                Event::Unknown => {
                    seen.has_unknown = true;
                    seen.unknown_before |= is_before;
                }
                Event::Library(suspect) => {
                    seen.library_before |= is_before;
                    if places.insert((suspect.module, suspect.at)) {
                        seen.libraries.push(suspect);
                    }
                }
                Event::Suspect(suspect) => {
                    if places.insert((suspect.module, suspect.at)) {
                        seen.suspects.push(suspect);
                    }
                }
            }
        }
        seen
    }
}

/// Decides; `is_exact` is whether it is known that this is what was sent, `is_named` whether the
/// message names the object.
pub(super) fn decide(events: Vec<Event>, is_exact: bool, is_named: bool) -> Option<Verdict> {
    let seen = Seen::collect(events);
    let (mut suspects, libraries) = (seen.suspects, seen.libraries);
    let Some(first) = suspects.first() else {
        // Nothing else can hold it.
        let is_only = libraries.len() == 1 && !seen.has_unknown && is_exact && !is_named;
        return is_only.then(|| Verdict::of(libraries, Certainty::Likely));
    };
    // A function's name tells it from all others.
    if is_named {
        return Some(match suspects.len() {
            1 => Verdict::of(suspects, Certainty::Certain),
            _ => Verdict::one_of(suspects),
        });
    }
    if seen.library_before {
        suspects.extend(libraries);
        return (suspects.len() <= MAX_NAMED).then(|| Verdict::one_of(suspects));
    }
    let is_single = suspects.len() == 1 || is_one_attribute(&suspects);
    let is_certain = if first.is_sure {
        is_exact && !seen.unknown_before
    } else if is_single && libraries.is_empty() {
        is_exact && !seen.has_unknown
    } else if is_single || suspects.len() <= MAX_NAMED {
        suspects.extend(libraries);
        return Some(Verdict::one_of(suspects));
    } else {
        return None;
    };
    let certainty = if is_certain {
        Certainty::Certain
    } else {
        Certainty::Likely
    };
    let rest = suspects.split_off(1);
    Some(Verdict {
        rest,
        ..Verdict::of(suspects, certainty)
    })
}

/// Returns whether all are what one attribute is set to, in several places.
fn is_one_attribute(suspects: &[Suspect]) -> bool {
    let attribute = |s: &Suspect| {
        let holder = s.holder.as_ref().filter(|h| h.is_itself)?;
        Some((holder.class, holder.attribute.to_string(), s.of.clone()))
    };
    let first = suspects.first().and_then(attribute);
    first.is_some() && suspects.iter().all(|s| attribute(s) == first)
}
