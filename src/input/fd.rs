//! Input on Unix: `poll` and `read` in the one thread of the stream.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, OFlags, fstat};
use rustix::io::Errno;
use rustix::stdio;
use rustix::termios::isatty;

use super::patience::Patience;
use super::{Clock, Event, FileError, OnError, READ_SIZE, Signal, Source, Wait, or_stdin};
use crate::file_id::FileId;
use crate::pipe::Widener;
use crate::signals::{SecondInterrupt, Signals};

/// After SIGTERM at most this much of what already lies in the pipe is still copied.
const LAST_WORDS: usize = 1024 * 1024;

/// The FILE arguments, one after the other; `-` is standard input.
pub struct Input {
    names: std::vec::IntoIter<OsString>,
    current: Option<Open>,
    name: String,
    on_error: OnError,
    buffer: Box<[u8]>,
    signals: Signals,
    patience: Patience,
    stopping: Option<Stopping>,
    clock: Clock,
}

/// What is being read.
struct Open {
    from: InputFd,
    /// Whether a program may be writing here whose last words Ctrl-C must not cut off: not so on
    /// a regular file or a terminal.
    has_writer: bool,
    pipe: Widener,
}

enum InputFd {
    Stdin,
    File(File),
}

/// A signal has come, and the rest of the pipe is being read.
struct Stopping {
    signal: Signal,
    left: usize,
}

/// What the wait brought, without what it lends.
enum WaitResult {
    Bytes(usize),
    Quiet,
    NextFile,
    Eof,
    Stopped(Signal),
}

impl Input {
    /// Takes the FILE arguments as they were typed; none means standard input. Installs the
    /// signal handlers, so there should be one `Input` in a program.
    pub fn new(names: Vec<OsString>, on_error: OnError) -> io::Result<Self> {
        Ok(Self {
            names: or_stdin(names).into_iter(),
            current: None,
            name: String::new(),
            on_error,
            buffer: vec![0; READ_SIZE].into_boxed_slice(),
            signals: Signals::install(SecondInterrupt::Waits)?,
            patience: Patience::default(),
            stopping: None,
            clock: Clock::real(),
        })
    }

    fn wait(&mut self, wait: Wait) -> io::Result<WaitResult> {
        let deadline = match wait {
            Wait::Forever => None,
            Wait::AtMost(limit) => Some(self.clock.now() + limit),
        };
        loop {
            let Some(open) = &self.current else {
                return Ok(self.open_next());
            };
            let limit = match (&self.stopping, deadline) {
                (Some(_), _) => Some(Duration::ZERO),
                (None, Some(deadline)) => Some(deadline.saturating_sub(self.clock.now())),
                (None, None) => None,
            };
            match ready(open.fd(), self.signals.fd(), limit)? {
                Ready::Signal if self.stopping.is_some() => {
                    self.signals.take();
                }
                Ready::Signal => {
                    if let Some(signal) = self.look_at_signal() {
                        return Ok(WaitResult::Stopped(signal));
                    }
                }
                Ready::Quiet => match &self.stopping {
                    Some(stopping) => return Ok(WaitResult::Stopped(stopping.signal)),
                    None => return Ok(WaitResult::Quiet),
                },
                Ready::Input => {
                    if let Some(got) = self.read() {
                        return Ok(got);
                    }
                }
            }
        }
    }

    /// Looks at the signal that woke the wait; returns the one that ends the program now.
    fn look_at_signal(&mut self) -> Option<Signal> {
        let signal = self.signals.take()?;
        let has_writer = self.current.as_ref().is_some_and(|open| open.has_writer);
        match signal {
            Signal::Interrupt if has_writer => {
                let is_over = self.patience.is_over(self.clock.now());
                is_over.then_some(signal)
            }
            Signal::Terminate | Signal::Hangup if has_writer => {
                self.stopping = Some(Stopping {
                    signal,
                    left: LAST_WORDS,
                });
                None
            }
            _ => Some(signal),
        }
    }

