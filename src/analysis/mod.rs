//! From lines to what is to be said: lanes, diagnoses, incidents. The one engine behind the
//! filter, `check` and the verification of rules.
//!
//! A [`Detection`] turns the lines of one input into failures, an [`Analysis`] these into incidents.
//! They are apart because `check` reads many files at once, and tells their incidents in order.

use std::sync::Arc;
use std::time::Duration;

use crate::corpus::{Corpus, Diagnosis};
use crate::gate::Gate;
use crate::incident::{Failure, Incident, Mode, Moment, Say, Tracker};
use crate::traceback::detector::{Expect, Outlook};
use crate::traceback::facts::Facts;
use crate::traceback::lanes::{Found, Lanes, RawLine};
use crate::traceback::stamp::Stamp;
use crate::traceback::{Evidence, Traceback, first_byte, without_prefix};

/// The gutters of pickfix's own annotations, which are never input to the analysis.
const OWN_GUTTER: &str = "▎";
const OWN_HEADS_ASCII: [&str; 2] = ["#| pickfix:", "#|+ pickfix:"];

/// Failures of one traceback or log line.
pub type Failures<'c> = Vec<Failure<'c>>;

/// Reads lines and finds the failures in them.
pub struct Detection<'c> {
    corpus: &'c Corpus,
    gate: Arc<Gate>,
    lanes: Lanes,
    found: Vec<Found>,
    /// Inside a block of pickfix's own, written with `--ascii`.
    own_block: bool,
}

impl<'c> Detection<'c> {
    /// Starts before the first byte. The gate must be [`gate`] of the same corpus.
    pub fn new(corpus: &'c Corpus, gate: Arc<Gate>) -> Self {
        Self {
            corpus,
            gate,
            lanes: Lanes::default(),
            found: Vec::new(),
            own_block: false,
        }
    }

    /// Gives the place of the first byte that could matter; `None` if none can.
    pub fn wants(&self, bytes: &[u8]) -> Option<usize> {
        self.gate.find(b"", bytes)
    }

    /// Whether a line that began with `before`, which was not wanted, is wanted now that `bytes` go
    /// on with it.
    pub fn wants_behind(&self, before: &[u8], bytes: &[u8]) -> bool {
        self.gate.find(before, bytes).is_some()
    }

    /// Whether no traceback is open or pending: lines that the gate does not want can be skipped.
    pub fn is_idle(&self) -> bool {
        self.lanes.is_idle()
    }

    /// Remembers a line above one that is about to be read.
    pub fn remember(&mut self, line: RawLine<'_>) {
        self.lanes.remember(line);
    }

    /// Tells that a line begins with this byte; what is found ended before it.
    pub fn begin_line(&mut self, first: Option<u8>, found: &mut dyn FnMut(Failures<'c>)) {
        if self.lanes.is_idle() {
            return;
        }
        self.lanes
            .begin_line(first, &Templates(self.corpus), &mut self.found);
        self.settle(found);
    }

    /// Reads a complete line, at this time of the stream.
    pub fn line(&mut self, line: RawLine<'_>, time: Duration, found: &mut dyn FnMut(Failures<'c>)) {
        if self.is_own(line.bytes) {
            return;
        }
        self.lanes
            .line(line, time, &Templates(self.corpus), &mut self.found);
        self.settle(found);
    }

