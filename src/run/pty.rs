//! A pseudo-terminal: what the command takes for its terminal, and our end of it.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::pty::{OpenptFlags, grantpt, openpt, unlockpt};
use rustix::termios::{
    OptionalActions, OutputModes, Termios, Winsize, tcgetattr, tcsetattr, tcsetwinsize,
};

/// Both ends of a pseudo-terminal.
pub(super) struct Pty {
    /// Our end; it does not block.
    pub(super) master: OwnedFd,
    /// The command's.
    pub(super) slave: OwnedFd,
}

/// What the output of a pseudo-terminal goes through before we read it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Processing {
    /// What the settings say: `\n` becomes `\r\n`. The real terminal is raw.
    Usual,
    /// Nothing: the real terminal will do it.
    Nothing,
}

impl Pty {
    /// Opens one with the size and the settings of a terminal.
    pub(super) fn open(
        settings: Option<&Termios>,
        size: Option<Winsize>,
        processing: Processing,
    ) -> io::Result<Self> {
        let master = openpt(master_flags())?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let slave = open_slave(&master)?;
        let mut settings = match settings {
            Some(settings) => settings.clone(),
            None => tcgetattr(&slave)?,
        };
        if processing == Processing::Nothing {
            settings.output_modes.remove(OutputModes::OPOST);
        }
        tcsetattr(&slave, OptionalActions::Now, &settings)?;
        if let Some(size) = size {
            tcsetwinsize(&master, size)?;
        }
        rustix::io::ioctl_fionbio(&master, true)?;
        Ok(Self { master, slave })
    }
}

#[cfg(target_os = "linux")]
fn master_flags() -> OpenptFlags {
    OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC
}

#[cfg(not(target_os = "linux"))]
fn master_flags() -> OpenptFlags {
    OpenptFlags::RDWR | OpenptFlags::NOCTTY
}

/// Opens the command's end without its name, which a container may not have.
#[cfg(target_os = "linux")]
fn open_slave(master: &OwnedFd) -> io::Result<OwnedFd> {
    use rustix::pty::ioctl_tiocgptpeer;

    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    match ioctl_tiocgptpeer(master, flags) {
        Ok(slave) => Ok(slave),
        // Before Linux 4.13.
        Err(_) => by_name(master),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_slave(master: &OwnedFd) -> io::Result<OwnedFd> {
    rustix::io::fcntl_setfd(master, rustix::io::FdFlags::CLOEXEC)?;
    by_name(master)
}

fn by_name(master: &OwnedFd) -> io::Result<OwnedFd> {
    use rustix::fs::{Mode, OFlags, open};

    let name = rustix::pty::ptsname(master.as_fd(), Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(open(name, flags, Mode::empty())?)
}
