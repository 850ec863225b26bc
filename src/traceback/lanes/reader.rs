//! One line on its way to the lane that it fits.

use std::iter;
use std::time::Duration;

use super::{Completed, Lane, Lanes, UNDECIDED_LINES};
use crate::line::{RawLine, find};
use crate::traceback::Dialect;
use crate::traceback::assembler::{AssemblyStep, Decision, Fit, MessageGrammar, State};
use crate::traceback::grammar::exception::{exception_line, looks_named};
use crate::traceback::grammar::{self, cpython};
use crate::traceback::line::prefix::Prefix;
use crate::traceback::line::text::Clean;
use crate::traceback::line::told::exception_in;
use crate::traceback::part::{Line, Part};

/// How well a line fits a lane: by itself, by what another lane tells (1: it is what came next there; -1: another
/// line did), and by when the lane was touched.
type Ranking = (Fit, i8, u64);

/// A text, read once for lanes of one dialect.
struct Readings<'t> {
    text: &'t str,
    last: Option<(Dialect, Line<'t>)>,
}

impl<'t> Readings<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, last: None }
    }

    fn get(&mut self, dialect: Dialect) -> &Line<'t> {
        if self.last.as_ref().is_none_or(|(of, _)| *of != dialect) {
            self.last = None;
        }
        let read = || (dialect, Line::read(dialect, self.text));
        &self.last.get_or_insert_with(read).1
    }
}

/// One line on its way to its lane.
pub(super) struct LaneReader<'a, 'l> {
    pub(super) lanes: &'a mut Lanes,
    pub(super) clean: &'a Clean<'a>,
    pub(super) line: RawLine<'l>,
    pub(super) now: Duration,
    pub(super) more: &'a dyn MessageGrammar,
}

impl LaneReader<'_, '_> {
    pub(super) fn read(&mut self, completed: &mut Vec<Completed>) {
        let text: &str = &self.clean.text;
        let may_be_torn = text.starts_with(|c: char| c.is_ascii_alphabetic());
        if may_be_torn && let Some(at) = torn_type(text) {
            let (type_name, rest) = text.split_at(at);
            self.read_text(type_name, completed);
            self.read_text(rest, completed);
        } else {
            self.read_text(text, completed);
        }
    }

    fn read_text(&mut self, text: &str, completed: &mut Vec<Completed>) {
        let mut readings = Readings::of(text);
        if text.trim_end().is_empty() {
            self.read_blank(&mut readings);
        } else if let Some((at, rest)) = self.lane_by_prefix(text) {
            self.read_prefixed(at, rest, completed);
        } else if let Some((at, source)) = self.record_above(text) {
            self.read_prefixed(at, source, completed);
        } else {
            self.end_record(completed);
            if !self.lanes.has_plain() {
                self.start(text, None, completed);
            } else if !self.settle_undecided(&mut readings, completed) {
                self.read_plain(&mut readings, completed);
            }
        }
    }

    /// An empty line belongs to every lane that may go on with one.
    fn read_blank(&mut self, readings: &mut Readings<'_>) {
        for lane in &mut self.lanes.open {
            let line = readings.get(lane.dialect());
            if let Decision::Take { step, .. } = lane.decide(line, self.more) {
                lane.assembler.apply(step, self.more);
            }
        }
    }

