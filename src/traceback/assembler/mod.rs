//! The state machine of one lane: lines in, one traceback out.
//!
//! ```text
//!            head, frame                 final line
//!  (new) ───────────────► Open ───────────────────────► Pending ──► taken
//!                          ▲  separator, quote, member,     │
//!                          └──────── nested head ───────────┘
//! ```
//! An open traceback waits for its final line; a pending one has it, and may go on with the rest
//! of its message, with notes, or with a further part of its chain.
//!
//! - [`decide`]: what a line would be to it, without changing anything; [`apply`]: that step taken;
//! - [`message`]: the rest of a message, and what may begin a line below it;
//! - [`grammar`]: what the rules expect of a message; [`chains`]: whose exceptions follow;
//! - [`beside`]: the source lines that a notebook shows beside the one that failed;
//! - [`upside_down`]: a final line above its frames; [`torn`]: one whose pieces are lines of their own;
//! - [`wrapped`]: a frame's line that was wrapped; [`twins`]: writers that mix their lines.

mod apply;
mod beside;
mod chains;
mod decide;
mod grammar;
mod message;
mod torn;
mod twins;
mod upside_down;
mod wrapped;

use std::cell::OnceCell;

use super::grammar::{Layout, Stacks};
use super::line::told;
use super::part::{ExceptionLine, FrameLine, Head, Line, Part, ThreadHead};
use super::{Dialect, Evidence, Exception, Frame, Traceback};
use beside::Beside;
pub(crate) use chains::RemoteQuote;
use chains::{Chain, ChainKind};
use upside_down::FinalAbove;

pub(crate) use decide::{AssemblyStep, Decision, Fit};
pub use grammar::{Continuation, MessageGrammar, Nothing};

/// The longest path or source line that is kept, in bytes.
const MAX_TEXT_BYTES: usize = 1024;
/// The longest message that is kept, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 * 1024;
/// The first and the last frames that a stack keeps.
const FIRST_FRAMES: usize = 50;
const LAST_FRAMES: usize = 200;
/// The most threads that one dump keeps.
const MAX_THREADS: usize = 64;
/// The most exceptions that one traceback keeps.
const MAX_RAISED: usize = 64;
/// The first and the last notes that are kept.
const MAX_NOTES: usize = 100;
/// What ends an open traceback: so many lines, or bytes, of its own lane that cannot be its own.
const MAX_STRANGE_LINES: u32 = 16;
const MAX_STRANGE_BYTES: usize = 4096;

/// Where a traceback stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Its final line is still to come.
    Open,
    /// It may be complete. It has an exception, or it is a dump.
    Pending,
}

/// The kind of the line before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Head,
    Frame,
    Source,
    Exception,
    /// The colon of a final line that was torn.
    Colon,
    Separator,
    Border,
}

/// One traceback that is being read.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate thing seen in the text"
)]
pub(crate) struct Assembler {
    /// What was read. Its last exception is the one that a pending message belongs to.
    traceback: Traceback,
    state: State,
    /// Never `Exception` while open, but inside the quotes of another process's text.
    last: Last,
    /// The column of heads and final lines; where a box is drawn, that of the final line.
    base: usize,
    /// Whether the paste has lost its indentation: the first frame stood at column 0.
    flat: bool,
    /// Whether the source line before is so long that a wrapped rest of it may follow.
    long_source: bool,
    /// The column of the source line before, if it is its frame's; then marks may follow.
    source_indent: Option<usize>,
    /// The column of `File`, which some pastes give to the final line too; at least `base`.
    file_column: usize,
    /// The frames since the last head, separator or final line; none while pending.
    frames: Vec<Frame>,
    /// The chains that are open, outermost first; the first one, [`ChainKind::Top`], always is.
    chains: Vec<Chain>,
    /// What was said above the head of one that may lack its final line.
    announced: Option<Exception>,
    /// Whether an editor wrote it: the message stands above the frames, the innermost of which is
    /// the first.
    by_editor: bool,
    /// Where the final line stands, if above the frames.
    final_above: Option<FinalAbove>,
    /// Whether the stack of the thread that is read stands as in a traceback, the innermost frame last.
    innermost_last: bool,
    /// The source lines shown beside that of the last frame.
    beside: Beside,
    /// The function whose source is being shown, where the dialect shows that above its frame's place.
    function: String,
    /// A `File` line that was wrapped, as far as it was read; only while open.
    partial_frame: Option<String>,
    /// Empty lines since the last text.
    blanks: u32,
    /// Depth of group margins, 0 outside groups.
    margin: usize,
    /// Whether a group was begun and the line that ends it is still to come.
    in_group: bool,
    /// Lines and bytes of others that an open one bore since its last frame; a pending one counts
    /// those that it let pass ([`Assembler::bears_strange`]).
    strange_lines: u32,
    strange_bytes: usize,
    /// The length of the last exception's message; at most [`MAX_MESSAGE_BYTES`].
    message_bytes: usize,
    /// What may follow the message as it stands, once it was asked for; unset by each line of it.
    continuation: OnceCell<Continuation>,
    /// Borders (`====`) seen of a box that the last message draws; with one, the box is open.
    borders: u32,
    /// The line before makes a nested head likely: `-- Process 1 terminated …`, a border.
    nested: bool,
    /// The first bytes that raw lines of it had instead of the text's own: see
    /// [`Clean::hidden_first_byte`].
    ///
    /// [`Clean::hidden_first_byte`]: super::line::text::Clean::hidden_first_byte
    hidden_first_bytes: Vec<u8>,
    /// Whether CRLF line ends were seen in it.
    crlf: bool,
    /// Whether what a test printed stands below it, in its report: `---- Captured stdout call ----`.
    in_section: bool,
}

