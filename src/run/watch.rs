//! What only the one who runs a command can know: told to the analysis in lines of its own, which
//! rules match as they match those of a log. They never reach the output.

use std::time::Duration;

use rustix::fs::statvfs;
use rustix::process::Pid;
use signal_hook::consts::{SIGBUS, SIGFPE, SIGILL, SIGKILL, SIGSEGV};

use super::command::Ending;
use super::memory::{MemoryGroup, amount};
use super::processes::{Process, tree};
use super::stall::Stall;

/// How often the processes are looked at.
const EVERY: Duration = Duration::from_secs(1);
/// The least time between two looks at the memory group, while something is printed.
const APART: Duration = Duration::from_millis(50);
/// A look may cost this part of the time at most.
const PART: u32 = 50;
/// Shared memory counts as full when no more of it is free.
const FULL: f64 = 0.98;

/// Looks at a command while it runs.
pub(super) struct Watch {
    /// The command, as it was typed.
    name: String,
    root: Option<Pid>,
    memory: MemoryGroup,
    /// How many kills have been told.
    told: u64,
    looked: Duration,
    next: Duration,
    /// The most memory that its processes had, in bytes.
    resident: u64,
    /// The fullest that `/dev/shm` was: what is used, and of how much, in bytes.
    shared: Option<(u64, u64)>,
    stall: Option<Stall>,
}

impl Watch {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            root: None,
            memory: MemoryGroup::of_this_process(),
            told: 0,
            looked: Duration::ZERO,
            next: EVERY,
            resident: 0,
            shared: None,
            stall: None,
        }
    }

    /// Looks for a stall.
    pub(super) fn with_stall(self, stall: Option<Stall>) -> Self {
        Self { stall, ..self }
    }

    /// Takes note of the command's process.
    pub(super) fn started(&mut self, root: Pid) {
        self.root = Some(root);
    }

    /// Takes note that something was printed or typed.
    pub(super) fn stir(&mut self, now: Duration) {
        if let Some(stall) = &mut self.stall {
            stall.stir(now);
        }
    }

    /// Returns when it wants to look next.
    pub(super) fn next(&self) -> Duration {
        self.next
    }

    /// Looks at the processes.
    pub(super) fn look(&mut self, now: Duration, lines: &mut Vec<String>) {
        let start = std::time::Instant::now();
        if let Some(root) = self.root {
            let processes = tree(root);
            self.measure(&processes);
            if let Some(stall) = &mut self.stall {
                stall.look(now, &processes, lines);
            }
        }
        self.look_at_memory(now, lines);
        self.next = now + EVERY.max(start.elapsed() * PART);
    }

    fn measure(&mut self, processes: &[Process]) {
        let resident = processes.iter().map(|process| process.resident).sum();
        self.resident = self.resident.max(resident);
        self.measure_shared();
    }

    fn measure_shared(&mut self) {
        let Ok(status) = statvfs("/dev/shm") else {
            return;
        };
        // A file system may say anything of itself.
        let size = status.f_blocks.saturating_mul(status.f_frsize);
        let used = status.f_blocks.saturating_sub(status.f_bfree);
        let used = used.saturating_mul(status.f_frsize);
        if size > 0 && self.shared.is_none_or(|(most, _)| used > most) {
            self.shared = Some((used, size));
        }
    }

    /// Looks whether the out-of-memory killer was here, before what was printed since is read.
    pub(super) fn look_at_memory(&mut self, now: Duration, lines: &mut Vec<String>) {
        if now < self.looked + APART && self.looked > Duration::ZERO {
            return;
        }
        self.looked = now;
        let kills = self.memory.kills();
        if kills > self.told {
            self.told = kills;
            let limit = self.memory.limit().map_or("none".to_owned(), amount);
            let peak = self.memory.peak().unwrap_or(self.resident);
            lines.push(format!(
                "pickfix run: Killed for memory: {kills}; limit: {limit}; most in use: {}",
                amount(peak)
            ));
        }
    }

    /// Says how the command ended, if that was a signal that it could say nothing about.
    pub(super) fn end(&mut self, ending: Ending, lines: &mut Vec<String>) {
        let Ending::Signal(signal) = ending else {
            return;
        };
        self.looked = Duration::ZERO;
        self.look_at_memory(Duration::ZERO, lines);
        self.measure_shared();
        let name = &self.name;
        let line = match signal {
            SIGKILL => {
                let resident = match self.resident {
                    0 => "unknown".to_owned(),
                    resident => amount(resident),
                };
                format!(
                    "pickfix run: Killed by SIGKILL; memory of its processes: {resident}; command: {name}"
                )
            }
            SIGSEGV => format!("pickfix run: Killed by SIGSEGV; command: {name}"),
            SIGILL => format!("pickfix run: Killed by SIGILL; command: {name}"),
            SIGFPE => format!("pickfix run: Killed by SIGFPE; command: {name}"),
            SIGBUS => {
                let (used, size) = self.shared.unwrap_or_default();
                #[expect(clippy::cast_precision_loss, reason = "a share, to be compared")]
                let is_full = size > 0 && used as f64 >= FULL * size as f64;
                let state = if is_full { "full" } else { "not full" };
                format!(
                    "pickfix run: Killed by SIGBUS; shared memory: {state}, {} of {}; command: {name}",
                    amount(used),
                    amount(size)
                )
            }
            _ => return,
        };
        lines.push(line);
    }
}
