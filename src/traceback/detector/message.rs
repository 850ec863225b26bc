//! The message: the rest of it, its notes, and what may still belong to it.

use super::feed::MAX_STRANGE_LINES;
use super::{Detector, Expect, MAX_MESSAGE_BYTES, MAX_TEXT_BYTES, Outlook, State};
use crate::traceback::grammar::cpython;
use crate::traceback::text::clip;
use crate::traceback::{Dialect, Raised};

/// The first and the last notes that are kept.
const MAX_NOTES: usize = 100;
/// So many lines of others may stand before a part that is all but sure to follow.
const MAX_BORNE_LINES: u32 = 2;
/// The beginning of the notes that Python 3.14 adds to errors of pickling.
const NOTE: &str = "when serializing ";

impl Detector {
    pub(super) fn push_message(&mut self, line: &str) {
        let text = line.trim_end();
        self.nested = cpython::spawned_process(text).is_some()
            || (cpython::rule_line(text).is_some() && self.first_message_line_empty());
        if cpython::rule_line(text) == Some('=') && self.first_message_line_empty() {
            self.borders += 1;
        }
        let blanks = self.blanks;
        self.outlook.take();
        let Some(raised) = self.traceback.raised.last_mut() else {
            return;
        };
        if text.starts_with(NOTE) {
            if raised.notes.len() >= 2 * MAX_NOTES {
                raised.notes.remove(MAX_NOTES);
            }
            raised.notes.push(clip(text, MAX_TEXT_BYTES).to_owned());
            return;
        }
        if !raised.notes.is_empty() {
            return;
        }
        for _ in 0..blanks.min(8) {
            raised.message.push(String::new());
        }
        if self.message_bytes + text.len() <= MAX_MESSAGE_BYTES {
            self.message_bytes += text.len() + 1;
            raised.message.push(text.to_owned());
        }
    }

    /// Joins a line to a message that was wrapped.
    pub(super) fn rejoin_message(&mut self, line: &str, more: &dyn Expect) -> bool {
        let Some(joined) = self.rejoined(line, more) else {
            return false;
        };
        self.outlook.take();
        let Some(raised) = self.traceback.raised.last_mut() else {
            return false;
        };
        if self.message_bytes + line.len() <= MAX_MESSAGE_BYTES {
            self.message_bytes += line.len();
            if let Some(last) = raised.message.last_mut() {
                *last = joined;
            }
        }
        true
    }

    /// Gives the last line of the message with the rest of it, where that was wrapped.
    fn rejoined(&self, line: &str, more: &dyn Expect) -> Option<String> {
        let raised = self.traceback.raised.last()?;
        let exception = raised.exception.as_deref().unwrap_or_default();
        let is_begun = self.outlook(raised, more).is_begun;
        is_begun.then(|| more.rejoin(exception, &raised.message, line))?
    }

    pub(super) fn outlook(&self, raised: &Raised, more: &dyn Expect) -> Outlook {
        let exception = raised.exception.as_deref().unwrap_or_default();
        *self
            .outlook
            .get_or_init(|| more.outlook(exception, &raised.message))
    }

    /// Whether a line may go on with the pending one.
    pub(super) fn continues(&self, line: &str, lead: usize, more: &dyn Expect) -> bool {
        if self.dumps() || self.traceback.dialect == Dialect::Pytest {
            return false;
        }
        let Some(raised) = self.traceback.raised.last() else {
            return false;
        };
        if self.traceback.dialect == Dialect::Rich && lead < self.base {
            // Left of the column in which a log's message stands.
            return false;
        }
        if lead > 0 || self.drawing_box() {
            return self.strange_lines <= MAX_STRANGE_LINES;
        }
        if line.starts_with(NOTE) {
            return true;
        }
        if self.first_message_line_empty()
            && (cpython::spawned_process(line).is_some() || cpython::rule_line(line).is_some())
        {
            return true;
        }
        if self.nested && cpython::rule_line(line).is_some() {
            return true;
        }
        raised.exception.as_deref().is_some_and(|e| {
            self.outlook(raised, more).wants_lines && more.expects(e, &raised.message, line)
                || self.blanks == 0 && self.rejoined(line, more).is_some()
        })
    }

    /// Whether the first byte of a line lets it go on with the pending one; `None` for an empty line.
    ///
    /// What this refuses closes the traceback before the line; what it lets pass is decided when
    /// the line is complete. It depends on that byte alone, so that the output is the same however
    /// the input was cut.
    pub(crate) fn may_continue(&self, first: Option<u8>, more: &dyn Expect) -> bool {
        let Some(first) = first else { return true };
        if self.dumps() {
            return matches!(first, b' ' | b'\t' | b'T' | b'C' | b'P')
                || first == b'\r' && self.crlf
                || self.masks.contains(&first);
        }
        if self.traceback.dialect == Dialect::Pytest {
            return !matches!(first, b'=' | b'_' | b'-');
        }
        let Some(raised) = self.traceback.raised.last() else {
            return true;
        };
        match first {
            b' ' | b'\t' | b'\n' => true,
            b'\r' => self.crlf,
            _ if self.masks.contains(&first) => true,
            b'T' | b'D' if self.blanks > 0 => true,
            _ if self.awaits_part() && self.strange_lines < MAX_BORNE_LINES => true,
            b'O' if self.caught() => true,
            b'"' | b'\'' if self.strict() => true,
            b'-' | b'=' if self.first_message_line_empty() || self.nested => true,
            b'w' if Self::notes_likely(raised) => true,
            _ => {
                self.drawing_box()
                    || raised.exception.is_some() && {
                        let outlook = self.outlook(raised, more);
                        outlook.wants_lines || self.blanks == 0 && outlook.is_cut
                    }
            }
        }
    }

    /// Whether 3.14's notes may follow: an error of pickling.
    fn notes_likely(raised: &Raised) -> bool {
        let pickles = |text: &str| {
            text.contains("ickl") || text.contains("erializ") || text.contains("reduction.py")
        };
        !raised.notes.is_empty()
            || raised.message.iter().any(|m| pickles(m))
            || raised
                .frames
                .iter()
                .rev()
                .take(8)
                .any(|f| pickles(f.path.as_str()) || f.source.as_deref().is_some_and(pickles))
    }

    /// Lets a line of another writer pass where a further part is all but sure to follow: below
    /// `Caught TypeError in DataLoader worker …`, below `…RemoteTraceback: `, below the quote that
    /// ends its text.
    pub(crate) fn bears_strange(&mut self) -> bool {
        let waits = self.awaits_part() && self.strange_lines < MAX_BORNE_LINES;
        self.strange_lines += u32::from(waits);
        waits
    }

    fn awaits_part(&self) -> bool {
        let is_linked = self.state == State::Pending && self.chain().link.is_some();
        self.caught() || self.remote_header() || is_linked
    }

    fn drawing_box(&self) -> bool {
        self.borders == 1
    }

    fn first_message_line_empty(&self) -> bool {
        self.traceback
            .raised
            .last()
            .is_some_and(|r| r.message.first().is_some_and(|m| m.trim().is_empty()))
            || self.borders > 0
    }
}
