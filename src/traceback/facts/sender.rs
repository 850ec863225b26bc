//! How an object was being sent, by the files that frames show.

use memchr::memchr_iter;

use super::Via;
use crate::traceback::path::Owner;
use crate::traceback::{Exception, Frame, Traceback};

/// Each way of sending, outermost first, with the ends of paths, or the packages (`ray/`), that show
/// it, and the functions (none: any). Of several ways the first one counts.
const SENDERS: [(Via, &[&str], &[&str]); 13] = [
    (
        Via::DataLoader,
        &[
            "torch/utils/data/dataloader.py",
            "torch/utils/data/_utils/worker.py",
            "torch/utils/data/_utils/fetch.py",
        ],
        &[],
    ),
    // datasets brings its own copy of multiprocessing (`multiprocess`); it says more than the pool.
    (
        Via::Datasets,
        &["datasets/arrow_dataset.py", "datasets/utils/py_utils.py"],
        &[],
    ),
    (Via::Joblib, &["joblib/", "loky/"], &[]),
    (
        Via::Pool,
        &["multiprocessing/pool.py", "billiard/pool.py"],
        &[],
    ),
    (Via::Executor, &["concurrent/futures/process.py"], &[]),
    (Via::Ray, &["ray/"], &[]),
    (Via::Dask, &["dask/", "distributed/"], &[]),
    (Via::Spark, &["pyspark/"], &[]),
    (Via::Manager, &["multiprocessing/managers.py"], &[]),
    (
        Via::Queue,
        &["multiprocessing/queues.py"],
        &["_feed", "put"],
    ),
    (
        Via::Process,
        &[
            "multiprocessing/process.py",
            "multiprocessing/popen_spawn_posix.py",
            "multiprocessing/popen_spawn_win32.py",
            "multiprocessing/popen_forkserver.py",
            "multiprocessing/popen_fork.py",
            "multiprocessing/spawn.py",
            "multiprocessing/forkserver.py",
        ],
        &[],
    ),
    (Via::Deepcopy, &["copy.py"], &["deepcopy", "copy"]),
    // What pickles by itself is told by more than its place: see `dumps`.
    (Via::Dump, &[], &[]),
];

/// The outermost way of sending that was seen so far.
#[derive(Default)]
pub(super) struct Sender {
    row: Option<usize>,
    /// Whether a future was asked for its result: then a queue's thread is an executor's.
    has_future: bool,
    /// Whether the frame before was a pool's `get`, or the `next` of its `imap`.
    was_result: bool,
    /// Whether it is a `ThreadPool`, which sends nothing: the result raised out of the pool's own worker, or
    /// `multiprocessing.dummy`, whose processes are threads, has a frame.
    has_threads: bool,
}

impl Sender {
    /// Takes in what a frame shows.
    pub(super) fn frame(&mut self, frame: &Frame) {
        let is_library = frame.path.is_library();
        // What is sent, not what sends it: a pool says here that it cannot be.
        if is_library && frame.is_of("__reduce__") {
            return;
        }
        // A program's own folder may be called `datasets`; none of the other places is the user's.
        let shown = |(via, places, functions): &(Via, &[&str], &[&str])| {
            let may_be = is_library || *via == Via::Datasets;
            let is_function =
                || functions.is_empty() || functions.iter().any(|name| frame.is_of(name));
            may_be && places.iter().any(|place| is_at(frame, place)) && is_function()
                || *via == Via::Dump && dumps(frame)
        };
        let rest = &SENDERS[..self.row.unwrap_or(SENDERS.len())];
        self.row = rest.iter().position(shown).or(self.row);
        self.has_future |= is_library && frame.path.ends("concurrent/futures/_base.py");
        let is_pools =
            |name| frame.is_of(name) && is_library && is_at(frame, "multiprocessing/pool.py");
        let is_dummy = is_library && is_at(frame, "multiprocessing/dummy/__init__.py");
        self.has_threads |= self.was_result && is_pools("worker") || is_dummy;
        self.was_result = is_pools("get") || is_pools("next");
    }

