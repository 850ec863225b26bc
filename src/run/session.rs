//! The main stream of a command, with the keyboard and the signals: one loop around one `poll`.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use memchr::memmem;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::process::{Signal, kill_current_process_group};
use rustix::termios::{OptionalActions, Winsize, tcsetattr, tcsetwinsize};
use signal_hook::consts::{SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

use super::LINGER;
use super::command::{Change, Command, Ending, StartError};
use super::keyboard::Keyboard;
use super::layout::Target;
use super::leader::Ground;
use super::orphans::{Orphan, holders};
use super::screen::{Piece, Screen};
use super::signals::{Arrival, Signals};
use super::terminal::Terminal;
use super::watch::Watch;
use crate::input::{Clock, Event, Source, Wait};

/// How much is gathered before it is handed on, in bytes. A pseudo-terminal gives 4 KiB at once.
const SIZE: usize = 64 * 1024;

/// How long a carriage return at the end of what was read waits for what belongs to it.
const TURN: Duration = Duration::from_millis(2);

/// What became of the command.
#[derive(Debug)]
pub enum Outcome {
    /// It ran.
    Ended(Ending),
    /// It could not be started.
    NotStarted(StartError),
}

/// What the command prints, as a source of events; keys and signals go to it meanwhile.
pub struct Session {
    command: Command,
    signals: Signals,
    /// What the command prints into; `None` when that has ended.
    output: Option<OwnedFd>,
    target: Target,
    /// The size that the command's terminal has, where it has one.
    size: Option<Winsize>,
    /// Another pseudo-terminal of the command, which changes its size too.
    other: Option<(OwnedFd, Target)>,
    /// The user's terminal, where the command has one of its own in its stead.
    terminal: Option<Terminal>,
    keyboard: Keyboard,
    /// Whether the command's terminal has settings that a command in front would have found.
    is_set: bool,
    screen: Screen,
    buffer: Box<[u8]>,
    /// What was read and is to be handed on: where it ends, and what it is.
    pieces: VecDeque<(Got, usize)>,
    handed: usize,
    is_resized: bool,
    /// The signal that stopped the command.
    stopped: Option<i32>,
    outcome: Option<Outcome>,
    /// When the command ended.
    ended: Option<Duration>,
    /// What holds the output open after the end.
    orphans: Option<Vec<Orphan>>,
    /// Closed when the command has ended.
    end: Option<OwnedFd>,
    watch: Option<Watch>,
    /// What is told of the command besides what it prints.
    asides: VecDeque<String>,
    aside: String,
    has_ended_asides: bool,
    clock: Clock,
}

/// An event without what it lends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Got {
    Text,
    Drawing,
    Quiet,
    /// What came before is complete, as after quiet.
    Break,
    Resized,
    Aside,
    Eof,
}

impl Session {
    pub(super) fn new(command: Command, signals: Signals, output: OwnedFd, target: Target) -> Self {
        let is_terminal = rustix::termios::isatty(&output);
        Self {
            command,
            signals,
            output: Some(output),
            target,
            size: is_terminal.then(|| target.size()).flatten(),
            other: None,
            terminal: None,
            keyboard: Keyboard::default(),
            is_set: true,
            screen: Screen::default(),
            buffer: vec![0; SIZE].into_boxed_slice(),
            pieces: VecDeque::new(),
            handed: 0,
            is_resized: false,
            stopped: None,
            outcome: None,
            ended: None,
            orphans: None,
            end: None,
            watch: None,
            asides: VecDeque::new(),
            aside: String::new(),
            has_ended_asides: false,
            clock: Clock::real(),
        }
    }

    /// Takes the keyboard of this terminal to the command's.
    pub(super) fn on_terminal(self, terminal: Terminal) -> Self {
        Self {
            is_set: terminal.is_raw(),
            terminal: Some(terminal),
            ..self
        }
    }

    /// Closes this when the command has ended.
    pub(super) fn with_end(self, end: Option<OwnedFd>) -> Self {
        Self { end, ..self }
    }

    /// Keeps the size of another pseudo-terminal of the command.
    pub(super) fn with_other(self, other: Option<(OwnedFd, Target)>) -> Self {
        Self { other, ..self }
    }

