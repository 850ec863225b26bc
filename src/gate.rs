//! The prefilter: whether a chunk can hold anything that matters.
//!
//! Nearly all of a log passes here and is looked at no further, so this search sets the speed of
//! the whole program. It knows short *needles*, pieces of the lines that start a traceback or match
//! a rule; what it lets through may still be nothing.

use aho_corasick::packed;
use aho_corasick::{AhoCorasick, MatchKind};
use memchr::{memmem, memrchr};

/// Pieces of every line that a traceback can start with, that can stand for one, or that a log
/// line of a built-in rule holds: general words of failure first of all, so that new rules need no
/// further ones. `pickfix rules test` refuses a built-in rule whose log line holds none of them.
///
/// Teddy compares the first four bytes, sorts the needles by turns into eight buckets and mixes up
/// what is in one. So the order, and where a needle begins in its word, are measured: on clean logs
/// few places pass for a needle by mistake.
const NEEDLES: [&str; MOST_FAST] = [
    "process ",  // what is said of processes
    "imeout",    // `operation timeout`: NCCL's watchdog
    "\", line ", // a frame without a head
    "Thread\"",  // `"MainThread"`: py-spy
    "eartbeat", // `No heartbeat for components: …`: Sample Factory; `missed heartbeat from`: Celery
    "Exit",     // `Exited with code 137`: CircleCI; `ExitCode -9`: SageMaker
    " died",    // workers that died
    "xceed",    // limits of memory and time: Slurm, Dask, Celery
    "ignal",    // `death signal`, torchrun's `Signal 9`
    "erminate", // `terminate called`, `Terminated`, `worker terminated`
    "fork",     // tokenizers, JAX, gRPC, macOS
    "Fail",     // `Failing jobs without heartbeat`: Airflow
    " (pid:",   // gunicorn's workers, whatever the level
    "illed",    // `Killed`, `OOMKilled`; zsh's `killed`
    " fault",   // `Segmentation fault`, as any shell words it; a GPU's `access fault`
    "ected",    // `Duplicate GPU detected`; `Different tests were collected`: pytest-xdist
    "crashed",  // pytest-xdist, Spark
    "dumped",   // `Aborted (core dumped)`: the shell's word for SIGABRT; systemd's
    "WARN",     // a logger's level: Dask, Ray, TensorFlow
    "rror",     // an exception line that stands alone; `Bus error`, `CUDA error: `
    " limit",   // `time limit reached`: Odoo, YARN, LSF
    "Warning: ", // Python's warnings
    "ERROR",    // a logger's level
    "ecent ca", // every head: plain, IPython, rich (cut in a narrow box), JSON, dumps
    "n't ",     // `couldn't be hashed`: datasets
    "xception", // an exception line; `Exception in thread`
    "deadlock", // Horovod's stalled ranks; a watchdog that is stuck
    "atal: ",   // `srun: fatal: …`
    "exit",     // `exit code 137`, `exits with return code`
    "not ",     // `command not found`, `cannot`, `not enough slots`: Open MPI
    "med out",  // `timed out`: c10d
    "fail",     // what failed, or is a failure; `enforce fail`: Gloo
];

/// So many needles are compared with 32 bytes at once; with more it is 16, at half the speed.
const MOST_FAST: usize = 32;

/// Teddy, the SIMD search, takes this many. What a user's rules bring beyond them is found only in
/// lines that hold another needle.
const MOST_NEEDLES: usize = 64;

/// No needle is longer than this; of a longer one its beginning is searched for.
pub(crate) const LONGEST_NEEDLE: usize = 32;

/// Returns whether a line with this text passes every gate.
pub(crate) fn lets_through(text: &str) -> bool {
    NEEDLES.iter().any(|needle| text.contains(needle))
}

/// Searches for all needles at once.
#[derive(Clone, Debug)]
pub struct Gate(NeedleSearch);

#[derive(Clone, Debug)]
enum NeedleSearch {
    Simd(packed::Searcher),
    Automaton(AhoCorasick),
}

impl Gate {
    /// Makes a gate that also lets lines with these pieces through: the literals of a user's log
    /// lines. A piece that holds a needle costs nothing, any other becomes one. Empty ones are left
    /// out, and those for which there is no room.
    pub fn new(extra: &[&str]) -> Self {
        let mut needles: Vec<&[u8]> = NEEDLES.iter().map(|needle| needle.as_bytes()).collect();
        for line in extra.iter().map(|line| line.as_bytes()) {
            let holds = |needle: &&[u8]| memmem::find(line, needle).is_some();
            if needles.len() < MOST_NEEDLES && !line.is_empty() && !needles.iter().any(holds) {
                needles.push(&line[..line.len().min(LONGEST_NEEDLE)]);
            }
        }
        Self(NeedleSearch::new(&needles))
    }

