//! The process that leads the command's session.
//!
//! The keyboard's Ctrl-Z stops only a process group that has a parent in its own session, so
//! somebody must be there besides the command: a copy of pickfix, which starts the command, waits
//! for it, and tells pickfix by a socket what becomes of it. Should pickfix itself be killed, the
//! leader is who puts the terminal right.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, ioctl_tiocsctty, kill_process, kill_process_group, setsid,
    waitpid,
};
use rustix::termios::{Termios, tcgetpgrp, tcsetpgrp};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use super::command::{CommandChange, Ending, StartError};
use super::terminal;

/// Where a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ground {
    /// It has its terminal.
    Fore,
    /// It may not read from its terminal.
    Back,
}

/// The leader of the command's session, as pickfix sees it.
pub(super) struct Leader {
    /// The process.
    process: Pid,
    socket: UnixStream,
    /// What it told first, until that is handed on.
    first: Option<CommandChange>,
    /// The command's process, which leads a group of its own.
    command: Option<Pid>,
    has_ended: bool,
}

/// What the leader needs to know.
pub(super) struct LeaderPlan {
    /// The command; its outputs are set.
    pub(super) command: process::Command,
    /// The terminal of its session.
    pub(super) slave: OwnedFd,
    /// What the leader must not keep open.
    pub(super) not_its_own: Vec<OwnedFd>,
    /// Whether the command has its terminal from the start.
    pub(super) ground: Ground,
    /// The settings that the real terminal is to have in the end.
    pub(super) settings: Termios,
}

impl Leader {
    /// Starts a leader, and the command in its session. There must be no other thread yet.
    pub(super) fn start(plan: LeaderPlan) -> io::Result<(Self, Vec<OwnedFd>)> {
        let (socket, theirs) = UnixStream::pair()?;
        let pickfix = getpid();
        if let Some(process) = fork()? {
            // Or the leader would hold its end open.
            drop(theirs);
            let mut leader = Self {
                process,
                socket,
                first: None,
                command: None,
                has_ended: false,
            };
            // What comes next here takes milliseconds; on a busy machine the command would wait for them.
            leader.first = leader.message();
            leader.socket.set_nonblocking(true)?;
            return Ok((leader, plan.not_its_own));
        }
        drop(socket);
        let led = catch_unwind(AssertUnwindSafe(|| lead(plan, theirs, pickfix)));
        process::exit(i32::from(led.is_err()));
    }

    /// Returns what the leader has told since.
    pub(super) fn change(&mut self) -> Option<CommandChange> {
        if self.has_ended {
            return None;
        }
        let change = self.first.take().or_else(|| self.message())?;
        match &change {
            CommandChange::Started(pid) => self.command = Some(*pid),
            CommandChange::Failed(_) | CommandChange::Ended(_) => self.has_ended = true,
            CommandChange::Stopped(_) => {}
        }
        Some(change)
    }

    /// Reads a message.
    fn message(&mut self) -> Option<CommandChange> {
        let mut bytes = [0; MESSAGE];
        match self.socket.read_exact(&mut bytes) {
            Ok(()) => Some(CommandChange::read(bytes)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
            // Somebody killed the leader: what became of the command cannot be known.
            Err(_) => Some(CommandChange::Ended(Ending::Signal(Signal::HUP.as_raw()))),
        }
    }

    /// Returns what is readable when it has told something.
    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        (!self.has_ended).then(|| self.socket.as_fd())
    }

    /// Sends the command's process group a signal.
    pub(super) fn signal(&self, signal: Signal) {
        if let Some(group) = self.command.filter(|_| !self.has_ended) {
            let _ = kill_process_group(group, signal);
        }
    }

    /// Lets the command go on after a stop.
    pub(super) fn resume(&mut self, ground: Ground) {
        let _ = self.socket.write_all(&[ground as u8]);
    }
}