impl Assembler {
    fn new(traceback: Traceback, state: State, evidence: Evidence) -> Self {
        Self {
            traceback: Traceback {
                evidence,
                ..traceback
            },
            state,
            last: Last::Head,
            base: 0,
            flat: false,
            long_source: false,
            source_indent: None,
            file_column: 0,
            frames: Vec::new(),
            chains: vec![Chain::of(ChainKind::Top)],
            announced: None,
            by_editor: false,
            final_above: None,
            innermost_last: false,
            beside: Beside::default(),
            function: String::new(),
            partial_frame: None,
            blanks: 0,
            margin: 0,
            in_group: false,
            strange_lines: 0,
            strange_bytes: 0,
            message_bytes: 0,
            continuation: OnceCell::new(),
            borders: 0,
            nested: false,
            hidden_first_bytes: Vec::new(),
            crlf: false,
            in_section: false,
        }
    }

    /// The offset of the first line of what is read.
    pub(crate) fn start(&self) -> u64 {
        self.traceback.at.offset
    }

    /// Starts at a head.
    pub(crate) fn at_head(traceback: Traceback, kind: Head) -> Self {
        let mut new = Self::new(traceback, State::Open, Evidence::Head);
        new.margin = usize::from(kind == Head::Group);
        new.in_group = kind == Head::Group;
        new
    }

    /// Starts at the line of an editor that names the type.
    pub(crate) fn at_editor(traceback: Traceback, type_name: &str) -> Self {
        let mut new = Self::at_head(traceback, Head::Plain);
        new.by_editor = true;
        new.announce(Exception {
            type_name: Some(type_name.to_owned()),
            ..Exception::default()
        });
        new
    }

    /// Takes the exception that was said in the head or above it, for want of a final line.
    pub(crate) fn announce(&mut self, exception: Exception) {
        self.announced = Some(exception);
    }

    /// Returns whether all that was read is an exception line.
    pub(crate) fn is_line_alone(&self) -> bool {
        self.traceback.evidence == Evidence::Line
    }

    /// Starts at a frame whose head is missing.
    pub(crate) fn at_frame(traceback: Traceback, frame: &FrameLine<'_>) -> Self {
        let mut new = Self::new(traceback, State::Open, Evidence::Frames);
        new.push_frame(frame);
        new
    }

    /// Starts at an exception line that stands alone.
    pub(crate) fn at_exception(traceback: Traceback, exception: &ExceptionLine<'_>) -> Self {
        let mut new = Self::new(traceback, State::Open, Evidence::Line);
        new.push_exception(exception);
        new
    }

    /// Starts at a final line, the lines of the same traceback above it: of a test's report, or of one whose
    /// head was cut off.
    pub(crate) fn below_lines(
        traceback: Traceback,
        lines: &[&str],
        exception: &ExceptionLine<'_>,
    ) -> Self {
        let dialect = traceback.dialect;
        let mut new = Self::new(traceback, State::Open, Evidence::Line);
        for text in lines {
            let line = Line::read(dialect, text);
            let is_short_source = new.last == Last::Frame && line.indent > 0;
            let is_own = match line.part {
                Part::Frame(_)
                | Part::Source { .. }
                | Part::Beside(_)
                | Part::Border
                | Part::Function(_) => true,
                Part::PartialPath(_) | Part::Context => dialect == Dialect::Rich,
                Part::Text => is_short_source,
                _ => false,
            };
            if is_own && let Decision::Take { step, .. } = new.decide(&line, &Nothing) {
                new.apply(step, &Nothing);
            }
        }
        if !new.frames.is_empty() {
            new.traceback.evidence = Evidence::Frames;
        }
        new.push_exception(exception);
        new
    }

    /// Starts at the stack of a thread.
    pub(crate) fn at_thread(traceback: Traceback, head: ThreadHead<'_>) -> Self {
        let mut new = Self::new(traceback, State::Pending, Evidence::Head);
        new.push_thread(head);
        new
    }

