//! A step taken: what a line adds to the traceback.

use std::borrow::Cow;

use super::beside::Beside;
use super::chains::{Chain, ChainKind};
use super::message::push_line;
use super::{Assembler, AssemblyStep, Decision, Last, MessageGrammar, State};
use super::{FIRST_FRAMES, LAST_FRAMES, MAX_MESSAGE_BYTES, MAX_RAISED, MAX_TEXT_BYTES};
use crate::traceback::grammar::cpython::{FinalHalf, Margin};
use crate::traceback::grammar::{Columns, Stacks};
use crate::traceback::line::text::clip;
use crate::traceback::part::{ExceptionLine, FrameLine, Head, Line, ThreadHead};
use crate::traceback::{Dialect, Evidence, Exception, Frame, Link, SourcePath, Stack};

/// From this length on a source line may have been wrapped, in bytes.
const LONG_SOURCE_BYTES: usize = 60;

impl Assembler {
    /// Carries out what was decided about a line.
    pub(crate) fn apply(&mut self, step: AssemblyStep<'_>, more: &dyn MessageGrammar) {
        match step {
            AssemblyStep::Margin(margin) => return self.apply_margin(margin, more),
            AssemblyStep::PartialFrame(text) => {
                self.partial_frame = Some(text);
                return;
            }
            AssemblyStep::RejoinedFrame(text) => return self.apply_rejoined(&text, more),
            _ => {}
        }
        self.partial_frame = None;
        let blanks = std::mem::take(&mut self.blanks);
        match step {
            AssemblyStep::Blank => self.blanks = blanks + 1,
            AssemblyStep::Head(kind) => self.apply_head(kind),
            AssemblyStep::HeadBelow => self.turn(),
            AssemblyStep::WrappedHead(type_name) => self.apply_wrapped_head(type_name),
            AssemblyStep::Frame(frame) => self.apply_frame(&frame),
            AssemblyStep::FirstFrameBelow(frame) => self.push_first_frame_below(&frame),
            AssemblyStep::FrameOfPath(path, frame) => {
                let file = path + frame.file;
                self.apply_frame(&FrameLine {
                    file: &file,
                    ..frame
                });
            }
            AssemblyStep::Carets(text) => self.apply_carets(text),
            AssemblyStep::Separator(link) => self.apply_separator(link, blanks),
            AssemblyStep::Thread(head) => self.push_thread(head),
            AssemblyStep::Source { line, text } => self.apply_source(line, text),
            AssemblyStep::Exception { exception, indent } => {
                if self.layout().columns == Columns::Box {
                    self.base = indent;
                }
                self.push_exception(&exception);
            }
            AssemblyStep::FinalHalf(half) => self.apply_final_half(half),
            AssemblyStep::EditorsMessage(text) => self.push_editors_message(text, blanks),
            AssemblyStep::Quote(quote) => self.apply_quote(quote),
            AssemblyStep::Message(text) => self.push_message(text, blanks),
            AssemblyStep::RejoinedMessage(joined) => self.replace_last_line(joined),
            AssemblyStep::Strange(bytes) => {
                self.strange_lines += 1;
                self.strange_bytes += bytes;
            }
            AssemblyStep::Skip => {}
            AssemblyStep::Function(name) => {
                clip(name, MAX_TEXT_BYTES).clone_into(&mut self.function);
            }
            AssemblyStep::Beside(text) => self.push_beside(text),
            AssemblyStep::Section => self.in_section = true,
            AssemblyStep::Torn(message) => self.push_torn(message),
            AssemblyStep::Border => self.last = Last::Border,
            AssemblyStep::Further(dialect, text) => {
                self.traceback.dialect = dialect;
                self.last = Last::Border;
                let line = Line::read(dialect, text);
                if let Decision::Take { step, .. } = self.decide(&line, more) {
                    self.apply(step, more);
                }
            }
            AssemblyStep::Margin(_)
            | AssemblyStep::PartialFrame(_)
            | AssemblyStep::RejoinedFrame(_) => {
                unreachable!("taken above")
            }
        }
    }

