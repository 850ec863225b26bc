//! Who wrote a traceback: rank, worker, process; how that process was started.

use super::StartMethod;
use crate::line::find;
use crate::traceback::{Dialect, Frame, Traceback};

/// Returns how the writer was started, by the name that multiprocessing gave it: in the heading
/// (`Process SpawnPoolWorker-1:`, a log record with the process's name) or in the prefix.
pub(super) fn started_by(traceback: &Traceback) -> Option<StartMethod> {
    let texts = [&traceback.heading, &traceback.prefix];
    texts.into_iter().flatten().find_map(|t| method_in(t))
}

/// `SpawnProcess-1`, `ForkPoolWorker-3`, `ForkServerProcess-2:1`: the method in a process's name.
fn method_in(text: &str) -> Option<StartMethod> {
    let names = [
        ("ForkServer", StartMethod::Forkserver),
        ("Spawn", StartMethod::Spawn),
        ("Fork", StartMethod::Fork),
    ];
    names.into_iter().find_map(|(name, method)| {
        let numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        let mut behind = text
            .match_indices(name)
            .map(|(at, _)| &text[at + name.len()..]);
        behind
            .any(|rest| {
                let kind = rest.strip_prefix("Process-");
                kind.or_else(|| rest.strip_prefix("PoolWorker-"))
                    .is_some_and(numbered)
            })
            .then_some(method)
    })
}

pub(super) fn rank(traceback: &Traceback) -> Option<u32> {
    let Some(prefix) = traceback.prefix.as_deref() else {
        return own_rank(traceback);
    };
    for mark in [
        "mpirank:", "rank=", "rank", "Rank ", "default", "[1,", "RANK=",
    ] {
        if let Some(found) = number_after(prefix, mark) {
            return Some(found);
        }
    }
    // horovodrun: `[1]<stderr>:`; Open MPI 5: `[prterun-h-1@1,1]<stderr>: `.
    if let Some((before, _)) = prefix.split_once("]<std") {
        let digits = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        return before[digits..].parse().ok();
    }
    // srun -l: `3: `.
    let number = prefix.trim().strip_suffix(':')?;
    leading_number(number).filter(|_| number.bytes().all(|b| b.is_ascii_digit()))
}

/// The rank that a line of torch's own names as its writer: `[rank1]:[E327 …] [Rank 1] Watchdog …`,
/// `[PG ID 0 PG GUID 0(default_pg) Rank 1] …`.
fn own_rank(traceback: &Traceback) -> Option<u32> {
    if traceback.dialect != Dialect::LogLine {
        return None;
    }
    let text = traceback.first_lines().next()?;
    ["[rank", "[Rank ", ") Rank "].into_iter().find_map(|mark| {
        let behind = &text[find(text, mark)? + mark.len()..];
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let is_whole = behind[digits..].starts_with(']');
        is_whole.then(|| leading_number(behind)).flatten()
    })
}

pub(super) fn worker(traceback: &Traceback) -> Option<u32> {
    let mut first_lines = traceback.first_lines();
    let of_loader = first_lines.find_map(|m| number_after(m, "in DataLoader worker process "));
    let mut lines = traceback.exceptions.iter().flat_map(|r| &r.message);
    let of_spawn = || lines.find_map(|m| leading_number(m.strip_prefix("-- Process ")?));
    let of_pool = || number_after(traceback.heading.as_deref()?, "PoolWorker-");
    of_loader.or_else(of_spawn).or_else(of_pool)
}

pub(super) fn pid(traceback: &Traceback) -> Option<u32> {
    let mut texts = traceback.prefix.iter().chain(&traceback.heading);
    texts
        .find_map(|t| number_after(t, "pid="))
        .or_else(|| {
            traceback.first_lines().find_map(|m| {
                number_after(m, "(pid ")
                    .or_else(|| number_after(m, "(pid(s) "))
                    .or_else(|| number_after(m, "(pid="))
            })
        })
        .or_else(|| traceback.threads.iter().find_map(|t| t.pid))
}