    /// Finds the open lane with the longest prefix that the line bears.
    fn lane_by_prefix<'t>(&self, text: &'t str) -> Option<(usize, &'t str)> {
        let mut best: Option<(usize, &str, u64)> = None;
        // Of many lanes nearly all are told by the first bytes, and need not be asked.
        let head = text.as_bytes().first_chunk();
        for (at, lane) in self.lanes.open.iter().enumerate() {
            if lane.prefix.may_head(head)
                && !lane.prefix.is_empty()
                && let Some(rest) = lane.prefix.strip(text)
                && best.is_none_or(|(_, other, touched)| {
                    (rest.len(), touched) <= (other.len(), lane.touched)
                })
            {
                best = Some((at, rest, lane.touched));
            }
        }
        best.map(|(at, rest, _)| (at, rest))
    }

    /// Finds the lane of the record directly above that is a frame, if this line is its source, or tells the first
    /// line of a message, if this is the next one: both were one write, and only its first line bears the logger's
    /// prefix, as Celery's `redirect_stdouts` has it.
    fn record_above<'t>(&self, text: &'t str) -> Option<(usize, &'t str)> {
        let at = self.record()?;
        let lane = &self.lanes.open[at];
        // What a collector wrote before both.
        let printed = lane.prefix.as_printed.bytes();
        let shared = printed.zip(text.bytes()).take_while(|(a, b)| a == b);
        let rest = text.get(shared.count()..)?;
        let goes_on = match lane.assembler.state() {
            State::Open => is_source(rest),
            State::Pending if lane.assembler.awaits_lines(self.more) => {
                let decision = lane.decide(&Line::read(lane.dialect(), rest), self.more);
                let message = |step: &_| matches!(step, AssemblyStep::Message(_));
                matches!(decision, Decision::Take { step, .. } if message(&step))
            }
            State::Pending => false,
        };
        goes_on.then_some((at, rest))
    }

    /// Returns the lane of the record directly above.
    fn record(&self) -> Option<usize> {
        if self.lanes.record + 1 != self.line.number {
            return None;
        }
        let is_above = |lane: &Lane| {
            let is_of_record = lane.last_line == self.lanes.record && !lane.prefix.is_empty();
            is_of_record && lane.undecided.is_none()
        };
        self.lanes.open.iter().position(|lane| is_above(lane))
    }

    /// Completes the record directly above, which a line without its prefix does not go on with: the traceback of
    /// what it tells may follow.
    fn end_record(&mut self, completed: &mut Vec<Completed>) {
        let is_complete = |at: &usize| self.lanes.open[*at].assembler.state() == State::Pending;
        if let Some(at) = self.record().filter(is_complete) {
            self.lanes.close(at, completed);
        }
    }

    fn read_prefixed(&mut self, at: usize, rest: &str, completed: &mut Vec<Completed>) {
        let lane = &mut self.lanes.open[at];
        // What stood before the head stands before a further line too: it is a prefix.
        lane.undecided = None;
        let rest = lane.behind_inner(rest).unwrap_or(rest);
        let rest = lane.prefix.without_closing(rest);
        let line = Line::read(lane.dialect(), &rest);
        match lane.decide(&line, self.more) {
            Decision::Take { fit, step } => {
                lane.assembler.apply(step, self.more);
                self.touch(at);
                // A dump of faulthandler may be below one whose head was cut off.
                if fit == Fit::Strange && grammar::dump::thread(&rest).is_some() {
                    let prefix = self.lanes.open[at].prefix.clone();
                    self.start(&rest, Some(prefix), completed);
                }
            }
            Decision::Refuse => {
                let prefix = lane.prefix.clone();
                if !lane.stays_above(&line) {
                    self.lanes.close(at, completed);
                }
                self.start(&rest, Some(prefix), completed);
            }
        }
    }

    /// Settles what stood before a head: a prefix, if this line bears it too; else a heading.
    /// Returns whether the line was read with that.
    fn settle_undecided(
        &mut self,
        readings: &mut Readings<'_>,
        completed: &mut Vec<Completed>,
    ) -> bool {
        let lanes = &mut self.lanes.open;
        let Some(at) = lanes.iter().rposition(|l| l.undecided.is_some()) else {
            return false;
        };
        let lane = &mut lanes[at];
        let text = readings.text;
        let dialect = lane.dialect();
        let part = &readings.get(dialect).part;
        let undecided = lane.undecided.as_mut().expect("it was just found");
        let is_below = matches!(part, Part::Frame(_) | Part::Separator(_) | Part::Carets)
            || dialect == Dialect::Rich && grammar::rich::is_row(text);
        if is_below {
            // Frames without it: the text before the head was no prefix.
            let before = undecided.before.trim().to_owned();
            lane.undecided = None;
            lane.prefix = Prefix::default();
            if !before.is_empty() {
                lane.take_words(before);
            }
            return false;
        }
        let mark = if dialect == Dialect::Rich {
            "│"
        } else {
            "  File \""
        };
        let below = text.find(mark).filter(|at| *at > 0);
        let own = below.and_then(|below| part_of(&undecided.before, &text[..below]));
        if let Some((prefix, heading)) = own {
            let rest = &text[prefix.as_printed.len()..];
            lane.prefix = prefix;
            if let Some(heading) = heading {
                lane.take_words(heading);
            }
            self.read_prefixed(at, rest, completed);
            return true;
        }
        let numbered = other_below(&undecided.before, text, dialect);
        if let Some(prefix) = numbered {
            let rest = prefix.strip(text).unwrap_or(text);
            lane.prefix = prefix.clone();
            if let Some(quote) = self.quote_above(&prefix) {
                self.lanes.open[at].assembler.open_remote(quote);
            }
            self.read_prefixed(at, rest, completed);
            return true;
        }
        undecided.lines += 1;
        if undecided.lines > UNDECIDED_LINES {
            lanes.remove(at);
        }
        false
    }

    /// A line without a known prefix: the lane that it fits best takes it.
    fn read_plain(&mut self, readings: &mut Readings<'_>, completed: &mut Vec<Completed>) {
        let mut best: Option<(Ranking, usize, AssemblyStep<'_>)> = None;
        let has_twins = self
            .lanes
            .open
            .iter()
            .filter(|l| l.prefix.is_empty())
            .count()
            > 1;
        for (at, lane) in self.lanes.open.iter().enumerate() {
            if !lane.prefix.is_empty() {
                continue;
            }
            let line = readings.get(lane.dialect());
            if let Decision::Take { fit, step } = lane.decide(line, self.more)
                && fit > Fit::Strange
            {
                let ranking = if has_twins {
                    self.ranking(at, fit, line)
                } else {
                    (fit, 0, lane.touched)
                };
                if best.as_ref().is_none_or(|(other, ..)| *other < ranking) {
                    best = Some((ranking, at, step));
                }
            }
        }
        if let Some((_, at, step)) = best {
            self.lanes.open[at].assembler.apply(step, self.more);
            self.touch(at);
            return;
        }
        self.refuse_plain(readings, completed);
        self.start(readings.text, None, completed);
    }

    /// Returns how well a line fits one of several lanes without a prefix.
    fn ranking(&self, at: usize, fit: Fit, line: &Line<'_>) -> Ranking {
        let lane = &self.lanes.open[at];
        let others = self.lanes.open.iter().enumerate();
        let mut twins = others.filter(|(other, o)| o.prefix.is_empty() && *other != at);
        let is_next = twins.find_map(|(_, o)| lane.assembler.is_next_as_in(&o.assembler, line));
        let fit = lane.assembler.fit_among_twins(fit, line);
        (
            fit,
            is_next.map_or(0, |is| if is { 1 } else { -1 }),
            lane.touched,
        )
    }

    /// No lane without prefix takes the line: pending ones are complete, and of the open ones the
    /// newest bears with it.
    fn refuse_plain(&mut self, readings: &mut Readings<'_>, completed: &mut Vec<Completed>) {
        let plain = self.lanes.open.iter().filter(|l| l.prefix.is_empty());
        let newest = plain.map(|l| l.touched).max();
        let mut at = 0;
        while at < self.lanes.open.len() {
            let lane = &mut self.lanes.open[at];
            if !lane.prefix.is_empty() {
                at += 1;
                continue;
            }
            let line = readings.get(lane.dialect());
            let starts = matches!(line.part, Part::Head { .. });
            let stays = match lane.assembler.state() {
                State::Pending => {
                    lane.stays_above(line) || !starts && lane.assembler.bears_strange()
                }
                State::Open if !starts && Some(lane.touched) == newest => {
                    match lane.decide(line, self.more) {
                        Decision::Take { step, .. } => {
                            lane.assembler.apply(step, self.more);
                            true
                        }
                        Decision::Refuse => false,
                    }
                }
                State::Open => true,
            };
            if stays {
                at += 1;
            } else {
                self.lanes.close(at, completed);
            }
        }
    }

    pub(super) fn touch(&mut self, at: usize) {
        let clock = self.lanes.clock;
        self.lanes.bound = self.line.number;
        let lane = &mut self.lanes.open[at];
        lane.touched = clock;
        lane.last_line = self.line.number;
        lane.last_offset = self.line.end_offset;
        lane.last_time = self.now;
        let assembler = &lane.assembler;
        let is_record = || grammar::is_log_record(&lane.prefix.as_printed);
        let goes_on = || match assembler.state() {
            State::Open => assembler.awaits_source(),
            State::Pending => assembler.is_line_alone() && is_record(),
        };
        if !lane.prefix.is_empty() && goes_on() {
            self.lanes.record = self.line.number;
        }
        let crlf = self.line.bytes.ends_with(b"\r\n");
        lane.assembler.see_raw(self.clean.hidden_first_byte, crlf);
        let at = &mut lane.assembler.traceback_mut().at;
        at.end_line = self.line.number;
        at.end_offset = self.line.end_offset;
    }
}

