//! The message: the rest of it, its notes, and what may still begin a line below it.

use std::iter;

use super::{
    Assembler, Continuation, Last, MAX_MESSAGE_BYTES, MAX_NOTES, MAX_TEXT_BYTES, torn, upside_down,
};
use super::{MessageGrammar, State};
use crate::traceback::Exception;
use crate::traceback::grammar::cpython::{self, CAUSE, CONTEXT, HEAD};
use crate::traceback::grammar::oneline::FILE;
use crate::traceback::grammar::{Below, Columns, pytest};
use crate::traceback::line::text::clip;
use crate::traceback::notes::OpenFiles;
use crate::traceback::part::{Line, Part};

/// So many lines of others may stand before a part that is all but sure to follow.
const MAX_BORNE_LINES: u32 = 2;
/// The beginnings of notes: of those that Python 3.14 adds to errors of pickling, and of our own.
const NOTES: &[&str] = &["when serializing ", OpenFiles::NOTE];

fn begins_note(line: &str) -> bool {
    NOTES.iter().any(|note| line.starts_with(note))
}

/// What a manager writes before the traceback of what it cannot send back.
/// Source: `Server.serve_client` in `Lib/multiprocessing/managers.py`.
pub(super) const OF_MANAGER: &str = "Unserializable message:";

/// What torch says below the error of a GPU: where to read of it, that it may come late, the C++ stack.
/// Source: `c10/cuda/CUDAMiscFunctions.cpp`, `get_cuda_check_suffix` and `get_cuda_error_help`.
const OF_GPU: &[&str] = &[
    "Search for `",
    "GPU device may be out of range",
    "CUDA kernel errors might be",
    "HIP kernel errors might be",
    "For debugging consider passing ",
    "Device-side assertion",
    "Compile with `TORCH_USE_",
    "Exception raised from ",
    "frame #",
];

/// The borders of HDF5's own stack in a message.
/// Source: `HDF5ExtError.__str__` in `tables/exceptions.py`.
const HDF5_TRACE: &str = "HDF5 error back trace";
const HDF5_END: &str = "End of HDF5 error back trace";

/// What a pending traceback may go on with at the start of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The rest of the message, or the next frame.
    Indented,
    Separator,
    Head,
    OriginalHead,
    /// The same behind a manager's words.
    ManagersHead,
    /// A border of another process's text.
    Quote,
    /// A border of a box, or `-- Process 1 terminated …`.
    Border,
    Note,
    /// What Java raised, below its own words: `: org.apache.spark.SparkException: …`.
    JavaException,
    /// Torch's own advice below the error of a GPU.
    OfGpu,
    /// The end of HDF5's own stack.
    Hdf5End,
    /// What follows a type on a line of its own.
    Colon,
    /// What stands between a final line and the frames below it, or the first of them.
    FramesTitle,
    /// The same where it says that some are left out.
    FramesLeftOut,
}

/// How each of them begins.
const BEGINNINGS: [(Awaited, &[&str]); 15] = [
    (Awaited::Indented, &[" ", "\t"]),
    (Awaited::Separator, &[CAUSE, CONTEXT]),
    (Awaited::Head, &[HEAD]),
    (Awaited::OriginalHead, &["Original Traceback"]),
    (Awaited::ManagersHead, &[OF_MANAGER]),
    (Awaited::Quote, &["\"\"\"", "'''"]),
    (
        Awaited::Border,
        &["-- Process ", "----------", "=========="],
    ),
    (Awaited::Note, NOTES),
    (Awaited::JavaException, &[": "]),
    (Awaited::OfGpu, OF_GPU),
    (Awaited::Hdf5End, &[HDF5_END]),
    (Awaited::Colon, &[torn::COLON]),
    (Awaited::FramesTitle, upside_down::TITLES),
    // Pages take the indentation of frames.
    (Awaited::FramesTitle, &[FILE]),
    (Awaited::FramesLeftOut, upside_down::LEFT_OUT),
];

impl Assembler {
    /// Adds a line to the message or to the notes, with the empty lines above it.
    pub(super) fn push_message(&mut self, line: &str, blanks: u32) {
        let text = line.trim_end();
        let below_empty = self.is_message_below();
        let rule = cpython::rule_line(text).filter(|_| below_empty);
        self.borders += u32::from(rule == Some('='));
        // Below the box's last line comes another traceback, not one of the box.
        let in_box = rule.is_some() && self.borders < 2;
        self.nested = cpython::spawned_process(text).is_some() || in_box;
        // The paste of a final line alone may be indented, and its notes with it.
        let unindented = text.trim_start();
        let is_note =
            begins_note(unindented) && (unindented.len() == text.len() || self.notes_likely());
        let Some(exception) = self.traceback.exceptions.last_mut() else {
            return;
        };
        if is_note {
            if exception.notes.len() >= 2 * MAX_NOTES {
                exception.notes.remove(MAX_NOTES);
            }
            exception
                .notes
                .push(clip(unindented, MAX_TEXT_BYTES).to_owned());
            return;
        }
        if !exception.notes.is_empty() {
            return;
        }
        let message = &mut exception.message;
        if push_line(message, &mut self.message_bytes, text, blanks) {
            self.continuation.take();
        }
    }

