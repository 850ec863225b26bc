//! The state machine of one lane: parts in, one traceback out.
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
//! - [`rate`]: how well a line would fit; [`feed`]: a line that is taken;
//! - [`message`]: what may still belong to a message; [`expect`]: what the rules expect of it;
//! - [`chain`]: whose exceptions follow.

mod chain;
mod expect;
mod feed;
mod message;
mod rate;

use std::cell::OnceCell;

use super::part::{FrameLine, Head};
use super::{Dialect, Evidence, Frame, Raised, Traceback};
use chain::{Chain, ChainKind};

pub use expect::{Expect, Nothing, Outlook};

/// The longest path or source line that is kept, in bytes.
const MAX_TEXT_BYTES: usize = 1024;
/// The longest message that is kept, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 * 1024;

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fed {
    /// It is part of the traceback.
    Took,
    /// It cannot be; a pending traceback is complete.
    Refused,
}

/// Where a traceback stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Its final line is still to come.
    Open,
    /// It may be complete.
    Pending,
}

/// The kind of the line before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Head,
    Frame,
    Source,
    Raised,
    Separator,
    Border,
}

/// One traceback that is being read.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate thing seen in the text"
)]
pub(crate) struct Detector {
    traceback: Traceback,
    state: State,
    last: Last,
    /// The column of heads and final lines.
    base: usize,
    /// Whether the paste has lost its indentation.
    flat: bool,
    /// Whether the source line before is so long that a wrapped rest of it may follow.
    wide: bool,
    /// The column of `File`, which some pastes give to the final line too.
    file_column: usize,
    frames: Vec<Frame>,
    chains: Vec<Chain>,
    /// A `File` line that was wrapped, as far as it was read.
    half: Option<String>,
    /// Empty lines since the last text.
    blanks: u32,
    /// Depth of group margins, 0 outside groups.
    margin: usize,
    /// Whether a group was begun and the line that ends it is still to come.
    in_group: bool,
    strange_lines: u32,
    strange_bytes: usize,
    message_bytes: usize,
    /// What may follow the message as it stands, once it was asked for.
    outlook: OnceCell<Outlook>,
    /// Borders (`====`) seen of a box that the message draws.
    borders: u32,
    /// The line before makes a nested head likely: `-- Process 1 terminated …`, a border.
    nested: bool,
    /// The first bytes that raw lines of it had in place of the text's own: see [`Clean::mask`].
    ///
    /// [`Clean::mask`]: super::text::Clean::mask
    masks: Vec<u8>,
    /// Whether CRLF line ends were seen in it.
    pub(crate) crlf: bool,
}

impl Detector {
    fn new(traceback: Traceback, state: State, last: Last) -> Self {
        Self {
            traceback,
            state,
            last,
            base: 0,
            flat: false,
            wide: false,
            file_column: 0,
            frames: Vec::new(),
            chains: vec![Chain {
                kind: ChainKind::Top,
                last: None,
                link: None,
            }],
            half: None,
            blanks: 0,
            margin: 0,
            in_group: false,
            strange_lines: 0,
            strange_bytes: 0,
            message_bytes: 0,
            outlook: OnceCell::new(),
            borders: 0,
            nested: false,
            masks: Vec::new(),
            crlf: false,
        }
    }

    /// Starts at a head.
    pub(crate) fn at_head(traceback: Traceback, kind: Head) -> Self {
        let mut new = Self::new(traceback, State::Open, Last::Head);
        new.traceback.evidence = Evidence::Head;
        new.margin = usize::from(kind == Head::Group);
        new.in_group = kind == Head::Group;
        new
    }

    /// Starts at a frame whose head is missing.
    pub(crate) fn at_frame(traceback: Traceback, frame: &FrameLine<'_>) -> Self {
        let mut new = Self::new(traceback, State::Open, Last::Head);
        new.traceback.evidence = Evidence::Frames;
        new.push_frame(frame);
        new
    }

    /// Starts at an exception line that stands alone.
    pub(crate) fn at_raised(traceback: Traceback, exception: &str, message: Option<&str>) -> Self {
        let mut new = Self::new(traceback, State::Open, Last::Head);
        new.traceback.evidence = Evidence::Line;
        new.push_raised(exception, message);
        new
    }

    pub(crate) fn state(&self) -> State {
        self.state
    }

    /// Whether quiet completes it: it has its final line, and no member of a group follows.
    pub(crate) fn ends_with_quiet(&self) -> bool {
        self.state == State::Pending && !self.in_group
    }

    /// Whether the line before is a frame or its source, so that carets or source may follow.
    pub(crate) fn mid_entry(&self) -> bool {
        self.state == State::Open && matches!(self.last, Last::Head | Last::Frame | Last::Source)
    }

    pub(crate) fn traceback(&self) -> &Traceback {
        &self.traceback
    }

    pub(crate) fn traceback_mut(&mut self) -> &mut Traceback {
        &mut self.traceback
    }

    /// Remembers the first byte of a raw line whose text starts with another one.
    pub(crate) fn add_mask(&mut self, mask: Option<u8>) {
        if let Some(mask) = mask.filter(|m| !self.masks.contains(m)) {
            self.masks.push(mask);
        }
    }

    /// Whether an open one waits for its first frame.
    pub(crate) fn bare_head(&self) -> bool {
        self.state == State::Open && self.last == Last::Head && self.frames.is_empty()
    }

    /// How many bytes it holds, roughly.
    pub(crate) fn weight(&self) -> usize {
        let frames = self.frames.len()
            + self
                .traceback
                .raised
                .iter()
                .map(|r| r.frames.len())
                .sum::<usize>();
        512 + frames * 256 + self.message_bytes * 2
    }

    /// Starts at the stack of a thread.
    pub(crate) fn at_thread(traceback: Traceback, name: Option<&str>, state: Option<&str>) -> Self {
        let mut new = Self::new(traceback, State::Pending, Last::Head);
        new.traceback.evidence = Evidence::Head;
        new.feed_thread(name, state);
        new
    }

    /// Whether it is a dump of stacks, which has no exception.
    fn dumps(&self) -> bool {
        self.traceback.dialect == Dialect::Dump
    }

    /// Gives the traceback as far as it was read; `None` if nothing of worth was.
    pub(crate) fn finish(mut self) -> Option<Traceback> {
        if self.traceback.raised.is_empty()
            && !self.frames.is_empty()
            && self.traceback.evidence == Evidence::Head
        {
            let frames = std::mem::take(&mut self.frames);
            self.traceback.raised.push(Raised {
                frames,
                ..Raised::default()
            });
        }
        for raised in &mut self.traceback.raised {
            while raised.message.last().is_some_and(|m| m.trim().is_empty())
                && raised.message.len() > 1
            {
                raised.message.pop();
            }
        }
        for stack in &mut self.traceback.threads {
            stack.frames.reverse();
        }
        super::quotation::read_reasons(&mut self.traceback);
        (!self.traceback.raised.is_empty() || !self.traceback.threads.is_empty())
            .then_some(self.traceback)
    }
}

/// Gives the column of a line's first character that is no blank.
fn indent_of(line: &str) -> usize {
    line.bytes()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count()
}
