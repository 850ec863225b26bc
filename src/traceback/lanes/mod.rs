//! Lines to lanes: which writer a line is from, and when its traceback closes.
//!
//! A lane is told by its prefix, which is learned from the head and the next lines. Lanes without
//! a prefix are told apart by what can follow what. A closing line decides by its first byte
//! whether the annotation goes before it ([`Lanes::begin_line`]) or is settled when the line is
//! complete ([`Lanes::line`]), so that the output does not depend on how the input was cut.
//!
//! - [`reader`]: one line on its way to its lane; [`start`]: what a line starts that no lane takes;
//! - [`prefixed`]: the prefix that such a line bears; [`held`]: records of several lines;
//! - [`records`]: what no traceback takes and a rule may know; [`wrapped`]: the same in several pieces.

mod held;
mod prefixed;
mod reader;
mod records;
mod start;
#[cfg(test)]
mod tests;
mod wrapped;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::time::Duration;

use super::assembler::{Assembler, MessageGrammar, State};
use super::line::prefix::Prefix;
use super::line::table::{Table, copied_row, event_of_aws};
use super::line::text::Clean;
use super::{Evidence, Span, Traceback};
use crate::history::HISTORY_BYTES;
use crate::line::RawLine;
use held::{Held, Holder};
use reader::LaneReader;
use wrapped::Begun;

/// The most lanes that are kept, idle ones included.
const MAX_LANES: usize = 1024;
/// The most heads without prefix that wait for their first frame: writers that began at the same
/// moment. One that is given up had nothing to tell.
const MAX_BARE_HEADS: usize = 8;
/// The most bytes that all open tracebacks hold together, roughly.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// How long a pending traceback waits while other lanes write.
const PATIENCE_LINES: u64 = 200;
const PATIENCE_BYTES: u64 = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(1);
/// How many lines above a head may say something about it.
pub const LINES_ABOVE: usize = 8;
/// How many lines are remembered: a test's report stands above its final line.
pub const RECENT_LINES: usize = 512;
/// How far above it they may start, in bytes: no more than that is kept of what was passed.
const RECENT_BYTES: u64 = HISTORY_BYTES as u64;
/// How much of such a line is kept, in bytes.
const MAX_RECENT_BYTES: usize = 4096;
/// How much memory of such a line the next one takes over, in bytes.
const MAX_SPARE_BYTES: usize = 256;
/// How many lines a head with text before it waits for the line that explains that text.
const UNDECIDED_LINES: u32 = 32;

/// What the lanes are done with.
#[derive(Debug)]
pub enum Completed {
    /// A complete traceback.
    Traceback(Traceback),
    /// A line that no traceback took and some rule may know: text without prefix and colours.
    Line(Traceback),
    /// The same of several lines, which may be pieces of one, unless the last of them is known by itself.
    Wrapped {
        /// All of it.
        line: Traceback,
        /// The length of the last piece, in bytes.
        last: usize,
    },
}

/// All lanes of a stream.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    #[expect(
        clippy::vec_box,
        reason = "lanes close in front of many others, which then move"
    )]
    open: Vec<Box<Lane>>,
    /// Whether a lane without a prefix, or with one that is still to be settled, may be among them.
    may_be_plain: bool,
    /// Prefixes that were learned, without an open traceback; the newest last.
    learned: VecDeque<Prefix>,
    recent: VecDeque<Recent>,
    /// The text of a line that was forgotten: its memory is the next one's.
    spare: String,
    /// What holds a traceback's lines, one in a line of its own, up to the line before.
    holder: Option<Holder>,
    /// Whether the line before was a traceback's in a record.
    is_recorded: bool,
    /// The table that the input is, each row of which holds a line.
    table: Option<Table>,
    /// Up to here no lane has waited for too long. Lanes that go on or begin only wait longer.
    due: Option<Due>,
    /// The last line that is a frame behind a prefix.
    record: u64,
    /// The last line that a traceback has or that some rule knows.
    bound: u64,
    /// The last line, if the next one may be the rest of it.
    begun: Option<Begun>,
    /// Counts the lines that were read.
    clock: u64,
    /// How many texts this one is within: one line may hold a text whose lines hold others.
    depth: u8,
}

