//! Processes that a command leaves behind, and that still hold what it printed into.

use std::fs;
use std::os::fd::{AsFd, OwnedFd};

use super::files::ProcessFiles;

/// The most that are named.
const MAX: usize = 3;

/// A process that was left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Orphan {
    /// Its number.
    pub pid: i32,
    /// The name of its program, as the system has it.
    pub name: String,
}

/// Returns the first processes that hold the other end of an output, where the system says so.
pub(super) fn holders(output: &OwnedFd) -> Vec<Orphan> {
    let Some(link) = link_of(output) else {
        return Vec::new();
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let others = pids.filter(|pid| *pid != std::process::id().cast_signed());
    let found = others.filter(|pid| ProcessFiles::of(*pid).have(&link));
    found
        .take(MAX)
        .map(|pid| Orphan {
            pid,
            name: fs::read_to_string(format!("/proc/{pid}/comm"))
                .map(|name| name.trim_end().to_owned())
                .unwrap_or_default(),
        })
        .collect()
}

/// Returns what a link in `/proc/PID/fd` to the other end reads.
fn link_of(output: &OwnedFd) -> Option<String> {
    if rustix::termios::isatty(output) {
        let name = rustix::pty::ptsname(output.as_fd(), Vec::new()).ok()?;
        return name.into_string().ok();
    }
    let status = rustix::fs::fstat(output).ok()?;
    Some(format!("pipe:[{}]", status.st_ino))
}
