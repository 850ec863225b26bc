//! Which signals have come, and how a program ends by one.
//!
//! SIGINT gets an empty *handler*: ignoring it instead would be inherited by every program that
//! pickfix starts. The handlers raise a flag and write a byte into a socket, so that whoever waits
//! with `poll` wakes up, and a signal that comes between the look and the wait is not lost.

use std::io;
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGABRT, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

#[cfg(unix)]
use crate::input::Patience;
use crate::input::Signal;

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGPIPE};

/// The numbers that Unix gives them, for exit statuses elsewhere.
#[cfg(not(unix))]
const SIGHUP: i32 = 1;
#[cfg(not(unix))]
const SIGPIPE: i32 = 13;

/// The signals that wait to be looked at.
#[derive(Debug)]
pub(crate) struct Signals {
    /// The end that is looked at, and the one that the handlers write to. Both are kept: were the
    /// second one closed, because no signal has a handler, the first would always count as ready.
    /// `None` where there is no room for them: a signal then ends the wait by interrupting it.
    #[cfg(unix)]
    wake: Option<(UnixStream, UnixStream)>,
    hangup: Arc<AtomicBool>,
    interrupt: Arc<AtomicBool>,
    terminate: Arc<AtomicBool>,
}

/// What a second SIGINT does while the first has not been looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecondInterrupt {
    /// It ends the program.
    Ends,
    /// It waits to be looked at.
    Waits,
}

impl Signals {
    /// Installs the handlers. A signal that the parent had ignored (`nohup`, a background job of
    /// a script) stays ignored. A second SIGTERM or SIGHUP ends the program at once, even where
    /// the first cannot be looked at because a write is stuck; a second SIGINT does where it is
    /// said to, since otherwise it may be meant for the program whose last words are awaited.
    pub(crate) fn install(second_interrupt: SecondInterrupt) -> io::Result<Self> {
        let ends = second_interrupt == SecondInterrupt::Ends;
        let signals = Self {
            #[cfg(unix)]
            wake: sockets().ok(),
            hangup: Arc::default(),
            interrupt: Arc::default(),
            terminate: Arc::default(),
        };
        let ignored = ignored();
        for (number, raised, fatal_twice) in [
            #[cfg(unix)]
            (SIGHUP, &signals.hangup, true),
            (SIGINT, &signals.interrupt, ends),
            (SIGTERM, &signals.terminate, true),
        ] {
            if is_in(ignored, number) {
                continue;
            }
            if fatal_twice {
                flag::register_conditional_default(number, Arc::clone(raised))?;
            }
            flag::register(number, Arc::clone(raised))?;
            #[cfg(unix)]
            if let Some((_, waker)) = &signals.wake {
                // Where a descriptor is lacking, the stream is copied all the same.
                let _ = waker
                    .try_clone()
                    .and_then(|waker| low_level::pipe::register(number, waker));
            }
        }
        Ok(signals)
    }

    /// Waits for a signal, but no longer than this.
    pub(crate) fn wait(&mut self, limit: Duration) -> Option<Signal> {
        #[cfg(unix)]
        {
            let fd = self.fd();
            let mut fds: Vec<PollFd> = fd
                .iter()
                .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN))
                .collect();
            let limit = Timespec::try_from(limit).ok();
            // An error is an interruption, by the signal that is looked at next.
            let _ = poll(&mut fds, limit.as_ref());
        }
        #[cfg(not(unix))]
        std::thread::sleep(limit);
        self.take()
    }

    /// Takes the most urgent signal that has come; an interrupt is given once per look.
    pub(crate) fn take(&mut self) -> Option<Signal> {
        #[cfg(unix)]
        {
            use io::Read;
            let mut bytes = [0; 64];
            let wake = self.wake.as_mut().map(|(wake, _)| wake);
            if let Some(wake) = wake {
                while matches!(wake.read(&mut bytes), Ok(count) if count == bytes.len()) {}
            }
        }
        // The fatal flags stay up: they arm the second signal.
        if self.terminate.load(Ordering::SeqCst) {
            Some(Signal::Terminate)
        } else if self.hangup.load(Ordering::SeqCst) {
            Some(Signal::Hangup)
        } else if self.interrupt.swap(false, Ordering::SeqCst) {
            Some(Signal::Interrupt)
        } else {
            None
        }
    }
}

