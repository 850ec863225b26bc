//! The output of the filter: bytes of the input in their order, annotations between them.

use std::collections::HashSet;
use std::io::Write;

use super::FilterError;
use super::held::{HeldPiece, HeldText};
use super::json_lines::StreamForm;
use crate::bug::{self, Bug};
use crate::corpus::{Failure, Severity};
use crate::engine::Failures;
use crate::incident::{Mode, Moment, Notice, Tracker};
use crate::out::Out;
use crate::reader::{LineBreak, Sink};
use crate::render::{Annotator, BlockStart, Seen};

/// The most failures that are told once more at the end.
const MAX_GONE: usize = 2;
/// How many lines an annotation waits for a place outside all frame entries of all lanes.
const PLACE_PATIENCE: u32 = 64;

/// The output with its annotations, and the incidents found in it so far.
pub(super) struct AnnotatedOutput<'c, 'o, W> {
    pub(super) out: &'o mut Out<W>,
    /// How much of the current chunk is forwarded.
    pub(super) sent: usize,
    /// What is held back, where tracebacks are folded.
    pub(super) held: Option<HeldText<'c>>,
    /// Whether the stream is one into which nothing is written.
    pub(super) form: StreamForm,
    pub(super) tracker: Tracker<'c>,
    /// What is to be said at the next place.
    pub(super) notices: Vec<Notice<'c>>,
    /// For how many lines it has waited for a place.
    waited: u32,
    pub(super) annotator: Option<Annotator>,
    /// Whether something behind this one annotates; `None` when that was asked.
    pub(super) is_annotated_behind: Option<fn() -> bool>,
    pub(super) screen: Option<u64>,
    pub(super) follows_screen: bool,
    /// Whether a full-screen program has the screen.
    pub(super) is_covered: bool,
    /// The rules that were told, each with the index of its fix.
    told: HashSet<(&'c str, Option<usize>)>,
    /// The first failures, with how often each was seen.
    first: Vec<(Box<Failure<'c>>, u64)>,
    pub(super) diagnosed: bool,
    /// What went wrong while text was let go.
    pub(super) bug: Option<Bug>,
}

impl<'c, 'o, W: Write> AnnotatedOutput<'c, 'o, W> {
    /// Begins before the first byte, with nothing to draw annotations and no screen.
    pub(super) fn new(out: &'o mut Out<W>, mode: Mode) -> Self {
        Self {
            out,
            sent: 0,
            held: None,
            form: StreamForm::Text,
            tracker: Tracker::new(mode).without_unknown(),
            notices: Vec::new(),
            waited: 0,
            annotator: None,
            is_annotated_behind: None,
            screen: None,
            follows_screen: false,
            is_covered: false,
            told: HashSet::new(),
            first: Vec::new(),
            diagnosed: false,
            bug: None,
        }
    }

    /// Writes what is to be said where the output stands, or will stand where text is held back.
    pub(super) fn annotate(&mut self) -> Result<(), FilterError> {
        if self.notices.is_empty() {
            return Ok(());
        }
        self.waited = 0;
        let notices = std::mem::take(&mut self.notices);
        match &mut self.held {
            Some(held) => {
                held.say(notices);
                Ok(())
            }
            None => self.say(notices),
        }
    }

    fn say(&mut self, notices: Vec<Notice<'c>>) -> Result<(), FilterError> {
        self.count(&notices);
        for notice in notices {
            let mut seen = Seen::New;
            if let Notice::Root(failure) | Notice::LateRoot(failure) = &notice {
                self.diagnosed |= failure.severity() != Severity::Note;
                let known = failure.diagnosis.as_ref();
                let is_new = known.is_none_or(|d| self.told.insert((&d.rule.id, d.chosen())));
                if !is_new {
                    seen = Seen::Before;
                }
            }
            self.draw(&notice, seen)?;
            if let Notice::Root(failure) | Notice::LateRoot(failure) = notice
                && self.screen.is_some()
                && self.first.len() < MAX_GONE
                && failure.severity() != Severity::Note
            {
                self.first.push((failure, 1));
            }
        }
        Ok(())
    }

    /// Remembers how often failures were seen.
    pub(super) fn count(&mut self, notices: &[Notice<'c>]) {
        for notice in notices {
            if let Notice::Again { id, count, .. } = notice {
                let of = |(failure, _): &&mut (Box<Failure>, u64)| failure.id() == Some(id);
                if let Some((_, times)) = self.first.iter_mut().find(of) {
                    *times = *count;
                }
            }
        }
    }

    /// Writes what is left to be said, and once more what has left the screen by line `end`.
    pub(super) fn annotate_last(&mut self, end: u64) -> Result<(), FilterError> {
        let mut first = std::mem::take(&mut self.first);
        let screen = self.screen.unwrap_or(u64::MAX);
        first.retain(|(failure, _)| end.saturating_sub(failure.at.end_line) > screen);
        let is_told = |notice: &Notice| match notice {
            Notice::Again { id, .. } => first.iter().any(|(f, _)| f.id() == Some(id)),
            _ => false,
        };
        self.notices.retain(|notice| !is_told(notice));
        self.annotate()?;
        self.release(None)?;
        for (failure, count) in first {
            self.draw(&Notice::Root(failure), Seen::Gone(count))?;
        }
        Ok(())
    }

    fn draw(&mut self, notice: &Notice, seen: Seen) -> Result<(), FilterError> {
        if self.form.is_json_lines() {
            return Ok(());
        }
        if self.annotator.is_some() && self.is_annotated_behind.take().is_some_and(|ask| ask()) {
            self.annotator = None;
        }
        let Some(annotator) = &self.annotator else {
            return Ok(());
        };
        let start = if self.out.has_place() {
            BlockStart::Line
        } else {
            BlockStart::Broken
        };
        let block = annotator.draw(notice, start, seen);
        self.out.annotate(&block).map_err(FilterError::Write)
    }

    /// Forwards what a full-screen program draws.
    pub(super) fn draw_screen(&mut self, bytes: &[u8]) -> Result<(), FilterError> {
        self.is_covered = true;
        self.release(None)?;
        self.out.forward_drawing(bytes).map_err(FilterError::Write)
    }

    /// Goes on with a screen of another size.
    pub(super) fn resize(&mut self, columns: u16, rows: u16) {
        self.screen = self.screen.map(|_| rows.into());
        self.out.resize(columns);
        if let Some(annotator) = self.annotator.as_mut().filter(|_| self.follows_screen) {
            annotator.fit(columns);
        }
    }

    pub(super) fn forward(&mut self, chunk: &[u8], end: usize) -> Result<(), FilterError> {
        if end <= self.sent {
            return Ok(());
        }
        let piece = &chunk[self.sent..end];
        self.sent = end;
        match &mut self.held {
            Some(held) => {
                held.push(piece);
                Ok(())
            }
            None => self.write(piece),
        }
    }

    fn write(&mut self, text: &[u8]) -> Result<(), FilterError> {
        self.form.see(text);
        self.out.forward(text).map_err(FilterError::Write)
    }

    /// Returns whether text is held back.
    pub(super) fn is_holding(&self) -> bool {
        self.held.as_ref().is_some_and(|held| !held.is_empty())
    }

    /// Writes what need not be held back any longer: all but what an open traceback begins with.
    ///
    /// All text comes out, even if something that was to be said between it cannot be drawn.
    pub(super) fn release(&mut self, open_from: Option<u64>) -> Result<(), FilterError> {
        let pieces = self.held.as_mut().map(|held| held.release(open_from));
        for piece in pieces.into_iter().flatten() {
            match piece {
                HeldPiece::Text(text) => self.write(&text)?,
                HeldPiece::Notices(notices) => match bug::caught(|| self.say(notices)) {
                    Ok(said) => said?,
                    Err(bug) => self.bug = Some(bug),
                },
            }
        }
        Ok(())
    }
}

impl<'c, W: Write> Sink<'c> for AnnotatedOutput<'c, '_, W> {
    type Error = FilterError;

    fn failures(&mut self, failures: Failures<'c>, moment: Moment) {
        if let Some(held) = &mut self.held {
            held.complete(&failures);
        }
        self.notices.extend(self.tracker.push(failures, moment));
    }

    fn is_waiting(&self) -> bool {
        !self.notices.is_empty()
    }

    fn place(&mut self, place: LineBreak<'_>) -> Result<(), FilterError> {
        self.waited += u32::from(place.is_behind_line);
        if !place.is_free && (self.waited <= PLACE_PATIENCE || place.is_inside_entry) {
            return Ok(());
        }
        self.forward(place.chunk, place.at)?;
        let draws_plain = self.annotator.as_ref().is_some_and(|a| !a.is_coloured());
        if draws_plain && self.held.is_none() && self.out.is_colour_open() {
            // Without colour codes of its own, the annotation waits for the line that closes them.
            return Ok(());
        }
        self.annotate()
    }
}