/// Returns whether the failure ended its process: not a thread's, not logged, not ignored, not the
/// feeder's.
pub(super) fn ended_process(traceback: &Traceback) -> bool {
    let is_feeder = |f: &Frame| f.is_of("_feed") && f.path.ends("queues.py");
    let mut exceptions = traceback.exceptions.iter();
    let of_feeder = exceptions.all(|r| r.frames.len() <= 3 && r.frames.iter().any(is_feeder));
    if of_feeder && !traceback.exceptions.is_empty() {
        return false;
    }
    let Some(heading) = traceback.heading.as_deref() else {
        return true;
    };
    // gunicorn logs what ends a worker, and the worker exits.
    // Source: `Arbiter.spawn_worker` in `gunicorn/arbiter.py`.
    let ends = ["Process ", "Exception in initializer"];
    if ends.iter().any(|start| heading.starts_with(start))
        || heading.contains("Exception in worker process")
    {
        return true;
    }
    let handled = [
        "Exception in thread ",
        "Exception ignored ",
        "--- Logging error",
        "Task exception was never",
        "Future exception was never",
        "Exception in callback",
        "Error in atexit",
    ];
    // torch's launcher logs that a rank failed, and then fails itself.
    let is_launchers = heading.contains("torch.distributed.elastic")
        || heading.contains("torch/distributed/elastic");
    !handled.iter().any(|h| heading.starts_with(h)) && (is_launchers || !is_log_heading(heading))
}

/// Returns whether a heading is a log record: the program caught the exception and told of it.
fn is_log_heading(heading: &str) -> bool {
    const WORDS: [&str; 6] = [
        "ERROR",
        "WARNING",
        "CRITICAL",
        "EXCEPTION",
        "error",
        "caught",
    ];
    WORDS.iter().any(|word| heading.contains(word))
}

fn number_after(text: &str, mark: &str) -> Option<u32> {
    let at = find(text, mark)?;
    leading_number(&text[at + mark.len()..])
}

fn leading_number(text: &str) -> Option<u32> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traceback::Exception;

    #[test]
    fn names_of_processes_tell_how_they_were_started() {
        for (text, method) in [
            ("Process SpawnPoolWorker-1:", Some(StartMethod::Spawn)),
            ("Process ForkProcess-2:", Some(StartMethod::Fork)),
            (
                "Process ForkServerProcess-2:1:",
                Some(StartMethod::Forkserver),
            ),
            (
                "[ERROR/ForkPoolWorker-3] step failed",
                Some(StartMethod::Fork),
            ),
            ("Process Spawner:", None),
            ("Process worker-1:", None),
        ] {
            assert_eq!(method_in(text), method, "{text}");
        }
    }

    #[test]
    fn ranks_are_read_from_prefixes() {
        for (prefix, expected) in [
            ("[rank3]: ", Some(3)),
            ("[default1]:[rank1]: ", Some(1)),
            ("[1,5]<stderr>:", Some(5)),
            ("[1,mpirank:0,algo-1]<stderr>:", Some(0)),
            ("[2]<stderr>:", Some(2)),
            ("[prterun-h-1@1,3]<stderr>: ", Some(3)),
            ("7: ", Some(7)),
            ("[2024-05-14T09:12:33Z] 6ed813d5 [rank=1] || ", Some(1)),
            ("12:30:01 ", None),
        ] {
            let traceback = Traceback {
                prefix: Some(prefix.to_owned()),
                ..Traceback::default()
            };
            assert_eq!(rank(&traceback), expected, "{prefix}");
        }
    }

    #[test]
    fn a_line_of_torch_names_the_rank_that_wrote_it() {
        for (line, expected) in [
            (
                "09:12:33.9  gpu-7 [rank1]:[E327 09:12:33.9 ProcessGroupNCCL.cpp:629] x",
                Some(1),
            ),
            (
                "[E ProcessGroupNCCL.cpp:525] [Rank 62] Watchdog caught x",
                Some(62),
            ),
            ("[PG ID 0 PG GUID 0(default_pg) Rank 3] Timeout", Some(3)),
            ("waits for [Rank 3, Rank 4]", None),
            ("Rank 3 failed", None),
        ] {
            let message = vec![line.to_owned()];
            let exception = Exception {
                message,
                ..Exception::default()
            };
            let traceback = Traceback {
                dialect: Dialect::LogLine,
                exceptions: vec![exception],
                ..Traceback::default()
            };
            assert_eq!(rank(&traceback), expected, "{line}");
        }
    }
}