    /// Replaces the last line of a message that was wrapped.
    pub(super) fn replace_last_line(&mut self, joined: String) {
        self.continuation.take();
        let exception = self.traceback.exceptions.last_mut();
        let Some(last) = exception.and_then(|r| r.message.last_mut()) else {
            return;
        };
        let added = joined.len().saturating_sub(last.len());
        if self.message_bytes + added <= MAX_MESSAGE_BYTES {
            self.message_bytes += added;
            *last = joined;
        }
    }

    /// Returns the last line of the message with the rest of it, where that was wrapped.
    pub(super) fn rejoined(&self, line: &str, more: &dyn MessageGrammar) -> Option<String> {
        // A message with notes below it is complete.
        let exception = self.last_exception().filter(|e| e.notes.is_empty())?;
        let type_name = exception.type_name.as_deref().unwrap_or_default();
        let is_begun = self.continuation(exception, more).is_begun;
        is_begun.then(|| more.rejoin(type_name, &exception.message, line, self.blanks == 0))?
    }

    pub(super) fn continuation(
        &self,
        exception: &Exception,
        more: &dyn MessageGrammar,
    ) -> Continuation {
        let type_name = exception.type_name.as_deref().unwrap_or_default();
        *self
            .continuation
            .get_or_init(|| more.continuation(type_name, &exception.message))
    }

    /// Returns whether the first byte of a line lets it go on with the pending one; `None` for an
    /// empty line.
    ///
    /// What this refuses closes the traceback before the line; what it lets pass is decided when
    /// the line is complete. It depends on that byte alone, so that the output is the same however
    /// the input was cut.
    pub(crate) fn may_continue(&self, first: Option<u8>, more: &dyn MessageGrammar) -> bool {
        let Some(first) = first else { return true };
        if first == b'\n' {
            return true;
        }
        if first == b'\r' {
            return self.crlf;
        }
        if self.in_section {
            return pytest::may_be_in_section(first);
        }
        if self.hidden_first_bytes.contains(&first) || first == b'-' && self.is_of_test() {
            return true;
        }
        if self.has_final_line_above() {
            return Self::may_go_on_below(first);
        }
        let layout = self.layout();
        let begins = |texts: &[&str]| texts.iter().any(|t| t.as_bytes()[0] == first);
        match layout.below {
            Below::Only(texts) => begins(texts),
            // With the place, a test's report is complete but for a chain.
            Below::AllBut(_) if self.last == Last::Frame => {
                first == b' ' || begins(&[CAUSE, CONTEXT]) && self.awaits(Awaited::Separator)
            }
            Below::AllBut(texts) => !begins(texts),
            Below::Chain => {
                let awaited =
                    |(what, texts): &(Awaited, &[&str])| begins(texts) && self.awaits(*what);
                BEGINNINGS.iter().any(awaited)
                    || self.awaits_part() && self.strange_lines < MAX_BORNE_LINES
                    || self.drawing_box()
                    || self.is_at_colon()
                    || self.is_below_colon()
                    || self.awaits_any(more)
            }
        }
    }

    /// Returns whether a pending one may go on with this.
    fn awaits(&self, what: Awaited) -> bool {
        match what {
            // Loggers and pages drop the empty line above a separator.
            Awaited::Indented | Awaited::Separator => true,
            Awaited::Head => self.takes_head(),
            Awaited::OriginalHead => self.caught(),
            Awaited::ManagersHead => self.nested,
            Awaited::Quote => self.layout().columns == Columns::Strict,
            Awaited::Border => self.is_message_below() || self.nested,
            Awaited::Note => self.notes_likely(),
            Awaited::JavaException => self.blanks == 0 && self.is_of_java(),
            Awaited::Colon => self.awaits_colon(),
            Awaited::OfGpu => self.blanks < 2 && self.is_of_gpu(),
            Awaited::Hdf5End => self.in_hdf5_trace(),
            Awaited::FramesTitle => self.awaits_title(),
            Awaited::FramesLeftOut => self.blanks == 0 && self.awaits_title(),
        }
    }

    /// Returns whether a line is torch's own advice below the error of a GPU, which tells nothing of it.
    pub(super) fn advises(&self, line: &str) -> bool {
        OF_GPU.iter().any(|text| line.starts_with(text)) && self.awaits(Awaited::OfGpu)
    }

    /// Returns whether a line at column 0 is one that goes on with the message.
    pub(super) fn awaits_text(&self, line: &str) -> bool {
        let is_border =
            || cpython::rule_line(line).is_some() || cpython::spawned_process(line).is_some();
        self.awaits_note(line)
            || self.awaits(Awaited::Border) && is_border()
            || line.starts_with(": ") && self.awaits(Awaited::JavaException)
    }

    /// Returns whether a line is a note, which goes on with no line of the message.
    pub(super) fn awaits_note(&self, line: &str) -> bool {
        begins_note(line) && self.awaits(Awaited::Note)
    }