    /// Looks at the command meanwhile.
    pub(super) fn watched_by(self, watch: Watch) -> Self {
        Self {
            watch: Some(watch),
            ..self
        }
    }

    /// Waits for the command's end, with nobody there to read what it prints.
    pub fn abandon(&mut self) {
        self.output = None;
        self.pieces.clear();
        if self.terminal.is_some() {
            self.command.signal(Signal::HUP);
        }
        while self.outcome.is_none() {
            if self.wait(Wait::Forever).is_err() {
                return;
            }
        }
    }

    /// Gives the terminal back, and returns what became of the command; nothing is read any more.
    pub fn close(mut self) -> (Option<Outcome>, Vec<Orphan>) {
        if let Some(terminal) = &mut self.terminal {
            terminal.give_back();
        }
        (self.outcome.take(), self.orphans.take().unwrap_or_default())
    }

    fn wait(&mut self, wait: Wait) -> io::Result<Got> {
        let deadline = match wait {
            Wait::Forever => None,
            Wait::AtMost(limit) => Some(self.clock.now() + limit),
        };
        loop {
            if !self.asides.is_empty() {
                return Ok(Got::Aside);
            }
            if let Some((piece, _)) = self.pieces.front() {
                return Ok(*piece);
            }
            if std::mem::take(&mut self.is_resized) {
                return Ok(Got::Resized);
            }
            if self.outcome.is_some() && self.output.is_none() {
                if self.tell_ending() {
                    // What was open is complete before something else is said.
                    return Ok(Got::Quiet);
                }
                return Ok(Got::Eof);
            }
            let over = self.ended.map(|ended| ended + LINGER);
            let look = self.watch.as_ref().filter(|_| self.ended.is_none());
            let look = look.map(Watch::next);
            let until = [deadline, over, look].into_iter().flatten().min();
            let limit = match (self.stopped, until) {
                (Some(_), _) => Some(Duration::ZERO),
                (None, until) => until.map(|until| until.saturating_sub(self.clock.now())),
            };
            if self.look(limit)? {
                continue;
            }
            if let Some(signal) = self.stopped.take() {
                self.suspend(signal);
            } else if over.is_some_and(|over| self.clock.now() >= over) {
                let output = self.output.take();
                self.orphans = output.map(|output| holders(&output));
            } else if look.is_some_and(|look| self.clock.now() >= look) {
                self.watch(Watch::look);
            } else if deadline.is_some_and(|deadline| self.clock.now() >= deadline) {
                return Ok(Got::Quiet);
            }
        }
    }

    /// Looks at the command; what is found is told before what is read next.
    fn watch(&mut self, look: impl FnOnce(&mut Watch, Duration, &mut Vec<String>)) {
        if let Some(watch) = &mut self.watch {
            let mut lines = Vec::new();
            look(watch, self.clock.now(), &mut lines);
            self.asides.extend(lines);
        }
    }

    /// Says how the command ended, once; returns whether there is something to say.
    fn tell_ending(&mut self) -> bool {
        if let Some(Outcome::Ended(ending)) = self.outcome
            && !std::mem::replace(&mut self.has_ended_asides, true)
        {
            self.watch(|watch, _, lines| watch.end(ending, lines));
        }
        !self.asides.is_empty()
    }

