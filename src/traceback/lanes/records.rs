//! A line outside tracebacks that some rule may know, and the lines below that go on with its message.

use super::reader::LaneReader;
use super::start::shown;
use super::{Completed, LINES_ABOVE, Lane, Recent, span_of};
use crate::line::find;
use crate::traceback::assembler::Assembler;
use crate::traceback::line::prefix::Prefix;
use crate::traceback::line::told::exception_in;
use crate::traceback::{Dialect, Evidence, Exception, Span, Traceback};

impl LaneReader<'_, '_> {
    /// Passes a line on that starts no traceback.
    pub(super) fn pass_on(&mut self, text: &str, prefix: &Prefix, completed: &mut Vec<Completed>) {
        if !self.more.may_know(text.trim_end()) || is_reraised(text) {
            return;
        }
        let text = &text[self.margin(text)..];
        if let Some(lane) = self.at_record(text, prefix) {
            self.lanes.open(lane);
            self.touch(self.lanes.open.len() - 1);
            return;
        }
        let (above, at) = (self.above(prefix), span_of(self.line));
        completed.push(Completed::Line(log_line(text, prefix, above, at)));
    }

    /// Returns how many blanks stand before each line of a log, as an issue shows it; those of a text within are its
    /// own.
    fn margin(&self, text: &str) -> usize {
        const LEAST: usize = 2;
        let margin = text.len() - text.trim_start_matches(' ').len();
        if margin == 0 {
            return 0;
        }
        let above = self.lanes.recent.iter().rev().take(LINES_ABOVE);
        let above: Vec<_> = above.filter(|r| !r.text.trim().is_empty()).collect();
        let is_within = |r: &&Recent| r.text.starts_with(&text[..margin]);
        let is_margin = above.len() >= LEAST && above.iter().all(is_within);
        if is_margin { margin } else { 0 }
    }

    /// Starts at a record that tells the first line of a message which some rule has several lines of; the others
    /// bear no words of the logger's: `ERROR:root:job 3 failed: RuntimeError: NCCL error in: …`.
    fn at_record(&mut self, text: &str, prefix: &Prefix) -> Option<Lane> {
        let text = text.trim_end();
        let told = exception_in(text)?;
        let words = text.strip_suffix(told.message?)?.to_owned();
        let message = [told.message?.to_owned()];
        let goes_on = self.more.continuation(told.type_name, &message).wants_lines;
        if !goes_on || self.lanes.has_plain() {
            return None;
        }
        let traceback = Traceback {
            at: span_of(self.line),
            above: self.above(prefix),
            ..Traceback::default()
        };
        Some(Lane {
            words: Some(words),
            ..Lane::new(prefix.clone(), Assembler::at_exception(traceback, &told))
        })
    }
}

/// Returns a line outside tracebacks as one.
pub(super) fn log_line(text: &str, prefix: &Prefix, above: Vec<String>, at: Span) -> Traceback {
    Traceback {
        dialect: Dialect::LogLine,
        evidence: Evidence::Line,
        above,
        exceptions: vec![Exception {
            message: vec![text.trim_end().to_owned()],
            ..Exception::default()
        }],
        at,
        prefix: shown(prefix),
        ..Traceback::default()
    }
}

/// Returns whether a line is what torch puts above the text of a worker, behind a program's own words: `print(e)`
/// wrote it, and the worker's traceback follows. Source: torch, `_utils.py`, `ExceptionWrapper`.
fn is_reraised(text: &str) -> bool {
    const WHERE: [&str; 2] = [
        " in DataLoader worker process ",
        " in pin memory thread for device ",
    ];
    let told = find(text, "Caught ").map(|at| &text[at..]);
    told.is_some_and(|told| WHERE.iter().any(|place| told.contains(place)))
}

/// Returns the record whose message, a text of several lines, was read as that of an exception.
pub(super) fn recorded(mut traceback: Traceback, words: &str) -> Traceback {
    traceback.dialect = Dialect::LogLine;
    if let Some(raised) = traceback.exceptions.first_mut() {
        raised.type_name = None;
        if let Some(first) = raised.message.first_mut() {
            first.insert_str(0, words);
        }
    }
    traceback
}
