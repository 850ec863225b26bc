//! A `File` line that a terminal, a page or a logger wrapped.

use super::decide::AssemblyStep;
use super::{Assembler, MAX_TEXT_BYTES, State};
use crate::traceback::grammar::{Columns, cpython, rich};
use crate::traceback::part::{Line, Part};

impl Assembler {
    /// A `File` line that was wrapped: the next part of it, or the whole.
    pub(super) fn wrapped_frame<'l>(&self, line: &Line<'l>) -> Option<AssemblyStep<'l>> {
        match self.layout().columns {
            Columns::Strict => {}
            Columns::Loose => return None,
            Columns::Box => {
                let is_row = matches!(line.part, Part::Context | Part::PartialPath(_));
                let partial = self.partial_frame.as_deref().filter(|_| is_row)?;
                return rich::rejoined(partial, line.text).map(AssemblyStep::RejoinedFrame);
            }
        }
        let piece = piece(line);
        let whole = self.rejoined_frame(piece).map(AssemblyStep::RejoinedFrame);
        whole.or_else(|| {
            if !matches!(line.part, Part::Text) || self.state != State::Open {
                return None;
            }
            let text = line.text.trim();
            let starts = text == "File" || text.starts_with("File \"");
            let partial = match &self.partial_frame {
                None => starts.then(|| line.text.trim_end_matches("  ").to_owned()),
                Some(partial) => {
                    let goes_on = !starts
                        && !partial.contains("\", line ")
                        && partial.len() + piece.len() < MAX_TEXT_BYTES;
                    let blank = if partial.ends_with("File") { " " } else { "" };
                    goes_on.then(|| format!("{partial}{blank}{piece}"))
                }
            };
            partial.map(AssemblyStep::PartialFrame)
        })
    }

    /// Joins a line to the part of a `File` line before it, where that gives a whole one.
    fn rejoined_frame(&self, line: &str) -> Option<String> {
        let partial = self.partial_frame.as_deref()?;
        if partial.trim_end().ends_with(" in")
            && (line.trim_end().contains([' ', '\t']) || line.is_empty())
        {
            // A source line: the function's name is lost.
            return None;
        }
        let joined = [
            format!("{partial}{line}"),
            format!("{} {}", partial.trim_end(), line.trim_start()),
        ];
        let is_whole = |text: &String| matches!(cpython::part(text), Part::Frame(_));
        joined.into_iter().find(is_whole)
    }
}

/// Returns what a line adds to the one that was wrapped above it. In the column that `RichHandler` writes messages
/// in, what stands around it is that column's own.
fn piece<'l>(line: &Line<'l>) -> &'l str {
    /// Pages and terminals wrap at column 0, or indent what they wrapped by less.
    const COLUMN: usize = 12;
    if line.indent < COLUMN {
        return line.text;
    }
    line.text.trim()
}
