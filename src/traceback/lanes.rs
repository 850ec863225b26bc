//! Lines to lanes: which writer a line is from, and when its traceback closes.
//!
//! A lane is told by its prefix, which is learned from the head and the next lines. Lanes without
//! a prefix are told apart by what can follow what. A closing line decides by its first byte
//! whether the annotation goes before it ([`Lanes::begin_line`]) or is settled when the line is
//! complete ([`Lanes::line`]), so that the output does not depend on how the input was cut.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use super::detector::{Detector, Expect, Fed, State};
use super::grammar;
use super::part::{Head, Part};
use super::prefix::Prefix;
use super::stamp::Stamp;
use super::text::Clean;
use super::{Dialect, Evidence, Span, Traceback};

/// The most lanes that are kept, idle ones included.
const MAX_LANES: usize = 1024;
/// The most bytes that all open tracebacks hold together, roughly.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// How long a pending traceback waits while other lanes write.
const PATIENCE_LINES: u64 = 200;
const PATIENCE_BYTES: u64 = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(1);
/// How many lines above a head are remembered.
pub const RECENT_LINES: usize = 8;
/// How far above it they may start, in bytes: no more than that is kept of what was passed.
const RECENT_BYTES: u64 = 4096;
/// How much of such a line is kept, in bytes.
const MAX_RECENT_BYTES: usize = 4096;
/// How many lines a head with text before it waits for the line that explains that text.
const UNDECIDED_LINES: u32 = 32;

/// A line as it comes from the input.
#[derive(Clone, Copy, Debug)]
pub struct RawLine<'a> {
    /// The line with its line end, or as much of it as is kept.
    pub bytes: &'a [u8],
    /// Its number, 1-based.
    pub number: u64,
    /// The offset of its first byte.
    pub offset: u64,
    /// The offset behind its last byte.
    pub end_offset: u64,
}

/// What the lanes found.
#[derive(Debug)]
pub enum Found {
    /// A complete traceback.
    Traceback(Traceback),
    /// A line that no traceback took: text without prefix and colours.
    Line(Traceback),
}

/// All lanes of a stream.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    open: Vec<Lane>,
    /// Prefixes that were learned, without an open traceback; the newest last.
    learned: VecDeque<Prefix>,
    lessons: u64,
    recent: VecDeque<Recent>,
    /// Up to here no lane has waited for too long. Lanes that go on or begin only wait longer.
    due: Option<Due>,
    /// Counts the lines that were read.
    clock: u64,
}

/// A point of the stream: a line, an offset, a time.
#[derive(Clone, Debug)]
struct Due {
    line: u64,
    offset: u64,
    time: Duration,
}