/// A point of the stream: a line, an offset, a time.
#[derive(Clone, Debug)]
struct Due {
    line: u64,
    offset: u64,
    time: Duration,
}

#[derive(Clone, Debug)]
struct Lane {
    prefix: Prefix,
    /// The text before the head, until a further line tells whether it is a prefix.
    undecided: Option<Undecided>,
    /// What stands between its prefix and the head, if it looks like one, until the next line tells.
    inner: Option<Prefix>,
    /// What stands before the message in the record that it began with.
    words: Option<String>,
    assembler: Assembler,
    last_line: u64,
    last_offset: u64,
    last_time: Duration,
    /// Order of the last touch.
    touched: u64,
}

#[derive(Clone, Debug)]
struct Undecided {
    before: String,
    lines: u32,
}

#[derive(Clone, Debug)]
struct Recent {
    text: String,
    span: Span,
    used: bool,
}

impl Recent {
    /// Returns the line without a prefix, if it bears that.
    fn behind(&self, prefix: &Prefix) -> &str {
        prefix.strip(&self.text).unwrap_or(&self.text)
    }
}

impl Lanes {
    /// Returns those of a text that is `depth` texts deep in lines of others.
    pub(super) fn within(depth: u8) -> Self {
        Self {
            depth,
            ..Self::default()
        }
    }

    /// Returns whether nothing is open or pending.
    pub fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the offset of the first line of what is open or pending.
    pub fn open_from(&self) -> Option<u64> {
        self.open.iter().map(|l| l.assembler.start()).min()
    }

    /// Returns whether something is pending, so that quiet matters.
    pub fn is_pending(&self) -> bool {
        self.open.iter().any(|l| l.assembler.ends_with_quiet())
    }

    /// Returns whether an annotation may stand between the line before and the next one.
    pub fn may_annotate(&self) -> bool {
        !self.open.iter().any(|l| l.assembler.mid_entry())
    }

    /// Returns whether the lane that was touched last stands inside a frame entry.
    pub fn last_line_is_entry(&self) -> bool {
        self.open
            .iter()
            .max_by_key(|l| l.touched)
            .is_some_and(|l| l.touched == self.clock && l.assembler.mid_entry())
    }

    /// Forgets the lines above: all that matter are about to be remembered.
    pub fn forget_recent(&mut self) {
        self.recent.clear();
    }

    /// Looks at the first line of the input, which may tell what the others are.
    pub fn see_first(&mut self, line: &[u8]) {
        self.table = Table::headed_by(line);
    }

    /// Remembers a line that stood above a head, without reading it.
    pub fn remember(&mut self, line: RawLine<'_>) {
        let is_known = |r: &Recent| r.span.line >= line.number && r.span.offset >= line.offset;
        if self.recent.back().is_some_and(is_known) {
            return;
        }
        let text = self.text_of(line);
        self.push_recent(&Clean::of(&text).text, span_of(line));
    }

