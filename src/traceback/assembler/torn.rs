//! A final line whose pieces are lines of their own.
//!
//! ```text
//! InterfaceError
//! :
//! connection already closed
//! ```
//! The interpreter writes the type, the colon and the message by turns. Celery's `redirect_stdouts` makes a
//! record of each, and between two of them another writer's line may come. Mails and pages break the line
//! behind the colon.

use super::{Assembler, AssemblyStep, Last, MAX_MESSAGE_BYTES, State};
use crate::traceback::grammar::Columns;
use crate::traceback::line::text::clip;

/// How what follows a type begins.
pub(super) const COLON: &str = ":";

impl Assembler {
    /// Returns whether the colon of the final line may follow, of which the type was read.
    pub(super) fn awaits_colon(&self) -> bool {
        let is_bare = self.last == Last::Exception && self.state == State::Pending;
        let raised = self.traceback.exceptions.last().filter(|_| is_bare);
        raised.is_some_and(|raised| raised.message.is_empty() && !raised.frames.is_empty())
            && self.blanks == 0
            && self.layout().columns == Columns::Strict
    }

    /// Returns whether the colon was the last that was read, so that any line is the message.
    pub(super) fn is_at_colon(&self) -> bool {
        self.last == Last::Colon && self.blanks == 0
    }

    /// Returns whether the final line ends with its colon, so that a line at column 0 directly below is the message.
    pub(super) fn is_below_colon(&self) -> bool {
        let is_final = self.last == Last::Exception && self.state == State::Pending;
        let raised = self.traceback.exceptions.last().filter(|_| is_final);
        raised.is_some_and(|raised| {
            let is_empty = matches!(&raised.message[..], [only] if only.trim().is_empty());
            is_empty && !raised.frames.is_empty()
        }) && self.blanks == 0
            && self.layout().columns == Columns::Strict
    }

    /// Returns what a line adds to a final line that was torn: its message, or the colon before that.
    pub(super) fn torn_message<'l>(&self, text: &'l str) -> Option<AssemblyStep<'l>> {
        if self.is_at_colon() {
            return Some(AssemblyStep::Torn(text.trim()));
        }
        let rest = text.strip_prefix(COLON).filter(|_| self.awaits_colon())?;
        (rest.is_empty() || rest.starts_with(' ')).then(|| AssemblyStep::Torn(rest.trim()))
    }

    /// Takes the message of a final line that was torn; empty where only the colon was read.
    pub(super) fn push_torn(&mut self, message: &str) {
        self.last = if message.is_empty() {
            Last::Colon
        } else {
            Last::Exception
        };
        self.continuation.take();
        self.message_bytes = message.len();
        if let Some(raised) = self.traceback.exceptions.last_mut() {
            raised.message = vec![clip(message, MAX_MESSAGE_BYTES).to_owned()];
        }
    }
}
