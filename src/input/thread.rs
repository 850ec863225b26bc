//! Input where there is no `poll`: a thread that reads, and a channel that can be waited for.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use super::patience::Patience;
use super::{Clock, Event, FileError, OnError, READ_SIZE, Signal, Source, Wait, or_stdin};
use crate::signals::{SecondInterrupt, Signals};

/// Reads that may wait in the channel: enough to keep both sides busy, and bounded.
const AHEAD: usize = 2;

/// How often the signals are looked at while nothing comes; nothing can wake the channel.
const LOOK: Duration = Duration::from_millis(250);

/// The FILE arguments, one after the other; `-` is standard input.
pub struct Input {
    messages: Receiver<InputMessage>,
    current: InputMessage,
    on_error: OnError,
    has_writer: bool,
    signals: Signals,
    patience: Patience,
    clock: Clock,
}

enum InputMessage {
    Bytes(Vec<u8>),
    NextFile { name: String, has_writer: bool },
    Failed(FileError),
    Eof,
}

impl Input {
    /// Takes the FILE arguments as they were typed; none means standard input.
    pub fn new(names: Vec<OsString>, on_error: OnError) -> io::Result<Self> {
        let (sender, messages) = sync_channel(AHEAD);
        std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || read_all(names, &sender))?;
        Ok(Self {
            messages,
            current: InputMessage::Eof,
            on_error,
            has_writer: false,
            signals: Signals::install(SecondInterrupt::Waits)?,
            patience: Patience::default(),
            clock: Clock::real(),
        })
    }

    /// Looks at the signals; returns the one that ends the program.
    fn look_at_signal(&mut self) -> Option<Signal> {
        let signal = self.signals.take()?;
        let is_over = match signal {
            Signal::Interrupt if self.has_writer => self.patience.is_over(self.clock.now()),
            _ => true,
        };
        is_over.then_some(signal)
    }
}

impl Source for Input {
    fn next(&mut self, wait: Wait) -> io::Result<Event<'_>> {
        let deadline = match wait {
            Wait::Forever => None,
            Wait::AtMost(limit) => Some(self.clock.now() + limit),
        };
        loop {
            if let Some(signal) = self.look_at_signal() {
                return Ok(Event::Stopped(signal));
            }
            let left = deadline.map_or(LOOK, |end| end.saturating_sub(self.clock.now()));
            match self.messages.recv_timeout(left.min(LOOK)) {
                Ok(InputMessage::Failed(error)) => (self.on_error)(error),
                Ok(message) => {
                    self.current = message;
                    break;
                }
                Err(RecvTimeoutError::Timeout) => {
                    if deadline.is_some_and(|end| self.clock.now() >= end) {
                        return Ok(Event::Quiet);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Event::Eof),
            }
        }
        Ok(match &self.current {
            InputMessage::Bytes(bytes) => {
                self.patience.input();
                Event::Bytes(bytes)
            }
            InputMessage::NextFile { name, has_writer } => {
                self.has_writer = *has_writer;
                Event::NextFile(name)
            }
            InputMessage::Eof | InputMessage::Failed(_) => Event::Eof,
        })
    }

    fn clock(&self) -> Clock {
        self.clock.clone()
    }
}

/// Sends everything there is to read. A channel without a receiver ends it.
fn read_all(names: Vec<OsString>, to: &SyncSender<InputMessage>) {
    for name in or_stdin(names) {
        let shown = name.to_string_lossy().into_owned();
        let result = open(&name).and_then(|(from, has_writer)| {
            let name = shown.clone();
            match to.send(InputMessage::NextFile { name, has_writer }) {
                Ok(()) => copy(from, to),
                Err(_) => Ok(()),
            }
        });
        if let Err(error) = result {
            let failed = FileError { name: shown, error };
            if to.send(InputMessage::Failed(failed)).is_err() {
                return;
            }
        }
    }
    let _ = to.send(InputMessage::Eof);
}

/// Opens a FILE; returns also whether a program may be writing to it.
fn open(name: &OsString) -> io::Result<(Box<dyn Read>, bool)> {
    if name == "-" {
        let stdin = io::stdin();
        let has_writer = !stdin.is_terminal();
        return Ok((Box::new(stdin), has_writer));
    }
    let file = File::open(name)?;
    let has_writer = !file.metadata()?.is_file();
    Ok((Box::new(file), has_writer))
}

fn copy(mut from: Box<dyn Read>, to: &SyncSender<InputMessage>) -> io::Result<()> {
    let mut buffer = vec![0; READ_SIZE];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                if to
                    .send(InputMessage::Bytes(buffer[..count].to_vec()))
                    .is_err()
                {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