/// Returns where another writer's frame stands behind the type that one was about to write a final line of:
/// `OSError  File "x.py", line 55, in f`, and further down `: [WinError 1455] …`.
#[inline(never)] // few lines are asked
fn torn_type(text: &str) -> Option<usize> {
    let at = find(text, "File \"").filter(|at| text[..*at].ends_with("  "))? - 2;
    let alone = exception_line(&text[..at]).filter(|found| found.message.is_none())?;
    looks_named(alone.type_name).then_some(at)
}

/// Returns whether a line without its prefix may be the source of a frame.
fn is_source(text: &str) -> bool {
    /// The column in which the interpreter prints source.
    const SOURCE: &str = "    ";
    text.starts_with(SOURCE) && matches!(cpython::part(text), Part::Text)
}

/// Learns the prefix that stands before a frame from that, if it is a part of what stands before the head: a bar
/// stood there too (`…231it/s][rank3]: Traceback`, then `[rank3]:   File "…`), or words, which head the traceback
/// (`INFO - step 3 failed: Traceback`, then `INFO -   File "…`).
fn part_of(before: &str, shown: &str) -> Option<(Prefix, Option<String>)> {
    let prefix = Prefix::learn(shown);
    if before.ends_with(shown) {
        return Some((prefix, None));
    }
    let words = prefix.strip(before)?.trim().to_owned();
    Some((prefix, Some(words)))
}

