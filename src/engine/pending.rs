//! A line of a log that told a failure, while its traceback may follow.

use super::Failures;
use crate::corpus::Failure;
use crate::traceback::Traceback;
use crate::traceback::log_line::without_prefix;

/// What a line outside tracebacks is, or tells of an exception in a program's own words. A logger's traceback
/// follows directly and says more: then only that is told. Below a warning its source may follow.
#[derive(Default)]
pub(super) struct PendingLine<'c> {
    /// What the last such line told, as long as its traceback or source may follow.
    pub(super) failures: Failures<'c>,
    /// The first byte of what follows: of what marks its writer, or the blank before a source line.
    mark: Option<u8>,
    /// Whether a line has begun since, which may be its head.
    has_waited: bool,
    /// Whether pytest's report of a test was read.
    pub(super) has_reports: bool,
    /// The rule of the traceback before; a line that tells the same is about that.
    last: Option<&'c str>,
}

impl<'c> PendingLine<'c> {
    /// Keeps what a line is.
    pub(super) fn hold(
        &mut self,
        told: Failures<'c>,
        mark: Option<u8>,
        tell: &mut dyn FnMut(Failures<'c>),
    ) {
        if !told.is_empty() {
            self.let_go(tell);
            self.failures = told;
            self.mark = mark;
            self.has_waited = false;
        }
    }

    /// Keeps what a line tells in a program's own words.
    pub(super) fn hold_new(
        &mut self,
        line: &Traceback,
        told: Failures<'c>,
        tell: &mut dyn FnMut(Failures<'c>),
    ) {
        let is_new = |failure: &Failure| self.last.is_none() || failure.id() != self.last;
        if !told.is_empty() && told.iter().all(is_new) {
            self.hold(told, mark(line), tell);
        }
    }

    /// Returns whether the next line, which begins with this byte, may belong to it.
    pub(super) fn waits_for(&mut self, first: Option<u8>) -> bool {
        let may_wait = !self.failures.is_empty() && !self.has_waited;
        if first == Some(b'-') {
            // The rule that IPython draws above its head.
            return may_wait;
        }
        self.has_waited = true;
        // `multiprocessing.pool.RemoteTraceback:`, `concurrent.…`, `joblib.…` head the text of a worker.
        // A blank may be that of a frame.
        let may_head = first.is_some_and(|byte| b"Tmcj ".contains(&byte));
        may_wait && (may_head || first.is_some() && first == self.mark)
    }

    /// Drops what a line told if these failures of the traceback below it are the same, else tells it.
    pub(super) fn follow(
        &mut self,
        traceback: &Traceback,
        failures: &Failures<'c>,
        tell: &mut dyn FnMut(Failures<'c>),
    ) {
        self.last = failures.last().and_then(Failure::id);
        let is_below = |told: &Failure| told.at.offset < traceback.at.offset;
        if self.failures.iter().all(is_below) {
            let says = |message: &str| traceback.first_lines().any(|line| line == message);
            self.failures
                .retain(|told| told.id() != self.last && !says(&told.message));
            self.let_go(tell);
        }
    }

    /// Tells what a line told.
    pub(super) fn let_go(&mut self, tell: &mut dyn FnMut(Failures<'c>)) {
        if !self.failures.is_empty() {
            tell(std::mem::take(&mut self.failures));
        }
    }
}

/// Returns the first byte of what marks the writer of a line, or of its time.
pub(super) fn mark(line: &Traceback) -> Option<u8> {
    let text = line.exceptions.first().and_then(|e| e.message.first());
    let own = text.filter(|text| without_prefix(text).len() < text.len());
    line.prefix.as_ref().or(own)?.bytes().next()
}

/// Returns the first byte of a line below that may belong to it: of its writer's mark, no time, with which many
/// lines begin, or of the source that Python quotes below a warning.
/// Source: CPython `Lib/warnings.py`, `_formatwarnmsg_impl`.
pub(super) fn source_mark(line: &Traceback, text: &str) -> Option<u8> {
    let mark = mark(line).filter(|byte| !byte.is_ascii_digit());
    mark.or_else(|| text.contains("Warning: ").then_some(b' '))
}
