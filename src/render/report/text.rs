//! The report that people read: a block for each incident, a line for each failure that no rule
//! knows, and a last line that sums up.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Counts, Number, ReadTotals, ReportOptions, log_place, summary};
use crate::incident::{Consequence, Incident, Location, RankSet};
use crate::render::annotation::{died, on_ranks, said};
use crate::render::block::Block;
use crate::render::card::Card;
use crate::render::paint::{linked, paint_lines};
use crate::render::place::location;
use crate::render::visible::visible;

/// The most unknown failures that are listed.
const MAX_UNKNOWN: usize = 100;
/// The most kinds of consequences that are named.
const MAX_CONSEQUENCES: usize = 3;

/// What is written at the end.
#[derive(Default)]
pub(super) struct TextReport {
    unknown: Vec<Unknown>,
    /// Whether something stands above.
    is_begun: bool,
}

/// A failure that no rule knows.
struct Unknown {
    count: u64,
    what: String,
    place: String,
    seen: String,
    /// That it failed first, where that is certain.
    first: String,
}

/// Writes a block, or keeps a line for the end.
pub(super) fn incident(
    state: &mut TextReport,
    options: &ReportOptions,
    incident: &Incident,
    out: &mut impl Write,
) -> io::Result<()> {
    if options.summary {
        return Ok(());
    }
    let root = &incident.root;
    let Some(card) = Card::new(root, options.annotator.folder.as_deref()) else {
        if state.unknown.len() < MAX_UNKNOWN {
            state.unknown.push(Unknown::of(incident));
        }
        return Ok(());
    };
    if state.is_begun {
        writeln!(out)?;
    }
    state.is_begun = true;
    let mut block = Block::new(options.annotator.width, options.annotator.glyphs);
    block.mark = card.mark;
    block.headline(&card.kind, &card.words(), &card.id);
    block.blank();
    let place = log_place(incident);
    block.unwrapped("log", &place);
    let log = block.lines.len() - 1;
    // One rank alone is named where it happened.
    if incident.seen.count > 1 {
        block.words("seen", &seen(incident));
    }
    if let Some(text) = consequences(incident) {
        block.words("then", &text);
    }
    options.annotator.rows(&card, &mut block);
    let (above, rest) = block.lines.split_at(log);
    out.write_all(&paint_lines(above, options.annotator.colour))?;
    let line = paint_lines(&rest[..1], options.annotator.colour);
    let target = options.links.as_ref().zip(incident.seen.file.as_deref());
    match target {
        Some((folder, file)) => out.write_all(&linked(&line, &place, &folder.join(file)))?,
        None => out.write_all(&line)?,
    }
    out.write_all(&paint_lines(&rest[1..], options.annotator.colour))
}

/// Says how often and where a failure was seen: `4 times (ranks 0–3), in 4 files`.
fn seen(incident: &Incident) -> String {
    let mut text = format!("{} times", Number(incident.seen.count));
    text += &on_ranks(&incident.seen.ranks);
    if incident.seen.files > 1 {
        let _ = write!(text, ", in {} files", Number(incident.seen.files));
    } else if incident.seen.last_line > incident.seen.first_line {
        let _ = write!(text, ", last in line {}", incident.seen.last_line);
    }
    text
}

/// Names what followed: `led to worker-exited, 3 times (ranks 0–2), first at rank_0.log:302`.
fn consequences(incident: &Incident) -> Option<String> {
    let mut kinds: Vec<Kind> = Vec::new();
    for consequence in &incident.consequences {
        let index = kinds.iter().position(|k| k.first.id == consequence.id);
        let index = index.unwrap_or_else(|| {
            kinds.push(Kind {
                first: consequence,
                count: 0,
                ranks: RankSet::default(),
            });
            kinds.len() - 1
        });
        kinds[index].count += consequence.count;
        consequence
            .first
            .rank
            .into_iter()
            .for_each(|rank| kinds[index].ranks.insert(rank));
    }
    let named = kinds.iter().take(MAX_CONSEQUENCES).map(Kind::words);
    let mut named: Vec<String> = named.collect();
    let more = kinds.len().saturating_sub(MAX_CONSEQUENCES);
    if more > 0 {
        named.push(format!("{more} more kinds"));
    }
    (!named.is_empty()).then(|| format!("led to {}", named.join("; ")))
}

/// Consequences of one rule.
struct Kind<'a> {
    first: &'a Consequence<'a>,
    count: u64,
    ranks: RankSet,
}

impl Kind<'_> {
    fn words(&self) -> String {
        let Consequence {
            id,
            first: Location { file, line, .. },
            ..
        } = self.first;
        let (times, first) = match self.count {
            1 => (String::new(), ""),
            count => (format!(", {} times", Number(count)), "first "),
        };
        let ranks = on_ranks(&self.ranks);
        let file = file.as_deref().unwrap_or("-");
        format!("{id}{times}{ranks}, {first}at {file}:{line}")
    }
}

impl Unknown {
    fn of(incident: &Incident) -> Self {
        let facts = &incident.root.facts;
        let first = match incident.victims {
            0 => String::new(),
            victims => format!("failed first; {} of it", died(victims)),
        };
        let rank = facts.rank.map(|rank| format!(" (rank {rank})"));
        Self {
            count: incident.seen.count,
            what: said(&incident.root),
            first,
            place: facts
                .user_frame
                .as_ref()
                .map(|frame| location(frame, None))
                .unwrap_or_default(),
            seen: format!("{}{}", log_place(incident), rank.unwrap_or_default()),
        }
    }
}

/// Writes the failures that no rule knows, and the last line.
pub(super) fn end(
    state: &TextReport,
    options: &ReportOptions,
    counts: Counts,
    read: ReadTotals,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut block = Block::new(options.annotator.width, options.annotator.glyphs);
    if !state.unknown.is_empty() {
        if state.is_begun {
            writeln!(out)?;
        }
        block.heading("Failures that no rule knows, each where it came first");
        block.blank();
        let widest = state
            .unknown
            .iter()
            .map(|u| Number(u.count).to_string().len())
            .max();
        for unknown in &state.unknown {
            let count = format!(
                "{:>1$}×",
                Number(unknown.count).to_string(),
                widest.unwrap_or(0)
            );
            block.entry(
                &count,
                &unknown.what,
                &[&unknown.place, &unknown.seen, &unknown.first],
            );
        }
        let more = counts.unknown - state.unknown.len() as u64;
        if more > 0 {
            block.words("", &format!("and {} more", Number(more)));
        }
        out.write_all(&paint_lines(&block.lines, options.annotator.colour))?;
    }
    if state.is_begun || !state.unknown.is_empty() {
        writeln!(out)?;
    }
    let text = visible(&summary(counts, read), options.annotator.glyphs);
    writeln!(out, "{text}")
}
