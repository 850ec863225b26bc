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
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

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
    #[cfg(unix)]
    wake: UnixStream,
    hangup: Arc<AtomicBool>,
    interrupt: Arc<AtomicBool>,
    terminate: Arc<AtomicBool>,
}

impl Signals {
    /// Installs the handlers. A signal that the parent had ignored (`nohup`, a background job of
    /// a script) stays ignored. A second SIGTERM or SIGHUP ends the program at once, even where
    /// the first cannot be looked at because a write is stuck.
    pub(crate) fn install() -> io::Result<Self> {
        #[cfg(unix)]
        let (wake, waker) = UnixStream::pair()?;
        #[cfg(unix)]
        for end in [&wake, &waker] {
            end.set_nonblocking(true)?;
        }
        let signals = Self {
            #[cfg(unix)]
            wake,
            hangup: Arc::default(),
            interrupt: Arc::default(),
            terminate: Arc::default(),
        };
        let ignored = ignored();
        for (number, raised, fatal_twice) in [
            #[cfg(unix)]
            (SIGHUP, &signals.hangup, true),
            (SIGINT, &signals.interrupt, false),
            (SIGTERM, &signals.terminate, true),
        ] {
            if ignored & (1 << (number - 1)) != 0 {
                continue;
            }
            if fatal_twice {
                flag::register_conditional_default(number, Arc::clone(raised))?;
            }
            flag::register(number, Arc::clone(raised))?;
            #[cfg(unix)]
            low_level::pipe::register(number, waker.try_clone()?)?;
        }
        Ok(signals)
    }

    /// Waits for a signal, but no longer than this.
    pub(crate) fn wait(&mut self, limit: Duration) -> Option<Signal> {
        #[cfg(unix)]
        {
            let mut fds = [PollFd::from_borrowed_fd(self.as_fd(), PollFlags::IN)];
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
            while matches!(self.wake.read(&mut bytes), Ok(count) if count == bytes.len()) {}
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
impl AsFd for Signals {
    /// Gives what `poll` finds readable when a signal has come.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

/// Leaves Ctrl-C to a program that was started, until pickfix ends by itself.
pub(crate) fn leave_interrupts() {
    // Where that fails, Ctrl-C ends pickfix too, as it would have.
    let _ = flag::register(SIGINT, Arc::default());
}

/// Tells which signals are ignored, one bit each, where the system says so (Linux); none elsewhere.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
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
    if cfg!(unix) {
        let _ = low_level::emulate_default_handler(number);
    }
    std::process::exit(128 + number)
}
