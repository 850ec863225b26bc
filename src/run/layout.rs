//! Which of the command's streams goes where.

use std::io::{self, pipe};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::process::{self, Stdio};

use rustix::stdio::{stderr, stdin, stdout};
use rustix::termios::{Winsize, isatty, tcgetattr, tcgetwinsize};

use super::Run;
use super::command::Command;
use super::leader::{Ground, Leader, LeaderPlan};
use super::nested;
use super::pty::{Processing, Pty};
use super::session::Session;
use super::side::Side;
use super::signals::{CommandSignals, Recipients};
use super::terminal::UserTerminal;
use crate::file_id::FileId;

/// Where a stream of the command goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// Our own stream that it is written to.
    pub target: OwnStream,
    /// Whether that is a terminal.
    pub is_terminal: bool,
    /// Whether that terminal is raw, so that a line ends with `\r\n`.
    pub is_raw: bool,
    /// Its columns.
    pub columns: Option<u16>,
}

/// One of our own streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl OwnStream {
    /// Returns its file.
    pub(super) fn fd(self) -> BorrowedFd<'static> {
        match self {
            Self::Stdout => stdout(),
            Self::Stderr => stderr(),
        }
    }

    fn output(self) -> Output {
        Output {
            target: self,
            is_terminal: isatty(self.fd()),
            is_raw: false,
            columns: self
                .size()
                .map(|size| size.ws_col)
                .filter(|columns| *columns > 0),
        }
    }

    /// Returns the size of its terminal.
    pub(super) fn size(self) -> Option<Winsize> {
        tcgetwinsize(self.fd()).ok()
    }
}

/// Starts the command in the way that its streams ask for.
pub(super) fn start(command: process::Command) -> io::Result<Run> {
    if isatty(stdin()) && isatty(stdout()) {
        on_terminal(command)
    } else {
        beside_terminal(command)
    }
}

/// Runs it in a session of its own, on a pseudo-terminal that is all its terminal.
fn on_terminal(mut command: process::Command) -> io::Result<Run> {
    let mut terminal = UserTerminal::of_stdin()?;
    let Pty { master, slave } = Pty::open(
        Some(terminal.saved()),
        OwnStream::Stdout.size(),
        Processing::Usual,
    )?;
    command.stdin(slave.try_clone()?);
    command.stdout(slave.try_clone()?);
    let mut not_its_own = vec![master];
    let side = if isatty(stderr()) {
        nested::tell(&mut command, &[&slave]);
        command.stderr(slave.try_clone()?);
        None
    } else {
        let (ours, theirs) = end_of(OwnStream::Stderr)?;
        nested::tell(&mut command, &[&slave, &theirs]);
        command.stderr(theirs);
        let (end, over) = pipe()?;
        not_its_own.extend([ours, end.into(), over.into()]);
        Some(OwnStream::Stderr.output())
    };
    let settings = terminal.saved().clone();
    let ground = if terminal.take() {
        Ground::Fore
    } else {
        Ground::Back
    };
    let plan = LeaderPlan {
        command,
        slave,
        not_its_own,
        ground,
        settings,
    };
    let (leader, ours) = Leader::start(plan)?;
    let mut ours = ours.into_iter();
    let master = ours.next().expect("it was put in first");
    let side = side.zip(ours.next()).zip(ours.next());
    let side = side.map(|((output, fd), end)| (Side::new(fd, end), output));
    let signals = CommandSignals::install(Recipients::Pickfix)?;
    let main = Session::new(Command::Led(leader), signals, master, OwnStream::Stdout);
    Ok(Run {
        main: main.on_terminal(terminal).with_end(ours.next()),
        to: Output {
            is_raw: true,
            ..OwnStream::Stdout.output()
        },
        side,
    })
}

/// Runs it in our own session, with our own input.
fn beside_terminal(mut command: process::Command) -> io::Result<Run> {
    let (out, theirs) = end_of(OwnStream::Stdout)?;
    let mut side = None;
    let mut over = None;
    let mut other = None;
    if are_one() {
        nested::tell(&mut command, &[&theirs]);
        command.stderr(Stdio::from(theirs.try_clone()?));
    } else {
        let (ours, its_errors) = end_of(OwnStream::Stderr)?;
        nested::tell(&mut command, &[&theirs, &its_errors]);
        command.stderr(its_errors);
        let (end, writer) = pipe()?;
        if isatty(&ours) {
            other = Some((ours.try_clone()?, OwnStream::Stderr));
        }
        side = Some((Side::new(ours, end.into()), OwnStream::Stderr.output()));
        over = Some(writer.into());
    }
    command.stdout(theirs);
    let signals = CommandSignals::install(Recipients::Both)?;
    let started = Command::start(command);
    Ok(Run {
        main: Session::new(started, signals, out, OwnStream::Stdout)
            .with_end(over)
            .with_other(other),
        to: OwnStream::Stdout.output(),
        side,
    })
}

/// Makes both ends of a stream, ours first: a pseudo-terminal where it goes to a terminal.
fn end_of(target: OwnStream) -> io::Result<(OwnedFd, OwnedFd)> {
    let fd = target.fd();
    if isatty(fd) {
        let settings = tcgetattr(fd).ok();
        let pty = Pty::open(settings.as_ref(), target.size(), Processing::Nothing)?;
        return Ok((pty.master, pty.slave));
    }
    let (ours, theirs) = pipe()?;
    rustix::io::ioctl_fionbio(&ours, true)?;
    Ok((ours.into(), theirs.into()))
}

/// Returns whether stdout and stderr are one file, pipe or terminal: `> log 2>&1`.
fn are_one() -> bool {
    if isatty(stdout()) && isatty(stderr()) {
        return true;
    }
    let ids = (FileId::of_open(stdout()), FileId::of_open(stderr()));
    matches!(ids, (Ok(out), Ok(err)) if out == err)
}