    /// Takes in what the heading and the messages say.
    pub(super) fn texts(&mut self, traceback: &Traceback) {
        let mut messages = traceback.exceptions.iter().flat_map(|r| &r.message);
        let heading = traceback.heading.as_deref().unwrap_or_default();
        if messages.any(|m| m.contains("in DataLoader worker process")) {
            self.add(Via::DataLoader);
        }
        if heading.starts_with("Process ") {
            self.add(Via::Process);
        }
        // Where the frames of the outer exception are not shown (`pytest --tb=line`).
        match traceback.remote_type.as_deref() {
            Some("concurrent.futures.process._RemoteTraceback") => self.add(Via::Executor),
            Some("multiprocessing.pool.RemoteTraceback" | "multiprocess.pool.RemoteTraceback") => {
                self.add(Via::Pool);
                self.has_threads = false; // threads of a worker
            }
            _ => {}
        }
    }

    fn add(&mut self, via: Via) {
        let row = SENDERS.iter().position(|(of, ..)| *of == via);
        self.row = self.row.into_iter().chain(row).min();
    }

    pub(super) fn via(&self) -> Option<Via> {
        let via = self.row.map(|row| SENDERS[row].0);
        match via {
            Some(Via::Queue) if self.has_future => Some(Via::Executor),
            Some(Via::Pool) if self.has_threads => None,
            via => via,
        }
    }
}

/// Returns whether a frame stands at a place of the table.
fn is_at(frame: &Frame, place: &str) -> bool {
    if let Some(package) = place.strip_suffix('/') {
        return matches!(frame.path.owner(), Owner::Package(own) if own == package);
    }
    // The package `multiprocess` is a copy of Python's, file by file.
    let is_copy = |file| frame.path.ends(file) && frame.path.ends("multiprocess/");
    frame.path.ends(place) || place.strip_prefix("multiprocessing/").is_some_and(is_copy)
}

fn dumps(frame: &Frame) -> bool {
    let source = frame.source.as_deref().unwrap_or_default();
    frame.path.is_library() && frame.path.ends("pickle.py") && !frame.function.contains("load")
        || names_dump(source)
}

/// Returns whether a source line has `pickle.dump` or `torch.save` in it.
fn names_dump(source: &str) -> bool {
    memchr_iter(b'.', source.as_bytes()).any(|dot| {
        let (module, function) = (&source[..dot], &source[dot + 1..]);
        module.ends_with("pickle") && function.starts_with("dump")
            || module.ends_with("torch") && function.starts_with("save")
    })
}

/// Returns the operation that failed, where the last frame shows one that is no sending at all.
pub(super) fn innermost(exception: &Exception) -> Option<Via> {
    let last = exception.frames.last()?;
    if last.path.is_library() && last.path.ends("copy.py") {
        return Some(Via::Deepcopy);
    }
    let frames = &exception.frames;
    let is_dump = |f: &Frame| f.path.ends("joblib/numpy_pickle.py") && f.is_of("dump");
    let writes = |f: &Frame| f.path.ends("torch/serialization.py") || is_dump(f);
    if let Some(at) = frames.iter().rposition(writes) {
        // `joblib.dump` writes arrays on their way to workers, too.
        let sends = |f: &Frame| f.path.ends("joblib/_memmapping_reducer.py");
        let is_sent = is_dump(&frames[at]) && frames.iter().any(sends);
        let is_below = |f: &Frame| f.path.ends("multiprocessing/reduction.py");
        if !is_sent && !frames[at..].iter().any(is_below) {
            return Some(Via::Dump);
        }
    }
    let source = last.source.as_deref().unwrap_or_default();
    let dumps = || names_dump(source) || source.contains("dumps(") || source.contains(".dump(");
    (!last.path.is_library() && dumps()).then_some(Via::Dump)
}