impl Drop for Leader {
    /// Waits for the leader, which has ended or is about to: it ends with the command.
    fn drop(&mut self) {
        if self.has_ended {
            let _ = waitpid(Some(self.process), WaitOptions::empty());
        }
    }
}

/// How many bytes a message has: what happened, and a number.
const MESSAGE: usize = 5;

impl CommandChange {
    /// Writes it as the message by which the leader tells it.
    fn message(&self) -> [u8; MESSAGE] {
        let (kind, value) = match self {
            Self::Started(pid) => (0, pid.as_raw_nonzero().get()),
            Self::Failed(StartError::Missing) => (1, libc::ENOENT),
            Self::Failed(StartError::Refused(error)) => {
                (1, error.raw_os_error().unwrap_or(libc::ENOENT))
            }
            Self::Stopped(signal) => (2, *signal),
            Self::Ended(Ending::Status(status)) => (3, i32::from(*status)),
            Self::Ended(Ending::Signal(signal)) => (4, *signal),
        };
        let [a, b, c, d] = value.to_ne_bytes();
        [kind, a, b, c, d]
    }

    /// Reads a message.
    fn read([kind, a, b, c, d]: [u8; MESSAGE]) -> Self {
        let value = i32::from_ne_bytes([a, b, c, d]);
        match kind {
            0 => Pid::from_raw(value).map_or(Self::Failed(StartError::Missing), Self::Started),
            1 => Self::Failed(StartError::of(io::Error::from_raw_os_error(value))),
            2 => Self::Stopped(value),
            3 => Self::Ended(Ending::Status(u8::try_from(value).unwrap_or(u8::MAX))),
            _ => Self::Ended(Ending::Signal(value)),
        }
    }
}

/// Splits off a copy of this process; returns `None` in the copy.
#[expect(unsafe_code, reason = "there is no safe fork; see below")]
fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: a copy of a process with several threads may do next to nothing, for another thread
    // may have held a lock; a copy of a process with one thread may do all. This runs before any
    // thread is started. Executing pickfix once more instead would need no `unsafe` and takes 1 ms.
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Pid::from_raw(pid))
}

/// Keeps the keyboard's signals and a lost terminal from ending or stopping this process. They get
/// handlers: what is ignored or blocked would be so in the command too.
fn outlive_signals() {
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTSTP] {
        let _ = flag::register(signal, Arc::default());
    }
}

/// Puts a process group in front, from behind as well, where the system asks for SIGTTOU to be blocked.
#[expect(unsafe_code, reason = "the standard library has no signal masks")]
fn put_in_front(terminal: &OwnedFd, group: Pid) {
    let mut set = std::mem::MaybeUninit::uninit();
    // SAFETY: `sigemptyset` fills the set before it is read.
    let set = unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), SIGTTOU);
        set.assume_init()
    };
    // SAFETY: the set is filled, and the old mask is not asked for.
    let mask = |how| unsafe { libc::pthread_sigmask(how, &raw const set, std::ptr::null_mut()) };
    mask(libc::SIG_BLOCK);
    let _ = tcsetpgrp(terminal, group);
    mask(libc::SIG_UNBLOCK);
}

/// Leads the command's session until the command or pickfix has ended.
fn lead(plan: LeaderPlan, socket: UnixStream, pickfix: Pid) {
    let LeaderPlan {
        mut command,
        slave,
        not_its_own,
        ground,
        settings,
    } = plan;
    drop(not_its_own);
    outlive_signals();
    let _ = setsid();
    let _ = ioctl_tiocsctty(&slave);
    let Ok((wake, waker)) = UnixStream::pair() else {
        return;
    };
    let _ = wake.set_nonblocking(true);
    let _ = pipe::register(SIGCHLD, waker);
    let started = command.process_group(0).spawn();
    // It holds the ends that the command prints to.
    drop(command);
    let child = match started {
        Ok(child) => Pid::from_child(&child),
        Err(error) => return tell(&socket, &CommandChange::Failed(StartError::of(error))),
    };
    if ground == Ground::Fore {
        put_in_front(&slave, child);
    }
    tell(&socket, &CommandChange::Started(child));
    let mut session = LedSession {
        child,
        pickfix,
        slave,
        ground,
        socket,
        wake,
    };
    if session.wait() == Who::Pickfix {
        terminal::restore(&settings);
    }
}