    /// Adds a line to the message that an editor shows above the frames.
    fn push_editors_message(&mut self, text: &str, blanks: u32) {
        if let Some(told) = &mut self.announced {
            push_line(&mut told.message, &mut self.message_bytes, text, blanks);
        }
    }

    fn apply_final_half(&mut self, half: FinalHalf<'_>) {
        match half {
            FinalHalf::Type(name) => self.announce(Exception {
                type_name: Some(name.to_owned()),
                ..Exception::default()
            }),
            FinalHalf::Message(text) => {
                let named = self.announced.take().and_then(|named| named.type_name);
                self.push_exception(&ExceptionLine {
                    type_name: named.as_deref().unwrap_or("Exception"),
                    message: Some(text),
                });
            }
        }
    }

    fn apply_margin(&mut self, margin: Margin<'_>, more: &dyn MessageGrammar) {
        match margin {
            Margin::Member(depth) => self.start_member(depth),
            Margin::End(depth) => {
                self.end_members(depth);
                self.in_group = false;
            }
            Margin::Text(depth, text) => {
                self.end_members(depth + 1);
                let line = Line::read(Dialect::Cpython, text);
                match self.decide_bare(&line, more) {
                    Decision::Take { step, .. } => self.apply(step, more),
                    // Behind a margin a message may go on at any column.
                    Decision::Refuse => {
                        let blanks = std::mem::take(&mut self.blanks);
                        self.push_message(text, blanks);
                    }
                }
            }
        }
    }

    fn apply_rejoined(&mut self, text: &str, more: &dyn MessageGrammar) {
        self.partial_frame = None;
        let has_nameless = self.frames.last().is_some_and(|f| f.function.is_empty());
        if self.last == Last::Frame && has_nameless {
            self.frames.pop();
        }
        let dialect = match self.layout().columns {
            Columns::Box => Dialect::Rich,
            _ => Dialect::Cpython,
        };
        let line = Line::read(dialect, text);
        if let Decision::Take { step, .. } = self.decide(&line, more) {
            self.apply(step, more);
        }
    }

    fn apply_wrapped_head(&mut self, type_name: &str) {
        self.push_exception(&ExceptionLine {
            type_name,
            message: None,
        });
        self.start_worker();
        self.apply_head(Head::Plain);
    }

    fn apply_head(&mut self, kind: Head) {
        if kind == Head::Group {
            self.margin += 1;
            self.in_group = true;
        }
        if self.state == State::Pending
            && (kind == Head::Original || self.nested || self.drawing_box())
        {
            self.start_worker();
            self.nested = false;
        }
        self.traceback.evidence = Evidence::Head;
        self.state = State::Open;
        self.last = Last::Head;
        self.frames.clear();
    }

    pub(super) fn push_thread(&mut self, head: ThreadHead<'_>) {
        self.innermost_last = head.innermost_last;
        // gdb names the thread in one line, and `py-bt` heads its stack in the next.
        let is_headed = |stack: &Stack| stack.frames.is_empty() && head.texts().next().is_none();
        if self.traceback.threads.last().is_some_and(is_headed) {
            return;
        }
        self.traceback.threads.push(Stack {
            name: head.name.map(str::to_owned),
            state: head.state.map(str::to_owned),
            ..Stack::default()
        });
    }

    /// Puts a frame where it belongs in the stack of the last thread, outermost first.
    pub(super) fn push_frame_of_thread(&mut self, frame: &FrameLine<'_>) {
        let Some(Stack { frames, .. }) = self.traceback.threads.last_mut() else {
            return;
        };
        let is_full = frames.len() >= FIRST_FRAMES + LAST_FRAMES;
        match self.innermost_last {
            false if is_full => return,
            false => frames.insert(0, frame_of(frame)),
            true => {
                if is_full {
                    frames.remove(FIRST_FRAMES);
                }
                frames.push(frame_of(frame));
            }
        }
        self.last = Last::Frame;
    }

