//! The failures that a rule knows: what is said of the first, and where the others are.

use std::fmt::Write as _;
use std::sync::Arc;

use super::table::TableRow;
use super::{Count, MAX_KEPT, Number, ReportOptions, block};
use crate::incident::{Consequence, Incident, Location, Occurrences, RankSet};
use crate::render::annotation::on_ranks;
use crate::render::block::{Block, Mark, StyledLine};
use crate::render::card::Card;
use crate::render::paint::{linked, paint_lines};
use crate::render::report::{log_place, place};

/// The most places of a failure that are named, besides the first.
const MAX_ALSO: usize = 5;
/// The most other logs of a failure that are named.
const MAX_LOGS: usize = 3;
/// The most kinds of consequences that are named.
const MAX_CONSEQUENCES: usize = 3;
/// The most kinds of consequences that are kept.
const MAX_KINDS: usize = 16;

/// All of them, each rule and title once.
#[derive(Default)]
pub(super) struct KnownFailures {
    failures: Vec<KnownFailure>,
}

/// The failures of a rule that bear one title: another title has another cause.
pub(super) struct KnownFailure {
    /// What is said of the first.
    card: Card,
    /// How often they were seen.
    count: u64,
    /// How many there are, each at a place of its own.
    failures: u64,
    /// The first line of the program.
    place: String,
    /// The first line of the log.
    log: String,
    file: Option<Arc<str>>,
    /// How often and where the first was seen.
    seen: Option<String>,
    kinds: Vec<ConsequenceKind>,
    /// Where others are in the program and in the log.
    also: Vec<[String; 2]>,
}

/// Whether the rule's fix stands above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    First,
    Again,
}

impl KnownFailures {
    pub(super) fn len(&self) -> usize {
        self.failures.len()
    }

    /// Returns whether there is a failure of the same rule and title.
    pub(super) fn has(&self, failure: &KnownFailure) -> bool {
        self.failures.iter().any(|f| f.is_same(failure))
    }

    /// Adds a failure to those of its rule and title.
    pub(super) fn add(&mut self, failure: KnownFailure) {
        let has_room = self.failures.len() < MAX_KEPT;
        let mut all = self.failures.iter_mut();
        if let Some(first) = all.find(|f| f.is_same(&failure)) {
            first.add(failure);
        } else if has_room {
            self.failures.push(failure);
        }
    }

    /// Puts errors first, and what was seen most often.
    pub(super) fn sort(&mut self) {
        let rank = |failure: &KnownFailure| match failure.card.mark {
            Mark::Error => 0,
            Mark::Warning => 1,
            Mark::Quiet => 2,
        };
        self.failures
            .sort_by_key(|f| (rank(f), std::cmp::Reverse(f.count)));
    }

    /// Returns the first ones.
    pub(super) fn first(&self, limit: usize) -> impl Iterator<Item = &KnownFailure> {
        self.failures.iter().take(limit)
    }

    /// Returns how often those behind the first ones were seen.
    pub(super) fn left_count(&self, limit: usize) -> u64 {
        self.failures.iter().skip(limit).map(|f| f.count).sum()
    }

    /// Names what was left out.
    pub(super) fn left_out(&self, options: &ReportOptions) -> Vec<StyledLine> {
        let left = self.failures.iter().skip(options.limit);
        let ids: Vec<&str> = left.map(|failure| failure.card.id.as_str()).collect();
        if ids.is_empty() {
            return Vec::new();
        }
        let mut block = block(options);
        block.paragraph(&format!(
            "{}, seen {}, {} left out here; `--limit {}` shows all: {}",
            Count(ids.len() as u64, "more failure"),
            Count(self.left_count(options.limit), "time"),
            if ids.len() == 1 { "is" } else { "are" },
            self.failures.len(),
            ids.join(", "),
        ));
        block.lines
    }
}

