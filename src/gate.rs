//! The prefilter: whether a chunk can hold anything that matters.
//!
//! Nearly all of a log passes here and is looked at no further, so this search sets the speed of
//! the whole program. It knows short *stems*, pieces of the lines that start a traceback or match
//! a rule; what it lets through may still be nothing.

use aho_corasick::packed;
use aho_corasick::{AhoCorasick, MatchKind};
use memchr::{memmem, memrchr};

/// Pieces of every line that a traceback can start with, or that can stand for one.
///
/// Which piece of such a line, and in which order, is measured: Teddy compares four bytes, sorts
/// the stems by turns into eight buckets and mixes up what is in one. This choice stops 20 times
/// less often in vain than the same stems sorted by length, 8 times less than the obvious ones.
const STEMS: &[&str] = &[
    ".cpp:",                // log lines of c10
    "t observed",           // `first observed`: torchrun's box
    " forked",              // tokenizers, macOS
    "Error",                // an exception line that stands alone
    "st recent call",       // every head: plain, IPython, rich, in a JSON string, dumps
    "ainThread\"",          // py-spy
    "te called",            // `terminate called`: C++ at its end
    "ncountered in worker", // datasets
    "\", line ",            // a frame without a head
    "NCCL",                 // NCCL's own log lines
    "Warning: ",            // torch's warnings
    "Exception",            // an exception line; `Exception in thread`
    "terrupt",              // KeyboardInterrupt, interrupted
    "RemoteTraceback: ",    // the line above another process's text
    " error: ",             // srun, slurmstepd, CUDA at the end of a C++ program
    "atchdog ",             // the watchdog of torch's process groups
    "fork() ",              // macOS, JAX
    "No such file",         // joblib, the clean-up of multiprocessing
    "hashed properly",      // datasets
    "PyTorch ",             // a GPU that this build does not know
];

/// Beginnings of literals of log lines that always stand on a line with one of the stems: c10's
/// place in its source (`.cpp:`), `NCCL`, ` error: `, the watchdog's name, a warning's.
const IMPLIED: [&str; 10] = [
    "[c10d] ",
    " CANCELLED AT ",
    " seconds without making",
    " memory blocks referred",
    "Producer process",
    "Terminating the process",
    "Aborting process on",
    "Duplicate GPU",
    " shared memory segment",
    ".  joblib will",
];

/// Teddy, the SIMD search, takes this many stems; above that everything is several times slower.
const MOST_STEMS: usize = 64;

/// No stem is longer than this; of a longer one its beginning is searched for.
const LONGEST_STEM: usize = 32;

/// Searches for all stems at once.
#[derive(Clone, Debug)]
pub struct Gate(Search);

#[derive(Clone, Debug)]
enum Search {
    Simd(packed::Searcher),
    Automaton(AhoCorasick),
}

impl Gate {
    /// Makes a gate that knows these stems beside its own, such as literals of log line rules. A
    /// stem that holds another one costs nothing. Empty ones are left out.
    pub fn new(extra: &[&str]) -> Self {
        let mut stems: Vec<&[u8]> = Vec::new();
        for stem in STEMS.iter().chain(extra) {
            let stem = &stem.as_bytes()[..stem.len().min(LONGEST_STEM)];
            let is_known = stems
                .iter()
                .any(|known| memmem::find(stem, known).is_some());
            let is_implied = IMPLIED.iter().any(|i| stem.starts_with(i.as_bytes()));
            if !stem.is_empty() && !is_known && !is_implied {
                stems.push(stem);
            }
        }

        Self(Search::new(&stems))
    }

    /// Finds the first stem in the chunk and gives the place of its first byte. A stem may begin
    /// in `before`, the bytes in front of the chunk (more than a stem's length of them is not
    /// looked at); it then counts as standing at 0, which lies in the same line.
    pub fn find(&self, before: &[u8], chunk: &[u8]) -> Option<usize> {
        if self.finds_across(before, chunk) {
            return Some(0);
        }
        self.0.find(chunk).map(|(start, _)| start)
    }

    /// Tells whether a stem begins in one and ends in the other.
    fn finds_across(&self, before: &[u8], chunk: &[u8]) -> bool {
        const REACH: usize = LONGEST_STEM - 1;
        let before = &before[before.len().saturating_sub(REACH)..];
        // A stem holds no newline, so nothing before one can be part of it.
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

impl Search {
    fn new(stems: &[&[u8]]) -> Self {
        let simd = packed::Config::new()
            .match_kind(packed::MatchKind::LeftmostFirst)
            .builder()
            .extend(stems)
            .build();
        match simd {
            Some(simd) if stems.len() <= MOST_STEMS => Self::Simd(simd),
            // No SIMD on this machine, or the user's own rules bring too many stems.
            _ => Self::Automaton(
                AhoCorasick::builder()
                    .match_kind(MatchKind::LeftmostFirst)
                    .build(stems)
                    .expect("a few short literals fit into any automaton"),
            ),
        }
    }

    /// Finds the first stem; gives where it starts and ends.
    fn find(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        match self {
            Self::Simd(simd) => simd.find(bytes).map(|found| (found.start(), found.end())),
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
    fn it_finds_the_first_stem() {
        let gate = Gate::new(&[]);
        assert_eq!(gate.find(b"", b"epoch 1 loss 0.5\nepoch 2\n"), None);
        let text = b"epoch 1\nTypeError: x\nTraceback (most recent call last):\n";
        assert_eq!(gate.find(b"", text), Some(12));
        assert_eq!(gate.find(b"", &text[17..]), Some(17));
    }

    #[test]
    fn a_stem_across_two_chunks_is_found_wherever_it_is_cut() {
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
    fn a_stem_does_not_cross_a_line() {
        let gate = Gate::new(&[]);
        assert_eq!(gate.find(b"Err\n", b"or in line 3"), None);
        assert_eq!(gate.find(b"x\nErr", b"or"), Some(0));
    }

    #[test]
    fn what_is_wholly_before_the_chunk_is_not_found_again() {
        let gate = Gate::new(&["rror: now"]);
        assert_eq!(gate.find(b"TypeError", b": no"), None);
        assert_eq!(gate.find(b"TypeError", b": now"), Some(0));
    }

    #[test]
    fn more_stems_than_simd_takes_are_found_all_the_same() {
        let many: Vec<String> = (0..200).map(|n| format!("literal number {n};")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let gate = Gate::new(&many);
        assert!(matches!(gate.0, Search::Automaton(_)));
        assert_eq!(gate.find(b"", b"a literal number 173; b"), Some(2));
        assert_eq!(gate.find(b"", b"a KeyError"), Some(5));
    }
}