    /// Returns the frame that was read last, to which the lines below belong.
    fn last_frame(&mut self) -> Option<&mut Frame> {
        match self.traceback.threads.last_mut() {
            Some(stack) if self.innermost_last => stack.frames.last_mut(),
            Some(stack) => stack.frames.first_mut(),
            None => self.frames.last_mut(),
        }
    }

    fn apply_source(&mut self, line: u32, text: &str) {
        if self.layout().stacks == Stacks::AroundException && self.last != Last::Frame {
            // Its place follows.
            self.frames.push(Frame {
                function: std::mem::take(&mut self.function),
                ..Frame::default()
            });
            self.last = Last::Frame;
        }
        // Of several source lines of a frame the first one is kept, or the marked one.
        let is_next = self.last == Last::Frame;
        let is_its = |frame: &&mut Frame| match (line, frame.line) {
            (0, _) => is_next,
            // The frame that it belongs to was not read.
            (line, of_frame) => of_frame == 0 || of_frame == line,
        };
        if let Some(frame) = self.last_frame().filter(is_its) {
            if frame.line == 0 {
                frame.line = line;
            }
            frame.source = Some(clip(text.trim(), MAX_TEXT_BYTES).to_owned());
            self.source_indent = Some(indent_of(text));
        } else {
            self.source_indent = None;
        }
        if self.traceback.dialect == Dialect::Ipython {
            self.settle_beside(text);
        }
        self.long_source = text.len() >= LONG_SOURCE_BYTES;
        self.last = Last::Source;
    }

    /// Notes which part of the source line above is marked.
    fn apply_carets(&mut self, text: &str) {
        // No rest of a wrapped line stands between the two.
        self.long_source = false;
        let frame = self.frames.last_mut();
        if let Some((indent, frame)) = self.source_indent.take().zip(frame) {
            let start = indent_of(text);
            let end = text.trim_end().chars().count();
            frame.marked = (start >= indent).then(|| start - indent..end - indent);
        }
        // Upside down they stand between a frame and the next one's source.
        if self.last != Last::Frame {
            self.last = Last::Source;
        }
    }

    fn apply_frame(&mut self, frame: &FrameLine<'_>) {
        match self.layout().stacks {
            Stacks::OfThreads => self.push_frame_of_thread(frame),
            Stacks::AroundException => self.apply_place(frame),
            Stacks::AboveException => {
                if self.state == State::Pending && self.chain().link.is_none() {
                    self.start_worker();
                }
                self.push_frame(frame);
            }
        }
    }

    /// A frame that has its place, or the place of the one whose source was shown before.
    fn apply_place(&mut self, frame: &FrameLine<'_>) {
        // Below the text of a worker it is that of the exception which wraps it.
        let raised = match self.chain().kind {
            ChainKind::Worker(outer) => self.traceback.exceptions.get_mut(outer),
            _ => self.traceback.exceptions.last_mut(),
        };
        let frames = match raised {
            Some(raised) if self.state == State::Pending => &mut raised.frames,
            None if self.state == State::Pending => return,
            _ => &mut self.frames,
        };
        let new = frame_of(frame);
        self.in_section = false;
        if let Some(last) = frames.last_mut().filter(|f| f.path.as_str().is_empty()) {
            last.path = new.path;
            last.line = new.line;
            if !new.function.is_empty() {
                last.function = new.function;
            }
            self.last = Last::Frame;
            self.strange_lines = 0;
            self.strange_bytes = 0;
        } else if self.state == State::Pending {
            frames.push(new);
            self.last = Last::Frame;
        } else {
            return self.push_frame(frame);
        }
        self.traceback.evidence = self.traceback.evidence.max(Evidence::Frames);
    }

