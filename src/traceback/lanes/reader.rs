//! One line on its way to the lane that it fits.

use std::time::Duration;

use super::{Found, Lanes, UNDECIDED_LINES};
use crate::line::RawLine;
use crate::traceback::Dialect;
use crate::traceback::detector::{Expect, Fed, State};
use crate::traceback::grammar;
use crate::traceback::part::Part;
use crate::traceback::prefix::Prefix;
use crate::traceback::text::Clean;

/// What a line is, read once for lanes of one dialect.
struct Parts<'t> {
    text: &'t str,
    known: Option<(Dialect, Part<'t>)>,
}

impl<'t> Parts<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, known: None }
    }

    fn get(&mut self, dialect: Dialect) -> &Part<'t> {
        let known = self.known.take().filter(|(of, _)| *of == dialect);
        let (_, part) = self
            .known
            .insert(known.unwrap_or_else(|| (dialect, grammar::part(dialect, self.text))));
        part
    }
}

/// One line on its way to its lane.
pub(super) struct Reader<'a, 'l> {
    pub(super) lanes: &'a mut Lanes,
    pub(super) clean: &'a Clean<'a>,
    pub(super) line: RawLine<'l>,
    pub(super) now: Duration,
    pub(super) more: &'a dyn Expect,
    pub(super) crlf: bool,
}

impl Reader<'_, '_> {
    pub(super) fn read(&mut self, found: &mut Vec<Found>) {
        let text: &str = &self.clean.text;
        if text.trim().is_empty() {
            self.read_blank(text);
            return;
        }
        if let Some((at, rest)) = self.lane_by_prefix(text) {
            self.read_prefixed(at, rest, found);
            return;
        }
        if self.settle_undecided(text) {
            return;
        }
        self.read_plain(text, found);
    }

    /// An empty line belongs to every lane that may go on with one.
    fn read_blank(&mut self, text: &str) {
        let mut parts = Parts::of(text);
        for lane in &mut self.lanes.open {
            let part = parts.get(lane.detector.traceback().dialect);
            if lane.detector.rate(text, part, self.more) > 0 {
                lane.detector.feed(text, part, self.more);
            }
        }
    }

