//! A line of a log that a terminal, a page or a mail wrapped: its pieces are lines, and the words that a rule
//! looks for may stand in two of them.
//!
//! ```text
//! [rank1]:[E514 09:12:44.101 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught co
//! llective operation timeout: WorkNCCL(SeqNum=812, OpType=ALLREDUCE, Timeout(ms)=6
//! 00000) ran for 600012 milliseconds before timing out.
//! ```
//! No line around is wider than a piece that goes on, and only the first one bears what a logger writes in front.

use super::reader::LaneReader;
use super::records::log_line;
use super::{Completed, LINES_ABOVE, Lanes, Recent, Span, span_of};
use crate::traceback::line::prefix::Prefix;
use crate::traceback::line::told::logged_len;

/// No terminal or page is narrower, in characters.
const LEAST_WIDTH: usize = 48;
/// The most pieces of one line.
const MOST_PIECES: usize = 6;

/// The last piece so far of a line that the gate wants and that may go on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    /// The number of the line that it is.
    line: u64,
    /// How many pieces there are, from the one on that the gate wants.
    pieces: usize,
}

/// Pieces from one line on: as they were broken anywhere, and as they were broken between words.
struct Joined {
    texts: [String; 2],
    at: Span,
    pieces: usize,
}

impl Lanes {
    /// Returns whether the line that comes next may be the rest of the one above.
    pub fn awaits_rest(&self) -> bool {
        self.begun.is_some_and(|begun| {
            let last = self.recent.back();
            begun.line > self.bound && last.is_some_and(|recent| recent.span.line == begun.line)
        })
    }

    /// Takes note that what the last line is, is known: it is no piece of another.
    pub fn bind_last(&mut self) {
        self.bound = self.recent.back().map_or(0, |recent| recent.span.line);
    }
}

impl LaneReader<'_, '_> {
    /// Joins a line to those above that it may be the rest of, where some rule may know the whole.
    pub(super) fn rejoin(&mut self, text: &str, prefix: &Prefix, completed: &mut Vec<Completed>) {
        // A text within a record has lines of its own.
        if self.lanes.depth > 0 {
            return;
        }
        let text = text.trim_end();
        let joined = self.joined(text, prefix);
        self.begin(text, joined.is_some());
        let Some(joined) = joined else { return };
        for whole in &joined.texts {
            if self.more.may_know(whole) {
                let (own, whole) = self
                    .learned_prefix(whole)
                    .unwrap_or((prefix.clone(), whole));
                let mut above = self.above(&own);
                above.truncate(above.len().saturating_sub(joined.pieces - 1));
                let line = log_line(whole, &own, above, joined.at);
                let last = text.len();
                completed.push(Completed::Wrapped { line, last });
            }
        }
    }

    /// Takes note of a line that may go on in the next one: one that the gate wants, or that goes on with such a one.
    fn begin(&mut self, text: &str, goes_on: bool) {
        let lanes = &mut *self.lanes;
        let before = lanes
            .begun
            .filter(|b| goes_on && b.line + 1 == self.line.number);
        let pieces = before.map_or(0, |begun| begun.pieces) + 1;
        let is_wanted = self.line.may_matter || (2..MOST_PIECES).contains(&pieces);
        let may_go_on = is_wanted && 2 * width(text) > lanes.width().max(LEAST_WIDTH);
        lanes.begun = may_go_on.then_some(Begun {
            line: self.line.number,
            pieces,
        });
    }

    /// Returns what a line is together with those above that it may be the rest of: up to the first line of a record,
    /// or to one that is not full.
    fn joined(&self, text: &str, prefix: &Prefix) -> Option<Joined> {
        let mut texts: Option<[String; 2]> = None;
        let (mut at, mut pieces) = (span_of(self.line), 1);
        let mut full = 0;
        let recent = &self.lanes.recent;
        for Recent {
            text: above, span, ..
        } in recent.iter().rev()
        {
            let is_above = span.line + 1 == at.line && span.line > self.lanes.bound;
            let piece = prefix.strip(above).filter(|_| is_above).map(str::trim_end);
            let Some(piece) = piece else { break };
            if full == 0 {
                full = self.lanes.width().max(width(text)).max(LEAST_WIDTH);
            }
            let so_far = texts.as_ref().map(|t| t.each_ref().map(String::as_str));
            let [broken, spaced] = so_far.unwrap_or([text, text]);
            let spaced = spaced.trim_start();
            let (len, word) = (width(piece), spaced.split(' ').next().unwrap_or_default());
            if 2 * len < full || len + width(word) < full || is_apart(piece, text) {
                break;
            }
            if pieces == MOST_PIECES {
                return None;
            }
            let is_broken = len == full || broken.starts_with(' ');
            let gap = if is_broken { "" } else { " " };
            texts = Some([format!("{piece}{gap}{broken}"), format!("{piece} {spaced}")]);
            pieces += 1;
            (at.line, at.offset) = (span.line, span.offset);
            if starts_record(piece) {
                break;
            }
        }
        texts.map(|texts| Joined { texts, at, pieces })
    }
}

impl Lanes {
    /// Returns how wide the lines above are.
    fn width(&self) -> usize {
        let above = self.recent.iter().rev().take(LINES_ABOVE);
        let widths = above.map(|Recent { text, .. }| width(text.trim_end()));
        widths.max().unwrap_or(0)
    }
}

/// Returns how many columns a text takes, about.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// Returns whether a line begins with what loggers and launchers write in front of each.
fn starts_record(text: &str) -> bool {
    Prefix::plain_len(text.trim_start()) > 0 || logged_len(text).is_some()
}

/// Returns whether a line is no part of the one above: empty, or a record like that. A text may go on with a bracket.
fn is_apart(above: &str, text: &str) -> bool {
    const BRACKETS: [char; 2] = ['[', '('];
    let bracket = text.chars().next().filter(|first| BRACKETS.contains(first));
    let is_like = bracket.is_none_or(|bracket| above.starts_with(bracket));
    // A rule or a bar is drawn over the whole width.
    let is_drawn = !above.contains(|c: char| c.is_alphabetic());
    is_drawn || is_like && starts_record(text)
}