/// Learns the prefix of the lines below a head, `before` which another stands, from the next line: it
/// numbers them (`96:`, `97:`), or `grep -A` wrote them (`x.log:`, then `x.log-`; `96:`, then `97-`).
fn other_below(before: &str, text: &str, dialect: Dialect) -> Option<Prefix> {
    // Neighbouring ranks have such numbers, too; below a line's own a frame follows.
    let is_above_frame = |prefix: &Prefix| {
        let rest = prefix.strip(text).unwrap_or_default();
        matches!(Line::read(dialect, rest).part, Part::Frame(_))
    };
    let numbered = Prefix::learn_numbered(before, text).filter(is_above_frame);
    numbered.or_else(|| {
        let shown = format!("{}-", before.strip_suffix(':')?);
        let numbered = Prefix::learn_numbered(&shown, text);
        let named = Some(Prefix::learn(&shown));
        let both = || Prefix::learn_numbered(&before.replace(':', "-"), text);
        let mut all = [numbered, named].into_iter().chain(iter::once_with(both));
        all.find_map(|prefix| prefix.filter(is_above_frame))
    })
}

impl Lane {
    /// Returns whether no prefix tells its lines, or none that is sure.
    pub(super) fn is_plain(&self) -> bool {
        self.prefix.is_empty() || self.undecided.is_some()
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.assembler.traceback().dialect
    }

    /// Takes the words before its head, which may tell the exception: AWS Lambda prints no final line.
    fn take_words(&mut self, words: String) {
        if let Some(told) = exception_in(&words) {
            self.assembler.announce(told.into());
        }
        let heading = &mut self.assembler.traceback_mut().heading;
        heading.get_or_insert(words);
    }

    /// Takes off what stood between the prefix and the head, too, if the next line bears it: a worker's own log
    /// record (`ERROR 04-17 09:00:33 ray_utils.py:44] `) below a prefix that its runner adds.
    fn behind_inner<'t>(&mut self, rest: &'t str) -> Option<&'t str> {
        let inner = self.inner.take()?;
        let rest = inner.strip(rest)?;
        self.prefix = self.prefix.followed_by(&inner);
        self.assembler.traceback_mut().heading = None;
        Some(rest)
    }

    /// Decides what a line is to its traceback. Where no prefix tells its lines, the first byte
    /// alone can end it, so that what is refused for that is never taken.
    pub(super) fn decide<'t>(&self, line: &Line<'t>, more: &dyn MessageGrammar) -> Decision<'t> {
        let first = line.text.bytes().next();
        if self.is_closed_by(first, more) {
            return Decision::Refuse;
        }
        self.assembler.decide(line, more)
    }

    /// Returns whether a line that it refuses is what a test printed, below the test's report.
    fn stays_above(&self, line: &Line<'_>) -> bool {
        let is_other = matches!(line.part, Part::Head { .. })
            || grammar::pytest::is_title(line.text)
            || grammar::pytest::exception(line.text).is_some();
        self.assembler.is_in_section() && !is_other
    }

    /// Returns whether the first byte of a line, `None` if it is empty, tells that its traceback is
    /// complete.
    pub(super) fn is_closed_by(&self, first: Option<u8>, more: &dyn MessageGrammar) -> bool {
        self.prefix.is_empty()
            && self.assembler.state() == State::Pending
            && !self.assembler.may_continue(first, more)
    }
}
