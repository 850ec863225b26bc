//! The source lines that a notebook shows beside the one that failed.
//!
//! ```text
//!      10 with joblib.parallel_backend("dask"):
//! ---> 11     study.optimize(objective,
//!      12                    n_jobs=3)
//! ```
//! Those that the frame is in belong to it: the heads of the blocks round its line, and the rest of its statement.

use super::apply::indent_of;
use super::{Assembler, MAX_TEXT_BYTES};
use crate::traceback::line::text::clip;

/// So many lines are kept of those above, and so many of a statement.
const MOST_ABOVE: usize = 16;
const MOST_OF_STATEMENT: usize = 8;

/// The lines beside that of the frame read last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Beside {
    /// Those above it, until it is read.
    above: Vec<String>,
    /// How many brackets its statement has left open, once it was read.
    open: i32,
}

impl Assembler {
    /// Takes a line beside the one that failed; its indentation is the source's.
    pub(super) fn push_beside(&mut self, text: &str) {
        let frame = self.frames.last_mut();
        if let Some(frame) = frame.filter(|frame| frame.source.is_some()) {
            if self.beside.open > 0 && frame.around.len() < MOST_OF_STATEMENT {
                self.beside.open += left_open(text);
                frame.around.push(kept(text));
            }
        } else if self.beside.above.len() < MOST_ABOVE {
            let text = clip(text, MAX_TEXT_BYTES).to_owned();
            self.beside.above.push(text);
        }
    }

    /// Takes the line that failed: of those above, the heads of its blocks are the frame's.
    pub(super) fn settle_beside(&mut self, text: &str) {
        let above = std::mem::take(&mut self.beside.above);
        self.beside.open = left_open(text);
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let mut indent = indent_of(text);
        for line in above.iter().rev().filter(|line| !line.trim().is_empty()) {
            if indent_of(line) >= indent {
                continue;
            }
            indent = indent_of(line);
            if defines(line) {
                break;
            }
            frame.around.push(kept(line));
        }
    }
}

fn kept(line: &str) -> String {
    clip(line.trim(), MAX_TEXT_BYTES).to_owned()
}

/// Returns whether a line is the head of what the frame runs in, and nothing that it runs.
fn defines(line: &str) -> bool {
    let words = ["def ", "async def ", "class "];
    words.iter().any(|word| line.trim_start().starts_with(word))
}

/// Returns how many more brackets a line opens than it closes.
fn left_open(line: &str) -> i32 {
    line.bytes().fold(0, |open, byte| match byte {
        b'(' | b'[' | b'{' => open + 1,
        b')' | b']' | b'}' => open - 1,
        _ => open,
    })
}
