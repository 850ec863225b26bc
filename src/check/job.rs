//! Which files are one job's: one file per rank, as launchers, schedulers and people name them.
//!
//! | written by | files |
//! | --- | --- |
//! | `torchrun --log-dir` | `RUN/attempt_0/3/stderr.log` |
//! | Slurm, `--output=%x-%j-%t.out` | `train-1234-3.out` |
//! | people | `rank3.log`, `worker-3.err`, `logs/rank_3/out.log` |
//! | `kubectl logs`, `/var/log/containers` | `train-worker-3_default_pytorch-0a1b.log` |
//!
//! Files of other names are jobs of their own: `slurm-1234.out` and `slurm-1235.out`, and the tasks of
//! an array (`slurm-1234_7.out`), which have nothing to do with each other.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::path::Path;

/// The words that name one of several writers, and whether the number behind is its rank.
const WRITERS: &[(&str, bool)] = &[
    ("rank", true),
    ("proc", true),
    ("process", true),
    ("task", true),
    ("worker", false),
    ("node", false),
    ("host", false),
    ("gpu", false),
    ("master", false),
    ("launcher", false),
    ("replica", false),
    ("pod", false),
];

/// The names of files of which each process writes its own into a folder of its own.
const STREAMS: &[&str] = &["stdout", "stderr", "output", "out", "err", "log"];

/// What a path tells of the job that it belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Member {
    /// What all files of the job have in common; `None`: this file is a job of its own.
    pub(super) job: Option<String>,
    /// The rank that wrote it.
    pub(super) rank: Option<u32>,
}

impl Member {
    /// Reads a path.
    pub(super) fn of(path: &Path) -> Self {
        let names: Vec<Cow<str>> = path
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        let Some((file, folders)) = names.split_last() else {
            return Self::default();
        };
        let stem = file.split('.').next().unwrap_or_default();
        if let Some((folder, above)) = folders.split_last() {
            // torchrun: a folder for each local rank.
            if let Some(rank) = number(folder).filter(|_| STREAMS.contains(&stem)) {
                return Self::new(above, "", Some(rank));
            }
            if let Some(writer) = Writer::of(folder).filter(|w| w.is_whole_name(folder)) {
                return Self::new(above, "", writer.rank());
            }
        }
        if let Some(writer) = Writer::of(stem) {
            return Self::new(folders, &stem[..writer.start], writer.rank());
        }
        if let Some((job, rank)) = slurm_task(stem) {
            return Self::new(folders, job, Some(rank));
        }
        Self::default()
    }

    fn new(folders: &[Cow<str>], name: &str, rank: Option<u32>) -> Self {
        Self {
            job: Some(format!("{}/{name}", folders.join("/"))),
            rank,
        }
    }
}

/// Returns the name of the job that a log belongs to: what the names of its files begin with.
pub fn job_name(file: &str) -> String {
    let Some(job) = Member::of(Path::new(file)).job else {
        return file.to_owned();
    };
    let name = job.trim_end_matches(['/', '-', '_', '.']);
    let name = name
        .strip_prefix('/')
        .filter(|n| n.starts_with('/'))
        .unwrap_or(name);
    if name.is_empty() { "." } else { name }.to_owned()
}

/// `rank3` in a name.
struct Writer {
    /// Where it starts, in bytes.
    start: usize,
    end: usize,
    number: u32,
    is_rank: bool,
}

impl Writer {
    /// Finds the last one in a name: a number with one of the words in front.
    fn of(name: &str) -> Option<Self> {
        let is_digit = |c: char| c.is_ascii_digit();
        let mut rest = name;
        loop {
            let end = rest.rfind(is_digit)? + 1;
            let before = rest[..end].trim_end_matches(is_digit);
            let words = before.trim_end_matches(['-', '_', '=', '.']);
            let mut writers = WRITERS.iter();
            let writer = writers.find_map(|(word, is)| Some((start_of_word(words, word)?, *is)));
            if let (Some(number), Some((start, is_rank))) =
                (number(&name[before.len()..end]), writer)
            {
                return Some(Self {
                    start,
                    end,
                    number,
                    is_rank,
                });
            }
            rest = before;
        }
    }

    fn is_whole_name(&self, name: &str) -> bool {
        self.end == name.len() && (self.is_rank || self.start == 0)
    }

    fn rank(&self) -> Option<u32> {
        self.is_rank.then_some(self.number)
    }
}

/// Returns where the word stands that a text ends with, in upper or lower case; `None` if the text does
/// not, or if the word is the end of another one.
fn start_of_word(text: &str, word: &str) -> Option<usize> {
    let start = text.len().checked_sub(word.len())?;
    let (before, last) = text.as_bytes().split_at(start);
    let is_part = before.last().is_some_and(u8::is_ascii_alphabetic);
    (!is_part && last.eq_ignore_ascii_case(word.as_bytes())).then_some(start)
}

