//! The failures that no rule knows, those that say the same together.

use std::cmp::Reverse;
use std::collections::HashMap;

use unicode_width::UnicodeWidthStr;

use super::table::times;
use super::{MAX_KEPT, Number, ReportOptions, block};
use crate::incident::Incident;
use crate::render::annotation::{died, said};
use crate::render::block::StyledLine;
use crate::render::place::location;
use crate::render::report::log_place;

/// The most places that are named of failures that say the same.
const MAX_PLACES: usize = 3;
/// The most of a message that counts, in characters.
const MAX_KEY: usize = 200;

/// All of them, by what they say.
#[derive(Default)]
pub(super) struct UnknownFailures {
    failures: Vec<UnknownFailure>,
    by_key: HashMap<String, usize>,
    /// How many failures were too many to be kept.
    dropped: u64,
}

/// Failures that say the same but for numbers.
struct UnknownFailure {
    count: u64,
    what: String,
    /// Where they are in the program and in the log.
    places: Vec<[String; 2]>,
    /// How many more places there are.
    more: u64,
    /// That one of them failed first, where that is certain.
    first: String,
}

impl UnknownFailures {
    /// Returns how often they were seen.
    pub(super) fn count(&self) -> u64 {
        self.failures.iter().map(|f| f.count).sum::<u64>() + self.dropped
    }

    pub(super) fn add(&mut self, options: &ReportOptions, incident: &Incident) {
        let what = said(&incident.root);
        let key = key(&what);
        let at = match self.by_key.get(&key) {
            Some(at) => *at,
            None if self.failures.len() >= MAX_KEPT => {
                self.dropped += incident.seen.count;
                return;
            }
            None => {
                self.by_key.insert(key, self.failures.len());
                self.failures.push(UnknownFailure {
                    count: 0,
                    what,
                    places: Vec::new(),
                    more: 0,
                    first: String::new(),
                });
                self.failures.len() - 1
            }
        };
        self.failures[at].add(options, incident);
    }

    /// Puts what failed first before what was seen most often.
    pub(super) fn sort(&mut self) {
        self.failures
            .sort_by_key(|f| (f.first.is_empty(), Reverse(f.count)));
    }

    /// Returns a list of them.
    pub(super) fn lines(&self, options: &ReportOptions) -> Vec<StyledLine> {
        if self.failures.is_empty() {
            return Vec::new();
        }
        let mut block = block(options);
        block.heading("Failures that no rule knows, each where it came first");
        block.blank();
        let shown = &self.failures[..self.failures.len().min(options.limit)];
        let widest = shown
            .iter()
            .map(|f| Number(f.count).to_string().len())
            .max();
        for failure in shown {
            let count = format!("{:>1$}", times(failure.count), widest.unwrap_or(0) + 1);
            let more = match failure.more {
                0 => String::new(),
                more => format!("and {} more", Number(more)),
            };
            let fits = |text: &String| text.width() <= block.text_width();
            let places = failure.places.iter().flat_map(|[place, log]| {
                match [place.as_str(), log].join("   ") {
                    one if fits(&one) => vec![one.trim_start().to_owned()],
                    _ => vec![place.clone(), log.clone()],
                }
            });
            let below: Vec<String> = places.chain([more, failure.first.clone()]).collect();
            block.entry(&count, &failure.what, &below);
        }
        let left = self.failures.len() - shown.len();
        if self.dropped > 0 {
            block.words("", "and many more; `--format jsonl --unknown` lists all");
        } else if left > 0 {
            let (left, all) = (Number(left as u64), self.failures.len());
            block.words("", &format!("and {left} more; `--limit {all}` shows all"));
        }
        block.lines
    }
}

impl UnknownFailure {
    fn add(&mut self, options: &ReportOptions, incident: &Incident) {
        self.count += incident.seen.count;
        if incident.victims > 0 {
            self.first = format!("failed first; {} of it", died(incident.victims));
        }
        if self.places.len() >= MAX_PLACES {
            self.more += 1;
            return;
        }
        let facts = &incident.root.facts;
        let folder = options.annotator.folder.as_deref();
        let frame = facts.user_frame.as_ref();
        let place = frame.map(|frame| location(frame, folder));
        let rank = facts.rank.map(|rank| format!(" (rank {rank})"));
        let log = format!("{}{}", log_place(incident), rank.unwrap_or_default());
        self.places.push([place.unwrap_or_default(), log]);
    }
}

/// Returns what failures have in common that say the same: their words without numbers and addresses.
fn key(what: &str) -> String {
    let mut key = String::new();
    for c in what.chars().take(MAX_KEY) {
        match c {
            // Letters too: an address is `0x7f5b…`.
            '0'..='9' | 'a'..='f' | 'x' if key.ends_with('#') => {}
            '0'..='9' => key.push('#'),
            c => key.push(c),
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn numbers_and_addresses_do_not_count() {
        let a = key("ValueError: shape (3, 224) of <A object at 0x7f5b3c83>");
        assert_eq!(a, key("ValueError: shape (16, 7) of <A object at 0x55d1>"));
        assert_ne!(a, key("ValueError: shape (3, 224) of <B object at 0x55d1>"));
    }
}
