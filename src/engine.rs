//! From lines to failures: lanes, tracebacks, diagnoses. The one engine of all commands.

mod pending;

use std::iter;
use std::time::Duration;

use crate::corpus::{Corpus, Failure};
use crate::gate::Gate;
use crate::line::RawLine;
use crate::object::Object;
use crate::source::Sources;
use crate::traceback::assembler::{Continuation, MessageGrammar};
use crate::traceback::lanes::{Completed, Lanes};
use crate::traceback::log_line::{
    bare_exception, bare_message, messages_in, strip_above, told_by, told_exception,
    told_in_summary, without_logger, without_prefix, without_prefixes, without_shared_prefix,
};
use crate::traceback::notes::RunNotes;
use crate::traceback::{Dialect, Evidence, Traceback};

use pending::{PendingLine, mark, source_mark};

/// The gutters of pickfix's own annotations, which are never input to the analysis.
const OWN_GUTTER: &[u8] = "▎".as_bytes();
const OWN_HEADS_ASCII: [&[u8]; 2] = [b"#| pickfix:", b"#|+ pickfix:"];
/// What each line of a block that was written with `--ascii` begins with.
pub(crate) const OWN_GUTTER_ASCII: &[u8] = b"#|";

/// Failures of one traceback or log line.
pub(crate) type Failures<'c> = Vec<Failure<'c>>;

/// Reads lines and finds the failures in them.
pub struct Engine<'c> {
    corpus: &'c Corpus,
    gate: &'c Gate,
    lanes: Lanes,
    found: Vec<Completed>,
    pending: PendingLine<'c>,
    /// Inside a block of pickfix's own, written with `--ascii`.
    own_block: bool,
    /// How many lines of pickfix's own were left out.
    own_lines: u64,
    /// Where the program's own source may be read.
    sources: Option<Sources>,
    /// What who runs the program knows of it.
    run_notes: RunNotes,
}

impl<'c> Engine<'c> {
    /// Starts before the first byte.
    pub fn new(corpus: &'c Corpus) -> Self {
        Self {
            corpus,
            gate: corpus.gate(),
            lanes: Lanes::default(),
            found: Vec::new(),
            pending: PendingLine::default(),
            own_block: false,
            own_lines: 0,
            sources: None,
            run_notes: RunNotes::default(),
        }
    }

    /// Looks into the program's own source, too, for the object that a failure speaks of.
    #[must_use]
    pub fn with_sources(self, sources: Option<Sources>) -> Self {
        Self { sources, ..self }
    }

    /// Takes what who runs the program knows for what Python itself tells.
    #[must_use]
    pub fn with_run_notes(self, run_notes: RunNotes) -> Self {
        Self { run_notes, ..self }
    }