#[cfg(unix)]
impl Signals {
    /// Returns what `poll` finds readable when a signal has come, where there is such a thing.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.wake.as_ref().map(|(wake, _)| wake.as_fd())
    }
}

/// Returns two ends of a socket that nobody waits at.
#[cfg(unix)]
fn sockets() -> io::Result<(UnixStream, UnixStream)> {
    let (wake, waker) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    waker.set_nonblocking(true)?;
    Ok((wake, waker))
}

/// Lets a further Ctrl-C end the program while a write is stuck, because nobody reads the output.
///
/// Whoever is stuck cannot look at signals, so a thread does; it begins with the first write.
#[cfg(unix)]
#[derive(Debug, Default)]
pub(crate) struct WriteWatch {
    /// Counts the beginnings and the ends of writes: odd while one is going on.
    writes: Arc<AtomicU64>,
    is_begun: bool,
}

#[cfg(unix)]
impl WriteWatch {
    /// Watches over a write.
    pub(crate) fn around<T>(&mut self, write: impl FnOnce() -> T) -> T {
        if !self.is_begun {
            self.is_begun = true;
            // Where that fails, SIGTERM is left.
            let _ = watch(Arc::clone(&self.writes));
        }
        self.writes.fetch_add(1, Ordering::SeqCst);
        let written = write();
        self.writes.fetch_add(1, Ordering::SeqCst);
        written
    }
}

#[cfg(unix)]
fn watch(writes: Arc<AtomicU64>) -> io::Result<()> {
    use io::Read;

    if is_in(ignored(), SIGINT) {
        return Ok(());
    }
    let (mut pressed, waker) = UnixStream::pair()?;
    waker.set_nonblocking(true)?;
    low_level::pipe::register(SIGINT, waker)?;
    let look = move || {
        let clock = Instant::now();
        let mut patience = Patience::default();
        let mut last = 0;
        while matches!(pressed.read(&mut [0; 64]), Ok(1..)) {
            let now = writes.load(Ordering::SeqCst);
            if now != last {
                // Since the last press the output moved.
                last = now;
                patience.input();
            }
            let is_stuck = now % 2 == 1;
            if patience.is_over(clock.elapsed()) && is_stuck {
                end_by(Signal::Interrupt);
            }
        }
    };
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.stack_size(64 * 1024).spawn(look).map(|_| ())
}

/// Leaves Ctrl-C to a program that was started, until pickfix ends by itself.
pub(crate) fn leave_interrupts() {
    // Where that fails, Ctrl-C ends pickfix too, as it would have.
    let _ = flag::register(SIGINT, Arc::default());
}

/// Returns whether a signal is in a [`mask`].
pub(crate) fn is_in(signals: u64, number: i32) -> bool {
    signals & (1 << (number - 1)) != 0
}

/// Returns which signals are ignored, as a [`mask`].
pub(crate) fn ignored() -> u64 {
    mask("self", "SigIgn:")
}

/// Returns the signals of a process that bear a name in `/proc/PROCESS/status`, one bit each; none where
/// the system does not tell (elsewhere than on Linux).
pub(crate) fn mask(process: &str, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let behind = status.split_once(&format!("\n{name}"));
    let mask = behind.and_then(|(_, behind)| behind.lines().next());
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// Ends the program by this signal, so that a shell sees what it would see of `cat`: 141 for a
/// closed output, 143 for SIGTERM, 130 for Ctrl-C.
pub fn end_by(signal: Signal) -> ! {
    let number = match signal {
        Signal::Hangup => SIGHUP,
        Signal::Interrupt => SIGINT,
        Signal::Pipe => SIGPIPE,
        Signal::Terminate => SIGTERM,
    };
    end_as(number)
}

/// Makes an abort, which is what Rust does when there is no memory left, an end with this status: the
/// runtime has said by then what is wrong.
pub(crate) fn abort_as(status: u8) -> io::Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    flag::register_conditional_shutdown(SIGABRT, status.into(), always).map(drop)
}

/// Ends the program by the signal of this number, as a command of ours did; without a second core
/// file.
pub fn end_as(number: i32) -> ! {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let _ = setrlimit(Resource::Core, none);
        let _ = low_level::emulate_default_handler(number);
    }
    std::process::exit(128 + number)
}
