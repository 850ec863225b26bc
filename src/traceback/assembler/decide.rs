//! What a line would be to a traceback that is being read. Nothing is changed here.

use super::chains::ChainKind;
use super::message::OF_MANAGER;
use super::{Assembler, Last, MAX_STRANGE_BYTES, MAX_STRANGE_LINES, MAX_TEXT_BYTES};
use super::{MAX_THREADS, MessageGrammar, State};
use crate::traceback::grammar::cpython::{self, FinalHalf, Margin};
use crate::traceback::grammar::exception::{is_unlike_source, looks_named};
use crate::traceback::grammar::{Columns, Stacks};
use crate::traceback::grammar::{pytest, rich};
use crate::traceback::line::text::clip;
use crate::traceback::part::{ExceptionLine, FrameLine, Head, Line, Part, ThreadHead};
use crate::traceback::{Dialect, Evidence, Link};

/// The column in which the interpreter prints source, below `  File`.
const PLAIN_SOURCE: usize = 4;

/// What becomes of a line.
#[derive(Debug, PartialEq)]
pub(crate) enum Decision<'l> {
    /// It cannot be part of the traceback; a pending one is complete.
    Refuse,
    /// It can be, and this is what it would add.
    Take { fit: Fit, step: AssemblyStep<'l> },
}

/// How well a line fits; of several tracebacks, the one that it fits best takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It is another writer's, but an open traceback bears a few of those.
    Strange,
    /// It says nothing against it.
    Possible,
    /// It continues what was read, as other lines would.
    Fair,
    /// It is what comes next as a rule.
    Likely,
    /// Nothing else explains it.
    Sure,
}

