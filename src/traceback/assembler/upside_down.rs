//! A final line above its frames: loggers write the message first, and so do Sentry's raw text and Dagster.
//!
//! ```text
//! TypeError: cannot pickle '_thread.lock' object
//!   File "/app/train.py", line 37, in main
//!     pool.map(f, items)
//! ```
//! It is complete at whatever is no further frame; only a final line may follow, which then has the frames.
//! Where a head follows, all of it was turned upside down: viewers of logs show the newest line first.

use super::{Assembler, Last, State};
use crate::traceback::grammar::exception::looks_named;
use crate::traceback::part::{ExceptionLine, FrameLine, Line, Part};
use crate::traceback::{Dialect, Evidence, Exception, Frame, Traceback};

/// What Dagster, R's reticulate and Streamlit write between the two, below an empty line perhaps.
pub(super) const TITLES: &[&str] = &["Stack Trace:", "Detailed traceback:", "Traceback:"];

/// How the two lines begin by which Sentry says that it leaves out the outermost frames:
/// `(2 additional frame(s) were not displayed)`, `...`.
pub(super) const LEFT_OUT: &[&str] = &["(", "..."];

/// Where the final line stands above the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FinalAbove {
    /// On a line of its own.
    Alone,
    /// At the end of a log record, which is a failure by itself.
    InRecord,
}

impl Assembler {
    /// Starts at the first frame below a log record that tells the exception.
    pub(crate) fn below_record(
        traceback: Traceback,
        frame: &FrameLine<'_>,
        told: Exception,
    ) -> Self {
        let mut new = Self::at_frame(traceback, frame);
        new.announce(told);
        new.final_above = Some(FinalAbove::InRecord);
        new
    }

    /// Returns whether the frames of the final line that was read last may follow it.
    pub(super) fn may_head_frames(&self) -> bool {
        let is_alone = self.is_line_alone() || self.final_above == Some(FinalAbove::Alone);
        is_alone
            && self.state == State::Pending
            && self.traceback.dialect == Dialect::Cpython
            && self.last == Last::Exception
            && self.blanks <= 1
            && self.chain().link.is_none()
    }

    /// Returns whether the title of the frames may follow. The final line stands alone, so that few lines are
    /// asked.
    pub(super) fn awaits_title(&self) -> bool {
        self.is_line_alone() && self.may_head_frames()
    }

    /// Returns whether a line stands between the final line and the frames below it.
    pub(super) fn titles_frames(&self, line: &str) -> bool {
        let line = line.trim_end();
        let is_left_out =
            || line == "..." || line.ends_with(" additional frame(s) were not displayed)");
        let is_title = TITLES.contains(&line) || self.blanks == 0 && is_left_out();
        is_title && self.awaits_title()
    }

    /// Takes the first frame below a final line.
    pub(super) fn push_first_frame_below(&mut self, frame: &FrameLine<'_>) {
        let Some(mut raised) = self.traceback.exceptions.pop() else {
            return;
        };
        // Of two that take turns, the frames between them are the first one's.
        if let Some(before) = self.traceback.exceptions.last_mut() {
            before.frames = std::mem::take(&mut raised.frames);
        }
        self.forget_popped();
        self.continuation.take();
        self.traceback.evidence = Evidence::Frames;
        self.announce(raised);
        self.final_above = Some(FinalAbove::Alone);
        self.push_frame(frame);
    }

    /// Returns whether its final line stands above the frames that were read last.
    #[inline]
    pub(super) fn has_final_line_above(&self) -> bool {
        let in_frames = || matches!(self.last, Last::Frame | Last::Source);
        self.final_above.is_some() && self.state == State::Open && in_frames()
    }

    /// Returns whether the first byte of a line lets it go on with the frames, or be a final line.
    pub(super) fn may_go_on_below(first: u8) -> bool {
        first.is_ascii_alphabetic() || b" \t_>".contains(&first)
    }

    /// Returns whether a line cannot go on with frames whose final line stands above them.
    pub(super) fn ends_below(&self, line: &Line<'_>) -> bool {
        let first = line.text.bytes().next();
        let is_named = line.exception.is_some_and(|e| looks_named(e.type_name));
        let is_others = line.part == Part::Text && line.indent == 0 && !is_named;
        self.has_final_line_above() && (is_others || !first.is_none_or(Self::may_go_on_below))
    }

    /// Settles at a final line what was taken for the one of the frames above this: the same once more,
    /// or one of its own.
    pub(super) fn settle_final_line_above(&mut self, exception: &ExceptionLine<'_>) {
        let Some(place) = self.final_above else {
            return;
        };
        let Some(above) = self.announced.take() else {
            return;
        };
        let is_same = above.type_name.as_deref() == Some(exception.type_name)
            && above.message.first().map(String::as_str) == exception.message;
        if is_same || place == FinalAbove::InRecord {
            self.final_above = None;
        } else {
            self.push_above(above);
        }
    }

    /// Gives the frames that were read to the final line above them, if it has none yet.
    pub(super) fn close_below(&mut self) {
        if self.has_final_line_above()
            && let Some(above) = self.announced.take()
        {
            let frames = std::mem::take(&mut self.frames);
            // A record warns, with frames that say of what: torch's anomaly mode, `Error detected in ExpBackward0.
            // Traceback of forward call that caused the error:`.
            let warns = || {
                above
                    .short_type()
                    .is_some_and(|name| name.ends_with("Warning"))
            };
            if self.final_above.take() == Some(FinalAbove::Alone) || !warns() {
                self.push_above(Exception { frames, ..above });
            }
        }
    }

    /// Returns whether the head below the frames is their own: each line of source stands above its frame.
    pub(super) fn is_above_head(&self) -> bool {
        let has_source = |frame: &Frame| frame.source.is_some();
        self.has_final_line_above()
            && self.last == Last::Frame
            && self.frames.split_last().is_some_and(|(outermost, inner)| {
                !has_source(outermost) && inner.iter().all(has_source)
            })
            && self
                .announced
                .as_ref()
                .is_some_and(|told| told.message.len() > 1)
    }

    /// Turns frames that were shown the newest first, each below its line of source.
    pub(super) fn turn(&mut self) {
        let Some(told) = &mut self.announced else {
            return;
        };
        let is_of_carets = |line: &String| line.trim().bytes().all(|b| matches!(b, b'~' | b'^'));
        // That of the innermost one was taken for the message's.
        let mut above = told.message.pop();
        while told.message.len() > 1 && told.message.last().is_some_and(is_of_carets) {
            told.message.pop();
        }
        for frame in &mut self.frames {
            frame.marked = None;
            above = std::mem::replace(&mut frame.source, above.map(|line| line.trim().to_owned()));
        }
        self.frames.reverse();
        self.close_below();
        self.traceback.evidence = Evidence::Head;
        self.state = State::Pending;
        self.last = Last::Exception;
    }

    fn push_above(&mut self, above: Exception) {
        let index = self.traceback.exceptions.len();
        self.traceback.exceptions.push(above);
        self.chain_mut().last = Some(index);
    }
}