    /// Starts at the first frame of a thread's stack.
    pub(crate) fn at_frame_of_thread(
        traceback: Traceback,
        head: ThreadHead<'_>,
        frame: &FrameLine<'_>,
    ) -> Self {
        let mut new = Self::at_thread(traceback, head);
        new.push_frame_of_thread(frame);
        new
    }

    pub(crate) fn state(&self) -> State {
        if self.has_final_line_above() {
            State::Pending
        } else {
            self.state
        }
    }

    /// Returns whether quiet completes it: it has its final line, and no member of a group follows.
    pub(crate) fn ends_with_quiet(&self) -> bool {
        self.state() == State::Pending && !self.in_group
    }

    /// Returns whether the line before is a frame or its source, so that carets or source may
    /// follow.
    pub(crate) fn mid_entry(&self) -> bool {
        let in_entry = matches!(self.last, Last::Head | Last::Frame | Last::Source);
        self.state == State::Open && in_entry && !self.awaits_editors_message()
    }

    pub(crate) fn traceback(&self) -> &Traceback {
        &self.traceback
    }

    pub(crate) fn traceback_mut(&mut self) -> &mut Traceback {
        &mut self.traceback
    }

    /// Remembers how a raw line of it began and ended: with another first byte than its text, with
    /// CRLF.
    pub(crate) fn see_raw(&mut self, hidden_first_byte: Option<u8>, crlf: bool) {
        let hidden = &mut self.hidden_first_bytes;
        hidden.extend(hidden_first_byte.filter(|b| !hidden.contains(b)));
        self.crlf |= crlf;
    }

    /// Returns whether the line before is a frame, whose source may follow.
    pub(crate) fn awaits_source(&self) -> bool {
        self.state == State::Open && self.last == Last::Frame
    }

    /// Returns whether an editor's message may go on.
    fn awaits_editors_message(&self) -> bool {
        self.by_editor && self.is_bare_head() && self.traceback.exceptions.is_empty()
    }

    /// Returns whether an open one waits for its first frame.
    pub(crate) fn is_bare_head(&self) -> bool {
        self.state == State::Open && self.last == Last::Head && self.frames.is_empty()
    }

    /// Returns how much memory it holds: an estimate, in bytes.
    pub(crate) fn weight(&self) -> usize {
        let of_raised = self.traceback.exceptions.iter().map(|r| r.frames.len());
        512 + (self.frames.len() + of_raised.sum::<usize>()) * 256 + self.message_bytes * 2
    }

    fn layout(&self) -> &'static Layout {
        self.traceback.dialect.layout()
    }

    /// Returns whether it is complete, and pytest's report of a test goes on with what that printed.
    pub(crate) fn is_in_section(&self) -> bool {
        self.in_section
    }

    /// Returns whether it stands in pytest's report of a test, in whichever form.
    fn is_of_test(&self) -> bool {
        self.traceback.is_of_test()
    }

    /// Returns whether it is a dump of stacks, which has no exception.
    fn dumps(&self) -> bool {
        self.layout().stacks == Stacks::OfThreads
    }

    /// Returns the traceback as far as it was read; `None` if nothing of worth was.
    pub(crate) fn finish(mut self) -> Option<Traceback> {
        self.close_below();
        let raised = &mut self.traceback.exceptions;
        if raised.is_empty() && (!self.frames.is_empty() || self.by_editor) {
            if self.by_editor {
                self.frames.reverse();
            }
            let (said, named) = match self.announced.take() {
                Some(announced) if announced.message.is_empty() => (None, Some(announced)),
                announced => (announced, None),
            };
            let told = said.or_else(|| raised_in(&self.frames)).or(named);
            if told.is_some() || self.traceback.evidence == Evidence::Head {
                raised.push(Exception {
                    frames: std::mem::take(&mut self.frames),
                    ..told.unwrap_or_default()
                });
            }
        }
        for raised in raised {
            raised.frames.retain(|f| !f.path.as_str().is_empty());
            while raised.frames.last().is_some_and(is_of_import_hook) {
                raised.frames.pop();
            }
            let message = &mut raised.message;
            while message.len() > 1 && message.last().is_some_and(|m| m.trim().is_empty()) {
                message.pop();
            }
        }
        super::embedded::read_reasons(&mut self.traceback);
        (!self.traceback.exceptions.is_empty() || !self.traceback.threads.is_empty())
            .then_some(self.traceback)
    }
}

/// Returns whether a frame is that of the hook which `PyCharm` puts round each `import`: it stands where the
/// interpreter shows none of its own.
fn is_of_import_hook(frame: &Frame) -> bool {
    frame.function == "do_import" && frame.path.ends("pydev_import_hook.py")
}

/// Returns the exception that the source of the innermost frame raises, where the final line was cut off.
fn raised_in(frames: &[Frame]) -> Option<Exception> {
    let source = frames.last()?.source.as_deref()?;
    told::raised_by(source).map(Exception::from)
}