    /// Waits for something to happen, and deals with it; returns whether something did.
    fn look(&mut self, limit: Option<Duration>) -> io::Result<bool> {
        // What happened before the first wait wakes nobody.
        if self.changes() {
            return Ok(true);
        }
        let is_raw = self.terminal.as_ref().is_some_and(Terminal::is_raw);
        let keys = self
            .keyboard
            .wants()
            .filter(|_| is_raw && self.output.is_some());
        let mut fds = vec![PollFd::new(&self.signals, PollFlags::IN)];
        let mut add = |fd: Option<_>, flags| {
            fd.map(|fd| {
                fds.push(PollFd::from_borrowed_fd(fd, flags));
                fds.len() - 1
            })
        };
        let leader = add(self.command.fd(), PollFlags::IN);
        let keys = add(keys, PollFlags::IN);
        let output = add(
            self.output.as_ref().map(AsFd::as_fd),
            PollFlags::IN | self.keyboard.writes(),
        );
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        match poll(&mut fds, limit.as_ref()) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
        let ready = |at: Option<usize>| at.map_or(PollFlags::empty(), |at| fds[at].revents());
        let (signals, leader) = (ready(Some(0)), ready(leader));
        let (keys, output) = (ready(keys), ready(output));
        drop(fds);
        if !signals.is_empty() {
            self.arrivals();
        }
        if !leader.is_empty() {
            self.changes();
        }
        if let Some(to) = &self.output {
            if !keys.is_empty() {
                self.keyboard.read(to);
                let now = self.clock.now();
                self.watch.iter_mut().for_each(|watch| watch.stir(now));
            }
            if output.contains(PollFlags::OUT) {
                self.keyboard.write(to);
            }
        }
        if output.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            self.read()?;
        }
        Ok(true)
    }

    /// Deals with the signals that have come.
    fn arrivals(&mut self) {
        for arrival in self.signals.take() {
            match arrival {
                Arrival::Forward(signal) => self.command.signal(signal),
                Arrival::Resized => self.resize(),
                Arrival::Child => {
                    self.changes();
                }
            }
        }
    }

    /// Deals with what has happened to the command; returns whether something did.
    fn changes(&mut self) -> bool {
        let mut has_any = false;
        while let Some(change) = self.command.change() {
            has_any = true;
            match change {
                Change::Started(pid) => {
                    if let Some(watch) = &mut self.watch {
                        watch.started(pid);
                    }
                }
                Change::Stopped(signal) => self.stopped = Some(signal),
                Change::Failed(error) => self.end_as(Outcome::NotStarted(error)),
                Change::Ended(ending) => self.end_as(Outcome::Ended(ending)),
            }
        }
        has_any
    }

    fn end_as(&mut self, outcome: Outcome) {
        self.ended = Some(self.clock.now());
        self.outcome = Some(outcome);
        self.stopped = None;
        self.end = None;
    }

    /// Gives the command's terminal the size of the user's.
    fn resize(&mut self) {
        let Some(size) = self.target.size() else {
            return;
        };
        let is_new = self.size.is_some_and(|old| old != size);
        if let Some(output) = self.output.as_ref().filter(|_| is_new) {
            self.size = Some(size);
            self.is_resized = true;
            let _ = tcsetwinsize(output, size);
        }
        if let Some((other, target)) = &self.other
            && let Some(size) = target.size()
        {
            let _ = tcsetwinsize(other, size);
        }
        // On a terminal of its own it is told by the system. In our session it was told before its
        // pseudo-terminal had the new size.
        if is_new && self.terminal.is_none() {
            self.command.signal(Signal::WINCH);
        }
    }

    /// Stops together with the command, so that the shell has its terminal; goes on with it.
    fn suspend(&mut self, signal: i32) {
        let Some(terminal) = &mut self.terminal else {
            return;
        };
        // Started in the background and brought to the front since: the terminal is ours to give.
        if matches!(signal, SIGTTIN | SIGTTOU) && terminal.take() {
            self.set_terminal();
            self.command.resume(Ground::Fore);
            return;
        }
        terminal.give_back();
        // All of the job has to stop for the shell to see it. Not by SIGSTOP: where no shell would
        // ever let it go on, the system overlooks these.
        let signal = match signal {
            SIGSTOP | SIGTSTP => Signal::TSTP,
            SIGTTIN => Signal::TTIN,
            _ => Signal::TTOU,
        };
        let _ = kill_current_process_group(signal);
        let ground = if terminal.take() {
            Ground::Fore
        } else {
            Ground::Back
        };
        self.set_terminal();
        self.resize();
        self.command.resume(ground);
    }

    /// Gives the command's terminal the settings of the user's, where it was started from behind: at
    /// that time they were those of the shell's own line editing.
    fn set_terminal(&mut self) {
        if let (false, Some(terminal), Some(output)) = (self.is_set, &self.terminal, &self.output)
            && terminal.is_raw()
        {
            let _ = tcsetattr(output, OptionalActions::Now, terminal.saved());
            self.is_set = true;
        }
    }

    /// Reads what there is, up to the size of the buffer.
    fn read(&mut self) -> io::Result<()> {
        let mut filled = 0;
        while filled < self.buffer.len() {
            let Some(output) = &self.output else { break };
            match read(output, &mut self.buffer[filled..]) {
                // A pseudo-terminal whose other end is closed.
                Ok(0) | Err(Errno::IO) => self.output = None,
                Ok(count) => filled += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    // What is behind it decides whether it ends a line or takes a bar's back.
                    if self.buffer[..filled].last() == Some(&b'\r') && is_readable(output, TURN) {
                        continue;
                    }
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.handed = 0;
        if filled > 0 {
            self.watch(|watch, now, lines| {
                watch.stir(now);
                watch.look_at_memory(now, lines);
            });
        }
        if self.size.is_none() {
            if filled > 0 {
                self.pieces.push_back((Got::Text, filled));
            }
            return Ok(());
        }
        let Self {
            screen,
            pieces,
            buffer,
            ..
        } = self;
        let bytes = &buffer[..filled];
        let mut start = 0;
        screen.cut(bytes, |piece, end| {
            match piece {
                Piece::Drawing => pieces.push_back((Got::Drawing, end)),
                Piece::Text => cut_before_bars(bytes, start..end, pieces),
            }
            start = end;
        });
        Ok(())
    }

    /// Returns the bytes of the first piece, and takes it away.
    fn take_piece(&mut self) -> Range<usize> {
        let Some((_, end)) = self.pieces.pop_front() else {
            return 0..0;
        };
        let start = std::mem::replace(&mut self.handed, end);
        start..end
    }
}

impl Source for Session {
    fn next(&mut self, wait: Wait) -> io::Result<Event<'_>> {
        Ok(match self.wait(wait)? {
            Got::Text => {
                let range = self.take_piece();
                Event::Bytes(&self.buffer[range])
            }
            Got::Drawing => {
                let range = self.take_piece();
                Event::Drawing(&self.buffer[range])
            }
            Got::Quiet => Event::Quiet,
            Got::Break => {
                self.take_piece();
                Event::Quiet
            }
            Got::Resized => match self.size {
                Some(size) => Event::Resized {
                    columns: size.ws_col,
                    rows: size.ws_row,
                },
                None => Event::Quiet,
            },
            Got::Aside => {
                self.aside = self.asides.pop_front().unwrap_or_default();
                Event::Aside(self.aside.as_bytes())
            }
            Got::Eof => Event::Eof,
        })
    }

    fn clock(&self) -> Clock {
        self.clock.clone()
    }
}