impl KnownFailure {
    /// Reads an incident; `None` if no rule knows it.
    pub(super) fn new(options: &ReportOptions, incident: &Incident) -> Option<Self> {
        let folder = options.annotator.folder.as_deref();
        let card = Card::new(&incident.root, folder)?;
        let seen = &incident.seen;
        Some(Self {
            card,
            count: seen.count,
            failures: 1,
            place: place(incident, folder),
            log: log_place(incident),
            file: seen.file.clone(),
            // One rank alone is named where it happened.
            seen: (seen.count > 1).then(|| times(seen)),
            kinds: kinds(&incident.consequences),
            also: Vec::new(),
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.card.id, &self.card.title) == (&other.card.id, &other.card.title)
    }

    /// Adds one of the same rule and title.
    fn add(&mut self, other: Self) {
        let times = match other.count {
            1 => String::new(),
            count => format!(", {} times", Number(count)),
        };
        if self.also.len() < MAX_ALSO {
            self.also.push([other.place, other.log + &times]);
        }
        self.count += other.count;
        self.failures += other.failures;
        for kind in other.kinds {
            let has_room = self.kinds.len() < MAX_KINDS;
            if let Some(same) = self.kinds.iter_mut().find(|k| k.id == kind.id) {
                same.count += kind.count;
                // Ranks of another job are others.
                same.ranks = RankSet::default();
            } else if has_room {
                self.kinds.push(kind);
            }
        }
    }

    /// Returns its row in the table.
    pub(super) fn row(&self) -> TableRow {
        TableRow {
            count: self.count,
            mark: self.card.mark,
            name: self.card.id.clone(),
            title: format!("{}{}", self.card.kind, self.card.title),
            place: self.place.clone(),
            log: self.log.clone(),
        }
    }

    /// Draws it with its places.
    pub(super) fn draw(&self, options: &ReportOptions, repeat: Repeat) -> Vec<u8> {
        let annotator = &options.annotator;
        let mut block = block(options);
        block.mark = self.card.mark;
        block.headline(&self.card.kind, &self.card.words(), &self.card.id);
        block.blank();
        block.unwrapped("log", &self.log);
        let log = block.lines.len() - 1;
        self.seen(options, &mut block);
        if let Some(text) = consequences(&self.kinds) {
            block.words("then", &text);
        }
        match repeat {
            Repeat::First => annotator.rows(&self.card, &mut block),
            Repeat::Again => self.card.again(&mut block),
        }
        let (above, rest) = block.lines.split_at(log);
        let line = paint_lines(&rest[..1], annotator.colour);
        let folder = annotator.folder.as_ref().filter(|_| annotator.links);
        let line = match folder.zip(self.file.as_deref()) {
            Some((folder, file)) => linked(&line, &self.log, &folder.join(file)),
            None => line,
        };
        [
            paint_lines(above, annotator.colour),
            line,
            paint_lines(&rest[1..], annotator.colour),
        ]
        .concat()
    }

    /// Says how often it was seen, and where else.
    fn seen(&self, options: &ReportOptions, block: &mut Block) {
        let times = Number(self.count);
        match &self.seen {
            _ if self.failures > 1 && options.section.is_none() => {
                let places = Count(self.failures, "place");
                block.words("seen", &format!("{times} times, at {places}; the others:"));
                block.pairs(&self.also);
                let more = self.failures - 1 - self.also.len() as u64;
                if more > 0 {
                    block.words("", &format!("and {} more", Number(more)));
                }
            }
            _ if self.failures > 1 => block.words("seen", &format!("{times} times")),
            Some(seen) => block.words("seen", seen),
            None => {}
        }
    }
}

/// Says how often and where a failure was seen: `4 times (ranks 0–3), in 4 files`.
fn times(seen: &Occurrences) -> String {
    let mut text = format!("{} times", Number(seen.count));
    text += &on_ranks(&seen.ranks);
    if seen.files > 1 {
        let _ = write!(text, ", in {} files", Number(seen.files));
        let others = seen.repeats.iter().filter(|_| seen.ranks.is_empty());
        let others = others.filter_map(|at| Some(format!("{}:{}", at.file.as_deref()?, at.line)));
        let mut others: Vec<String> = others.take(MAX_LOGS).collect();
        if !others.is_empty() {
            if seen.files > others.len() as u64 + 1 {
                others.push("…".to_owned());
            }
            let _ = write!(text, ": also {}", others.join(", "));
        }
    } else if seen.last_line > seen.first_line {
        let _ = write!(text, ", last in line {}", seen.last_line);
    }
    text
}

/// Consequences of one rule.
struct ConsequenceKind {
    id: String,
    count: u64,
    ranks: RankSet,
    /// The first one's place in the log.
    log: String,
}

/// Sorts consequences by their rules.
fn kinds(consequences: &[Consequence]) -> Vec<ConsequenceKind> {
    let mut kinds: Vec<ConsequenceKind> = Vec::new();
    for consequence in consequences {
        let Location { file, line, .. } = &consequence.first;
        let at = kinds.iter().position(|kind| kind.id == consequence.id);
        let at = at.unwrap_or_else(|| {
            kinds.push(ConsequenceKind {
                id: consequence.id.to_owned(),
                count: 0,
                ranks: RankSet::default(),
                log: format!("{}:{line}", file.as_deref().unwrap_or("-")),
            });
            kinds.len() - 1
        });
        kinds[at].count += consequence.count;
        let rank = consequence.first.rank.into_iter();
        rank.for_each(|rank| kinds[at].ranks.insert(rank));
    }
    kinds.truncate(MAX_KINDS);
    kinds
}

/// Names what followed: `led to worker-exited, 3 times (ranks 0–2), first at rank_0.log:302`.
fn consequences(kinds: &[ConsequenceKind]) -> Option<String> {
    let named = kinds
        .iter()
        .take(MAX_CONSEQUENCES)
        .map(ConsequenceKind::words);
    let mut named: Vec<String> = named.collect();
    let more = kinds.len().saturating_sub(MAX_CONSEQUENCES);
    if more > 0 {
        named.push(format!("{more} more kinds"));
    }
    (!named.is_empty()).then(|| format!("led to {}", named.join("; ")))
}

impl ConsequenceKind {
    fn words(&self) -> String {
        let (times, first) = match self.count {
            1 => (String::new(), ""),
            count => (format!(", {} times", Number(count)), "first "),
        };
        let ranks = on_ranks(&self.ranks);
        format!("{}{times}{ranks}, {first}at {}", self.id, self.log)
    }
}