    /// Nothing was readable for a while.
    pub fn quiet(&mut self, found: &mut dyn FnMut(Failures<'c>)) {
        self.lanes.quiet(&mut self.found);
        self.settle(found);
    }

    /// The input, or one FILE of it, has ended: its tracebacks are complete.
    pub fn finish(&mut self, found: &mut dyn FnMut(Failures<'c>)) {
        self.lanes.finish(&mut self.found);
        self.own_block = false;
        self.settle(found);
    }

    fn settle(&mut self, tell: &mut dyn FnMut(Failures<'c>)) {
        for found in std::mem::take(&mut self.found) {
            let failures = match found {
                Found::Traceback(traceback) => failures(self.corpus, &traceback),
                Found::Line(line) => self.log_line(&line),
            };
            if !failures.is_empty() {
                tell(failures);
            }
        }
    }

    fn log_line(&self, line: &Traceback) -> Vec<Failure<'c>> {
        let text = &line.raised[0].message[0];
        if self.gate.find(b"", text.as_bytes()).is_none() || line.is_quoted() {
            return Vec::new();
        }
        let mut known = self.corpus.diagnose(line);
        let rest = without_prefix(text);
        if known.is_empty() && rest.len() < text.len() {
            let mut line = line.clone();
            rest.clone_into(&mut line.raised[0].message[0]);
            known = self.corpus.diagnose(&line);
        }
        known.into_iter().map(Failure::Known).collect()
    }

    /// Whether a line is one of pickfix's own, from an earlier run over the same text.
    fn is_own(&mut self, line: &[u8]) -> bool {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        if text.starts_with(OWN_GUTTER.as_bytes()) {
            return true;
        }
        let starts = OWN_HEADS_ASCII
            .iter()
            .any(|head| text.starts_with(head.as_bytes()));
        self.own_block = starts || self.own_block && text.starts_with(b"#|");
        self.own_block
    }
}

/// Gives what a traceback is: failures that rules know, or one that none does.
fn failures<'c>(corpus: &'c Corpus, traceback: &Traceback) -> Failures<'c> {
    if traceback.is_quoted() {
        return Vec::new();
    }
    let known = corpus.diagnose(traceback);
    if !known.is_empty() {
        return known.into_iter().map(Failure::Known).collect();
    }
    // A line alone that no rule knows may be anything.
    if traceback.evidence == Evidence::Line {
        return Vec::new();
    }
    let Some(raised) = traceback.raised.last() else {
        return Vec::new();
    };
    vec![Failure::Unknown {
        exception: raised.exception.clone().unwrap_or_default(),
        message: raised.message.first().cloned().unwrap_or_default(),
        time: Stamp::of(traceback),
        facts: Facts::read(traceback, traceback.raised.len() - 1),
        at: traceback.at,
        prefix: traceback.prefix.clone(),
    }]
}

/// Makes the gate that lets all lines through which rules of this corpus may want.
pub fn gate(corpus: &Corpus) -> Arc<Gate> {
    Arc::new(Gate::new(&corpus.log_line_literals().collect::<Vec<_>>()))
}

/// Reads lines and says what to write.
pub struct Analysis<'c> {
    detection: Detection<'c>,
    tracker: Tracker<'c>,
}

impl<'c> Analysis<'c> {
    /// Starts before the first byte.
    pub fn new(corpus: &'c Corpus, mode: Mode) -> Self {
        Self {
            detection: Detection::new(corpus, gate(corpus)),
            tracker: Tracker::new(mode),
        }
    }

    /// Gives the place of the first byte that could matter; `None` if none can.
    pub fn wants(&self, bytes: &[u8]) -> Option<usize> {
        self.detection.wants(bytes)
    }

    /// Whether a line that began with `before`, which was not wanted, is wanted now that `bytes` go
    /// on with it.
    pub fn wants_behind(&self, before: &[u8], bytes: &[u8]) -> bool {
        self.detection.wants_behind(before, bytes)
    }

    /// Whether no traceback is open or pending: lines that the gate does not want can be skipped.
    pub fn is_idle(&self) -> bool {
        self.detection.is_idle()
    }

    /// Whether quiet would complete something.
    pub fn is_pending(&self) -> bool {
        self.detection.lanes.is_pending()
    }

    /// Gives the time at which something that is held back is due, where there is any.
    pub fn deadline(&self) -> Option<Duration> {
        self.tracker.next_deadline()
    }

    /// Whether an annotation may stand between the line before and the next one.
    pub fn may_annotate(&self) -> bool {
        self.detection.lanes.may_annotate()
    }

    /// Whether the line before is a `File` line, or a source line, of an open traceback.
    pub fn stands_inside_entry(&self) -> bool {
        self.detection.lanes.last_line_is_entry()
    }

    /// Remembers a line above one that is about to be read.
    pub fn remember(&mut self, line: RawLine<'_>) {
        self.detection.remember(line);
    }

