//! A line that is taken, and what it adds to the traceback.

use super::chain::{Chain, ChainKind};
use super::{Detector, Expect, Fed, Last, MAX_MESSAGE_BYTES, MAX_TEXT_BYTES, State, indent_of};
use crate::traceback::grammar::cpython::{self, Margin, raised};
use crate::traceback::grammar::rich;
use crate::traceback::part::{FrameLine, Head, Part};
use crate::traceback::text::clip;
use crate::traceback::{Dialect, Evidence, Frame, Link, Raised, SourcePath, Stack};

/// The first and the last frames that a stack keeps.
const FIRST_FRAMES: usize = 50;
const LAST_FRAMES: usize = 200;
/// The most threads that one dump keeps.
const MAX_THREADS: usize = 64;
/// The most exceptions that one traceback keeps.
const MAX_RAISED: usize = 64;
/// What ends an open traceback: so many lines, or bytes, of its own lane that cannot be its own.
pub(super) const MAX_STRANGE_LINES: u32 = 16;
const MAX_STRANGE_BYTES: usize = 4096;
/// From this length on a source line may have been wrapped, in bytes.
const WIDE: usize = 60;

impl Detector {
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

    pub(super) fn feed_thread(&mut self, name: Option<&str>, state: Option<&str>) -> Fed {
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

    pub(super) fn push_frame(&mut self, frame: &FrameLine<'_>) {
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
    pub(super) fn is_half_frame(&self, line: &str, part: &Part<'_>) -> bool {
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
    pub(super) fn rejoin_frame(&self, line: &str) -> Option<String> {
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

    fn push_source(&mut self, line: &str) {
        if let (Last::Frame, Some(frame)) = (self.last, self.frames.last_mut()) {
            frame.source = Some(clip(line.trim(), MAX_TEXT_BYTES).to_owned());
        }
        self.wide = line.len() >= WIDE;
        self.last = Last::Source;
    }

    pub(super) fn push_raised(&mut self, exception: &str, message: Option<&str>) {
        self.state = if self.in_remote() {
            State::Open
        } else {
            State::Pending
        };
        self.last = Last::Raised;
        self.outlook.take();
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
}

fn frame_of(frame: &FrameLine<'_>) -> Frame {
    Frame {
        path: SourcePath::new(clip(frame.file, MAX_TEXT_BYTES)),
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