/// Tells pickfix what has happened to the command.
fn tell(mut socket: &UnixStream, change: &CommandChange) {
    let _ = socket.write_all(&change.message());
}

/// The session as its leader sees it.
struct LedSession {
    child: Pid,
    pickfix: Pid,
    slave: OwnedFd,
    ground: Ground,
    socket: UnixStream,
    wake: UnixStream,
}

/// Who has ended.
#[derive(PartialEq, Eq)]
enum Who {
    Command,
    Pickfix,
}

impl LedSession {
    /// Waits until one of the two ends.
    fn wait(&mut self) -> Who {
        loop {
            if self.has_ended() {
                return Who::Command;
            }
            let mut fds = [
                PollFd::new(&self.socket, PollFlags::IN),
                PollFd::new(&self.wake, PollFlags::IN),
            ];
            match poll(&mut fds, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return Who::Pickfix,
            }
            let is_asked = !fds[0].revents().is_empty();
            let mut bytes = [0; 64];
            let _ = self.wake.read(&mut bytes);
            if is_asked && !self.obey() {
                return Who::Pickfix;
            }
        }
    }

    /// Looks at the command, and tells what has happened to it.
    fn has_ended(&mut self) -> bool {
        let options = WaitOptions::NOHANG | WaitOptions::UNTRACED | WaitOptions::CONTINUED;
        while let Ok(Some((_, status))) = waitpid(Some(self.child), options) {
            match (Ending::of(status), status.stopping_signal()) {
                (Some(ending), _) => {
                    // What the command leaves behind is in its group. When a session's leader ends,
                    // the group in front gets a SIGHUP; that shall be ours.
                    put_in_front(&self.slave, getpid());
                    tell(&self.socket, &CommandChange::Ended(ending));
                    return true;
                }
                // It asked for its terminal in the moment before it had it.
                (None, Some(SIGTTIN | SIGTTOU)) if self.has_terminal() => self.go_on(),
                (None, Some(signal)) => tell(&self.socket, &CommandChange::Stopped(signal)),
                // Somebody else let it go on: pickfix, stopped with it, has to as well.
                (None, None) => {
                    let _ = kill_process(self.pickfix, Signal::CONT);
                }
            }
        }
        false
    }

    /// Returns whether the command is in front and is meant to be.
    fn has_terminal(&self) -> bool {
        self.ground == Ground::Fore && tcgetpgrp(&self.slave).is_ok_and(|group| group == self.child)
    }

    /// Does what pickfix asks for; returns whether it is still there.
    fn obey(&mut self) -> bool {
        let mut bytes = [0; 1];
        match self.socket.read(&mut bytes) {
            Ok(1) => {
                self.ground = if bytes[0] == Ground::Fore as u8 {
                    Ground::Fore
                } else {
                    Ground::Back
                };
                let front = match self.ground {
                    Ground::Fore => self.child,
                    Ground::Back => getpid(),
                };
                put_in_front(&self.slave, front);
                self.go_on();
                true
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
            _ => false,
        }
    }

    fn go_on(&self) {
        let _ = kill_process_group(self.child, Signal::CONT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_comes_through_the_socket_as_it_was() {
        for change in [
            CommandChange::Started(getpid()),
            CommandChange::Failed(StartError::Missing),
            CommandChange::Failed(StartError::of(io::Error::from_raw_os_error(libc::EACCES))),
            CommandChange::Stopped(20),
            CommandChange::Ended(Ending::Status(255)),
            CommandChange::Ended(Ending::Signal(9)),
        ] {
            let read = CommandChange::read(change.message());
            assert_eq!(format!("{read:?}"), format!("{change:?}"));
        }
    }
}
