//! The main stream of a command, with the keyboard and the signals: one loop around one `poll`.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Signal, kill_current_process_group};
use rustix::termios::{OptionalActions, Winsize, tcsetattr, tcsetwinsize};
use signal_hook::consts::{SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

use super::LINGER;
use super::chunk::{Chunk, Segment};
use super::command::{Command, CommandChange, Ending, StartError};
use super::keyboard::Keyboard;
use super::layout::OwnStream;
use super::leader::Ground;
use super::orphans::{Orphan, holders};
use super::signals::{Arrival, CommandSignals};
use super::terminal::UserTerminal;
use super::watch::Watch;
use crate::input::{Clock, Event, Source, Wait};

/// What became of the command.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It ran.
    Ended(Ending),
    /// It could not be started.
    NotStarted(StartError),
}

/// What the command prints, as a source of events; keys and signals go to it meanwhile.
#[expect(
    clippy::struct_excessive_bools,
    reason = "four facts, none of which follows from another"
)]
pub(crate) struct Session {
    command: Command,
    signals: CommandSignals,
    /// What the command prints into; `None` when that has ended.
    output: Option<OwnedFd>,
    target: OwnStream,
    /// The size that the command's terminal has, where it has one.
    size: Option<Winsize>,
    /// Another pseudo-terminal of the command, which changes its size too.
    other: Option<(OwnedFd, OwnStream)>,
    /// The user's terminal, where the command has one of its own in its stead.
    terminal: Option<UserTerminal>,
    keyboard: Keyboard,
    /// Whether the command's terminal has settings that a command in front would have found.
    is_set: bool,
    /// What was read and is to be handed on.
    chunk: Chunk,
    is_resized: bool,
    /// Whether it has looked at the command once.
    has_begun: bool,
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
enum Occurrence {
    Read(Segment),
    Quiet,
    Resized,
    Aside,
    Eof,
}

impl Session {
    pub(super) fn new(
        command: Command,
        signals: CommandSignals,
        output: OwnedFd,
        target: OwnStream,
    ) -> Self {
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
            chunk: Chunk::default(),
            is_resized: false,
            has_begun: false,
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
    pub(super) fn on_terminal(self, terminal: UserTerminal) -> Self {
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
    pub(super) fn with_other(self, other: Option<(OwnedFd, OwnStream)>) -> Self {
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
    pub(crate) fn abandon(&mut self) {
        self.output = None;
        self.chunk.clear();
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
    pub(crate) fn close(mut self) -> (Option<Outcome>, Vec<Orphan>) {
        if let Some(terminal) = &mut self.terminal {
            terminal.give_back();
        }
        (self.outcome.take(), self.orphans.take().unwrap_or_default())
    }

    fn wait(&mut self, wait: Wait) -> io::Result<Occurrence> {
        let deadline = match wait {
            Wait::Forever => None,
            Wait::AtMost(limit) => Some(self.clock.now() + limit),
        };
        loop {
            if !self.asides.is_empty() {
                return Ok(Occurrence::Aside);
            }
            if let Some(segment) = self.chunk.next() {
                return Ok(Occurrence::Read(segment));
            }
            if std::mem::take(&mut self.is_resized) {
                return Ok(Occurrence::Resized);
            }
            if self.outcome.is_some() && self.output.is_none() {
                if self.tell_ending() {
                    // What was open is complete before something else is said.
                    return Ok(Occurrence::Quiet);
                }
                return Ok(Occurrence::Eof);
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
                return Ok(Occurrence::Quiet);
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
        if !std::mem::replace(&mut self.has_begun, true) && self.changes() {
            return Ok(true);
        }
        let is_raw = self.terminal.as_ref().is_some_and(UserTerminal::is_raw);
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
                CommandChange::Started(pid) => {
                    if let Some(watch) = &mut self.watch {
                        watch.started(pid);
                    }
                }
                CommandChange::Stopped(signal) => self.stopped = Some(signal),
                CommandChange::Failed(error) => self.end_as(Outcome::NotStarted(error)),
                CommandChange::Ended(ending) => self.end_as(Outcome::Ended(ending)),
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

    fn read(&mut self) -> io::Result<()> {
        let is_terminal = self.size.is_some();
        if self.chunk.read(&mut self.output, is_terminal)? {
            self.watch(|watch, now, lines| {
                watch.stir(now);
                watch.look_at_memory(now, lines);
            });
        }
        Ok(())
    }
}

impl Source for Session {
    fn next(&mut self, wait: Wait) -> io::Result<Event<'_>> {
        Ok(match self.wait(wait)? {
            Occurrence::Read(Segment::Text) => Event::Bytes(self.chunk.take()),
            Occurrence::Read(Segment::Drawing) => Event::Drawing(self.chunk.take()),
            Occurrence::Read(Segment::Break) => {
                self.chunk.take();
                Event::Quiet
            }
            Occurrence::Quiet => Event::Quiet,
            Occurrence::Resized => match self.size {
                Some(size) => Event::Resized {
                    columns: size.ws_col,
                    rows: size.ws_row,
                },
                None => Event::Quiet,
            },
            Occurrence::Aside => {
                self.aside = self.asides.pop_front().unwrap_or_default();
                Event::Aside(self.aside.as_bytes())
            }
            Occurrence::Eof => Event::Eof,
        })
    }

    fn clock(&self) -> Clock {
        self.clock.clone()
    }
}