    /// Returns the line of the log that a line is or, as a row of a table, holds.
    #[inline]
    fn text_of<'l>(&mut self, line: RawLine<'l>) -> Cow<'l, [u8]> {
        let is_row = self.table.is_some() || matches!(line.bytes.first(), Some(b'E' | b'|'));
        let text = is_row.then(|| self.cell_of(line)).flatten();
        text.unwrap_or(line.bytes.into())
    }

    fn cell_of<'l>(&mut self, line: RawLine<'l>) -> Option<Cow<'l, [u8]>> {
        let table = self.table.as_mut();
        let cell = table.and_then(|table| table.text(line.bytes, line.number));
        let of_aws = || event_of_aws(line.bytes).or_else(|| copied_row(line.bytes));
        cell.or_else(|| of_aws().map(Cow::Borrowed))
    }

    /// Takes note that a line begins, whole or not; closes what its first byte (`None`: an empty line)
    /// cannot continue. What is closed stands before the line.
    pub fn begin_line(
        &mut self,
        first: Option<u8>,
        more: &dyn MessageGrammar,
        completed: &mut Vec<Completed>,
    ) {
        // The rest of the record stands between two lines of what it holds; a row begins with anything.
        if !self.has_plain() || self.is_in_record() || self.table.is_some() {
            return;
        }
        if !first.is_some_and(|b| self.prefix_may_start_with(b)) {
            self.close_where(|lane| lane.is_closed_by(first, more), completed);
        }
    }

    /// Returns whether a lane without a prefix, or with one that is still to be settled, is open.
    fn has_plain(&mut self) -> bool {
        self.may_be_plain = self.may_be_plain && self.open.iter().any(|lane| lane.is_plain());
        self.may_be_plain
    }

    fn prefix_may_start_with(&self, byte: u8) -> bool {
        self.open.iter().any(|l| l.prefix.starts_with_byte(byte))
    }

    /// Reads a complete line. What is closed stands after the line, but for what it starts itself.
    ///
    /// [`Lanes::begin_line`] must have been called for it.
    pub fn line(
        &mut self,
        line: RawLine<'_>,
        now: Duration,
        more: &dyn MessageGrammar,
        completed: &mut Vec<Completed>,
    ) {
        let text = self.text_of(line);
        let clean = Clean::below(&text, self.is_recorded);
        self.is_recorded = clean.is_recorded;
        self.clock += 1;
        self.forget_far(line.offset);
        self.expire(line.number, line.offset, now, completed);
        let was_held = self.holder.is_some();
        let held = self.held(&clean.text);
        if was_held && self.holder.is_none() {
            self.quiet(completed);
        }
        let mut read = |clean: &Clean<'_>| {
            let mut reader = LaneReader {
                lanes: self,
                clean,
                line,
                now,
                more,
            };
            reader.read(completed);
        };
        match &held {
            Held::Nothing => read(&clean),
            Held::Lines(lines) => lines
                .lines()
                .for_each(|text| read(&Clean::of(text.as_bytes()))),
            Held::Rest => {}
        }
        match &held {
            Held::Lines(text) if self.is_in_record() => {
                self.push_recent(text.trim_end(), span_of(line));
            }
            Held::Rest => {}
            Held::Lines(_) | Held::Nothing => self.push_recent(&clean.text, span_of(line)),
        }
        self.bound(line.number, completed);
    }

    /// Closes what has waited long enough while other lanes wrote.
    pub fn expire(
        &mut self,
        number: u64,
        offset: u64,
        now: Duration,
        completed: &mut Vec<Completed>,
    ) {
        let is_early = |due: &Due| number <= due.line && offset <= due.offset && now <= due.time;
        if self.due.as_ref().is_some_and(is_early) {
            return;
        }
        // Many writers that take turns leave many lines between two of one.
        let patience = PATIENCE_LINES.max(4 * self.open.len() as u64);
        let has_waited = |lane: &Lane| {
            let lines = number.saturating_sub(lane.last_line);
            let bytes = offset.saturating_sub(lane.last_offset);
            let is_late = || now.saturating_sub(lane.last_time) > PATIENCE;
            lines > patience
                || bytes > PATIENCE_BYTES
                || lane.assembler.state() == State::Pending && is_late()
        };
        self.close_where(has_waited, completed);
        let last = |of: fn(&Lane) -> u64| {
            let all = self.open.iter().map(|lane| of(lane));
            all.min().unwrap_or(u64::MAX)
        };
        self.due = self.open.iter().map(|l| l.last_time).min().map(|time| Due {
            line: last(|l| l.last_line) + patience,
            offset: last(|l| l.last_offset) + PATIENCE_BYTES,
            time: time + PATIENCE,
        });
    }

    /// Closes what is pending: nothing was readable for a while.
    pub fn quiet(&mut self, completed: &mut Vec<Completed>) {
        self.close_where(|lane| lane.assembler.ends_with_quiet(), completed);
    }

    /// Closes everything: the input has ended.
    pub fn finish(&mut self, completed: &mut Vec<Completed>) {
        while !self.open.is_empty() {
            self.close(0, completed);
        }
        self.recent.clear();
        self.holder = None;
        self.is_recorded = false;
        self.table = None;
        self.due = None;
        self.bound = 0;
        self.begun = None;
        self.learned.clear();
    }

    fn close_where(&mut self, is_over: impl Fn(&Lane) -> bool, completed: &mut Vec<Completed>) {
        let mut at = 0;
        while at < self.open.len() {
            if is_over(&self.open[at]) {
                self.close(at, completed);
            } else {
                at += 1;
            }
        }
    }

    fn close(&mut self, at: usize, completed: &mut Vec<Completed>) {
        let lane = self.open.remove(at);
        let undecided = lane.undecided.is_some();
        let is_lasting = !lane.prefix.is_empty() && !lane.prefix.is_number() && !undecided;
        if is_lasting && !self.learned.contains(&lane.prefix) {
            if self.learned.len() >= MAX_LANES {
                self.learned.pop_front();
            }
            self.learned.push_back(lane.prefix.clone());
        }
        if let Some(mut traceback) = lane.assembler.finish() {
            if !lane.prefix.is_empty() && !undecided {
                traceback.prefix = Some(lane.prefix.as_printed.clone());
            }
            let is_record = traceback.evidence == Evidence::Line;
            completed.push(match lane.words.filter(|_| is_record) {
                Some(words) => Completed::Line(records::recorded(traceback, &words)),
                None => Completed::Traceback(traceback),
            });
        }
    }

    /// Keeps the promise that memory does not grow: gives up the oldest.
    fn bound(&mut self, line: u64, completed: &mut Vec<Completed>) {
        // Few lanes cannot hold so much, and one line adds little: now and then is enough.
        let is_due = line.is_multiple_of(64) || self.open.len() > MAX_LANES;
        if self.open.len() < 64 || !is_due {
            return;
        }
        let weight =
            |open: &[Box<Lane>]| -> usize { open.iter().map(|l| l.assembler.weight()).sum() };
        while self.open.len() > MAX_LANES || weight(&self.open) > MAX_BYTES {
            let all = 0..self.open.len();
            let oldest = all.min_by_key(|&i| self.open[i].touched);
            self.close(oldest.unwrap_or(0), completed);
        }
    }

    /// Takes a new lane in.
    fn open(&mut self, lane: Lane) {
        let is_bare = |lane: &Lane| lane.prefix.is_empty() && lane.assembler.is_bare_head();
        if is_bare(&lane) {
            let mut bare = (0..self.open.len()).filter(|at| is_bare(&self.open[*at]));
            if let Some(oldest) = bare.next().filter(|_| bare.count() + 1 >= MAX_BARE_HEADS) {
                self.open.remove(oldest);
            }
        }
        self.may_be_plain |= lane.is_plain();
        self.open.push(Box::new(lane));
    }

    /// Forgets the lines that end up too far above what comes, however they were read.
    fn forget_far(&mut self, offset: u64) {
        let is_far = |recent: &Recent| recent.span.offset + RECENT_BYTES < offset;
        while self.recent.front().is_some_and(is_far) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(oldest) = self.recent.pop_front() {
            self.spare = oldest.text;
        }
    }

    fn push_recent(&mut self, text: &str, span: Span) {
        if self.recent.len() >= RECENT_LINES {
            self.forget_oldest();
        }
        let mut kept = std::mem::take(&mut self.spare);
        kept.clear();
        kept.shrink_to(MAX_SPARE_BYTES);
        kept.push_str(super::line::text::clip(text, MAX_RECENT_BYTES));
        self.recent.push_back(Recent {
            text: kept,
            span,
            used: false,
        });
    }
}

fn span_of(line: RawLine<'_>) -> Span {
    Span {
        line: line.number,
        end_line: line.number,
        offset: line.offset,
        end_offset: line.end_offset,
    }
}