    /// Finds the open lane with the longest prefix that the line bears.
    fn lane_by_prefix<'t>(&self, text: &'t str) -> Option<(usize, &'t str)> {
        let lanes = &self.lanes.open;
        (0..lanes.len())
            .filter(|&i| !lanes[i].prefix.is_empty())
            .filter_map(|i| lanes[i].prefix.strip(text).map(|rest| (i, rest)))
            .min_by_key(|(i, rest)| (rest.len(), u64::MAX - lanes[*i].touched))
    }

    fn read_prefixed(&mut self, at: usize, rest: &str, found: &mut Vec<Found>) {
        let lane = &mut self.lanes.open[at];
        let part = grammar::part(lane.detector.traceback().dialect, rest);
        if lane.undecided.is_some() {
            // The text before the head stands before a further line too: it is a prefix.
            lane.undecided = None;
        }
        let rated = lane.detector.rate(rest, &part, self.more);
        let fed = if rated > 0
            || lane.detector.state() == State::Open && !matches!(part, Part::Head { .. })
        {
            lane.detector.feed(rest, &part, self.more)
        } else {
            Fed::Refused
        };
        if fed == Fed::Took {
            self.touch(at);
            return;
        }
        let prefix = self.lanes.open[at].prefix.clone();
        self.lanes.close(at, found);
        self.start(rest, Some(prefix), found);
    }

    /// Settles what stood before a head: a prefix, if this line bears it too; else a heading.
    fn settle_undecided(&mut self, text: &str) -> bool {
        let lanes = &mut self.lanes.open;
        let Some(at) = (0..lanes.len())
            .rev()
            .find(|&i| lanes[i].undecided.is_some())
        else {
            return false;
        };
        let lane = &mut lanes[at];
        let dialect = lane.detector.traceback().dialect;
        let part = grammar::part(dialect, text);
        let undecided = lane.undecided.as_mut().expect("it was just found");
        if let Part::Frame(_) | Part::Separator(_) | Part::Carets = part {
            // Frames without it: the text before the head was no prefix.
            let before = undecided.before.trim().to_owned();
            lane.undecided = None;
            lane.prefix = Prefix::default();
            if lane.detector.traceback().heading.is_none() && !before.is_empty() {
                lane.detector.traceback_mut().heading = Some(before);
            }
            return false;
        }
        // A bar stood before the prefix: `…231it/s][rank3]: Traceback`, then `[rank3]:   File "…`.
        if let Some(file) = text.find("  File \"") {
            let prefix = &text[..file];
            if !prefix.is_empty() && undecided.before.ends_with(prefix) {
                lane.prefix = Prefix::learn(prefix);
                lane.undecided = None;
                let rest = &text[file..];
                self.read_prefixed(at, rest, &mut Vec::new());
                return true;
            }
        }
        if let Some(prefix) = Prefix::learn_numbered(&undecided.before, text) {
            let rest = prefix.strip(text).unwrap_or(text).to_owned();
            lane.undecided = None;
            lane.prefix = prefix.clone();
            if let Some(mark) = self.quote_above(&prefix) {
                self.lanes.open[at].detector.open_remote(mark);
            }
            self.read_prefixed(at, &rest, &mut Vec::new());
            return true;
        }
        undecided.lines += 1;
        if undecided.lines > UNDECIDED_LINES {
            lanes.remove(at);
        }
        false
    }

    /// A line without a known prefix: the lane that it fits best takes it.
    fn read_plain(&mut self, text: &str, found: &mut Vec<Found>) {
        let mut parts = Parts::of(text);
        let mut best: Option<(u8, u64, usize)> = None;
        for (at, lane) in self.lanes.open.iter().enumerate() {
            if !lane.prefix.is_empty() {
                continue;
            }
            let part = parts.get(lane.detector.traceback().dialect);
            let rated = lane.detector.rate(text, part, self.more);
            if rated > 0 && best.is_none_or(|b| (b.0, b.1) < (rated, lane.touched)) {
                best = Some((rated, lane.touched, at));
            }
        }
        if let Some((_, _, at)) = best {
            let lane = &mut self.lanes.open[at];
            let part = parts.get(lane.detector.traceback().dialect);
            if lane.detector.feed(text, part, self.more) == Fed::Took {
                self.touch(at);
                return;
            }
        }
        self.refuse_plain(&mut parts, found);
        self.start(text, None, found);
    }

    /// No lane without prefix takes the line: pending ones are complete, open ones bear with it.
    fn refuse_plain(&mut self, parts: &mut Parts, found: &mut Vec<Found>) {
        let mut at = 0;
        let mut borne = false;
        let newest = self
            .lanes
            .open
            .iter()
            .filter(|l| l.prefix.is_empty())
            .map(|l| l.touched)
            .max();
        while at < self.lanes.open.len() {
            let lane = &mut self.lanes.open[at];
            if !lane.prefix.is_empty() {
                at += 1;
                continue;
            }
            let text = parts.text;
            let part = parts.get(lane.detector.traceback().dialect);
            let starts = matches!(part, Part::Head { .. });
            match lane.detector.state() {
                State::Pending if !starts && lane.detector.bears_strange() => at += 1,
                State::Pending => self.lanes.close(at, found),
                State::Open if !starts && !borne && Some(lane.touched) == newest => {
                    borne = true;
                    if lane.detector.feed(text, part, self.more) == Fed::Refused {
                        self.lanes.close(at, found);
                    } else {
                        at += 1;
                    }
                }
                State::Open => at += 1,
            }
        }
    }

    pub(super) fn touch(&mut self, at: usize) {
        let clock = self.lanes.clock;
        let lane = &mut self.lanes.open[at];
        lane.touched = clock;
        lane.last_line = self.line.number;
        lane.last_offset = self.line.end_offset;
        lane.last_time = self.now;
        lane.detector.add_mask(self.clean.mask);
        lane.detector.crlf |= self.crlf;
        let at = &mut lane.detector.traceback_mut().at;
        at.end_line = self.line.number;
        at.end_offset = self.line.end_offset;
    }
}