    pub(super) fn push_frame(&mut self, frame: &FrameLine<'_>) {
        self.source_indent = None;
        self.beside = Beside::default();
        if self.frames.is_empty() && self.margin == 0 {
            self.base = frame.indent.saturating_sub(2);
            self.flat = frame.indent == 0;
            self.file_column = frame.indent;
        }
        if frame.function == Some("") {
            // A page or a terminal may have put the function's name on the next line.
            self.partial_frame = Some(frame.to_string());
        }
        self.state = State::Open;
        self.last = Last::Frame;
        self.strange_lines = 0;
        self.strange_bytes = 0;
        if self.frames.len() >= FIRST_FRAMES + 2 * LAST_FRAMES {
            self.frames.drain(FIRST_FRAMES..FIRST_FRAMES + LAST_FRAMES);
        }
        self.frames.push(frame_of(frame));
    }

    pub(super) fn push_exception(&mut self, exception: &ExceptionLine<'_>) {
        let ExceptionLine { type_name, message } = *exception;
        self.settle_final_line_above(exception);
        self.state = if self.in_remote() {
            State::Open
        } else {
            State::Pending
        };
        self.last = Last::Exception;
        self.strange_lines = 0;
        self.continuation.take();
        self.message_bytes = message.map_or(0, str::len);
        let mut frames = std::mem::take(&mut self.frames);
        if self.by_editor {
            frames.reverse();
        }
        if frames.len() > FIRST_FRAMES + LAST_FRAMES {
            let cut = frames.len() - LAST_FRAMES;
            frames.drain(FIRST_FRAMES..cut);
        }
        if self.traceback.exceptions.len() >= MAX_RAISED {
            return;
        }
        let message = message.map(|text| clip(text, MAX_MESSAGE_BYTES).trim_end());
        let message = message.map(|text| {
            let field = (!frames.is_empty()).then(|| without_closing_quote(text));
            field.unwrap_or(text).to_owned()
        });
        let link = self.link_next();
        self.traceback.exceptions.push(Exception {
            type_name: Some(clip(type_name, MAX_TEXT_BYTES).to_owned()),
            message: message.into_iter().collect(),
            notes: Vec::new(),
            frames,
            link,
        });
    }

    /// Puts the next exception at the end of its chain, and returns how it hangs on which other one.
    fn link_next(&mut self) -> Option<(Link, usize)> {
        let index = self.traceback.exceptions.len();
        let chain = self.chain_mut();
        let link = match (chain.link.take(), chain.last, &chain.kind) {
            (Some(link), Some(other), _) => Some((link, other)),
            (None, None, ChainKind::Member { group, .. }) => Some((Link::GroupMember, *group)),
            _ => None,
        };
        chain.last = Some(index);
        if let ChainKind::Worker(outer) = chain.kind {
            self.traceback.exceptions[outer].link = Some((Link::Remote, index));
        }
        link
    }

    /// Opens the text of a worker, which stands below the exception that wraps it.
    fn start_worker(&mut self) {
        let outer = self.traceback.exceptions.len() - 1;
        self.chains.push(Chain::of(ChainKind::Worker(outer)));
    }
}

fn frame_of(frame: &FrameLine<'_>) -> Frame {
    let function = unbold(frame.function.unwrap_or_default()).into_owned();
    Frame {
        path: SourcePath::of_frame(&unbold(frame.file), &function),
        line: frame.line,
        function,
        ..Frame::default()
    }
}

/// Returns a name as it was before Markdown made `__init__` bold.
fn unbold(name: &str) -> Cow<'_, str> {
    let name = clip(name, MAX_TEXT_BYTES);
    if name.as_bytes().contains(&b'*') {
        return name.replace("**", "__").into();
    }
    name.into()
}

/// Takes off the quote that closes a field in which the whole traceback stands, of a table or of a
/// summary: `ErrorMessage "Traceback …`.
fn without_closing_quote(message: &str) -> &str {
    let is_odd = message.matches('"').count() % 2 == 1;
    let field = message.strip_suffix('"').filter(|_| is_odd);
    field.unwrap_or(message)
}

/// Returns the column where a text begins.
pub(super) fn indent_of(text: &str) -> usize {
    text.chars().take_while(|c| *c == ' ').count()
}