/// Cuts a text before each bar that begins a line, and lets the reader know that what came before it
/// is complete: lines of a terminal end with `\r\n`, so that `\r` alone tells it nothing.
fn cut_before_bars(bytes: &[u8], range: Range<usize>, pieces: &mut VecDeque<(Got, usize)>) {
    for at in memmem::find_iter(&bytes[range.clone()], b"\n\r") {
        let bar = range.start + at + 1;
        if bytes[bar..range.end]
            .get(1)
            .is_some_and(|next| *next != b'\n')
        {
            pieces.push_back((Got::Text, bar));
            pieces.push_back((Got::Break, bar));
        }
    }
    pieces.push_back((Got::Text, range.end));
}

fn is_readable(fd: &OwnedFd, limit: Duration) -> bool {
    let limit = Timespec::try_from(limit).ok();
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    matches!(poll(&mut fds, limit.as_ref()), Ok(1..))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        let mut pieces = VecDeque::new();
        cut_before_bars(text.as_bytes(), 0..text.len(), &mut pieces);
        let mut at = 0;
        let shown = pieces.into_iter().map(|(got, end)| match got {
            Got::Break => "…".to_owned(),
            _ => text[std::mem::replace(&mut at, end)..end].to_owned(),
        });
        shown.collect()
    }

    #[test]
    fn a_bar_that_begins_a_line_completes_what_is_above_it() {
        assert_eq!(
            pieces("ValueError: x\r\n\r 5%|\r 6%|"),
            ["ValueError: x\r\n", "…", "\r 5%|\r 6%|"]
        );
        assert_eq!(pieces("a\r\n\r\nb\r\n"), ["a\r\n\r\nb\r\n"]);
        assert_eq!(pieces("a\r\n\r"), ["a\r\n\r"]);
    }
}