/// What a line adds to a traceback.
#[derive(Debug, PartialEq)]
pub(crate) enum AssemblyStep<'l> {
    /// A line with a group's margin; what stands behind the margin is decided on then.
    Margin(Margin<'l>),
    /// A `File` line that was wrapped, as far as it is known now.
    PartialFrame(String),
    /// The same, now whole.
    RejoinedFrame(String),
    Blank,
    Head(Head),
    /// The final line of that type whose message is the text of a worker: `KeyError: Traceback (most …`.
    WrappedHead(&'l str),
    Frame(FrameLine<'l>),
    /// The head below frames that stand upside down.
    HeadBelow,
    /// The first frame below its final line.
    FirstFrameBelow(FrameLine<'l>),
    /// The frame whose path the rows before began.
    FrameOfPath(String, FrameLine<'l>),
    Carets(&'l str),
    Separator(Link),
    Thread(ThreadHead<'l>),
    /// A source line, with its number where the dialect shows it.
    Source {
        line: u32,
        text: &'l str,
    },
    /// A source line beside that.
    Beside(&'l str),
    /// The function whose source follows.
    Function(&'l str),
    Exception {
        exception: ExceptionLine<'l>,
        indent: usize,
    },
    /// The type of a final line in two halves, or its message.
    FinalHalf(FinalHalf<'l>),
    Quote(&'l str),
    /// A line of the message that an editor shows above the frames.
    EditorsMessage(&'l str),
    /// A further line of the message, or a note.
    Message(&'l str),
    /// The last line of the message, whose rest this is.
    RejoinedMessage(String),
    /// A line that belongs to the traceback and says nothing.
    Skip,
    Border,
    /// A line of this other dialect, below the text of another process.
    Further(Dialect, &'l str),
    /// The title of what a test printed, which its report ends with.
    Section,
    /// The message of a final line that was torn, or nothing where this is the colon before it.
    Torn(&'l str),
    /// A line of another writer, of so many bytes.
    Strange(usize),
}

fn take(fit: Fit, step: AssemblyStep<'_>) -> Decision<'_> {
    Decision::Take { fit, step }
}

fn exception_step<'l>(exception: &ExceptionLine<'l>, line: &Line<'l>) -> AssemblyStep<'l> {
    AssemblyStep::Exception {
        exception: *exception,
        indent: line.indent,
    }
}

fn take_if(holds: bool, fit: Fit, step: AssemblyStep<'_>) -> Decision<'_> {
    if holds {
        take(fit, step)
    } else {
        Decision::Refuse
    }
}

/// Returns whether a line is another writer's: the end of a fence, what GitHub Actions puts below a step,
/// `##[error]Process completed with exit code 1.`, what a Ray worker prints, `(train pid=23173) …`.
fn is_of_others(text: &str) -> bool {
    text.starts_with("##[")
        || text.starts_with('(') && text.contains(" pid=")
        || text.len() > 2 && text.bytes().all(|b| b == b'`')
}

impl Assembler {
    /// Decides what a line is to it; the line is without the lane's prefix.
    pub(crate) fn decide<'l>(&self, line: &Line<'l>, more: &dyn MessageGrammar) -> Decision<'l> {
        // A table's rows start at column 0.
        let may_have_margin = line.indent > 0 || self.state == State::Open;
        if self.margin > 0
            && may_have_margin
            && let Some(margin) = cpython::margin(line.text)
        {
            return take(Fit::Sure, AssemblyStep::Margin(margin));
        }
        self.decide_bare(line, more)
    }

    /// Decides about a line without a group's margin.
    pub(super) fn decide_bare<'l>(
        &self,
        line: &Line<'l>,
        more: &dyn MessageGrammar,
    ) -> Decision<'l> {
        if let Some(decision) = self.decide_before_its_part(line) {
            return decision;
        }
        let open = self.state == State::Open;
        match &line.part {
            Part::Blank => take(Fit::Possible, AssemblyStep::Blank),
            Part::Head { kind, before } => self.decide_head(*kind, before),
            Part::Frame(_) | Part::Text if !open && self.defines_node(line) => {
                take(Fit::Sure, AssemblyStep::Skip)
            }
            Part::Frame(_) | Part::Text if !open && self.in_hdf5_trace() => {
                take(Fit::Sure, AssemblyStep::Message(line.text))
            }
            Part::Frame(frame) => self.decide_frame(frame),
            Part::Repeated(_) | Part::Elided => take_if(open, Fit::Likely, AssemblyStep::Skip),
            Part::Carets if open && self.last == Last::Source => {
                take(Fit::Sure, AssemblyStep::Carets(line.text))
            }
            Part::Carets if open => take(Fit::Fair, AssemblyStep::Carets(line.text)),
            Part::Separator(link) => self.decide_separator(*link),
            Part::Quote(quote) if self.takes_quote(quote) => {
                take(Fit::Sure, AssemblyStep::Quote(quote))
            }
            Part::Thread(head) => {
                let takes = self.dumps() && self.traceback.threads.len() < MAX_THREADS;
                take_if(takes, Fit::Sure, AssemblyStep::Thread(*head))
            }
            Part::Message(text) => self.decide_marked(text),
            Part::Border => take_if(open, Fit::Sure, AssemblyStep::Border),
            Part::Source { line, text } => {
                let (line, text) = (*line, *text);
                take_if(
                    open || self.dumps(),
                    Fit::Sure,
                    AssemblyStep::Source { line, text },
                )
            }
            Part::Function(name) if open && self.last != Last::Frame => {
                take(Fit::Sure, AssemblyStep::Function(name))
            }
            Part::Beside(text) => take_if(open, Fit::Sure, AssemblyStep::Beside(text)),
            Part::Context => take_if(open || self.dumps(), Fit::Sure, AssemblyStep::Skip),
            Part::PartialPath(path) => {
                let path = clip(path, MAX_TEXT_BYTES).to_owned();
                take_if(open, Fit::Sure, AssemblyStep::PartialFrame(path))
            }
            Part::Exception(exception) => take(Fit::Likely, exception_step(exception, line)),
            Part::Quote(_) | Part::Carets | Part::Function(_) | Part::Text if open => {
                self.decide_open_text(line, more)
            }
            Part::Quote(_) | Part::End => Decision::Refuse,
            Part::Carets | Part::Function(_) | Part::Text => self.decide_pending_text(line, more),
        }
    }

    /// Decides about a line for what the traceback is, whatever the line is; `None` leaves it to its part.
    fn decide_before_its_part<'l>(&self, line: &Line<'l>) -> Option<Decision<'l>> {
        if self.in_section {
            return Some(self.decide_in_section(line));
        }
        if self.ends_below(line) {
            return Some(Decision::Refuse);
        }
        if let Some(step) = self.wrapped_frame(line) {
            return Some(take(Fit::Sure, step));
        }
        let open = self.state == State::Open;
        if open
            && self.last == Last::Separator
            && let Some(dialect) = self.dialect_below(line.text)
        {
            return Some(take(Fit::Sure, AssemblyStep::Further(dialect, line.text)));
        }
        if !open && pytest::is_section(line.text) && self.is_of_test() {
            return Some(take(Fit::Sure, AssemblyStep::Section));
        }
        // With the place, a test's report is complete but for a chain.
        let stacks = self.layout().stacks;
        let has_place = !open && stacks == Stacks::AroundException && self.last == Last::Frame;
        let goes_on = matches!(line.part, Part::Blank | Part::Separator(_));
        (has_place && !goes_on).then_some(Decision::Refuse)
    }

    /// Returns the dialect in which the chain goes on below the text of another process, where that is another
    /// one: a test's report, a box of rich.
    fn dialect_below(&self, text: &str) -> Option<Dialect> {
        if pytest::is_own(text) {
            return Some(Dialect::Pytest);
        }
        let is_head = || rich::head(text).is_some_and(|before| before.trim().is_empty());
        let is_box = self.traceback.dialect != Dialect::Rich && is_head();
        is_box.then_some(Dialect::Rich)
    }

    fn decide_head<'l>(&self, kind: Head, before: &'l str) -> Decision<'l> {
        if let Some(type_name) = self.wraps_head(before) {
            return take(Fit::Sure, AssemblyStep::WrappedHead(type_name));
        }
        if kind == Head::Plain && before.trim().is_empty() && self.is_above_head() {
            return take(Fit::Sure, AssemblyStep::HeadBelow);
        }
        // A head behind other text starts a traceback of its own, unless one must follow.
        // torchrun's box has them behind `traceback :`.
        let in_box = self.drawing_box() && before.trim() == "traceback :";
        let of_manager = self.nested && before.trim() == OF_MANAGER;
        let directly = self.state == State::Open
            || in_box
            || of_manager
            || before.trim().is_empty()
            || self.chain().link.is_some();
        let takes = match kind {
            Head::Original => self.caught(),
            Head::Plain | Head::Group => directly && self.takes_head(),
        };
        take_if(takes, Fit::Sure, AssemblyStep::Head(kind))
    }

    fn decide_separator<'l>(&self, link: Link) -> Decision<'l> {
        let holds = !self.traceback.exceptions.is_empty() || !self.frames.is_empty();
        let fit = match self.blanks {
            _ if self.state == State::Open && !self.in_remote() => Fit::Strange,
            0 => Fit::Fair,
            _ => Fit::Sure,
        };
        take_if(holds, fit, AssemblyStep::Separator(link))
    }

    /// A line that a test's report marks as the message's. A loader's is the text of a worker, with frames.
    fn decide_marked<'l>(&self, text: &'l str) -> Decision<'l> {
        let of_worker =
            self.state == State::Open && matches!(self.chain().kind, ChainKind::Worker(_));
        let step = match cpython::part(text) {
            Part::Head { kind, .. } if kind == Head::Original && self.caught() => {
                AssemblyStep::Head(kind)
            }
            // The text of another process, in the message of an exception that does not say so: PySpark's.
            Part::Head { before, .. } if !of_worker && before.trim().is_empty() => {
                return Decision::Refuse;
            }
            Part::Frame(frame) if of_worker => AssemblyStep::Frame(frame),
            _ if of_worker && self.last == Last::Frame => AssemblyStep::Source { line: 0, text },
            _ if of_worker => AssemblyStep::Skip,
            _ => AssemblyStep::Message(text),
        };
        take_if(!self.traceback.exceptions.is_empty(), Fit::Sure, step)
    }

    /// What a test printed is read as if no report stood above; only `--tb=line` has more below it.
    fn decide_in_section<'l>(&self, line: &Line<'l>) -> Decision<'l> {
        let place = self.last == Last::Exception && pytest::is_place(line.text);
        match &line.part {
            _ if pytest::is_section(line.text) => take(Fit::Sure, AssemblyStep::Section),
            Part::Blank => take(Fit::Possible, AssemblyStep::Blank),
            Part::Frame(frame) if place => take(Fit::Sure, AssemblyStep::Frame(frame.clone())),
            _ => Decision::Refuse,
        }
    }

    fn decide_frame<'l>(&self, frame: &FrameLine<'l>) -> Decision<'l> {
        let step = match &self.partial_frame {
            Some(path) if self.layout().columns == Columns::Box => {
                AssemblyStep::FrameOfPath(path.clone(), frame.clone())
            }
            _ => AssemblyStep::Frame(frame.clone()),
        };
        match self.layout().stacks {
            Stacks::AroundException => take(Fit::Sure, step),
            Stacks::OfThreads => take(Fit::Likely, step),
            Stacks::AboveException if self.state == State::Open || self.chain().link.is_some() => {
                take(Fit::Likely, step)
            }
            Stacks::AboveException if self.ray_task() || self.caught() => take(Fit::Fair, step),
            Stacks::AboveException => {
                let step = AssemblyStep::FirstFrameBelow(frame.clone());
                take_if(self.may_head_frames(), Fit::Possible, step)
            }
        }
    }

    /// Source, final lines, lines of another writer; inside another process's text, the message.
    fn decide_open_text<'l>(&self, line: &Line<'l>, more: &dyn MessageGrammar) -> Decision<'l> {
        let text = line.text;
        if self.awaits_editors_message() {
            return take(Fit::Fair, AssemblyStep::EditorsMessage(text));
        }
        let has_frames = !self.frames.is_empty();
        if self.traceback.evidence == Evidence::Frames && cpython::ends_call_stack(text) {
            return Decision::Refuse;
        }
        if has_frames && self.blanks > 0 && cpython::heads_final_line(text) {
            return take(Fit::Likely, AssemblyStep::Skip);
        }
        if let Some(half) = cpython::final_half(text).filter(|half| self.takes_half(half)) {
            return take(Fit::Likely, AssemblyStep::FinalHalf(half));
        }
        let has_columns = self.layout().columns == Columns::Strict;
        let deeper =
            has_columns && line.indent > self.base && !self.flat && !self.ends_at_file_column(line);
        if self.last == Last::Exception {
            // Inside the text of another process: its message goes on until the closing quote.
            let fit = if deeper { Fit::Likely } else { Fit::Fair };
            let step = match line.exception.filter(|_| has_frames) {
                Some(exception) => exception_step(&exception, line),
                None => match self.rejoined(text, more) {
                    Some(joined) => AssemblyStep::RejoinedMessage(joined),
                    None => AssemblyStep::Message(text),
                },
            };
            return take(fit, step);
        }
        let source = AssemblyStep::Source { line: 0, text };
        let around = self.layout().stacks == Stacks::AroundException;
        // `IPython` numbers its own; this one is a plain frame's, of the text of a worker.
        let is_plain = self.layout().columns == Columns::Loose && line.indent >= PLAIN_SOURCE;
        match self.last {
            Last::Frame if around && line.indent > 0 => return take(Fit::Sure, source),
            Last::Frame if is_plain => return take(Fit::Sure, source),
            Last::Frame if deeper => return take(Fit::Sure, source),
            Last::Source if deeper => return take(Fit::Likely, source),
            _ => {}
        }
        if let Some(exception) = line.exception.filter(|e| self.takes_exception(e, line)) {
            let named = looks_named(exception.type_name);
            let fit = match self.last {
                _ if deeper => Fit::Strange,
                _ if !has_columns && (named || has_frames) => Fit::Likely,
                _ if !has_frames => Fit::Possible,
                Last::Frame if !named => Fit::Fair,
                _ => Fit::Likely,
            };
            return take(fit, exception_step(&exception, line));
        }
        if self.flat && self.last == Last::Frame {
            return take(Fit::Fair, source);
        }
        // pytest shows the whole function above the line that failed, and its arguments.
        let times = if around { 16 } else { 1 };
        let bears = self.strange_lines < times * MAX_STRANGE_LINES
            && self.strange_bytes + text.len() <= times as usize * MAX_STRANGE_BYTES;
        let fit = if has_columns {
            Fit::Strange
        } else {
            Fit::Possible
        };
        take_if(bears, fit, AssemblyStep::Strange(text.len()))
    }

    /// The rest of a message, notes.
    fn decide_pending_text<'l>(&self, line: &Line<'l>, more: &dyn MessageGrammar) -> Decision<'l> {
        let Some(raised) = self.traceback.exceptions.last() else {
            return Decision::Refuse;
        };
        let layout = self.layout();
        let ends = layout.stacks != Stacks::AboveException
            // Left of the column in which the final line stands; pages take the indentation away.
            || line.indent < self.base && (line.indent > 0 || layout.columns == Columns::Box);
        if ends || is_of_others(line.text.trim()) {
            return Decision::Refuse;
        }
        if let Some(step) = self.torn_message(line.text) {
            return take(Fit::Likely, step);
        }
        let type_name = raised.type_name.as_deref().unwrap_or_default();
        let expects = || {
            !type_name.is_empty()
                && self.continuation(raised, more).wants_lines
                && more.expects(type_name, &raised.message, line.text)
        };
        let goes_on = if line.indent > 0 || self.drawing_box() {
            self.strange_lines <= MAX_STRANGE_LINES
        } else {
            self.awaits_text(line.text) || expects()
        };
        if !goes_on && (self.advises(line.text) || self.titles_frames(line.text)) {
            return take(Fit::Likely, AssemblyStep::Skip);
        }
        if !goes_on && line.indent == 0 && self.is_below_colon() {
            return take(Fit::Fair, AssemblyStep::Torn(line.text.trim()));
        }
        let may_be_rest = goes_on || line.indent == 0 && self.blanks == 0 && !type_name.is_empty();
        let rejoined = (may_be_rest && !self.awaits_note(line.text))
            .then(|| self.rejoined(line.text, more))
            .flatten();
        match rejoined {
            Some(joined) => take(Fit::Likely, AssemblyStep::RejoinedMessage(joined)),
            None => take_if(goes_on, Fit::Likely, AssemblyStep::Message(line.text)),
        }
    }

    /// Returns the type of the final line that a head stands in: the whole text of a worker is its message.
    /// Source: torch before 1.2, `torch/utils/data/dataloader.py`, `raise batch.exc_type(batch.exc_msg)`.
    fn wraps_head<'l>(&self, before: &'l str) -> Option<&'l str> {
        let is_next = self.state == State::Open && !self.frames.is_empty();
        let type_name = before.strip_suffix(": ").filter(|_| is_next)?;
        (looks_named(type_name) && !type_name.contains(' ')).then_some(type_name)
    }

    /// Returns whether a half of a final line is its own; the message stands below the type.
    fn takes_half(&self, half: &FinalHalf<'_>) -> bool {
        let is_named = || {
            self.announced
                .as_ref()
                .is_some_and(|a| a.message.is_empty())
        };
        !self.frames.is_empty() && (matches!(half, FinalHalf::Type(_)) || is_named())
    }

    /// Returns whether a head may be the next part of what is being read.
    pub(super) fn takes_head(&self) -> bool {
        match self.state {
            State::Open => {
                matches!(self.last, Last::Separator | Last::Border)
                    || self.is_bare_head() && self.chain().link.is_some()
            }
            State::Pending => self.nested || self.drawing_box() || self.chain().link.is_some(),
        }
    }

    /// Returns whether it is a final line in the column of `File`, as pastes with lost indentation
    /// have it; source stands deeper.
    fn ends_at_file_column(&self, line: &Line<'_>) -> bool {
        line.indent <= self.file_column && line.exception.is_some_and(|e| looks_named(e.type_name))
    }

    /// Returns whether an exception line is its final line.
    fn takes_exception(&self, exception: &ExceptionLine<'_>, line: &Line<'_>) -> bool {
        let named = looks_named(exception.type_name);
        let has_frames = !self.frames.is_empty();
        if self.layout().stacks == Stacks::AroundException && line.indent > 0 {
            return false;
        }
        if self.layout().columns != Columns::Strict {
            return named || line.indent == 0 && self.last == Last::Source;
        }
        if line.indent > self.file_column && !self.flat && self.margin == 0 && has_frames {
            return false;
        }
        match self.last {
            Last::Source => {
                named || !self.flat && (!self.long_source || is_unlike_source(exception))
            }
            Last::Frame | Last::Head => named || !self.flat && has_frames,
            Last::Separator | Last::Border => named || self.margin > 0,
            Last::Exception | Last::Colon => false,
        }
    }
}