/// Reads `train-1234-3`: a job's number of four digits or more, then the number of a task.
fn slurm_task(stem: &str) -> Option<(&str, u32)> {
    let (job, task) = stem.rsplit_once('-')?;
    let rank = number(task)?;
    let digits = job.bytes().rev().take_while(u8::is_ascii_digit).count();
    let is_date = digits == 8 && job[job.len() - 8..].starts_with("20");
    (digits >= 4 && !is_date && job.len() > digits).then_some((job, rank))
}

/// Reads a number of at most five digits, as ranks have.
fn number(text: &str) -> Option<u32> {
    let fits = (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| fits)
}

/// Compares names as people do: `rank_2` before `rank_10`.
pub(super) fn natural(a: &[u8], b: &[u8]) -> Ordering {
    // Names in one folder have much in common; the number in which they differ is compared as a whole.
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let number = a[..same].iter().rev().take_while(|b| b.is_ascii_digit());
    let start = same - number.count();
    let (mut left, mut right) = (&a[start..], &b[start..]);
    while let (Some(l), Some(r)) = (left.first(), right.first()) {
        let order = if l.is_ascii_digit() && r.is_ascii_digit() {
            let ((l, rest_l), (r, rest_r)) = (digits(left), digits(right));
            (left, right) = (rest_l, rest_r);
            l.len().cmp(&r.len()).then_with(|| l.cmp(r))
        } else {
            (left, right) = (&left[1..], &right[1..]);
            l.cmp(r)
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// Splits off a number, without the zeros in front of it.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let len = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(len);
    let zeros = digits.iter().take_while(|b| **b == b'0').count();
    (&digits[zeros..], rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(path: &str) -> (Option<String>, Option<u32>) {
        let Member { job, rank } = Member::of(Path::new(path));
        (job, rank)
    }

    #[test]
    fn files_of_one_job_have_it_in_common() {
        let jobs: &[(&[&str], &[Option<u32>])] = &[
            (
                &[
                    "r/none_x/attempt_0/0/stderr.log",
                    "r/none_x/attempt_0/3/stdout.log",
                ],
                &[Some(0), Some(3)],
            ),
            (
                &["train-1234-0.out", "train-1234-17.err"],
                &[Some(0), Some(17)],
            ),
            (
                &["logs/rank0.log", "logs/rank_12.err"],
                &[Some(0), Some(12)],
            ),
            (
                &["logs/rank_0/out.log", "logs/rank_1/trace.txt"],
                &[Some(0), Some(1)],
            ),
            (
                &[
                    "train-master-0_default_pytorch-0a.log",
                    "train-worker-3_default_pytorch-1b.log",
                ],
                &[None, None],
            ),
            (&["node1.log", "node2.log"], &[None, None]),
        ];
        for (paths, ranks) in jobs {
            let members: Vec<_> = paths.iter().map(|path| member(path)).collect();
            assert!(members[0].0.is_some(), "{paths:?}");
            assert!(members.iter().all(|m| m.0 == members[0].0), "{members:?}");
            assert_eq!(members.iter().map(|m| m.1).collect::<Vec<_>>(), *ranks);
        }
    }

    #[test]
    fn other_files_stand_alone() {
        let alone = [
            "train.log",
            "slurm-1234.out",
            "slurm-1234_7.out",
            "run-2024-05-01.log",
            "train-20240501-3.log",
            "train.log.1",
            "v2/model.log",
            "frank3.log",
            "a/7/notes.txt",
        ];
        for path in alone {
            assert_eq!(member(path), (None, None), "{path}");
        }
    }

    #[test]
    fn a_job_is_called_what_its_files_have_in_common() {
        for (file, name) in [
            ("r/none_x/attempt_0/3/stderr.log", "r/none_x/attempt_0"),
            ("/var/log/train-1234-3.out", "/var/log/train-1234"),
            ("rank3.log", "."),
            ("logs/train.log", "logs/train.log"),
        ] {
            assert_eq!(job_name(file), name);
        }
    }

    #[test]
    fn two_attempts_are_two_jobs() {
        let [a, b] = [0, 1].map(|n| member(&format!("r/attempt_{n}/0/stderr.log")).0);
        assert_ne!(a, b);
    }

    #[test]
    fn numbers_are_sorted_by_value() {
        let mut names = ["r10", "r9", "r1", "a", "r9b", "r"];
        names.sort_by(|a, b| natural(a.as_bytes(), b.as_bytes()));
        assert_eq!(names, ["a", "r", "r1", "r9", "r9b", "r10"]);
    }
}