#[derive(Clone, Debug, PartialEq)]
struct Lane {
    prefix: Prefix,
    /// The text before the head, until a further line tells whether it is a prefix.
    undecided: Option<Undecided>,
    detector: Detector,
    last_line: u64,
    last_offset: u64,
    last_time: Duration,
    /// Order of the last touch.
    touched: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Undecided {
    before: String,
    lines: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Recent {
    text: String,
    span: Span,
    used: bool,
}

/// The prefixes that were learned, for another reader of the same stream.
#[derive(Clone, Debug, Default)]
pub struct Learned(VecDeque<Prefix>);

impl Lanes {
    /// Starts anew, with nothing open, where these prefixes are known.
    pub fn restart(&mut self, learned: &Learned) {
        self.take_over(Self {
            learned: learned.0.clone(),
            clock: self.clock,
            ..Self::default()
        });
    }

    /// Goes on as another reader of the same stream would.
    pub fn take_over(&mut self, other: Self) {
        let has_learned = self.learned != other.learned;
        *self = Self {
            lessons: self.lessons + u64::from(has_learned),
            ..other
        };
    }

    /// Gives the prefixes that were learned.
    pub fn learned(&self) -> Learned {
        Learned(self.learned.clone())
    }

    /// Whether another reader, who came to this offset too, would read what comes alike.
    pub fn stand_like(&mut self, other: &mut Self, offset: u64) -> bool {
        self.forget_far(offset);
        other.forget_far(offset);
        // The two may have counted lines from different ones on.
        let open = |lanes: &Self| -> Vec<Lane> {
            let aged = |lane: &Lane| Lane {
                touched: lanes.clock - lane.touched,
                ..lane.clone()
            };
            lanes.open.iter().map(aged).collect()
        };
        self.recent == other.recent && self.learned == other.learned && open(self) == open(other)
    }

    /// Whether nothing is open or pending.
    pub fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether something is pending, so that quiet matters.
    pub fn is_pending(&self) -> bool {
        self.open.iter().any(|l| l.detector.ends_with_quiet())
    }

    /// Whether an annotation may stand between the line before and the next one.
    pub fn may_annotate(&self) -> bool {
        !self.open.iter().any(|l| l.detector.mid_entry())
    }

    /// Whether the lane that was touched last stands inside a frame entry.
    pub fn last_line_is_entry(&self) -> bool {
        self.open
            .iter()
            .max_by_key(|l| l.touched)
            .is_some_and(|l| l.touched == self.clock && l.detector.mid_entry())
    }

    /// Gives how often a prefix was learned. As long as that is the same and nothing is open, only
    /// the lines above have a bearing on what comes.
    pub fn lessons(&self) -> u64 {
        self.lessons
    }

    /// Whether nothing is open but a traceback that begins with this line, a head without a prefix.
    pub fn have_just_begun(&self, line: u64) -> bool {
        let [lane] = &self.open[..] else {
            return false;
        };
        lane.prefix.is_empty()
            && lane.undecided.is_none()
            && lane.detector.traceback().at.line == line
            && lane.last_line == line
    }

    /// Drops all that is open.
    pub fn drop_begun(&mut self) {
        self.open.clear();
    }

    /// Tells what the lines above mean to a traceback that begins at this offset: a hash of those
    /// that have a bearing on it (0: none), and the time stamp that it takes from them. `is_asked`
    /// says whether a rule asks for a line.
    pub fn above_in_short(
        &mut self,
        offset: u64,
        is_asked: impl Fn(&str) -> bool,
    ) -> (u64, Option<Stamp>) {
        self.forget_far(offset);
        let mut hasher = DefaultHasher::new();
        let (mut matter, mut heading_time, mut time) = (false, None, None);
        let mut has_heading = false;
        for (distance, recent) in self.recent.iter().rev().enumerate() {
            let text = recent.text.as_str();
            let is_heading = grammar::cpython::heading(text).is_some()
                || distance == 0 && grammar::is_log_record(text);
            let stamp = Stamp::of_line(text);
            if is_heading && !recent.used && !has_heading {
                (has_heading, heading_time) = (true, stamp);
            }
            time = time.or(stamp);
            if is_heading || text.trim_start().starts_with("```") || is_asked(text) {
                matter = true;
                (distance, text, recent.used).hash(&mut hasher);
            }
        }
        let hash = if matter { hasher.finish().max(1) } else { 0 };
        (hash, heading_time.or(time))
    }

    /// Remembers a line that stood above a head, without reading it.
    pub fn remember(&mut self, line: RawLine<'_>) {
        if self
            .recent
            .back()
            .is_some_and(|r| r.span.line >= line.number && r.span.offset >= line.offset)
        {
            return;
        }
        let clean = Clean::of(line.bytes);
        self.push_recent(&clean.text, span_of(line));
    }

    /// Tells that a line begins, whole or not; closes what its first byte (`None`: an empty line)
    /// cannot continue. What is closed stands before the line.
    pub fn begin_line(&mut self, first: Option<u8>, more: &dyn Expect, found: &mut Vec<Found>) {
        let mut at = 0;
        while at < self.open.len() {
            let lane = &self.open[at];
            let closes = lane.detector.state() == State::Pending
                && lane.prefix.is_empty()
                && !lane.detector.may_continue(first, more)
                && !first.is_some_and(|b| self.prefix_may_start_with(b));
            if closes {
                self.close(at, found);
            } else {
                at += 1;
            }
        }
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
        more: &dyn Expect,
        found: &mut Vec<Found>,
    ) {
        let clean = Clean::of(line.bytes);
        let crlf = line.bytes.ends_with(b"\r\n");
        self.clock += 1;
        self.forget_far(line.offset);
        self.expire(line.number, line.offset, now, found);
        let mut reader = Reader {
            lanes: self,
            clean: &clean,
            line,
            now,
            more,
            crlf,
        };
        reader.read(found);
        self.push_recent(&clean.text, span_of(line));
        self.bound(line.number, found);
    }

    /// Closes what has waited long enough while other lanes wrote.
    pub fn expire(&mut self, number: u64, offset: u64, now: Duration, found: &mut Vec<Found>) {
        let is_early = |due: &Due| number <= due.line && offset <= due.offset && now <= due.time;
        if self.due.as_ref().is_some_and(is_early) {
            return;
        }
        let mut at = 0;
        while at < self.open.len() {
            let lane = &self.open[at];
            let lines = number.saturating_sub(lane.last_line);
            let bytes = offset.saturating_sub(lane.last_offset);
            let over = lines > PATIENCE_LINES || bytes > PATIENCE_BYTES;
            let late = now.saturating_sub(lane.last_time) > PATIENCE;
            match lane.detector.state() {
                State::Pending if over || late => self.close(at, found),
                State::Open if over => {
                    self.close(at, found);
                }
                _ => at += 1,
            }
        }
        let last = |of: fn(&Lane) -> u64| self.open.iter().map(of).min().unwrap_or(u64::MAX);
        self.due = self.open.iter().map(|l| l.last_time).min().map(|time| Due {
            line: last(|l| l.last_line) + PATIENCE_LINES,
            offset: last(|l| l.last_offset) + PATIENCE_BYTES,
            time: time + PATIENCE,
        });
    }

    /// Nothing was readable for a while: closes what is pending.
    pub fn quiet(&mut self, found: &mut Vec<Found>) {
        let mut at = 0;
        while at < self.open.len() {
            if self.open[at].detector.ends_with_quiet() {
                self.close(at, found);
            } else {
                at += 1;
            }
        }
    }

    /// The input has ended: closes everything.
    pub fn finish(&mut self, found: &mut Vec<Found>) {
        while !self.open.is_empty() {
            self.close(0, found);
        }
        self.recent.clear();
        self.due = None;
        self.learned.clear();
        self.lessons += 1;
    }

    fn close(&mut self, at: usize, found: &mut Vec<Found>) {
        let lane = self.open.remove(at);
        let undecided = lane.undecided.is_some();
        if !lane.prefix.is_empty() && !undecided && !self.learned.contains(&lane.prefix) {
            if self.learned.len() >= MAX_LANES {
                self.learned.pop_front();
            }
            self.learned.push_back(lane.prefix.clone());
            self.lessons += 1;
        }
        if let Some(mut traceback) = lane.detector.finish() {
            if !lane.prefix.is_empty() && !undecided {
                traceback.prefix = Some(lane.prefix.shown.clone());
            }
            found.push(Found::Traceback(traceback));
        }
    }

    /// Keeps the promise that memory does not grow: gives up the oldest.
    fn bound(&mut self, line: u64, found: &mut Vec<Found>) {
        // Few lanes cannot hold so much, and one line adds little: now and then is enough.
        let is_due = line.is_multiple_of(64) || self.open.len() > MAX_LANES;
        if self.open.len() < 64 || !is_due {
            return;
        }
        while self.open.len() > MAX_LANES
            || self.open.iter().map(|l| l.detector.weight()).sum::<usize>() > MAX_BYTES
        {
            let oldest = (0..self.open.len())
                .min_by_key(|&i| self.open[i].touched)
                .unwrap_or(0);
            self.close(oldest, found);
        }
    }

    /// Forgets the lines that end up too far above what comes, however they were read.
    fn forget_far(&mut self, offset: u64) {
        let is_far = |recent: &Recent| recent.span.offset + RECENT_BYTES < offset;
        while self.recent.front().is_some_and(is_far) {
            self.recent.pop_front();
        }
    }

    fn push_recent(&mut self, text: &str, span: Span) {
        let oldest = (self.recent.len() >= RECENT_LINES).then(|| self.recent.pop_front());
        // Most lines go this way: the memory of the one that goes is the next one's.
        let mut kept = oldest.flatten().map_or_else(String::new, |r| r.text);
        kept.clear();
        kept.push_str(super::text::clip(text, MAX_RECENT_BYTES));
        self.recent.push_back(Recent {
            text: kept,
            span,
            used: false,
        });
    }
}

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
struct Reader<'a, 'l> {
    lanes: &'a mut Lanes,
    clean: &'a Clean<'a>,
    line: RawLine<'l>,
    now: Duration,
    more: &'a dyn Expect,
    crlf: bool,
}

impl Reader<'_, '_> {
    fn read(&mut self, found: &mut Vec<Found>) {
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

    /// A line that continues nothing: it may start a traceback.
    fn start(&mut self, text: &str, prefix: Option<Prefix>, found: &mut Vec<Found>) {
        let (text, prefix) = match prefix {
            Some(prefix) => (text, prefix),
            None => self
                .learned_prefix(text)
                .or_else(|| plain_prefix(text))
                .map_or((text, Prefix::default()), |(prefix, rest)| (rest, prefix)),
        };
        if let Some(inner) = grammar::json::tracebacks(text) {
            self.read_inner(&inner, Dialect::Json, &prefix, found);
            return;
        }
        if let Some(lines) = grammar::oneline::unfold(text) {
            self.read_inner(&[lines], Dialect::OneLine, &prefix, found);
            return;
        }
        let Some(start) = grammar::start(text) else {
            self.pass_on(text, &prefix, found);
            return;
        };
        let mut traceback = Traceback {
            dialect: start.dialect(),
            at: span_of(self.line),
            ..Traceback::default()
        };
        let mut undecided = None;
        let mut prefix = prefix;
        let detector = match start {
            grammar::Start::Head {
                before,
                kind,
                dialect,
            } => {
                let before = if kind == Head::Group {
                    before.strip_suffix("  ").unwrap_or(before)
                } else {
                    before
                };
                // `RuntimeError: Traceback …` is a message, the traceback of another process.
                let is_bare =
                    before.trim().is_empty() || grammar::cpython::bare_raised(before).is_some();
                let is_new = !is_bare && prefix.is_empty();
                if is_new && Prefix::fits(before) && dialect == Dialect::Cpython {
                    prefix = Prefix::learn(before);
                    undecided = Some(Undecided {
                        before: before.to_owned(),
                        lines: 0,
                    });
                }
                self.find_heading(&mut traceback, &prefix);
                if is_new && undecided.is_none() {
                    traceback.heading =
                        traceback.heading.or_else(|| Some(before.trim().to_owned()));
                } else if !is_bare && !is_new {
                    traceback.heading = Some(before.trim().to_owned());
                }
                let mut detector = Detector::at_head(traceback, kind);
                if let Some(mark) = self.quote_above(&prefix) {
                    detector.open_remote(mark);
                }
                detector
            }
            grammar::Start::Frame { before, frame } => {
                if !before.is_empty() && prefix.is_empty() {
                    prefix = Prefix::learn(before);
                }
                self.find_heading(&mut traceback, &prefix);
                Detector::at_frame(traceback, &frame)
            }
            grammar::Start::Thread { name, state } => {
                self.find_heading(&mut traceback, &prefix);
                Detector::at_thread(traceback, name, state)
            }
            grammar::Start::Raised { raised, .. } => {
                traceback.above = self.above(&prefix);
                Detector::at_raised(traceback, raised.exception, raised.message)
            }
        };
        self.lanes.open.push(Lane {
            prefix,
            undecided,
            detector,
            last_line: 0,
            last_offset: 0,
            last_time: Duration::ZERO,
            touched: 0,
        });
        let at = self.lanes.open.len() - 1;
        self.touch(at);
    }

    /// Tracebacks that one line holds, taken out of it as text.
    fn read_inner(
        &mut self,
        inner: &[String],
        dialect: Dialect,
        prefix: &Prefix,
        found: &mut Vec<Found>,
    ) {
        for text in inner {
            for mut traceback in super::read(text.as_bytes()) {
                traceback.dialect = dialect;
                traceback.at = span_of(self.line);
                traceback.prefix = shown(prefix);
                found.push(Found::Traceback(traceback));
            }
        }
    }

    fn pass_on(&mut self, text: &str, prefix: &Prefix, found: &mut Vec<Found>) {
        found.push(Found::Line(Traceback {
            dialect: Dialect::LogLine,
            evidence: Evidence::Line,
            above: self.above(prefix),
            raised: vec![super::Raised {
                message: vec![text.trim_end().to_owned()],
                ..super::Raised::default()
            }],
            at: span_of(self.line),
            prefix: shown(prefix),
            ..Traceback::default()
        }));
    }

    fn learned_prefix<'t>(&self, text: &'t str) -> Option<(Prefix, &'t str)> {
        self.lanes
            .learned
            .iter()
            .rev()
            .filter_map(|p| p.strip(text).map(|rest| (p.clone(), rest)))
            .min_by_key(|(_, r)| r.len())
    }

    /// Takes the heading out of the lines above, and remembers the others.
    fn find_heading(&mut self, traceback: &mut Traceback, prefix: &Prefix) {
        traceback.above = self.above(prefix);
        let number = self.line.number;
        for recent in self.lanes.recent.iter_mut().rev().filter(|r| !r.used) {
            let text = prefix.strip(&recent.text).unwrap_or(&recent.text);
            let directly = recent.span.line + 1 == number;
            if let Some(heading) = grammar::cpython::heading(text) {
                traceback.heading = Some(heading.to_owned());
                traceback.at.line = recent.span.line;
                traceback.at.offset = recent.span.offset;
                recent.used = true;
                return;
            }
            if directly && grammar::is_log_record(text) {
                traceback.heading = Some(text.trim().to_owned());
                return;
            }
        }
    }

    /// The quote of another process's text directly above, whose own first line was not read since
    /// its prefix was not known yet.
    fn quote_above(&self, prefix: &Prefix) -> Option<char> {
        let mut above = self.lanes.recent.iter().rev();
        let mut text = || {
            above
                .next()
                .map(|r| prefix.strip(&r.text).unwrap_or(&r.text).trim())
        };
        let mark = match text()? {
            "\"\"\"" => '"',
            "'''" => '\'',
            _ => return None,
        };
        text()?.ends_with("RemoteTraceback:").then_some(mark)
    }

    fn above(&self, prefix: &Prefix) -> Vec<String> {
        self.lanes
            .recent
            .iter()
            .map(|r| prefix.strip(&r.text).unwrap_or(&r.text).to_owned())
            .collect()
    }

    fn touch(&mut self, at: usize) {
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

/// Takes off a prefix that is one by its form alone, from a line that starts something without a
/// plain head or frame: those teach their own.
fn plain_prefix(text: &str) -> Option<(Prefix, &str)> {
    let len = Prefix::plain_len(text);
    let (prefix, rest) = text.split_at(len);
    let teaches = match grammar::start(rest)? {
        grammar::Start::Head { dialect, .. } => dialect == Dialect::Cpython,
        grammar::Start::Frame { .. } => true,
        grammar::Start::Raised { .. } | grammar::Start::Thread { .. } => false,
    };
    (len > 0 && !teaches).then(|| (Prefix::learn(prefix), rest))
}

fn shown(prefix: &Prefix) -> Option<String> {
    (!prefix.is_empty()).then(|| prefix.shown.clone())
}

fn span_of(line: RawLine<'_>) -> Span {
    Span {
        line: line.number,
        end_line: line.number,
        offset: line.offset,
        end_offset: line.end_offset,
    }
}
