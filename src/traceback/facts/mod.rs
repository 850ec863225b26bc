//! What a traceback says about its circumstances, read once.
//!
//! - [`via`](mod@via): how an object was being sent; [`writer`]: which process wrote it.

mod via;
mod writer;

use super::paths::{ends, is_cell, is_users, python_of};
use super::{Frame, Traceback};
use via::{innermost, via};
use writer::{pid, rank, worker};

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

/// How a child process was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Via {
    /// Every value with the name that rules and JSON use.
    pub const NAMES: &'static [(&'static str, Via)] = &[
        ("dataloader", Via::DataLoader),
        ("pool", Via::Pool),
        ("executor", Via::Executor),
        ("joblib", Via::Joblib),
        ("ray", Via::Ray),
        ("dask", Via::Dask),
        ("spark", Via::Spark),
        ("datasets", Via::Datasets),
        ("manager", Via::Manager),
        ("queue", Via::Queue),
        ("process", Via::Process),
        ("dump", Via::Dump),
        ("deepcopy", Via::Deepcopy),
    ];
}

impl StartMethod {
    /// Every value with the name that rules and JSON use.
    pub const NAMES: &'static [(&'static str, StartMethod)] = &[
        ("fork", StartMethod::Fork),
        ("spawn", StartMethod::Spawn),
        ("forkserver", StartMethod::Forkserver),
    ];
}

impl Platform {
    /// Every value with the name that rules and JSON use.
    pub const NAMES: &'static [(&'static str, Platform)] = &[
        ("linux", Platform::Linux),
        ("macos", Platform::Macos),
        ("windows", Platform::Windows),
    ];
}

/// Gives the name of a value out of its table of names.
pub fn name_of<T: Copy + PartialEq>(table: &'static [(&'static str, T)], value: T) -> &'static str {
    table
        .iter()
        .find(|(_, v)| *v == value)
        .map_or("", |(n, _)| n)
}

impl Facts {
    /// Reads the facts out of a traceback; `raised` is the exception that is diagnosed.
    pub fn read(traceback: &Traceback, raised: usize) -> Self {
        let own = traceback.raised.get(raised);
        let platform = platform(traceback);
        let user_frame = user_frame(traceback, raised).cloned();
        Self {
            via: own.and_then(innermost).or_else(|| via(traceback)),
            start_method: start_method(traceback, platform),
            platform,
            python: traceback
                .frames()
                .find_map(|f| python_of(&f.file))
                .or_else(|| python_of_text(traceback)),
            rank: rank(traceback),
            worker: worker(traceback),
            pid: pid(traceback),
            notebook: traceback.frames().any(|f| is_cell(&f.file)),
            ended_process: ended_process(traceback),
            user_frame,
        }
    }
}

fn start_method(traceback: &Traceback, platform: Option<Platform>) -> Option<StartMethod> {
    let frames = || traceback.raised.iter().flat_map(|r| &r.frames);
    let has = |name: &str| frames().any(|f| ends(&f.file, name));
    let heading = traceback.heading.as_deref().unwrap_or_default();
    let says = |what: &str| heading.contains(what);
    if has("popen_forkserver.py") || has("multiprocessing/forkserver.py") || says("ForkServer") {
        return Some(StartMethod::Forkserver);
    }
    let spawns = has("popen_spawn_posix.py")
        || has("popen_spawn_win32.py")
        || has("multiprocessing/spawn.py")
        || says("Process Spawn")
        || platform == Some(Platform::Windows);
    if spawns {
        // torch's warning names the method of the program where the frames are those of spawn's parent.
        return Some(StartMethod::Spawn);
    }
    (has("popen_fork.py") || says("Process Fork")).then_some(StartMethod::Fork)
}

fn platform(traceback: &Traceback) -> Option<Platform> {
    let mut found = None;
    for frame in traceback.frames() {
        let file = frame.file.as_str();
        let bytes = file.as_bytes();
        let drive = bytes.len() > 2
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && matches!(bytes[2], b'\\' | b'/');
        if drive || file.starts_with("~\\") || ends(file, "popen_spawn_win32.py") {
            return Some(Platform::Windows);
        }
        if is_macos(file) {
            return Some(Platform::Macos);
        }
        if [
            "/home/",
            "/usr/lib/",
            "/usr/local/lib",
            "/opt/conda",
            "/root/",
            "/mnt/",
            "/content/",
            "/kaggle/",
            "/databricks/",
        ]
        .iter()
        .any(|p| file.starts_with(p))
        {
            found = Some(Platform::Linux);
        }
    }
    let winerror = traceback.raised.iter().any(|r| {
        r.message
            .first()
            .is_some_and(|m| m.starts_with("[WinError"))
    });
    if winerror {
        Some(Platform::Windows)
    } else {
        found
    }
}

/// Whether a path has `/Users/`, `/Applications/`, `/opt/homebrew/` or `/Library/Frameworks/` in it.
fn is_macos(file: &str) -> bool {
    let Some((folders, _)) = file.rsplit_once('/') else {
        return false;
    };
    let mut above = "";
    folders.split('/').skip(1).any(|folder| {
        let is = match folder {
            "Users" | "Applications" => true,
            "homebrew" => above == "opt",
            "Frameworks" => above == "Library",
            _ => false,
        };
        above = folder;
        is
    })
}

/// The notes of 3.14 tell the least version, where no path does.
fn python_of_text(traceback: &Traceback) -> Option<(u8, u8)> {
    traceback
        .raised
        .iter()
        .any(|r| r.notes.iter().any(|n| n.starts_with("when serializing ")))
        .then_some((3, 14))
}

/// Whether the failure ended its process: not a thread's, not logged, not ignored, not the feeder's.
fn ended_process(traceback: &Traceback) -> bool {
    let feeder = traceback.raised.iter().all(|r| {
        r.frames.len() <= 3
            && r.frames
                .iter()
                .any(|f| f.function == "_feed" && ends(&f.file, "queues.py"))
    });
    if feeder && !traceback.raised.is_empty() {
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
        for (index, other) in traceback.raised.iter().enumerate() {
            if other.link.is_some_and(|(_, to)| to == order[at]) && !order.contains(&index) {
                order.push(index);
            }
        }
        if let Some((_, to)) = traceback.raised.get(order[at]).and_then(|r| r.link)
            && !order.contains(&to)
            && to < traceback.raised.len()
        {
            order.push(to);
        }
        at += 1;
    }
    order
        .iter()
        .filter_map(|&i| traceback.raised.get(i))
        .find_map(|r| r.frames.iter().rev().find(|f| is_users(f)))
        .or_else(|| {
            let threads = || traceback.threads.iter().map(|t| t.frames.as_slice());
            let innermost = |frames: &'_ [Frame]| frames.iter().rposition(is_users);
            // Where a worker stands tells more than where the main process waits for it.
            let in_worker = |frames: &[Frame]| {
                let at = frames.iter().rposition(|f| f.function == "_worker_loop")?;
                innermost(frames).filter(|user| *user > at)
            };
            let of_worker = threads().find_map(|frames| Some(&frames[in_worker(frames)?]));
            of_worker.or_else(|| threads().find_map(|frames| Some(&frames[innermost(frames)?])))
        })
}
