//! How an object was being sent, by the files that its frames show.

use super::Via;
use crate::traceback::paths::{ends, folders, is_library};
use crate::traceback::{Frame, Raised, Traceback};

/// The operation that failed, where the last frame shows one that is no sending at all.
pub(super) fn innermost(raised: &Raised) -> Option<Via> {
    let last = raised.frames.last()?;
    if ends(&last.file, "copy.py") && is_library(&last.file) {
        return Some(Via::Deepcopy);
    }
    let saved = raised
        .frames
        .iter()
        .rposition(|f| ends(&f.file, "torch/serialization.py"));
    let sent = raised
        .frames
        .iter()
        .rposition(|f| ends(&f.file, "multiprocessing/reduction.py"));
    if saved.is_some() && saved > sent {
        return Some(Via::Dump);
    }
    let source = last.source.as_deref().unwrap_or_default();
    let dumps = ["pickle.dump", "dumps(", "torch.save", ".dump("]
        .iter()
        .any(|d| source.contains(d));
    (dumps && !is_library(&last.file)).then_some(Via::Dump)
}

/// The outermost way of sending that the frames show, in the order of [`Via`].
pub(super) fn via(traceback: &Traceback) -> Option<Via> {
    let frames = || traceback.frames();
    let has = |ends_with: &[&str]| frames().any(|f| ends_with.iter().any(|e| ends(&f.file, e)));
    let packages = Packages::of(frames());
    let text = |what: &str| {
        traceback
            .raised
            .iter()
            .any(|r| r.message.iter().any(|m| m.contains(what)))
    };
    if has(&[
        "torch/utils/data/dataloader.py",
        "torch/utils/data/_utils/worker.py",
        "torch/utils/data/_utils/fetch.py",
    ]) || text("in DataLoader worker process")
    {
        return Some(Via::DataLoader);
    }
    // datasets brings its own copy of multiprocessing (`multiprocess`); it says more than the pool.
    if has(&["datasets/arrow_dataset.py", "datasets/utils/py_utils.py"]) {
        return Some(Via::Datasets);
    }
    if packages.joblib {
        return Some(Via::Joblib);
    }
    if has(&[
        "multiprocessing/pool.py",
        "multiprocess/pool.py",
        "billiard/pool.py",
    ]) {
        return Some(Via::Pool);
    }
    if has(&["concurrent/futures/process.py"]) {
        return Some(Via::Executor);
    }
    if packages.ray {
        return Some(Via::Ray);
    }
    if packages.dask {
        return Some(Via::Dask);
    }
    if packages.pyspark {
        return Some(Via::Spark);
    }
    if has(&["multiprocessing/managers.py"]) {
        return Some(Via::Manager);
    }
    let feeder = frames().any(|f| {
        ends(&f.file, "multiprocessing/queues.py") && matches!(f.function.as_str(), "_feed" | "put")
    });
    if feeder {
        return Some(Via::Queue);
    }
    let starts = has(&[
        "multiprocessing/process.py",
        "multiprocessing/popen_spawn_posix.py",
        "multiprocessing/popen_spawn_win32.py",
        "multiprocessing/popen_forkserver.py",
        "multiprocessing/popen_fork.py",
        "multiprocessing/spawn.py",
        "multiprocessing/forkserver.py",
        "torch/multiprocessing/spawn.py",
    ]);
    if starts
        || traceback
            .heading
            .as_deref()
            .is_some_and(|h| h.starts_with("Process "))
    {
        return Some(Via::Process);
    }
    if frames()
        .any(|f| ends(&f.file, "copy.py") && matches!(f.function.as_str(), "deepcopy" | "copy"))
    {
        return Some(Via::Deepcopy);
    }
    let pickles = frames().any(|f| {
        let source = f.source.as_deref().unwrap_or_default();
        (ends(&f.file, "pickle.py") && is_library(&f.file) && !f.function.contains("load"))
            || source.contains("pickle.dump")
            || source.contains("torch.save")
    });
    pickles.then_some(Via::Dump)
}

/// The packages that bring ways of sending, as far as the folders of frames show them.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a package of its own"
)]
struct Packages {
    joblib: bool,
    ray: bool,
    dask: bool,
    pyspark: bool,
}

impl Packages {
    fn of<'f>(frames: impl Iterator<Item = &'f Frame>) -> Self {
        let mut found = Self::default();
        for frame in frames {
            let mut above = "";
            for folder in folders(&frame.file) {
                match folder {
                    "joblib" | "loky" => found.joblib = true,
                    "ray" => found.ray = true,
                    "dask" => found.dask = true,
                    // A name that the user's folders may have too.
                    "distributed" => found.dask |= above.ends_with("-packages"),
                    "pyspark" => found.pyspark = true,
                    _ => {}
                }
                above = folder;
            }
        }
        found
    }
}
