//! How well a line would fit, before any lane takes it.

use super::{Detector, Expect, Last, State, indent_of};
use crate::traceback::Dialect;
use crate::traceback::grammar::cpython::{self, looks_named, raised};
use crate::traceback::part::{Head, Part};

impl Detector {
    /// Says how well a line would fit, 0 for not at all; `line` is without the lane's prefix.
    pub(crate) fn rate(&self, line: &str, part: &Part<'_>, more: &dyn Expect) -> u8 {
        if self.margin > 0 && cpython::margin(line).is_some() {
            return 4;
        }
        let open = self.state == State::Open;
        if self.rejoin_frame(line).is_some() || self.is_half_frame(line, part) {
            return 4;
        }
        match part {
            Part::Head {
                kind: Head::Original,
                ..
            } => u8::from(self.caught()) * 4,
            Part::Head { .. } => u8::from(self.takes_head()) * 4,
            Part::Frame(_) if self.dumps() || open || self.chain().link.is_some() => 3,
            Part::Frame(_) if self.traceback.dialect == Dialect::Pytest => 4,
            Part::Frame(_) => u8::from(self.ray_task() || self.caught()) * 2,
            Part::Repeated(_) | Part::Elided => u8::from(open) * 3,
            Part::Carets if open => 2 + u8::from(self.last == Last::Source) * 2,
            Part::Separator(_) => {
                u8::from(!open || self.in_remote()) * (2 + u8::from(self.blanks > 0) * 2)
            }
            Part::Quote(quote) => u8::from(self.takes_quote(quote)) * 4,
            Part::Blank => 1,
            Part::Thread { .. } => u8::from(self.dumps()) * 4,
            Part::Source { .. } | Part::Context if self.dumps() => 3,
            Part::Source { .. } | Part::Context => {
                u8::from(open || self.traceback.dialect == Dialect::Pytest) * 4
            }
            Part::Raised(_) => 3,
            Part::Carets | Part::Text => self.rate_text(line, more),
        }
    }

    fn rate_text(&self, line: &str, more: &dyn Expect) -> u8 {
        let lead = indent_of(line);
        if self.state == State::Pending {
            return if self.continues(line, lead, more) {
                3
            } else {
                0
            };
        }
        if !self.strict() {
            return match raised(line.trim_start()) {
                Some(r) if looks_named(r.exception) || !self.frames.is_empty() => 3,
                _ => 1,
            };
        }
        if lead > self.base && !self.flat && !self.ends_at_file_column(line, lead) {
            return match self.last {
                Last::Frame => 4,
                Last::Source => 3,
                Last::Raised if self.in_remote() => 3,
                _ => 0,
            };
        }
        if self.in_remote() && self.last == Last::Raised || self.closing_remote(line).is_some() {
            return 2;
        }
        match raised(line.trim_start()) {
            Some(_) if !self.frames.is_empty() && self.last != Last::Frame => 3,
            Some(r) if !self.frames.is_empty() => 2 + u8::from(looks_named(r.exception)),
            Some(r) if looks_named(r.exception) => 1,
            _ if self.flat && self.last == Last::Frame => 2,
            _ => 0,
        }
    }

    /// Whether a head may be the next part of what is being read.
    pub(super) fn takes_head(&self) -> bool {
        match self.state {
            State::Open => {
                matches!(self.last, Last::Separator | Last::Border)
                    || self.bare_head() && self.chain().link.is_some()
            }
            State::Pending => self.nested || self.borders > 0 || self.chain().link.is_some(),
        }
    }

    /// Whether columns mean something in this dialect.
    pub(super) fn strict(&self) -> bool {
        !matches!(
            self.traceback.dialect,
            Dialect::Ipython | Dialect::Rich | Dialect::Pytest | Dialect::Dump
        )
    }

    /// Whether it is a final line in the column of `File`, as pastes with lost indentation have it;
    /// source stands deeper.
    pub(super) fn ends_at_file_column(&self, line: &str, lead: usize) -> bool {
        lead <= self.file_column
            && raised(line.trim_start()).is_some_and(|r| looks_named(r.exception))
    }

    pub(super) fn takes_raised(&self, exception: &str, lead: usize) -> bool {
        if !self.strict() {
            return looks_named(exception) || lead == 0 && self.last == Last::Source;
        }
        if lead > self.file_column && !self.flat && self.margin == 0 && !self.frames.is_empty() {
            return false;
        }
        match self.last {
            Last::Source => !self.flat && !self.wide || looks_named(exception),
            Last::Frame | Last::Head => {
                looks_named(exception) || (!self.flat && !self.frames.is_empty())
            }
            Last::Separator | Last::Border => looks_named(exception) || self.margin > 0,
            Last::Raised => false,
        }
    }
}