    /// Reads once; `None` where there was nothing after all, or the FILE has ended.
    fn read(&mut self) -> Option<WaitResult> {
        let open = self.current.as_mut()?;
        if let Some(Stopping { signal, left: 0 }) = self.stopping {
            return Some(WaitResult::Stopped(signal));
        }
        match rustix::io::read(open.fd(), &mut *self.buffer) {
            Ok(0) => self.current = None,
            Ok(count) => {
                self.patience.input();
                let fd = open.from.fd();
                open.pipe.saw(count, fd);
                if let Some(stopping) = &mut self.stopping {
                    stopping.left = stopping.left.saturating_sub(count);
                }
                return Some(WaitResult::Bytes(count));
            }
            // Non-blocking, and somebody else was faster: wait again.
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => {
                self.current = None;
                self.complain(error.into());
            }
        }
        None
    }

    /// Opens the next FILE that can be opened; the end where there is none, or one is wanted.
    fn open_next(&mut self) -> WaitResult {
        if let Some(stopping) = &self.stopping {
            return WaitResult::Stopped(stopping.signal);
        }
        while let Some(name) = self.names.next() {
            self.name = name.to_string_lossy().into_owned();
            match Open::new(&name) {
                Ok(open) => {
                    self.current = Some(open);
                    return WaitResult::NextFile;
                }
                Err(error) => self.complain(error),
            }
        }
        WaitResult::Eof
    }

    fn complain(&mut self, error: io::Error) {
        let name = self.name.clone();
        (self.on_error)(FileError { name, error });
    }
}

impl Source for Input {
    fn next(&mut self, wait: Wait) -> io::Result<Event<'_>> {
        Ok(match self.wait(wait)? {
            WaitResult::Bytes(count) => Event::Bytes(&self.buffer[..count]),
            WaitResult::Quiet => Event::Quiet,
            WaitResult::NextFile => Event::NextFile(&self.name),
            WaitResult::Eof => Event::Eof,
            WaitResult::Stopped(signal) => Event::Stopped(signal),
        })
    }

    fn clock(&self) -> Clock {
        self.clock.clone()
    }
}

impl Open {
    fn new(name: &OsStr) -> io::Result<Self> {
        let from = if name == "-" {
            InputFd::Stdin
        } else {
            InputFd::File(open(name)?)
        };
        let open = Self {
            from,
            has_writer: false,
            pipe: Widener::default(),
        };
        let status = fstat(open.fd())?;
        let is_file = FileType::from_raw_mode(status.st_mode).is_file();
        // `pickfix log >> log` would read what it writes until the disk is full.
        let is_output =
            || io::Result::Ok(FileId::of_open(open.fd())? == FileId::of_open(stdio::stdout())?);
        if is_file && status.st_size > 0 && is_output()? {
            return Err(io::Error::other("the input is the output"));
        }
        let has_writer = !is_file && !isatty(open.fd());
        Ok(Self { has_writer, ..open })
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.from.fd()
    }
}

/// Opens a file. Nobody waits here for the writer of a FIFO, where no Ctrl-C could be looked at.
fn open(name: &OsStr) -> io::Result<File> {
    // Elsewhere the end of such a FIFO cannot be told from a writer that has not come yet.
    let is_fifo = cfg!(target_os = "linux")
        && std::fs::metadata(name).is_ok_and(|status| status.file_type().is_fifo());
    let flags = if is_fifo {
        OFlags::NONBLOCK
    } else {
        OFlags::empty()
    };
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(name)
}

impl InputFd {
    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Stdin => stdio::stdin(),
            Self::File(file) => file.as_fd(),
        }
    }
}

/// What `poll` found.
enum Ready {
    Input,
    Signal,
    Quiet,
}

/// Waits until there is something to read, the end included, or a signal; signals come first.
fn ready(
    input: BorrowedFd<'_>,
    signals: Option<BorrowedFd<'_>>,
    limit: Option<Duration>,
) -> io::Result<Ready> {
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    let count = if signals.is_some() { 2 } else { 1 };
    let mut fds =
        [input, signals.unwrap_or(input)].map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
    match poll(&mut fds[..count], limit.as_ref()) {
        Ok(0) => Ok(Ready::Quiet),
        Ok(_) if count == 2 && !fds[1].revents().is_empty() => Ok(Ready::Signal),
        // POLLHUP and POLLNVAL too: the read says what is the matter.
        Ok(_) => Ok(Ready::Input),
        Err(Errno::INTR) => Ok(Ready::Signal),
        Err(error) => Err(error.into()),
    }
}