    /// Finds the first needle in the chunk and returns the place of its first byte. A needle may begin
    /// in `before`, the bytes in front of the chunk (more than a needle's length of them is not
    /// looked at); it then counts as standing at 0, which lies in the same line.
    pub fn find(&self, before: &[u8], chunk: &[u8]) -> Option<usize> {
        if self.finds_across(before, chunk) {
            return Some(0);
        }
        self.0.find(chunk).map(|(start, _)| start)
    }

    /// Returns whether a needle begins in one and ends in the other.
    fn finds_across(&self, before: &[u8], chunk: &[u8]) -> bool {
        const REACH: usize = LONGEST_NEEDLE - 1;
        let before = &before[before.len().saturating_sub(REACH)..];
        // A needle holds no newline, so nothing before one can be part of it.
        let before = memrchr(b'\n', before).map_or(before, |newline| &before[newline + 1..]);
        if before.is_empty() {
            return false;
        }
        let chunk = &chunk[..chunk.len().min(REACH)];
        let mut border = [0; 2 * REACH];
        border[..before.len()].copy_from_slice(before);
        border[before.len()..][..chunk.len()].copy_from_slice(chunk);
        let border = &border[..before.len() + chunk.len()];
        let mut from = 0;
        while let Some((start, end)) = self.0.find(&border[from..]) {
            if from + end > before.len() {
                return from + start < before.len();
            }
            from += start + 1;
        }
        false
    }
}

impl NeedleSearch {
    fn new(needles: &[&[u8]]) -> Self {
        let simd = packed::Config::new()
            .match_kind(packed::MatchKind::LeftmostFirst)
            .builder()
            .extend(needles)
            .build();
        simd.map_or_else(
            // No SIMD on this machine.
            || {
                let mut builder = AhoCorasick::builder();
                let automaton = builder.match_kind(MatchKind::LeftmostFirst).build(needles);
                Self::Automaton(automaton.expect("a few short literals fit into any automaton"))
            },
            Self::Simd,
        )
    }

    /// Finds the first needle; returns where it starts and ends.
    fn find(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        match self {
            Self::Simd(teddy) => teddy.find(bytes).map(|found| (found.start(), found.end())),
            Self::Automaton(automaton) => automaton
                .find(bytes)
                .map(|found| (found.start(), found.end())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_first_needle() {
        let gate = Gate::new(&[]);
        assert_eq!(gate.find(b"", b"epoch 1 loss 0.5\nepoch 2\n"), None);
        let text = b"epoch 1\nTypeError: x\nTraceback (most recent call last):\n";
        assert_eq!(gate.find(b"", text), Some(13));
        assert_eq!(gate.find(b"", &text[17..]), Some(21));
    }

    #[test]
    fn a_needle_across_two_chunks_is_found_wherever_it_is_cut() {
        let gate = Gate::new(&["a literal of some rule"]);
        for line in [
            "Traceback (most recent call last):",
            "x a literal of some rule y",
        ] {
            let line = line.as_bytes();
            for cut in 0..line.len() {
                let (before, chunk) = line.split_at(cut);
                let found = gate.find(before, chunk).is_some() || gate.find(b"", before).is_some();
                assert!(found, "cut at {cut}");
            }
        }
    }

    #[test]
    fn a_needle_does_not_cross_a_line() {
        let gate = Gate::new(&[]);
        assert_eq!(gate.find(b"Err\n", b"or in line 3"), None);
        assert_eq!(gate.find(b"x\nErr", b"or"), Some(0));
    }

    #[test]
    fn what_is_wholly_before_the_chunk_is_not_found_again() {
        let gate = Gate::new(&["ailed: now"]);
        assert_eq!(gate.find(b"it failed", b": no"), None);
        assert_eq!(gate.find(b"it failed", b": now"), Some(0));
    }

    #[test]
    fn what_users_bring_does_not_slow_the_search_down_without_end() {
        let many: Vec<String> = (0..200).map(|n| format!("{n:03} literals")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let gate = Gate::new(&many);
        assert_eq!(gate.find(b"", b"a 001 literals; b"), Some(2));
        assert_eq!(gate.find(b"", b"a 173 literals; b"), None);
        assert_eq!(gate.find(b"", b"a KeyError"), Some(6));
    }
}
