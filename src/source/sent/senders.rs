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

/// Returns what is known of a call of this name.
pub(super) fn sender(name: &str) -> Option<(Option<Via>, Pickler, Args)> {
    use Pickler::{Cloud, Copy, Plain};
    let (base, method) = name.rsplit_once('.').unwrap_or(("", name));
    let found = match (base, method) {
        ("multiprocessing", "Process") => (
            Via::Process,
            Plain,
            Args::These(&[(1, "target"), (3, "args"), (4, "kwargs")]),
        ),
        ("multiprocessing.Process()", "start") => (Via::Process, Plain, Args::Receiver),
        ("multiprocessing" | "multiprocessing.spawn", "spawn" | "start_processes") => {
            (Via::Process, Plain, Args::These(&[(0, "fn"), (1, "args")]))
        }
        ("multiprocessing", "Pool") => (
            Via::Pool,
            Plain,
            Args::These(&[(1, "initializer"), (2, "initargs")]),
        ),
        ("concurrent.futures", "ProcessPoolExecutor") => (
            Via::Executor,
            Plain,
            Args::These(&[(2, "initializer"), (3, "initargs")]),
        ),
        ("concurrent.futures.ProcessPoolExecutor()", "submit") => (Via::Executor, Plain, Args::All),
        ("concurrent.futures.ProcessPoolExecutor()", "map")
        | ("tqdm.contrib.concurrent", "process_map") => (Via::Executor, Plain, Args::Mapped),
        (
            "multiprocessing.Pool()",
            "map" | "imap" | "imap_unordered" | "map_async" | "starmap" | "starmap_async"
            | "istarmap",
        ) => (Via::Pool, Plain, Args::Mapped),
        ("multiprocessing.Pool()", "apply" | "apply_async") => (
            Via::Pool,
            Plain,
            Args::These(&[(0, "func"), (1, "args"), (2, "kwds")]),
        ),
        ("torch.utils.data", "DataLoader") => (
            Via::DataLoader,
            Plain,
            Args::These(&[(0, "dataset"), (6, "collate_fn"), (10, "worker_init_fn")]),
        ),
        (base, "run_in_executor") if base.starts_with("asyncio") => {
            (Via::Executor, Plain, Args::Task)
        }
        ("joblib", "Parallel()") => (Via::Joblib, Cloud, Args::Delayed),
        ("ray", "put") => (Via::Ray, Cloud, Args::All),
        (
            "distributed.Client()" | "dask.distributed.Client()",
            "submit" | "map" | "scatter" | "gather",
        ) => (Via::Dask, Cloud, Args::All),
        ("pickle" | "cloudpickle" | "_pickle" | "joblib", "dump" | "dumps") => (
            Via::Dump,
            if base == "cloudpickle" { Cloud } else { Plain },
            Args::These(&[(0, "obj")]),
        ),
        ("pickle.Pickler()" | "cloudpickle.CloudPickler()", "dump") => {
            (Via::Dump, Plain, Args::These(&[(0, "obj")]))
        }
        ("torch", "save") => (Via::Dump, Plain, Args::These(&[(0, "obj")])),
        ("copy", "deepcopy" | "copy") => (Via::Deepcopy, Copy, Args::These(&[(0, "x")])),
        (base, "put" | "put_nowait") if is_queue(base) => {
            (Via::Queue, Plain, Args::These(&[(0, "obj")]))
        }
        ("multiprocessing.Pipe()", "send") => (Via::Queue, Plain, Args::These(&[(0, "obj")])),
        (base, _) if base.starts_with("multiprocessing.Manager().") => {
            (Via::Manager, Plain, Args::All)
        }
        ("ray.remote()" | "function" | "ray.remote", "remote") => (Via::Ray, Cloud, Args::All),
        ("dask", "compute") => (Via::Dask, Cloud, Args::All),
        (base, "compute" | "persist") if base.starts_with("dask.delayed") => {
            (Via::Dask, Cloud, Args::Receiver)
        }
        (base, "map" | "filter") if base.starts_with("datasets.") => {
            (Via::Datasets, Cloud, Args::These(&[(0, "function")]))
        }
        _ => return None,
    };
    Some((Some(found.0), found.1, found.2))
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
