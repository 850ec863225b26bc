//! Several of pickfix one behind the other: only the last one annotates.
//!
//! A command that `run` runs may call pickfix itself, by a wrapper or a script; and what `run` writes
//! may be piped into pickfix. Either way the text passes through two of them.

use std::fs;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::process::Command;

use super::layout::OwnStream;
use crate::file_id::FileId;

/// The variable that tells a command which of its streams pickfix reads: `DEVICE:INODE,…`.
const STREAMS: &str = "PICKFIX_STREAMS";

/// Tells a command which streams pickfix reads.
pub(super) fn tell(command: &mut Command, streams: &[&OwnedFd]) {
    let ids = streams.iter().filter_map(id);
    command.env(STREAMS, ids.collect::<Vec<_>>().join(","));
}

/// Returns whether another pickfix reads what this one writes there.
pub(crate) fn is_read_by_pickfix(target: OwnStream) -> bool {
    let own = id(target.fd());
    let told = std::env::var(STREAMS).unwrap_or_default();
    own.is_some_and(|own| told.split(',').any(|id| id == own)) || is_piped_into_pickfix(target)
}

/// Returns the name of a stream in [`STREAMS`].
fn id(stream: impl AsFd) -> Option<String> {
    Some(FileId::of_open(stream).ok()?.to_string())
}

/// Looks for a process of this program whose stdin is the pipe that this one writes to.
fn is_piped_into_pickfix(target: OwnStream) -> bool {
    let number = target.fd().as_raw_fd();
    let Ok(pipe) = fs::read_link(format!("/proc/self/fd/{number}")) else {
        return false;
    };
    if !pipe.to_string_lossy().starts_with("pipe:") {
        return false;
    }
    let own = fs::read_link("/proc/self/exe").ok();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut processes = processes.map(|process| process.path());
    let leads_to = |link: &Path, to: &Path| fs::read_link(link).is_ok_and(|found| found == to);
    processes.any(|process| {
        leads_to(&process.join("fd/0"), &pipe)
            && own
                .as_ref()
                .is_some_and(|own| leads_to(&process.join("exe"), own))
    })
}