    /// Returns the search that lets most of a log pass unread.
    pub fn gate(&self) -> &'c Gate {
        self.gate
    }

    /// Returns whether no traceback is open or pending, and no line begun: lines that the gate does not want can be
    /// skipped.
    pub fn is_idle(&self) -> bool {
        self.lanes.is_idle() && self.pending.failures.is_empty() && !self.lanes.awaits_rest()
    }

    /// Returns the offset in the file of the first line of what is open or pending.
    pub fn open_from(&self) -> Option<u64> {
        let told = self.pending.failures.iter();
        let told = told.map(|failure| failure.at.offset);
        told.chain(self.lanes.open_from()).min()
    }

    /// Returns whether quiet would complete something.
    pub fn is_pending(&self) -> bool {
        self.lanes.is_pending() || !self.pending.failures.is_empty()
    }

    /// Returns whether an annotation may stand between the line before and the next one.
    pub fn may_annotate(&self) -> bool {
        self.lanes.may_annotate()
    }

    /// Returns whether the line before is a `File` line, or a source line, of an open traceback.
    pub fn is_inside_entry(&self) -> bool {
        self.lanes.last_line_is_entry()
    }

    /// Returns how many lines were left out because they bear pickfix's own gutter.
    pub fn own_lines(&self) -> u64 {
        self.own_lines
    }

    /// Finds out from the lines above whether the next one is in a block of pickfix's own.
    pub fn find_block<'l>(&mut self, above: impl Iterator<Item = &'l [u8]>) {
        self.own_block = false;
        for line in above {
            self.is_own(line);
        }
    }

    /// Forgets the lines above: all that matter are about to be remembered.
    pub fn forget_recent(&mut self) {
        self.lanes.forget_recent();
    }

    /// Looks at the first line of the input, whatever it is.
    pub fn see_first(&mut self, line: &[u8]) {
        self.lanes.see_first(line);
    }

    /// Remembers a line above one that is about to be read.
    pub fn remember(&mut self, line: RawLine<'_>) {
        self.lanes.remember(line);
    }

    /// Takes note that a line begins with this byte; what is found ended before it.
    pub fn begin_line(&mut self, first: Option<u8>, found: &mut dyn FnMut(Failures<'c>)) {
        if !self.lanes.is_idle() {
            let rules = RuleGrammar(self.corpus, self.gate);
            self.lanes.begin_line(first, &rules, &mut self.found);
            self.settle(found);
        }
        if self.lanes.is_idle() && !self.pending.waits_for(first) {
            self.pending.let_go(found);
        }
    }

    /// Reads a complete line, at this time of the stream.
    pub fn line(&mut self, line: RawLine<'_>, time: Duration, found: &mut dyn FnMut(Failures<'c>)) {
        if self.is_own(line.bytes) {
            self.own_lines += 1;
            return;
        }
        let rules = RuleGrammar(self.corpus, self.gate);
        self.lanes.line(line, time, &rules, &mut self.found);
        self.settle(found);
    }

    /// Takes note that nothing was readable for a while.
    pub fn quiet(&mut self, found: &mut dyn FnMut(Failures<'c>)) {
        self.lanes.quiet(&mut self.found);
        self.settle(found);
        if self.lanes.is_idle() {
            self.pending.let_go(found);
        }
    }

    /// Ends the input, or one FILE of it: its tracebacks are complete.
    pub fn finish(&mut self, found: &mut dyn FnMut(Failures<'c>)) {
        self.lanes.finish(&mut self.found);
        self.own_block = false;
        self.settle(found);
        self.pending.let_go(found);
        self.pending = PendingLine::default();
    }

    fn settle(&mut self, tell: &mut dyn FnMut(Failures<'c>)) {
        // Nearly every line completes nothing.
        if !self.found.is_empty() {
            self.settle_found(tell);
        }
    }

    fn settle_found(&mut self, tell: &mut dyn FnMut(Failures<'c>)) {
        let mut is_known = false;
        for found in std::mem::take(&mut self.found) {
            match found {
                Completed::Traceback(mut traceback) => {
                    self.run_notes.add_to(&mut traceback);
                    self.traceback(&traceback, tell);
                }
                Completed::Line(line) => is_known |= self.log_line(&line, 0, tell),
                Completed::Wrapped { line, last } => {
                    is_known = is_known
                        || !self.is_by_itself(&line, last) && self.log_line(&line, last, tell);
                }
            }
        }
        if is_known {
            self.lanes.bind_last();
        }
    }

    /// Tells, or holds, what a traceback is.
    fn traceback(&mut self, traceback: &Traceback, tell: &mut dyn FnMut(Failures<'c>)) {
        let failures = self.failures(traceback);
        if traceback.evidence > Evidence::Line {
            self.pending.has_reports |= traceback.is_of_test();
            self.pending.follow(traceback, &failures, tell);
            if !failures.is_empty() {
                tell(failures);
            }
        } else if !failures.is_empty() {
            self.pending.hold(failures, mark(traceback), tell);
        } else if !traceback.is_quoted() {
            let told = self.told_by(traceback);
            self.pending.hold_new(traceback, told, tell);
        }
    }

    /// Returns what a traceback is: failures that rules know, or one that none does.
    fn failures(&self, traceback: &Traceback) -> Failures<'c> {
        // Of a hook that failed the interpreter goes on with what it was called for.
        let heading = traceback.heading.as_deref().unwrap_or_default();
        if traceback.is_quoted() || heading.starts_with("Error in sys.excepthook:") {
            return Vec::new();
        }
        let known = self.corpus.diagnose_confirmed(traceback, |failure| {
            self.name_object(traceback, failure);
            is_confirmed(failure)
        });
        // A line alone that no rule knows may be anything.
        if !known.is_empty() || traceback.evidence == Evidence::Line {
            return known;
        }
        Failure::unknown(traceback).into_iter().collect()
    }

    /// Looks for the object that a failure speaks of in the program's own source.
    fn name_object(&self, traceback: &Traceback, failure: &mut Failure) {
        if let (Some(sources), Some(diagnosis)) = (&self.sources, &mut failure.diagnosis) {
            let found = sources.object(traceback, diagnosis.exception, &failure.facts);
            diagnosis.object = found.map(Box::new);
        }
    }

    /// Returns whether the last piece of a line would be known if nothing stood above: then it is no piece.
    fn is_by_itself(&self, line: &Traceback, last: usize) -> bool {
        let whole = &line.exceptions[0].message[0];
        let piece = whole.get(whole.len().saturating_sub(last)..);
        let mut alone = line.clone();
        alone.above.clear();
        piece
            .unwrap_or_default()
            .clone_into(&mut alone.exceptions[0].message[0]);
        !self.corpus.diagnose(&alone).is_empty()
    }

    /// Holds what a log line is by the rules that ask for one; else what it tells of an exception. Returns whether
    /// that is known. `last` is the length of its last piece, if it has several: in that alone nothing was found.
    fn log_line(
        &mut self,
        line: &Traceback,
        last: usize,
        tell: &mut dyn FnMut(Failures<'c>),
    ) -> bool {
        let is_more =
            |failure: &Failure| failure.exception.is_some() || failure.message.len() > last;
        if line.is_quoted() {
            return false;
        }
        let text = &line.exceptions[0].message[0];
        let mut behind = line.clone();
        let rest = behind.exceptions[0].message.split_off(1);
        // More than the first line tells what happened.
        if !rest.is_empty()
            && let told = self.told_by(line)
            && !told.is_empty()
        {
            self.pending.hold_new(line, told, tell);
            return true;
        }
        let mut known = self.corpus.diagnose(&behind);
        // A level may be the line's own: `ERROR: Job failed: exit code 143`.
        let mut tried = vec![text.len()];
        for rest in behind_prefixes(text, &line.above) {
            if !known.is_empty() {
                break;
            }
            if tried.contains(&rest.len()) {
                continue;
            }
            tried.push(rest.len());
            rest.clone_into(&mut behind.exceptions[0].message[0]);
            // The lines above are made ready only where they may be asked for.
            if self.corpus.has_words(&behind) {
                behind.above.clone_from(&line.above);
                strip_above(&text[..text.len() - rest.len()], &mut behind.above);
                known = self.corpus.diagnose(&behind);
            }
        }
        let is_known = !known.is_empty();
        known.retain(|failure| is_confirmed(failure) && is_more(failure));
        if is_known {
            self.pending.hold(known, source_mark(line, text), tell);
            return true;
        }
        let mut told = if rest.is_empty() {
            self.told_by(line)
        } else {
            Vec::new()
        };
        told.retain(is_more);
        let is_told = !told.is_empty();
        self.pending.hold_new(line, told, tell);
        is_told
    }

    /// Returns the failure that a line tells behind a program's own words, with its type or without.
    fn told_by(&self, line: &Traceback) -> Failures<'c> {
        let Some(exception) = line.exceptions.first() else {
            return Vec::new();
        };
        let message = exception.message.first().map_or("", String::as_str);
        let whole = match &exception.type_name {
            Some(name) => &format!("{name}: {message}"),
            None => message,
        };
        // Of a log line this was asked before it came here.
        if exception.type_name.is_some() && !self.corpus.may_know(whole) {
            return Vec::new();
        }
        let mut known = Vec::new();
        if exception.type_name.is_some() {
            // What looks like an exception may be a library's own line: `Error: …`, `UserWarning: …`.
            known = self.corpus.diagnose(&Traceback {
                dialect: Dialect::LogLine,
                ..told_by(line, Evidence::Line, None, Some(whole))
            });
        }
        if known.is_empty() && !self.pending.has_reports {
            // What pytest lists in its summary stands in its reports, with the frames.
            let told = told_in_summary(line, message).map(|told| self.corpus.diagnose(&told));
            known = told.unwrap_or_default();
        }
        if known.is_empty() {
            known = match told_exception(line, message) {
                // With another type it would be another failure.
                Some(mut told) => {
                    let rest = exception.message.iter().skip(1).cloned();
                    told.exceptions[0].message.extend(rest);
                    self.corpus.diagnose(&told)
                }
                None => match exception.type_name.as_deref() {
                    // `Error: …` names no type.
                    Some("Error" | "Exception") => self.told_without_type(line, whole),
                    _ => self.told_without_type(line, message),
                },
            };
        }
        known.retain(is_confirmed);
        known
    }

    /// Returns the failure whose message a text of a line tells, behind words which say that something failed or
    /// alone.
    fn told_without_type(&self, line: &Traceback, text: &str) -> Failures<'c> {
        let mut told = messages_in(text).map(|m| self.corpus.diagnose_message(line, m));
        if let Some(known) = told.find(|known| !known.is_empty()) {
            return known;
        }
        let bare = bare_message(text).filter(|m| {
            // A template that fits behind other words as well would fit prose.
            let in_prose = format!("It says {m}");
            is_line_of_its_own(line) && self.corpus.diagnose_message(line, &in_prose).is_empty()
        });
        let known = bare.map(|m| self.corpus.diagnose_message(line, m));
        known.unwrap_or_default()
    }

    /// Returns whether a line is one of pickfix's own, from an earlier run over the same text.
    fn is_own(&mut self, line: &[u8]) -> bool {
        if line.starts_with(OWN_GUTTER) {
            return true;
        }
        let starts = OWN_HEADS_ASCII.iter().any(|head| line.starts_with(head));
        self.own_block = starts || self.own_block && line.starts_with(OWN_GUTTER_ASCII);
        self.own_block
    }
}

/// Returns whether a line without a type can be no part of a message above it, which may have empty lines.
/// A type that was wrapped stands directly above its message.
fn is_line_of_its_own(line: &Traceback) -> bool {
    let is_final = |text: &String| bare_exception(text.trim_start()).is_some();
    let is_type = |text: &String| text.trim_end().ends_with(':');
    let mut above = line.above.iter().rev().peekable();
    if above.peek().is_some_and(|text| is_type(text)) {
        above.next();
    }
    line.exceptions[0].type_name.is_none() && !above.any(is_final)
}

/// Returns what may be a line's own words behind what its writer puts before them.
fn behind_prefixes<'t>(text: &'t str, above: &[String]) -> impl Iterator<Item = &'t str> {
    let shared = iter::once_with(move || without_shared_prefix(text, above));
    let shared = shared.flat_map(|shared| [shared, without_prefix(shared)]);
    without_prefixes(text)
        .chain(shared)
        .chain(without_logger(text))
}

/// Returns whether a failure is what its rule says, as far as only the source could tell.
fn is_confirmed(failure: &Failure) -> bool {
    let Some(diagnosis) = &failure.diagnosis else {
        return true;
    };
    let rule = diagnosis.rule;
    let is_shown = |object: &Object| rule.shows.as_ref().is_none_or(|s| object.type_name == *s);
    !rule.needs_source || diagnosis.object.as_deref().is_some_and(is_shown)
}

/// The rules as the assembler asks for them.
struct RuleGrammar<'c, 'g>(&'c Corpus, &'g Gate);

impl MessageGrammar for RuleGrammar<'_, '_> {
    fn continuation(&self, exception: &str, message: &[String]) -> Continuation {
        self.0.continuation(exception, message)
    }

    fn expects(&self, exception: &str, message: &[String], next: &str) -> bool {
        self.0.expects(exception, message, next)
    }

    fn rejoin(
        &self,
        exception: &str,
        message: &[String],
        next: &str,
        directly: bool,
    ) -> Option<String> {
        self.0.rejoin(exception, message, next, directly)
    }

    fn may_know(&self, line: &str) -> bool {
        self.1.find(b"", line.as_bytes()).is_some() && self.0.may_know(line)
    }
}
