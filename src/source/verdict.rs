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
}

/// Decides; `is_exact` is whether it is known that this is what was sent.
pub(super) fn decide(events: Vec<Event>, is_exact: bool, is_named: bool) -> Option<Verdict> {
    let mut unknown_before = false;
    let mut library_before = false;
    let mut first: Option<(bool, bool)> = None;
    let (mut has_unknown, mut libraries) = (false, Vec::new());
    let mut suspects: Vec<Suspect> = Vec::new();
    let mut seen = HashSet::new();
    for event in events {
        match event {
            Event::Unknown => {
                has_unknown = true;
                unknown_before |= first.is_none();
            }
            Event::Library(suspect) => {
                library_before |= first.is_none();
                if seen.insert((suspect.module, suspect.at)) {
                    libraries.push(suspect);
                }
            }
            Event::Suspect(suspect) => {
                first.get_or_insert((unknown_before, library_before));
                if seen.insert((suspect.module, suspect.at)) {
                    suspects.push(suspect);
                }
            }
        }
    }
    let Some((unknown_before, library_before)) = first else {
        // Nothing else can hold it.
        if libraries.len() == 1 && !has_unknown && is_exact && !is_named {
            return Some(Verdict::of(libraries, Certainty::Likely));
        }
        return None;
    };
    let is_first_sure = suspects.first().is_some_and(|s| s.is_sure);
    let one = |mut suspects: Vec<Suspect>, certainty| {
        let rest = suspects.split_off(1);
        Some(Verdict {
            suspects,
            certainty,
            rest,
        })
    };
    // A function's name tells it from all others.
    if is_named {
        let certainty = if suspects.len() == 1 {
            Certainty::Certain
        } else {
            Certainty::OneOf
        };
        suspects.truncate(MAX_NAMED);
        return Some(Verdict::of(suspects, certainty));
    }
    if is_first_sure && !unknown_before && !library_before && is_exact {
        return one(suspects, Certainty::Certain);
    }
    if library_before {
        suspects.extend(libraries);
        if suspects.len() > MAX_NAMED {
            return None;
        }
        return Some(Verdict::of(suspects, Certainty::OneOf));
    }
    if is_first_sure {
        return one(suspects, Certainty::Likely);
    }
    let count = if is_one_attribute(&suspects) {
        1
    } else {
        suspects.len()
    };
    match count {
        1 if libraries.is_empty() => {
            let is_closed = !has_unknown && is_exact;
            one(
                suspects,
                if is_closed {
                    Certainty::Certain
                } else {
                    Certainty::Likely
                },
            )
        }
        1..=MAX_NAMED => {
            suspects.extend(libraries);
            suspects.truncate(MAX_NAMED);
            Some(Verdict::of(suspects, Certainty::OneOf))
        }
        _ => None,
    }
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
