//! What a traceback says about its circumstances, read once.
//!
//! - [`frames`]: what its frames show, in one pass; [`sender`]: how an object was being sent;
//! - [`writer`]: which process wrote it; [`names`]: what facts and their values are called.

mod frames;
mod names;
mod sender;
mod writer;

use super::{Frame, Traceback};
use frames::Shown;
use sender::innermost;
use writer::{pid, rank, worker};

pub use names::{FACTS, Fact, FactKind, FactValue, Word};

/// How an object was being sent when the failure struck, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Via {
    /// torch's `DataLoader` and its workers.
    DataLoader,
    /// `multiprocessing.Pool`.
    Pool,
    /// `concurrent.futures.ProcessPoolExecutor`.
    Executor,
    /// joblib and loky.
    Joblib,
    /// Ray.
    Ray,
    /// Dask.
    Dask,
    /// `PySpark`.
    Spark,
    /// Hugging Face datasets.
    Datasets,
    /// `multiprocessing.Manager` and its proxies.
    Manager,
    /// `multiprocessing.Queue`, by its feeder thread.
    Queue,
    /// `multiprocessing.Process`, `torch.multiprocessing.spawn`.
    Process,
    /// A plain `pickle.dump`, `torch.save`.
    Dump,
    /// `copy.deepcopy`, `copy.copy`.
    Deepcopy,
}

/// How a child process was started; of two that a traceback shows, the greater one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StartMethod {
    /// A copy of the parent.
    Fork,
    /// A fresh interpreter.
    Spawn,
    /// A copy of a fresh server process.
    Forkserver,
}

/// The operating system that the paths and frames show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux.
    Linux,
    /// macOS.
    Macos,
    /// Windows.
    Windows,
}

/// What the text says about the circumstances; `None` where it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// How the object was being sent.
    pub via: Option<Via>,
    /// How processes are started.
    pub start_method: Option<StartMethod>,
    /// The operating system.
    pub platform: Option<Platform>,
    /// Python's version, major and minor.
    pub python: Option<(u8, u8)>,
    /// The rank that wrote it.
    pub rank: Option<u32>,
    /// The number of the DataLoader or pool worker.
    pub worker: Option<u32>,
    /// The process that wrote it.
    pub pid: Option<u32>,
    /// Whether code ran in a notebook (a kernel's cell).
    pub notebook: bool,
    /// Whether it is the failure of a process, not of a thread, a log call or a handler.
    pub ended_process: bool,
    /// The frame that the user can change.
    pub user_frame: Option<super::Frame>,
}

impl Facts {
    /// Reads the facts out of a traceback; `raised` is the exception that is diagnosed.
    pub fn read(traceback: &Traceback, raised: usize) -> Self {
        let own = traceback.exceptions.get(raised);
        let shown = Shown::by(traceback);
        Self {
            via: own.and_then(innermost).or(shown.via),
            start_method: shown.start_method,
            platform: shown.platform,
            python: shown.python,
            rank: rank(traceback),
            worker: worker(traceback),
            pid: pid(traceback),
            notebook: shown.notebook,
            ended_process: ended_process(traceback),
            user_frame: user_frame(traceback, raised).cloned(),
        }
    }
}

/// Whether the failure ended its process: not a thread's, not logged, not ignored, not the feeder's.
fn ended_process(traceback: &Traceback) -> bool {
    let feeder = traceback.exceptions.iter().all(|r| {
        r.frames.len() <= 3
            && r.frames
                .iter()
                .any(|f| f.function == "_feed" && f.path.ends("queues.py"))
    });
    if feeder && !traceback.exceptions.is_empty() {
        return false;
    }
    let Some(heading) = traceback.heading.as_deref() else {
        return true;
    };
    if heading.starts_with("Process ") || heading.starts_with("Exception in initializer") {
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
    !handled.iter().any(|h| heading.starts_with(h)) && !is_log_heading(heading)
}

/// A log record above the head: the program caught the exception and told of it.
fn is_log_heading(heading: &str) -> bool {
    // torch's launcher logs that a rank failed, and then fails itself.
    if heading.contains("torch.distributed.elastic")
        || heading.contains("torch/distributed/elastic")
    {
        return false;
    }
    [
        "ERROR",
        "WARNING",
        "CRITICAL",
        "EXCEPTION",
        "error",
        "caught",
    ]
    .iter()
    .any(|level| heading.contains(level))
}

/// Finds the frame that the user can change: in the diagnosed exception, else in the outer ones.
fn user_frame(traceback: &Traceback, raised: usize) -> Option<&Frame> {
    let mut order = vec![raised];
    // Those that hang on it, in turn.
    let mut at = 0;
    while at < order.len() {
        for (index, other) in traceback.exceptions.iter().enumerate() {
            if other.link.is_some_and(|(_, to)| to == order[at]) && !order.contains(&index) {
                order.push(index);
            }
        }
        if let Some((_, to)) = traceback.exceptions.get(order[at]).and_then(|r| r.link)
            && !order.contains(&to)
            && to < traceback.exceptions.len()
        {
            order.push(to);
        }
        at += 1;
    }
    order
        .iter()
        .filter_map(|&i| traceback.exceptions.get(i))
        .find_map(|r| r.frames.iter().rev().find(|f| f.path.is_users()))
        .or_else(|| {
            let threads = || traceback.threads.iter().map(|t| t.frames.as_slice());
            let innermost = |frames: &'_ [Frame]| frames.iter().rposition(|f| f.path.is_users());
            // Where a worker stands tells more than where the main process waits for it.
            let in_worker = |frames: &[Frame]| {
                let at = frames.iter().rposition(|f| f.function == "_worker_loop")?;
                innermost(frames).filter(|user| *user > at)
            };
            let of_worker = threads().find_map(|frames| Some(&frames[in_worker(frames)?]));
            of_worker.or_else(|| threads().find_map(|frames| Some(&frames[innermost(frames)?])))
        })
}
