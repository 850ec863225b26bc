//! Which calls send something, and which of their arguments.

use crate::traceback::facts::Via;

use super::Pickler;

/// Which arguments of a call travel.
pub(super) enum Args {
    /// These, by position and name.
    These(&'static [(usize, &'static str)]),
    /// All.
    All,
    /// All but the first, which is the executor.
    Task,
    /// The first as it is, and what is in the others.
    Mapped,
    /// What the call was made on.
    Receiver,
    /// `delayed(f)(x)`, out of the first argument.
    Delayed,
}

/// Returns whether a decorator makes a task that is called by `.remote(…)`.
pub(in crate::source) fn is_remote(name: &str) -> bool {
    matches!(name, "ray.remote" | "dask.delayed" | "dask.delayed.delayed")
}

/// What a call sends: by which way, how it is pickled, and which arguments.
type Known = (Via, Pickler, Args);

/// Returns what is known of a call of this name.
pub(super) fn sender(name: &str) -> Option<Known> {
    let (base, method) = name.rsplit_once('.').unwrap_or(("", name));
    of_processes(base, method)
        .or_else(|| of_executors(base, method))
        .or_else(|| of_libraries(base, method))
        .or_else(|| of_copies(base, method))
}

/// Returns what is known of a call of `multiprocessing`, or of PyTorch's.
fn of_processes(base: &str, method: &str) -> Option<Known> {
    let (via, args) = match (base, method) {
        ("multiprocessing", "Process") => (
            Via::Process,
            Args::These(&[(1, "target"), (3, "args"), (4, "kwargs")]),
        ),
        ("multiprocessing.Process()", "start") => (Via::Process, Args::Receiver),
        ("multiprocessing" | "multiprocessing.spawn", "spawn" | "start_processes") => {
            (Via::Process, Args::These(&[(0, "fn"), (1, "args")]))
        }
        ("multiprocessing", "Pool") => (
            Via::Pool,
            Args::These(&[(1, "initializer"), (2, "initargs")]),
        ),
        (
            "multiprocessing.Pool()",
            "map" | "imap" | "imap_unordered" | "map_async" | "starmap" | "starmap_async"
            | "istarmap",
        ) => (Via::Pool, Args::Mapped),
        ("multiprocessing.Pool()", "apply" | "apply_async") => (
            Via::Pool,
            Args::These(&[(0, "func"), (1, "args"), (2, "kwds")]),
        ),
        ("torch.utils.data", "DataLoader") => (
            Via::DataLoader,
            Args::These(&[(0, "dataset"), (6, "collate_fn"), (10, "worker_init_fn")]),
        ),
        (base, "put" | "put_nowait") if is_queue(base) => (Via::Queue, Args::These(&[(0, "obj")])),
        ("multiprocessing.Pipe()", "send") => (Via::Queue, Args::These(&[(0, "obj")])),
        (base, _) if base.starts_with("multiprocessing.Manager().") => (Via::Manager, Args::All),
        _ => return None,
    };
    Some((via, Pickler::Plain, args))
}

/// Returns what is known of a call of an executor of processes.
fn of_executors(base: &str, method: &str) -> Option<Known> {
    let args = match (base, method) {
        ("concurrent.futures", "ProcessPoolExecutor") => {
            Args::These(&[(2, "initializer"), (3, "initargs")])
        }
        ("concurrent.futures.ProcessPoolExecutor()", "submit") => Args::All,
        ("concurrent.futures.ProcessPoolExecutor()", "map")
        | ("tqdm.contrib.concurrent", "process_map") => Args::Mapped,
        (base, "run_in_executor") if base.starts_with("asyncio") => Args::Task,
        _ => return None,
    };
    Some((Via::Executor, Pickler::Plain, args))
}

/// Returns what is known of a call of a library that sends by cloudpickle or the like.
fn of_libraries(base: &str, method: &str) -> Option<Known> {
    let (via, args) = match (base, method) {
        ("joblib", "Parallel()") => (Via::Joblib, Args::Delayed),
        ("ray", "put") | ("ray.remote()" | "function" | "ray.remote", "remote") => {
            (Via::Ray, Args::All)
        }
        (
            "distributed.Client()" | "dask.distributed.Client()",
            "submit" | "map" | "scatter" | "gather",
        )
        | ("dask", "compute") => (Via::Dask, Args::All),
        (base, "compute" | "persist") if base.starts_with("dask.delayed") => {
            (Via::Dask, Args::Receiver)
        }
        (base, "map" | "filter") if base.starts_with("datasets.") => {
            (Via::Datasets, Args::These(&[(0, "function")]))
        }
        _ => return None,
    };
    Some((via, Pickler::Cloud, args))
}

/// Returns what is known of a call that makes bytes or a copy, and sends nothing.
fn of_copies(base: &str, method: &str) -> Option<Known> {
    let dump = Args::These(&[(0, "obj")]);
    let found = match (base, method) {
        ("cloudpickle", "dump" | "dumps") => (Via::Dump, Pickler::Cloud, dump),
        ("pickle" | "_pickle" | "joblib", "dump" | "dumps")
        | ("pickle.Pickler()" | "cloudpickle.CloudPickler()", "dump")
        | ("torch", "save") => (Via::Dump, Pickler::Plain, dump),
        ("copy", "deepcopy" | "copy") => (Via::Deepcopy, Pickler::Copy, Args::These(&[(0, "x")])),
        _ => return None,
    };
    Some(found)
}

fn is_queue(base: &str) -> bool {
    let base = base.strip_prefix("multiprocessing.").unwrap_or("");
    matches!(
        base,
        "Queue()"
            | "JoinableQueue()"
            | "SimpleQueue()"
            | "Manager().Queue()"
            | "Manager().JoinableQueue()"
    )
}

/// Returns what a method is taken for where nothing is known of what it is called on.
pub(super) fn by_method(via: Option<Via>, method: &str) -> Option<String> {
    let base = match (via?, method) {
        (
            Via::Pool,
            "map" | "imap" | "imap_unordered" | "map_async" | "starmap" | "starmap_async" | "apply"
            | "apply_async",
        ) => "multiprocessing.Pool()",
        (Via::Executor, "submit" | "map") => "concurrent.futures.ProcessPoolExecutor()",
        (Via::Queue, "put" | "put_nowait") => "multiprocessing.Queue()",
        (Via::Queue | Via::Process, "send") => "multiprocessing.Pipe()",
        (Via::Process, "start") => "multiprocessing.Process()",
        (Via::Pool, "Pool") => "multiprocessing",
        (Via::Executor, "run_in_executor") => "asyncio",
        (Via::Ray, "remote") => "ray.remote()",
        (Via::Dask, "submit" | "map" | "scatter") => "distributed.Client()",
        (Via::Dump, "save") => "torch",
        (Via::Dump, "dump" | "dumps") => "pickle",
        _ => return None,
    };
    Some(format!("{base}.{method}"))
}
