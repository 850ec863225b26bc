//! The processes of a command, as `/proc` tells of them. Where there is none, there are none.

use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::Pid;

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    /// The process that started it, or adopted it.
    pub(super) parent: i32,
    /// The name of its program, at most 15 bytes.
    pub(super) name: String,
    /// What it is doing: `R` runs, `D` waits for a disk, `S` sleeps, `Z` has ended, `T` is stopped.
    pub(super) state: char,
    /// The processor time that it has used, in ticks.
    pub(super) ticks: u64,
    /// The memory that it has, pages that it shares included, in bytes.
    pub(super) resident: u64,
}

/// The most processes that are looked at.
const MAX: usize = 4096;

/// Returns a process and all that it has started, the oldest first.
pub(super) fn tree(root: Pid) -> Vec<Process> {
    let mut pids = vec![root.as_raw_nonzero().get()];
    let mut found = Vec::new();
    let mut at = 0;
    while at < pids.len().min(MAX) {
        let pid = pids[at];
        at += 1;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let Some(process) = read(pid, &stat) else {
            continue;
        };
        found.push(process);
        for thread in threads(pid) {
            let children = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children"));
            let children = children.unwrap_or_default();
            pids.extend(
                children
                    .split_whitespace()
                    .filter_map(|c| c.parse::<i32>().ok()),
            );
        }
    }
    found
}

/// Returns the threads of a process.
pub(super) fn threads(pid: i32) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    let mut threads: Vec<i32> = tasks
        .filter_map(|task| task.file_name().to_str()?.parse().ok())
        .collect();
    threads.sort_unstable();
    threads
}

/// Returns how much of so many seconds of one processor these ticks are.
pub(super) fn seconds(ticks: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a share, to be compared")]
    let seconds = ticks as f64 / clock_ticks_per_second() as f64;
    seconds
}

/// Reads `/proc/PID/stat`: the name in parentheses, which may hold any character, and then fields.
fn read(pid: i32, stat: &str) -> Option<Process> {
    let (_, rest) = stat.split_once('(')?;
    let (name, rest) = rest.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Process {
        pid,
        name: name.to_owned(),
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        ticks: number(11)? + number(12)?,
        resident: number(21)? * page_size() as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_may_hold_parentheses_and_blanks() {
        let stat =
            "42 (a) b (c) S 1 42 42 0 -1 4194304 100 0 0 0 7 5 0 0 20 0 1 0 999 5000000 300 184";
        let process = read(42, stat).unwrap();
        assert_eq!((process.name.as_str(), process.state), ("a) b (c", 'S'));
        assert_eq!((process.parent, process.ticks), (1, 12));
        assert_eq!(process.resident, 300 * page_size() as u64);
        assert_eq!(read(42, "42 (a"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_tree_begins_with_the_process_itself() {
        let own = rustix::process::getpid();
        let tree = tree(own);
        assert_eq!(tree[0].pid, own.as_raw_nonzero().get());
        assert!(tree[0].resident > 0);
        assert!(threads(tree[0].pid).contains(&tree[0].pid));
    }
}
