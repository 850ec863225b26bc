//! Writers without a prefix that fail of the same thing and mix their lines: whose a line is.
//!
//! ```text
//! Traceback (most recent call last):
//!   File "/app/train.py", line 88, in <module>
//! Traceback (most recent call last):
//!   File "/app/train.py", line 88, in <module>
//!     main()
//!   File "/app/train.py", line 71, in main
//!     main()
//! ```
//! What one of them printed before tells what comes next in the others.

use super::{Assembler, Fit, Last};
use crate::python_name::places_of;
use crate::traceback::Frame;
use crate::traceback::part::{FrameLine, Line, Part};

/// The function of the frames that run a module, as the outermost one of a program does.
const MODULE: &str = "<module>";

impl Assembler {
    /// Returns how well a line fits that several could take.
    pub(crate) fn fit_among_twins(&self, fit: Fit, line: &Line<'_>) -> Fit {
        match &line.part {
            Part::Frame(frame) if fit == Fit::Likely => self.fit_of_frame(frame),
            Part::Text if fit == Fit::Likely && self.lacks_source() => Fit::Fair,
            _ => fit,
        }
    }

    /// Returns whether the source of the last frame is still to come; files that are none have none.
    fn lacks_source(&self) -> bool {
        let of_file = |frame: &Frame| !frame.path.as_str().starts_with('<');
        self.last == Last::Frame && self.frames.last().is_some_and(of_file)
    }

    fn fit_of_frame(&self, frame: &FrameLine<'_>) -> Fit {
        let name = frame.function.unwrap_or_default();
        let Some(last) = self.frames.last() else {
            return Fit::Likely;
        };
        let source = last.source.as_deref().unwrap_or_default();
        let runs_modules = || last.path.as_str().starts_with('<') || calls(source, "exec");
        match name {
            _ if self.lacks_source() => Fit::Fair,
            _ if calls(source, name) => Fit::Sure,
            MODULE if !frame.file.starts_with('<') && runs_modules() => Fit::Sure,
            MODULE => Fit::Fair,
            _ => Fit::Likely,
        }
    }

    /// Returns whether a line is what comes next, as far as the traceback of another writer tells.
    pub(crate) fn is_next_as_in(&self, twin: &Self, line: &Line<'_>) -> Option<bool> {
        let frames = twin.latest_frames();
        let Some(last) = self.frames.last() else {
            let Part::Frame(frame) = &line.part else {
                return None;
            };
            return frames
                .first()
                .filter(|first| is_at(first, frame))
                .map(|_| true);
        };
        let mut same = (0..frames.len()).filter(|at| is_place(&frames[*at], last));
        match &line.part {
            Part::Text if self.last == Last::Frame && line.exception.is_none() => {
                let source = same.find_map(|at| frames[at].source.as_deref())?;
                Some(source == line.text.trim())
            }
            Part::Frame(frame) => {
                let mut next = same.filter_map(|at| frames.get(at + 1)).peekable();
                next.peek()?;
                Some(next.any(|next| is_at(next, frame)))
            }
            Part::Text if line.exception.is_some() && twin.frames.is_empty() => {
                let at = same.next_back()?;
                Some(at + 1 == frames.len())
            }
            _ => None,
        }
    }

    /// Returns the frames above the line that was read last.
    fn latest_frames(&self) -> &[Frame] {
        match self.traceback.exceptions.last() {
            Some(raised) if self.frames.is_empty() => &raised.frames,
            _ => &self.frames,
        }
    }
}

fn is_at(one: &Frame, line: &FrameLine<'_>) -> bool {
    one.line == line.line && one.path.as_str() == line.file
}

fn is_place(one: &Frame, other: &Frame) -> bool {
    one.line == other.line && one.path.as_str() == other.path.as_str()
}

/// Returns whether a source line calls a function of this name: `self.run(x)`.
fn calls(source: &str, function: &str) -> bool {
    let mut behind = places_of(source, function).map(|at| &source[at + function.len()..]);
    !function.is_empty() && behind.any(|rest| rest.starts_with('('))
}
