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

use std::cell::OnceCell;

use super::grammar::cpython::{self, Margin, looks_named, raised};
use super::grammar::rich;
use super::part::{FrameLine, Head, Part};
use super::text::clip;
use super::{Dialect, Evidence, Frame, Link, Raised, Stack, Traceback};

/// The first and the last frames that a stack keeps.
const FIRST_FRAMES: usize = 50;
const LAST_FRAMES: usize = 200;
/// The longest path or source line that is kept, in bytes.
const MAX_TEXT_BYTES: usize = 1024;
/// The longest message that is kept, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 * 1024;
/// The first and the last notes that are kept.
const MAX_NOTES: usize = 100;
/// The most threads that one dump keeps.
const MAX_THREADS: usize = 64;
/// The most exceptions that one traceback keeps.
const MAX_RAISED: usize = 64;
/// What ends an open traceback: so many lines, or bytes, of its own lane that cannot be its own.
const MAX_STRANGE_LINES: u32 = 16;
const MAX_STRANGE_BYTES: usize = 4096;
/// So many lines of others may stand before a part that is all but sure to follow.
const MAX_BORNE_LINES: u32 = 2;

/// From this length on a source line may have been wrapped, in bytes.
const WIDE: usize = 60;

/// What the rules' templates expect of a message.
pub trait Expect {
    /// Gives what may follow a message as it stands.
    fn outlook(&self, exception: &str, message: &[String]) -> Outlook;
    /// Whether some template of a rule for this exception wants `next` as its next line.
    fn expects(&self, exception: &str, message: &[String], next: &str) -> bool;
    /// Joins `next` to the last line of a message that was wrapped, where some rule wants that.
    fn rejoin(&self, exception: &str, message: &[String], next: &str) -> Option<String>;
}

/// What may follow a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// Some template of a rule for this exception has more lines than the message has.
    pub wants_lines: bool,
    /// The last line of the message is only a beginning of what some rule wants.
    pub is_begun: bool,
    /// So that the message may have been cut there: no other rule is content, or the line is long.
    pub is_cut: bool,
}

/// No template expects anything.
pub struct Nothing;

impl Expect for Nothing {
    fn outlook(&self, _: &str, _: &[String]) -> Outlook {
        Outlook::default()
    }
    fn expects(&self, _: &str, _: &[String], _: &str) -> bool {
        false
    }
    fn rejoin(&self, _: &str, _: &[String], _: &str) -> Option<String> {
        None
    }
}

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

