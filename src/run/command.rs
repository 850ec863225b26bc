//! The command: how it is started, what becomes of it, and how signals reach it.

use std::ffi::OsString;
use std::io;
use std::os::fd::BorrowedFd;
use std::process;

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid};

use super::leader::{Ground, Leader};
use super::probe::Probe;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With this exit status.
    Status(u8),
    /// By this signal.
    Signal(i32),
}

/// Why a command could not be started.
#[derive(Debug)]
pub(crate) enum StartError {
    /// There is no such command.
    Missing,
    /// It cannot be executed.
    Refused(io::Error),
}

impl StartError {
    /// Returns the exit status that shells have for it.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Missing => 127,
            Self::Refused(_) => 126,
        }
    }

    /// Reads the error of an attempt to execute it.
    pub(super) fn of(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Refused(error),
        }
    }
}

impl Ending {
    /// Reads what `wait` brought; `None` where the process only stopped or went on.
    pub(super) fn of(status: WaitStatus) -> Option<Self> {
        match (status.exit_status(), status.terminating_signal()) {
            // The system hands on eight bits of it.
            (Some(status), _) => Some(Self::Status(u8::try_from(status).unwrap_or(u8::MAX))),
            (_, Some(signal)) => Some(Self::Signal(signal)),
            _ => None,
        }
    }
}

/// Something that happens to a command.
#[derive(Debug)]
pub(super) enum CommandChange {
    /// It runs, as this process.
    Started(Pid),
    /// It could not be started.
    Failed(StartError),
    /// A signal stopped it.
    Stopped(i32),
    /// It has ended.
    Ended(Ending),
}

/// A command that is being run.
pub(super) enum Command {
    /// In a session of its own.
    Led(Leader),
    /// In ours, as our child; `None` before and after.
    Ours(Option<Pid>, Option<CommandChange>),
}

impl Command {
    /// Starts it in our own session.
    pub(super) fn start(mut command: process::Command) -> Self {
        match command.spawn() {
            Ok(child) => {
                let pid = Pid::from_child(&child);
                Self::Ours(Some(pid), Some(CommandChange::Started(pid)))
            }
            Err(error) => Self::Ours(None, Some(CommandChange::Failed(StartError::of(error)))),
        }
    }

    /// Returns what is readable when something has happened to it, besides SIGCHLD.
    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Self::Led(leader) => leader.fd(),
            Self::Ours(..) => None,
        }
    }

    /// Returns what has happened to it and was not told before.
    pub(super) fn change(&mut self) -> Option<CommandChange> {
        match self {
            Self::Led(leader) => leader.change(),
            Self::Ours(pid, first) => first.take().or_else(|| {
                let (_, status) = waitpid(Some((*pid)?), WaitOptions::NOHANG).ok()??;
                let ending = Ending::of(status)?;
                *pid = None;
                Some(CommandChange::Ended(ending))
            }),
        }
    }

    /// Sends it a signal: its process group, where that is its own.
    pub(super) fn signal(&self, signal: Signal) {
        match self {
            Self::Led(leader) => leader.signal(signal),
            Self::Ours(Some(pid), _) => {
                let _ = kill_process(*pid, signal);
            }
            Self::Ours(None, _) => {}
        }
    }

    /// Lets it go on after a stop.
    pub(super) fn resume(&mut self, ground: Ground) {
        match self {
            Self::Led(leader) => leader.resume(ground),
            Self::Ours(..) => self.signal(Signal::CONT),
        }
    }
}

/// Makes the words of a command line a process to be started.
pub(super) fn of_words(words: &[OsString], probe: Option<&Probe>) -> process::Command {
    let (name, rest) = words.split_first().expect("clap requires a command");
    let mut command = process::Command::new(name);
    command.args(rest);
    if let Some(probe) = probe {
        probe.load_in(&mut command);
    }
    command
}