    /// Tells that a line begins with this byte; what is said goes before it.
    pub fn begin_line(&mut self, first: Option<u8>, moment: Moment, says: &mut Vec<Say<'c>>) {
        let tracker = &mut self.tracker;
        self.detection.begin_line(first, &mut |failures| {
            says.extend(tracker.push(failures, moment));
        });
    }

    /// Reads a complete line; what is said goes behind it.
    pub fn line(&mut self, line: RawLine<'_>, moment: Moment, says: &mut Vec<Say<'c>>) {
        let tracker = &mut self.tracker;
        self.detection.line(line, moment.time, &mut |failures| {
            says.extend(tracker.push(failures, moment));
        });
    }

    /// Time has passed: what was held back for too long is said.
    pub fn tick(&mut self, moment: Moment, says: &mut Vec<Say<'c>>) {
        says.extend(self.tracker.tick(moment));
    }

    /// Nothing was readable for a while.
    pub fn quiet(&mut self, moment: Moment, says: &mut Vec<Say<'c>>) {
        let tracker = &mut self.tracker;
        self.detection.quiet(&mut |failures| {
            says.extend(tracker.push(failures, moment));
        });
        says.extend(self.tracker.pause(moment));
    }

    /// A FILE begins; `None` is standard input. What is held of the one before stands alone.
    pub fn begin_file(&mut self, name: Option<&str>, says: &mut Vec<Say<'c>>) {
        says.extend(self.tracker.begin(name.map(Arc::from)));
    }

    /// One FILE has ended: its tracebacks are complete.
    pub fn end_of_file(&mut self, moment: Moment, says: &mut Vec<Say<'c>>) {
        let tracker = &mut self.tracker;
        self.detection.finish(&mut |failures| {
            says.extend(tracker.push(failures, moment));
        });
    }

    /// The input has ended.
    pub fn finish(&mut self, moment: Moment, says: &mut Vec<Say<'c>>) {
        self.end_of_file(moment, says);
        says.extend(self.tracker.finish());
    }

    /// Gives the incidents that were dropped from memory since the last call.
    pub fn take_dropped(&mut self) -> Vec<Incident<'c>> {
        self.tracker.take_dropped()
    }

    /// Gives all incidents that are remembered, in the order in which they began.
    pub fn into_incidents(self) -> Vec<Incident<'c>> {
        self.tracker.into_incidents()
    }
}

/// The corpus's templates as the detector asks for them.
struct Templates<'c>(&'c Corpus);

impl Expect for Templates<'_> {
    fn outlook(&self, exception: &str, message: &[String]) -> Outlook {
        self.0.outlook(exception, message)
    }

    fn expects(&self, exception: &str, message: &[String], next: &str) -> bool {
        self.0.expects(exception, message, next)
    }

    fn rejoin(&self, exception: &str, message: &[String], next: &str) -> Option<String> {
        self.0.rejoin(exception, message, next)
    }
}

/// Gives the incidents of a text that ends: what `check` would report of it.
pub fn incidents<'c>(corpus: &'c Corpus, text: &[u8]) -> Vec<Incident<'c>> {
    let mut analysis = Analysis::new(corpus, Mode::Saved);
    let mut says = Vec::new();
    let mut offset = 0;
    let mut moment = Moment::default();
    for (number, bytes) in (1..).zip(text.split_inclusive(|b| *b == b'\n')) {
        moment.line = number;
        let end_offset = offset + bytes.len() as u64;
        analysis.begin_line(first_byte(bytes), moment, &mut says);
        analysis.line(
            RawLine {
                bytes,
                number,
                offset,
                end_offset,
            },
            moment,
            &mut says,
        );
        offset = end_offset;
        says.clear();
    }
    analysis.finish(moment, &mut says);
    let mut all = analysis.take_dropped();
    all.extend(analysis.into_incidents());
    all
}

/// Gives the root diagnoses of a text: what the samples of rules are checked against.
pub fn root_diagnoses<'c>(corpus: &'c Corpus, text: &[u8]) -> Vec<Diagnosis<'c>> {
    let roots = incidents(corpus, text)
        .into_iter()
        .map(|incident| incident.root);
    roots
        .filter_map(|root| match root {
            Failure::Known(diagnosis) => Some(diagnosis),
            Failure::Unknown { .. } => None,
        })
        .collect()
}