/// Whose exceptions follow: the chain that is being read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chain {
    kind: ChainKind,
    /// The exception read last, by index.
    last: Option<usize>,
    /// How the next one hangs on it.
    link: Option<Link>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ChainKind {
    Top,
    /// Between `"""` or `'''`.
    Remote(char),
    /// The text of a worker that stands below the exception which wraps it.
    Worker(usize),
    /// A member of a group, at this depth of margin.
    Member {
        group: usize,
        depth: usize,
    },
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

    /// Opens the text of another process, whose quote stood above the head.
    pub(crate) fn open_remote(&mut self, mark: char) {
        self.chains.push(Chain {
            kind: ChainKind::Remote(mark),
            last: None,
            link: None,
        });
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

    /// Takes a line, or refuses it.
    pub(crate) fn feed(&mut self, line: &str, part: &Part<'_>, more: &dyn Expect) -> Fed {
        if self.margin > 0 {
            match cpython::margin(line) {
                Some(Margin::Member(depth)) => {
                    self.start_member(depth);
                    return Fed::Took;
                }
                Some(Margin::End(depth)) => {
                    self.end_members(depth);
                    self.in_group = false;
                    return Fed::Took;
                }
                Some(Margin::Text(depth, text)) => {
                    self.end_members(depth + 1);
                    if self.feed_text(text, &cpython::part(text), more) == Fed::Refused {
                        // Behind a margin a message may go on at any column.
                        self.push_message(text);
                    }
                    return Fed::Took;
                }
                None => {}
            }
        }
        self.feed_text(line, part, more)
    }

    fn feed_text(&mut self, line: &str, part: &Part<'_>, more: &dyn Expect) -> Fed {
        if let Some(joined) = self.rejoin_frame(line) {
            self.half = None;
            if self.last == Last::Frame && self.frames.last().is_some_and(|f| f.function.is_empty())
            {
                self.frames.pop();
            }
            return self.feed_text(&joined, &cpython::part(&joined), more);
        }
        if self.is_half_frame(line, part) {
            let half = self.half.get_or_insert_default();
            if half.ends_with("File") {
                half.push(' ');
            }
            half.push_str(line);
            return Fed::Took;
        }
        if self.traceback.dialect == Dialect::Rich {
            let path = self.half.take();
            if let (Some(path), Part::Frame(frame)) = (path, part) {
                let file = path + frame.file;
                let whole = FrameLine {
                    file: &file,
                    ..frame.clone()
                };
                return self.feed_frame(&whole);
            }
            if let Some(path) = rich::half_path(line).filter(|_| self.state == State::Open) {
                self.half = Some(clip(path, MAX_TEXT_BYTES).to_owned());
                return Fed::Took;
            }
        }
        self.half = match part {
            Part::Frame(frame) if frame.function == Some("") => Some(line.to_owned()),
            _ => None,
        };
        let fed = match part {
            Part::Blank => {
                self.blanks += 1;
                return Fed::Took;
            }
            Part::Head { kind, .. } => self.feed_head(*kind),
            Part::Frame(frame) => self.feed_frame(frame),
            Part::Repeated(_) | Part::Elided => self.only_open(),
            Part::Carets if self.state == State::Open => {
                self.last = Last::Source;
                Fed::Took
            }
            Part::Separator(link) => self.feed_separator(*link),
            Part::Thread { name, state } => self.feed_thread(*name, *state),
            Part::Context if self.state == State::Open || self.dumps() => Fed::Took,
            Part::Source { line, text } => self.feed_source(*line, text),
            Part::Raised(raised) => {
                self.push_raised(raised.exception, raised.message);
                Fed::Took
            }
            Part::Quote(quote) if self.takes_quote(quote) => self.feed_quote(quote),
            Part::Quote(_) | Part::Carets | Part::Text | Part::Context => self.feed_any(line, more),
        };
        if fed == Fed::Took {
            self.blanks = 0;
        }
        fed
    }

    fn only_open(&mut self) -> Fed {
        if self.state == State::Open {
            Fed::Took
        } else {
            Fed::Refused
        }
    }

    fn feed_head(&mut self, kind: Head) -> Fed {
        if kind == Head::Group {
            self.margin += 1;
            self.in_group = true;
        }
        if kind == Head::Original && self.caught()
            || self.state == State::Pending && (self.nested || self.borders > 0)
        {
            let outer = self.traceback.raised.len() - 1;
            self.chains.push(Chain {
                kind: ChainKind::Worker(outer),
                last: None,
                link: None,
            });
            self.nested = false;
        } else if !self.takes_head() {
            return Fed::Refused;
        }
        self.traceback.evidence = Evidence::Head;
        self.state = State::Open;
        self.last = Last::Head;
        self.frames.clear();
        Fed::Took
    }

    /// Whether a head may be the next part of what is being read.
    fn takes_head(&self) -> bool {
        match self.state {
            State::Open => {
                matches!(self.last, Last::Separator | Last::Border)
                    || self.bare_head() && self.chain().link.is_some()
            }
            State::Pending => self.nested || self.borders > 0 || self.chain().link.is_some(),
        }
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

    fn feed_thread(&mut self, name: Option<&str>, state: Option<&str>) -> Fed {
        if !self.dumps() || self.traceback.threads.len() >= MAX_THREADS {
            return Fed::Refused;
        }
        self.traceback.threads.push(Stack {
            name: name.map(str::to_owned),
            state: state.map(str::to_owned),
            ..Stack::default()
        });
        Fed::Took
    }

    fn feed_source(&mut self, line: u32, text: &str) -> Fed {
        if self.traceback.dialect == Dialect::Pytest {
            // A further `E` line: the rest of the message.
            self.push_message(text);
            return Fed::Took;
        }
        if self.state != State::Open {
            return Fed::Refused;
        }
        if let Some(frame) = self.frames.last_mut() {
            if frame.line == 0 {
                frame.line = line;
            }
            frame.source = Some(clip(text.trim(), MAX_TEXT_BYTES).to_owned());
        }
        self.last = Last::Source;
        Fed::Took
    }

    fn feed_frame(&mut self, frame: &FrameLine<'_>) -> Fed {
        if self.dumps() {
            if let Some(stack) = self
                .traceback
                .threads
                .last_mut()
                .filter(|s| s.frames.len() < FIRST_FRAMES + LAST_FRAMES)
            {
                stack.frames.push(frame_of(frame));
            }
            return Fed::Took;
        }
        if self.traceback.dialect == Dialect::Pytest {
            if let Some(raised) = self.traceback.raised.last_mut() {
                raised.frames.push(frame_of(frame));
                self.traceback.evidence = Evidence::Frames;
            }
            return Fed::Took;
        }
        if self.state == State::Pending && self.chain().link.is_none() {
            if !self.ray_task() && !self.caught() {
                return Fed::Refused;
            }
            let outer = self.traceback.raised.len() - 1;
            self.chains.push(Chain {
                kind: ChainKind::Worker(outer),
                last: None,
                link: None,
            });
        }
        self.push_frame(frame);
        Fed::Took
    }

    fn push_frame(&mut self, frame: &FrameLine<'_>) {
        if self.frames.is_empty() && self.margin == 0 {
            self.base = frame.indent.saturating_sub(2);
            self.flat = frame.indent == 0;
            self.file_column = frame.indent;
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

    /// Whether a line is a part of a `File` line that was wrapped: it has no line number yet.
    fn is_half_frame(&self, line: &str, part: &Part<'_>) -> bool {
        let text = line.trim();
        let starts = text == "File" || text.starts_with("File \"");
        *part == Part::Text
            && self.traceback.dialect == Dialect::Cpython
            && self.state == State::Open
            && match &self.half {
                None => starts,
                Some(half) => {
                    !starts
                        && !half.contains("\", line ")
                        && half.len() + line.len() < MAX_TEXT_BYTES
                }
            }
    }

    /// Joins a line to the half of a `File` line before it, where that gives a whole one.
    fn rejoin_frame(&self, line: &str) -> Option<String> {
        let half = self.half.as_deref()?;
        if half.trim_end().ends_with(" in")
            && (line.trim_end().contains([' ', '\t']) || line.is_empty())
        {
            // A source line: the function's name is lost.
            return None;
        }
        let joined = [
            format!("{half}{line}"),
            format!("{} {}", half.trim_end(), line.trim_start()),
        ];
        joined
            .into_iter()
            .find(|text| matches!(cpython::part(text), Part::Frame(_)))
    }

    fn feed_separator(&mut self, link: Link) -> Fed {
        if self.traceback.raised.is_empty() && self.frames.is_empty() {
            return Fed::Refused;
        }
        // Two empty lines: the worker's text ended with one of its own, so the chain is the outer one's.
        if self.blanks >= 2
            && self.chains.len() > 1
            && matches!(self.chain().kind, ChainKind::Worker(_))
        {
            self.chains.pop();
        }
        let chain = self.chain_mut();
        if chain.link != Some(Link::Remote) {
            chain.link = Some(link);
        }
        self.frames.clear();
        self.state = State::Open;
        self.last = Last::Separator;
        Fed::Took
    }

    fn takes_quote(&self, quote: &str) -> bool {
        let mark = quote.chars().next().unwrap_or('"');
        self.remote_header()
            || self.state == State::Pending && self.strict()
            || self
                .chains
                .iter()
                .any(|c| c.kind == ChainKind::Remote(mark))
    }

    /// Whether the exception read last announces the text of another process.
    fn remote_header(&self) -> bool {
        self.state == State::Pending
            && self.traceback.raised.last().is_some_and(|r| {
                r.short_type()
                    .is_some_and(|t| t.ends_with("RemoteTraceback"))
                    && r.message.iter().all(|m| m.trim().is_empty())
            })
    }

    fn feed_quote(&mut self, quote: &str) -> Fed {
        let mark = quote.chars().next().unwrap_or('"');
        if self.remote_header() {
            // The header is no failure of its own: the text below it takes its place.
            self.traceback.raised.pop();
            self.outlook = OnceCell::new();
            self.chain_mut().last = None;
            self.chains.push(Chain {
                kind: ChainKind::Remote(mark),
                last: None,
                link: None,
            });
            self.state = State::Open;
            self.last = Last::Border;
            self.frames.clear();
            return Fed::Took;
        }
        let Some(at) = self
            .chains
            .iter()
            .rposition(|c| c.kind == ChainKind::Remote(mark))
        else {
            // The text that it closes began before what was read; a separator may follow.
            return Fed::Took;
        };
        let inner = self.chains[at].last;
        self.chains.truncate(at);
        let chain = self.chain_mut();
        chain.last = inner;
        chain.link = inner.map(|_| Link::Remote);
        self.state = State::Pending;
        self.last = Last::Border;
        Fed::Took
    }

    /// Takes source, final lines, the rest of a message, notes, strange lines.
    fn feed_any(&mut self, line: &str, more: &dyn Expect) -> Fed {
        let lead = indent_of(line);
        if self.state == State::Pending {
            if !self.continues(line, lead, more) {
                return Fed::Refused;
            }
            if !self.rejoin_message(line, more) {
                self.push_message(line);
            }
            return Fed::Took;
        }
        if self.last == Last::Raised {
            // Inside the text of another process: its message goes on until the closing quote.
            if let Some(r) = raised(line).filter(|_| !self.frames.is_empty()) {
                self.push_raised(r.exception, r.message);
            } else {
                self.push_message(line);
            }
            return Fed::Took;
        }
        let deeper = lead > self.base
            && !self.flat
            && self.strict()
            && !self.ends_at_file_column(line, lead);
        if deeper && matches!(self.last, Last::Frame | Last::Source) {
            self.push_source(line);
            return Fed::Took;
        }
        if let Some(r) = raised(unbold(line)).filter(|r| self.takes_raised(r.exception, lead)) {
            if self.traceback.dialect == Dialect::Rich {
                self.base = lead;
            }
            self.push_raised(r.exception, r.message);
            return Fed::Took;
        }
        if self.flat && self.last == Last::Frame {
            self.push_source(line);
            return Fed::Took;
        }
        self.strange_lines += 1;
        self.strange_bytes += line.len();
        if self.strange_lines > MAX_STRANGE_LINES || self.strange_bytes > MAX_STRANGE_BYTES {
            Fed::Refused
        } else {
            Fed::Took
        }
    }

    /// Gives the text of a line that says all and closes the quotes of another process's text.
    fn closing_remote<'t>(&self, line: &'t str) -> Option<&'t str> {
        let ChainKind::Remote(mark) = self.chain().kind else {
            return None;
        };
        if self.last != Last::Border || !self.frames.is_empty() {
            return None;
        }
        let quote = if mark == '"' { "\"\"\"" } else { "'''" };
        line.trim_end()
            .strip_suffix(quote)
            .filter(|t| !t.is_empty())
    }

    /// Whether it is a final line in the column of `File`, as pastes with lost indentation have it;
    /// source stands deeper.
    fn ends_at_file_column(&self, line: &str, lead: usize) -> bool {
        lead <= self.file_column
            && raised(line.trim_start()).is_some_and(|r| looks_named(r.exception))
    }

    /// Whether columns mean something in this dialect.
    fn strict(&self) -> bool {
        !matches!(
            self.traceback.dialect,
            Dialect::Ipython | Dialect::Rich | Dialect::Pytest | Dialect::Dump
        )
    }

    fn takes_raised(&self, exception: &str, lead: usize) -> bool {
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

    fn push_source(&mut self, line: &str) {
        if let (Last::Frame, Some(frame)) = (self.last, self.frames.last_mut()) {
            frame.source = Some(clip(line.trim(), MAX_TEXT_BYTES).to_owned());
        }
        self.wide = line.len() >= WIDE;
        self.last = Last::Source;
    }

    fn push_raised(&mut self, exception: &str, message: Option<&str>) {
        self.state = if self.in_remote() {
            State::Open
        } else {
            State::Pending
        };
        self.last = Last::Raised;
        self.outlook = OnceCell::new();
        self.message_bytes = message.map_or(0, str::len);
        let mut frames = std::mem::take(&mut self.frames);
        if frames.len() > FIRST_FRAMES + LAST_FRAMES {
            let cut = frames.len() - LAST_FRAMES;
            frames.drain(FIRST_FRAMES..cut);
        }
        if self.traceback.raised.len() >= MAX_RAISED {
            return;
        }
        let index = self.traceback.raised.len();
        let chain = self.chain_mut();
        let link = match (chain.link.take(), chain.last, &chain.kind) {
            (Some(link), Some(other), _) => Some((link, other)),
            (None, None, ChainKind::Member { group, .. }) => Some((Link::GroupMember, *group)),
            _ => None,
        };
        chain.last = Some(index);
        let worker = match chain.kind {
            ChainKind::Worker(outer) => Some(outer),
            _ => None,
        };
        if let Some(outer) = worker {
            self.traceback.raised[outer].link = Some((Link::Remote, index));
        }
        let message = match message {
            None => Vec::new(),
            Some(text) => vec![clip(text, MAX_MESSAGE_BYTES).trim_end().to_owned()],
        };
        self.traceback.raised.push(Raised {
            exception: Some(clip(exception, MAX_TEXT_BYTES).to_owned()),
            message,
            notes: Vec::new(),
            frames,
            link,
        });
    }

    fn push_message(&mut self, line: &str) {
        let text = line.trim_end();
        self.nested = cpython::spawned_process(text).is_some()
            || (cpython::rule_line(text).is_some() && self.first_message_line_empty());
        if cpython::rule_line(text) == Some('=') && self.first_message_line_empty() {
            self.borders += 1;
        }
        let blanks = self.blanks;
        self.outlook = OnceCell::new();
        let Some(raised) = self.traceback.raised.last_mut() else {
            return;
        };
        if text.starts_with(NOTE) {
            if raised.notes.len() >= 2 * MAX_NOTES {
                raised.notes.remove(MAX_NOTES);
            }
            raised.notes.push(clip(text, MAX_TEXT_BYTES).to_owned());
            return;
        }
        if !raised.notes.is_empty() {
            return;
        }
        for _ in 0..blanks.min(8) {
            raised.message.push(String::new());
        }
        if self.message_bytes + text.len() <= MAX_MESSAGE_BYTES {
            self.message_bytes += text.len() + 1;
            raised.message.push(text.to_owned());
        }
    }

    /// Joins a line to a message that was wrapped.
    fn rejoin_message(&mut self, line: &str, more: &dyn Expect) -> bool {
        let Some(joined) = self.rejoined(line, more) else {
            return false;
        };
        self.outlook = OnceCell::new();
        let Some(raised) = self.traceback.raised.last_mut() else {
            return false;
        };
        if self.message_bytes + line.len() <= MAX_MESSAGE_BYTES {
            self.message_bytes += line.len();
            if let Some(last) = raised.message.last_mut() {
                *last = joined;
            }
        }
        true
    }

    /// Gives the last line of the message with the rest of it, where that was wrapped.
    fn rejoined(&self, line: &str, more: &dyn Expect) -> Option<String> {
        let raised = self.traceback.raised.last()?;
        let exception = raised.exception.as_deref().unwrap_or_default();
        let is_begun = self.outlook(raised, more).is_begun;
        is_begun.then(|| more.rejoin(exception, &raised.message, line))?
    }

    fn outlook(&self, raised: &Raised, more: &dyn Expect) -> Outlook {
        let exception = raised.exception.as_deref().unwrap_or_default();
        *self
            .outlook
            .get_or_init(|| more.outlook(exception, &raised.message))
    }

    /// Whether a line may go on with the pending one.
    fn continues(&self, line: &str, lead: usize, more: &dyn Expect) -> bool {
        if self.dumps() || self.traceback.dialect == Dialect::Pytest {
            return false;
        }
        let Some(raised) = self.traceback.raised.last() else {
            return false;
        };
        if self.traceback.dialect == Dialect::Rich && lead < self.base {
            // Left of the column in which a log's message stands.
            return false;
        }
        if lead > 0 || self.drawing_box() {
            return self.strange_lines <= MAX_STRANGE_LINES;
        }
        if line.starts_with(NOTE) {
            return true;
        }
        if self.first_message_line_empty()
            && (cpython::spawned_process(line).is_some() || cpython::rule_line(line).is_some())
        {
            return true;
        }
        if self.nested && cpython::rule_line(line).is_some() {
            return true;
        }
        raised.exception.as_deref().is_some_and(|e| {
            self.outlook(raised, more).wants_lines && more.expects(e, &raised.message, line)
                || self.blanks == 0 && self.rejoined(line, more).is_some()
        })
    }

    /// Whether the first byte of a line lets it go on with the pending one; `None` for an empty line.
    ///
    /// What this refuses closes the traceback before the line; what it lets pass is decided when
    /// the line is complete. It depends on that byte alone, so that the output is the same however
    /// the input was cut.
    pub(crate) fn may_continue(&self, first: Option<u8>, more: &dyn Expect) -> bool {
        let Some(first) = first else { return true };
        if self.dumps() {
            return matches!(first, b' ' | b'\t' | b'T' | b'C' | b'P')
                || first == b'\r' && self.crlf
                || self.masks.contains(&first);
        }
        if self.traceback.dialect == Dialect::Pytest {
            return !matches!(first, b'=' | b'_' | b'-');
        }
        let Some(raised) = self.traceback.raised.last() else {
            return true;
        };
        match first {
            b' ' | b'\t' | b'\n' => true,
            b'\r' => self.crlf,
            _ if self.masks.contains(&first) => true,
            b'T' | b'D' if self.blanks > 0 => true,
            _ if self.awaits_part() && self.strange_lines < MAX_BORNE_LINES => true,
            b'O' if self.caught() => true,
            b'"' | b'\'' if self.strict() => true,
            b'-' | b'=' if self.first_message_line_empty() || self.nested => true,
            b'w' if Self::notes_likely(raised) => true,
            _ => {
                self.drawing_box()
                    || raised.exception.is_some() && {
                        let outlook = self.outlook(raised, more);
                        outlook.wants_lines || self.blanks == 0 && outlook.is_cut
                    }
            }
        }
    }

    /// Whether 3.14's notes may follow: an error of pickling.
    fn notes_likely(raised: &Raised) -> bool {
        let pickles = |text: &str| {
            text.contains("ickl") || text.contains("erializ") || text.contains("reduction.py")
        };
        !raised.notes.is_empty()
            || raised.message.iter().any(|m| pickles(m))
            || raised
                .frames
                .iter()
                .rev()
                .take(8)
                .any(|f| pickles(&f.file) || f.source.as_deref().is_some_and(pickles))
    }

    /// Whether the exception read last is torch's wrapper of a worker's.
    fn caught(&self) -> bool {
        self.state == State::Pending
            && self
                .traceback
                .raised
                .last()
                .and_then(|r| r.message.first())
                .is_some_and(|m| m.starts_with("Caught "))
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
        self.caught() || self.remote_header() || is_linked
    }

    /// Whether Ray's form follows: frames without a head below `RayTaskError(…)`.
    fn ray_task(&self) -> bool {
        self.state == State::Pending
            && self
                .traceback
                .raised
                .last()
                .and_then(|r| r.exception.as_deref())
                .is_some_and(|e| e.contains("RayTaskError"))
    }

    fn drawing_box(&self) -> bool {
        self.borders == 1
    }

    fn first_message_line_empty(&self) -> bool {
        self.traceback
            .raised
            .last()
            .is_some_and(|r| r.message.first().is_some_and(|m| m.trim().is_empty()))
            || self.borders > 0
    }

    fn in_remote(&self) -> bool {
        self.chains
            .iter()
            .any(|c| matches!(c.kind, ChainKind::Remote(_)))
    }

    fn start_member(&mut self, depth: usize) {
        self.end_members(depth);
        let group = self.traceback.raised.len().saturating_sub(1);
        let group = self.chain().last.unwrap_or(group);
        if self.traceback.raised.is_empty() {
            return;
        }
        self.chains.push(Chain {
            kind: ChainKind::Member { group, depth },
            last: None,
            link: None,
        });
        self.margin = depth;
        self.in_group = true;
        self.state = State::Open;
        self.last = Last::Border;
        self.frames.clear();
    }

    /// Ends the members whose margin is at least that deep.
    fn end_members(&mut self, depth: usize) {
        while let ChainKind::Member { depth: d, .. } = self.chain().kind {
            if d < depth {
                break;
            }
            self.chains.pop();
            if self.last == Last::Border || self.last == Last::Raised {
                self.state = State::Pending;
            }
        }
    }

    fn chain(&self) -> &Chain {
        self.chains.last().expect("the top chain is never popped")
    }

    fn chain_mut(&mut self) -> &mut Chain {
        self.chains
            .last_mut()
            .expect("the top chain is never popped")
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

/// The beginning of the notes that Python 3.14 adds to errors of pickling.
const NOTE: &str = "when serializing ";

fn frame_of(frame: &FrameLine<'_>) -> Frame {
    Frame {
        file: clip(frame.file, MAX_TEXT_BYTES).to_owned(),
        line: frame.line,
        function: clip(frame.function.unwrap_or_default(), MAX_TEXT_BYTES).to_owned(),
        source: None,
    }
}

/// Takes off the marks of a line that a page set in bold: `**TypeError: …**`.
fn unbold(line: &str) -> &str {
    let text = line.trim();
    let bold = text.strip_prefix("**").and_then(|t| t.strip_suffix("**"));
    bold.unwrap_or(line.trim_start())
}

/// Gives the column of a line's first character that is no blank.
fn indent_of(line: &str) -> usize {
    line.bytes()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count()
}
