//! What is sent to pickfix and meant for the command.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::process::Signal;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Cause;

use crate::signals::{ignored, is_in};

/// Who gets the signals of the keyboard and of a terminal that is lost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Recipients {
    /// Pickfix alone: the command is in another session.
    Pickfix,
    /// Pickfix and the command, which is in the same process group.
    Both,
}

/// A signal that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It is the command's.
    Forward(Signal),
    /// The terminal has another size.
    Resized,
    /// Something has happened to a child.
    Child,
}

/// The signals that wait to be looked at.
pub(super) struct CommandSignals {
    delivery: SignalDelivery<UnixStream, WithOrigin>,
    recipients: Recipients,
}

impl CommandSignals {
    /// Installs the handlers. What is ignored (`nohup`) stays ignored, for the command too.
    pub(super) fn install(recipients: Recipients) -> io::Result<Self> {
        let (wake, waker) = UnixStream::pair()?;
        let forwarded = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
        let ignored = ignored();
        let is_heard = |signal: &i32| !is_in(ignored, *signal);
        let numbers = forwarded.into_iter().filter(is_heard);
        let numbers = numbers.chain([SIGCHLD, SIGWINCH]);
        Ok(Self {
            delivery: SignalDelivery::with_pipe(wake, waker, WithOrigin::default(), numbers)?,
            recipients,
        })
    }

    /// Takes what has come.
    pub(super) fn take(&mut self) -> Vec<Arrival> {
        let recipients = self.recipients;
        let arrivals = self.delivery.pending().filter_map(|origin| {
            let is_ours_alone = recipients == Recipients::Pickfix
                || matches!(origin.cause, Cause::Sent(_))
                // What no key and no lost terminal sends comes from a process, known or not.
                || matches!(origin.signal, SIGTERM | SIGUSR1 | SIGUSR2);
            match origin.signal {
                SIGCHLD => Some(Arrival::Child),
                SIGWINCH => Some(Arrival::Resized),
                number if is_ours_alone => Signal::from_named_raw(number).map(Arrival::Forward),
                _ => None,
            }
        });
        arrivals.collect()
    }
}

impl AsFd for CommandSignals {
    /// Returns what is readable when a signal has come.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.delivery.get_read().as_fd()
    }
}
