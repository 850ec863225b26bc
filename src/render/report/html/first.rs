//! Which failure came first, where the logs can tell.

use maud::{Markup, html};

use super::clock;
use super::text::{prose, shown};
use crate::incident::{Incident, Location};

/// The most places that are compared.
const MAX_PLACES: usize = 2000;

/// The places at which failures began, repeats among them: logs are read by their names, so what
/// counts as the same again may have come before.
#[derive(Default)]
pub(super) struct First {
    places: Vec<FailurePlace>,
    /// How many of them are failures of their own.
    roots: usize,
    /// Whether anything came of one.
    has_followed: bool,
}

struct FailurePlace {
    at: Location,
    what: String,
}

impl First {
    /// Adds an incident, with what failed in a few words.
    pub(super) fn add(&mut self, incident: &Incident, what: &str) {
        let root = &incident.root;
        let seen = &incident.seen;
        let first = Location {
            rank: root.facts.rank,
            file: seen.file.clone(),
            line: seen.first_line,
            time: root.time,
        };
        let all = std::iter::once(&first).chain(&seen.repeats);
        let left = MAX_PLACES.saturating_sub(self.places.len());
        self.places.extend(all.take(left).map(|at| FailurePlace {
            at: at.clone(),
            what: what.to_owned(),
        }));
        self.roots += 1;
        self.has_followed |= !incident.consequences.is_empty();
    }

    /// Says who failed first; `None` where that is not known, or there is nobody else.
    pub(super) fn sentence(&self) -> Option<Markup> {
        let place = if self.places.len() > 1 || self.has_followed {
            self.earliest().or_else(|| self.uppermost())?
        } else {
            return None;
        };
        let who = match (place.at.rank, place.at.file.as_deref()) {
            (Some(rank), _) => format!("Rank {rank}"),
            (None, file) => shown(file.unwrap_or("Standard input")),
        };
        let time = place.at.time.map(|time| format!(", {}", clock(time)));
        Some(html! {
            strong { (who) " failed first" } (time.unwrap_or_default()) ": " (prose(&place.what)) "."
        })
    }

    /// Finds the first by time, if three of four have one that can be compared.
    fn earliest(&self) -> Option<&FailurePlace> {
        let start = self.places.iter().find_map(|place| place.at.time)?;
        let after = |place: &FailurePlace| place.at.time?.seconds_after(start);
        let timed = self
            .places
            .iter()
            .filter_map(|place| Some((place, after(place)?)));
        let timed: Vec<(&FailurePlace, f64)> = timed.collect();
        let is_enough = timed.len() * 4 >= self.places.len() * 3;
        let is_spread = timed.iter().any(|(_, seconds)| *seconds != 0.0) || self.roots == 1;
        let first = timed.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
        first
            .filter(|_| is_enough && is_spread)
            .map(|(place, _)| place)
    }

    /// Returns the first of one log, or the only one.
    fn uppermost(&self) -> Option<&FailurePlace> {
        let first = self.places.first()?;
        let is_one_file = self
            .places
            .iter()
            .all(|place| place.at.file == first.at.file);
        (is_one_file || self.roots == 1).then_some(first)
    }
}