    /// Returns whether it is complete but for lines of the message that a rule wants.
    pub(crate) fn awaits_lines(&self, more: &dyn MessageGrammar) -> bool {
        let is_final = self.state == State::Pending && self.blanks == 0;
        let raised = self.last_exception().filter(|_| is_final);
        raised.is_some_and(|raised| self.continuation(raised, more).wants_lines)
    }

    /// Returns whether the rules expect more of the message, so that any line may go on with it.
    fn awaits_any(&self, more: &dyn MessageGrammar) -> bool {
        let named = self.last_exception().filter(|e| e.type_name.is_some());
        named.is_some_and(|exception| {
            let continuation = self.continuation(exception, more);
            continuation.wants_lines || self.blanks == 0 && continuation.is_cut
        })
    }

    /// Returns whether notes may follow: below an error of pickling, or one that they belong to.
    fn notes_likely(&self) -> bool {
        let pickles = |text: &str| {
            text.contains("ickl") || text.contains("erializ") || text.contains("reduction.py")
        };
        self.last_exception().is_some_and(|exception| {
            let mut frames = exception.frames.iter().rev().take(8);
            !exception.notes.is_empty()
                || OpenFiles::is_of(exception)
                || exception.message.iter().any(|m| pickles(m))
                || frames
                    .any(|f| pickles(f.path.as_str()) || f.source.as_deref().is_some_and(pickles))
        })
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
        self.caught() || self.remote_header() || is_linked || self.is_of_killed_worker()
    }

    /// Returns whether it is what a DataLoader's handler raises, from which the loader then raises another.
    /// Source: torch, `torch/utils/data/_utils/signal_handling.py`.
    fn is_of_killed_worker(&self) -> bool {
        let innermost = self
            .last_exception()
            .and_then(|raised| raised.frames.last());
        innermost.is_some_and(|f| f.path.ends("signal_handling.py"))
            && self
                .first_line()
                .is_some_and(|m| m.contains(" is killed by signal: "))
    }

    pub(super) fn drawing_box(&self) -> bool {
        self.borders == 1
    }

    /// Returns whether the message starts below the line of its type, or draws a box there.
    fn is_message_below(&self) -> bool {
        self.borders > 0 || self.first_line().is_some_and(|m| m.trim().is_empty())
    }

    /// Returns whether the message is that of a GPU's error: `CUDA error: invalid device ordinal`.
    fn is_of_gpu(&self) -> bool {
        self.first_line()
            .is_some_and(|m| m.starts_with("CUDA error: ") || m.starts_with("HIP error: "))
    }

    /// Returns whether a line tells where a node of TensorFlow's graph was defined, a frame or its source, in a
    /// message that says further down what failed: below `Detected at node 'x' defined at (most recent call last):`.
    /// Source: `tensorflow/python/framework/error_interpolation.py`.
    pub(super) fn defines_node(&self, line: &Line<'_>) -> bool {
        const TITLE: &str = " defined at (most recent call last):";
        let raised = self.last_exception();
        let last = raised.and_then(|raised| raised.message.iter().rev().find(|m| !m.is_empty()));
        let is_below = || last.is_some_and(|m| m.trim_end().ends_with(TITLE));
        let is_source = || line.indent >= 4;
        (matches!(line.part, Part::Frame(_)) || is_source()) && is_below()
    }

    /// Returns whether the message is in the middle of HDF5's own stack, whose frames look like Python's.
    pub(super) fn in_hdf5_trace(&self) -> bool {
        let message = self
            .last_exception()
            .map_or(&[][..], |raised| &raised.message);
        message.first().is_some_and(|m| m.ends_with(HDF5_TRACE))
            && message.last().is_some_and(|m| m != HDF5_END)
    }

    /// Returns whether the message is the first line of `Py4JJavaError` (`__str__` in `py4j/protocol.py`).
    fn is_of_java(&self) -> bool {
        self.last_exception().is_some_and(|raised| {
            let name = raised.type_name.as_deref().unwrap_or_default();
            name.ends_with("Py4JJavaError") && raised.message.len() == 1
        })
    }

    /// Returns the exception read last.
    pub(super) fn last_exception(&self) -> Option<&Exception> {
        self.traceback.exceptions.last()
    }

    /// Returns the first line of its message.
    fn first_line(&self) -> Option<&str> {
        self.last_exception()?.message.first().map(String::as_str)
    }
}

/// Adds a line to a message that has so many `bytes`, with the empty lines above it; returns whether there was room.
pub(super) fn push_line(
    message: &mut Vec<String>,
    bytes: &mut usize,
    line: &str,
    blanks: u32,
) -> bool {
    /// The most empty lines that are kept between two others.
    const MAX_BLANKS: u32 = 8;
    let text = line.trim_end();
    let blanks = blanks.min(MAX_BLANKS) as usize;
    let has_room = *bytes + blanks + text.len() <= MAX_MESSAGE_BYTES;
    if has_room {
        *bytes += blanks + text.len() + 1;
        message.extend(iter::repeat_n(String::new(), blanks));
        message.push(text.to_owned());
    }
    has_room
}
