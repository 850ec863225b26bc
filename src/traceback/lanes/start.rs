//! A line that continues nothing: what it starts, and what stands above it.

use std::time::Duration;

use super::reader::Reader;
use super::{Found, Lane, Undecided, span_of};
use crate::traceback::detector::Detector;
use crate::traceback::part::Head;
use crate::traceback::prefix::Prefix;
use crate::traceback::{Dialect, Evidence, Raised, Traceback, grammar};

impl Reader<'_, '_> {
    /// A line that continues nothing: it may start a traceback.
    pub(super) fn start(&mut self, text: &str, prefix: Option<Prefix>, found: &mut Vec<Found>) {
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
            for mut traceback in crate::traceback::read(text.as_bytes()) {
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
            raised: vec![Raised {
                message: vec![text.trim_end().to_owned()],
                ..Raised::default()
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
    pub(super) fn quote_above(&self, prefix: &Prefix) -> Option<char> {
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
}

/// Takes off a prefix that is one by its form alone, from a line that starts something without a
/// plain head or frame: those teach their own.
fn plain_prefix(text: &str) -> Option<(Prefix, &str)> {
    let (prefix, rest) = text.split_at(Prefix::plain_len(text));
    if prefix.is_empty() {
        return None;
    }
    let teaches = match grammar::start(rest)? {
        grammar::Start::Head { dialect, .. } => dialect == Dialect::Cpython,
        grammar::Start::Frame { .. } => true,
        grammar::Start::Raised { .. } | grammar::Start::Thread { .. } => false,
    };
    (!teaches).then(|| (Prefix::learn(prefix), rest))
}

fn shown(prefix: &Prefix) -> Option<String> {
    (!prefix.is_empty()).then(|| prefix.shown.clone())
}
