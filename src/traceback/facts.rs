//! What a traceback says about its circumstances, read once.

use super::Traceback;

/// How an object was being sent when the failure struck, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StartMethod {
    /// A copy of the parent.
    Fork,
    /// A fresh interpreter.
    Spawn,
    /// A copy of a fresh server process.
    Forkserver,
}

/// The operating system that the paths and frames show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    pub fn read(_traceback: &Traceback, _raised: usize) -> Self {
        Self::default()
    }
}
