use std::collections::HashSet;
use std::thread;

use super::*;

/// Pieces of messages as people paste them, with the rule that is meant.
const PASTED: &[(&str, &str)] = &[
    (
        "Cannot re-initialize CUDA in forked subprocess",
        "cuda-fork",
    ),
    ("BrokenProcessPool", "broken-process-pool"),
    (
        "A process in the process pool was terminated abruptly",
        "broken-process-pool",
    ),
    ("Can't pickle local object", "unpicklable-local-object"),
    (
        "An attempt has been made to start a new process before the current process has finished its bootstrapping phase.",
        "missing-main-guard",
    ),
    ("Too many open files", "too-many-open-files"),
    ("unable to allocate shared memory", "worker-shared-memory"),
    (
        "stack expects each tensor to be equal size",
        "collate-size-mismatch",
    ),
    ("CUDA out of memory", "cuda-out-of-memory"),
    (
        "Expected to have finished reduction in the prior iteration",
        "ddp-unused-parameters",
    ),
    (
        "environment variable RANK expected, but not set",
        "launcher-missing",
    ),
    (
        "Default process group has not been initialized",
        "ranks-not-initialized",
    ),
    (
        "Watchdog caught collective operation timeout",
        "ranks-collective-timeout",
    ),
    ("NCCL error", "ranks-nccl-error"),
    (
        "Cowardly refusing to serialize non-leaf tensor",
        "pickle-non-leaf-tensor",
    ),
    ("KilledWorker", "dask-killed-worker"),
    ("MaybeEncodingError", "pool-result-encoding"),
    ("leaked semaphore objects", "leaked-semaphores"),
    (
        "it\u{2019}s not the same object as __main__.download",
        "pickle-not-same-object",
    ),
    ("DataLoader worker exited unexpectedly", "worker-exited"),
    (
        "Can't get attribute 'clean' on <module '__main__'",
        "unpickle-missing-attribute",
    ),
    ("exitcode : -9 (pid: 4242)", "ranks-child-signal"),
    (
        "huggingface/tokenizers: The current process just got forked",
        "tokenizers-fork",
    ),
    ("freeze_support", "missing-main-guard"),
    ("lock", "unpicklable-lock"),
    ("cannot pickle '_thread.RLock' object", "unpicklable-lock"),
    ("can't pickle _thread.lock objects", "unpicklable-lock"),
    (
        "PicklingError: Can't pickle <function <lambda> at 0x7f1c2a>: attribute lookup <lambda> on __main__ failed",
        "unpicklable-lambda",
    ),
    ("cannot pickle 'generator' object", "unpicklable-generator"),
    ("sqlite3.Connection pickle", "unpicklable-database"),
    ("cannot pickle 'module' object", "unpicklable-module"),
    ("cannot pickle 'dict_keys' object", "unpicklable-view"),
    (
        "cannot pickle 'weakref.ReferenceType' object",
        "unpicklable-weakref",
    ),
    (
        "cannot pickle '_io.TextIOWrapper' object",
        "unpicklable-file",
    ),
    ("cannot pickle 'socket' object", "unpicklable-socket"),
    (
        "daemonic processes are not allowed to have children",
        "daemonic-children",
    ),
    ("context has already been set", "start-method-already-set"),
    (
        "maximum recursion depth exceeded while pickling an object",
        "pickle-recursion",
    ),
    ("EOFError: Ran out of input", "unpickle-ran-out-of-input"),
    (
        "DataLoader worker (pid(s) 1234) exited unexpectedly",
        "worker-exited",
    ),
    (
        "Caught KeyError in DataLoader worker process 0.",
        "dataloader-worker-exception",
    ),
    (
        "Synchronized objects should only be shared between processes through inheritance",
        "unpicklable-mp-primitive",
    ),
    ("Pool not running", "pool-not-running"),
    ("Weights only load failed", "torch-weights-only"),
    (
        "__init__() missing 1 required positional argument",
        "pickle-exception-args",
    ),
    (
        "A task has failed to un-serialize",
        "joblib-task-unserialize",
    ),
    ("WorkerLostError", "celery-worker-lost"),
    ("cannot find context for 'fork'", "start-method-unavailable"),
    (
        "can only join a child process",
        "process-handle-wrong-parent",
    ),
    ("Could not serialize object", "spark-unserializable"),
    ("gloo connection closed by peer", "ranks-child-failed"),
    ("address already in use port 29500", "ranks-address-in-use"),
];

/// What people type who are stuck, with the rules that may be meant.
const TYPED: &[(&str, &str)] = &[
    ("freeze_support", "missing-main-guard"),
    ("process stuck in join", "join-before-get"),
    (
        "resource tracker warning",
        "leaked-semaphores resource-tracker-died shared-memory-removed-twice",
    ),
    ("dataloader hangs", "worker-hang"),
    ("cuda fork", "cuda-fork"),
    ("too many open files", "too-many-open-files"),
    ("killed", "program-killed worker-killed run-killed"),
    ("nccl timeout", "ranks-collective-timeout"),
    ("broken pipe", "spawn-broken-pipe peer-process-gone"),
    ("address already in use", "ranks-address-in-use"),
    ("lock cannot be pickled", "unpicklable-lock"),
    ("lambda cannot be pickled", "unpicklable-lambda"),
    ("can't pickle lambda", "unpicklable-lambda"),
    ("can't pickle generator", "unpicklable-generator"),
    ("file handle cannot be pickled", "unpicklable-file"),
    (
        "logger cannot be pickled",
        "unpicklable-lock unpicklable-object",
    ),
    (
        "sqlite connection cannot be pickled",
        "unpicklable-database",
    ),
    ("module cannot be pickled", "unpicklable-module"),
    ("local function pickle", "unpicklable-local-object"),
    (
        "nested function multiprocessing",
        "unpicklable-local-object",
    ),
    ("socket cannot be pickled", "unpicklable-socket"),
    ("h5py objects cannot be pickled", "unpicklable-h5py"),
    ("weakref pickle", "unpicklable-weakref"),
    ("dict_keys pickle", "unpicklable-view"),
    ("asyncio event loop pickle", "unpicklable-event-loop"),
    ("tensor requires grad pickle", "pickle-non-leaf-tensor"),
    ("deepcopy model requires_grad", "deepcopy-non-leaf-tensor"),
    ("pool hangs", "pool-waits-for-result queue-get-waits"),
    ("pool hangs forever", "pool-waits-for-result"),
    ("queue get hangs", "queue-get-waits"),
    (
        "multiprocessing deadlock",
        "fork-with-threads join-before-get",
    ),
    ("fork threads deadlock", "fork-with-threads"),
    ("stuck at end of program", "join-before-get run-stalled"),
    ("dataloader worker killed", "worker-killed"),
    ("dataloader shared memory docker", "worker-shared-memory"),
    (
        "bus error",
        "worker-shared-memory program-bus-error run-bus-error",
    ),
    ("/dev/shm full", "worker-shared-memory"),
    ("out of memory gpu", "cuda-out-of-memory"),
    (
        "oom killed",
        "run-out-of-memory program-killed container-out-of-memory loader-out-of-memory",
    ),
    ("exit code 137", "container-out-of-memory"),
    (
        "exit code -9",
        "worker-killed ranks-child-signal program-killed",
    ),
    ("segfault in worker", "worker-segfault worker-crashed"),
    (
        "segmentation fault",
        "program-crashed worker-segfault run-crashed",
    ),
    ("port 29500 in use", "ranks-address-in-use"),
    ("init_process_group hangs", "ranks-rendezvous"),
    ("ranks do not connect", "ranks-rendezvous"),
    ("missing MASTER_ADDR", "launcher-missing"),
    ("unused parameters ddp", "ddp-unused-parameters"),
    ("allreduce timeout", "ranks-collective-timeout"),
    ("ddp hangs", "ranks-collective-timeout"),
    ("windows if __name__ == '__main__'", "missing-main-guard"),
    (
        "jupyter notebook multiprocessing function not found",
        "unpickle-missing-attribute",
    ),
    ("can't get attribute __main__", "unpickle-missing-attribute"),
    ("daemonic processes", "daemonic-children"),
    ("set_start_method called twice", "start-method-already-set"),
    ("broken process pool", "broken-process-pool"),
    ("recursion depth pickle", "pickle-recursion"),
    ("pickle file is empty", "unpickle-ran-out-of-input"),
    ("batch different sizes", "collate-size-mismatch"),
    ("device-side assert", "cuda-device-assert"),
    ("label out of range cuda", "cuda-device-assert"),
    ("no cuda gpus are available", "cuda-driver"),
    ("database is locked", "sqlite-locked"),
    ("leaked shared memory", "leaked-semaphores"),
    ("torch.load weights_only", "torch-weights-only"),
    ("state_dict missing keys module.", "state-dict-prefix"),
    ("tokenizers parallelism warning", "tokenizers-fork"),
    ("omp error libiomp5", "openmp-twice"),
    ("can't start new thread", "thread-limit"),
    ("joblib memory worker died", "joblib-worker-terminated"),
    ("ray out of memory", "ray-worker-died"),
    ("dask worker restarted memory", "dask-worker-memory"),
    ("celery worker lost", "celery-worker-lost"),
    ("gunicorn worker timeout", "gunicorn-worker-timeout"),
    ("paging file too small", "windows-paging-file"),
    (
        "custom exception init missing argument",
        "pickle-exception-args",
    ),
    ("NoneType dataloader batch", "sample-is-none"),
    ("tqdm pickle", "unpicklable-file"),
    ("tensorflow fork", "cuda-fork"),
    ("thread lock pickle", "unpicklable-lock"),
    ("cpu tensor backend nccl", "collective-wrong-device"),
    (
        "worker process crashed silently",
        "broken-process-pool worker-crashed worker-segfault",
    ),
    ("queue pickling lambda", "unpicklable-lambda"),
    ("pandas dataframe too large to send", "pickle-too-large"),
    ("NCCL unhandled system error", "ranks-nccl-error"),
    ("gpu not found in docker", "cuda-driver"),
    ("number of gpus mismatch torchrun", "launcher-gpu-count"),
    ("model on wrong device dataparallel", "data-parallel-device"),
    ("semaphore leak warning at shutdown", "leaked-semaphores"),
    ("resource_tracker: There appear to be", "leaked-semaphores"),
    (
        "spawn context queue shared between processes inheritance",
        "unpicklable-mp-primitive",
    ),
    ("mutex deadlock after fork", "fork-with-threads"),
    ("dataloader num_workers too many", "loader-many-workers"),
    ("worker timed out dataloader", "worker-timeout"),
    ("collate_fn none type", "sample-is-none"),
    ("hdf5 multiple workers corrupted data", "hdf5-shared-handle"),
    ("cuda initialization error in subprocess", "cuda-fork"),
    (
        "version of cuda does not match",
        "nvcc-other-cuda extension-other-torch torchvision-other-torch cuda-library-mixed",
    ),
    ("sqlalchemy engine fork", "database-connection-shared"),
    ("memory limit slurm killed", "job-out-of-memory"),
    (
        "function defined in notebook can't be pickled",
        "unpickle-missing-attribute",
    ),
    ("ModuleNotFoundError unpickle", "unpickle-missing-module"),
    (
        "cannot unpickle old model class moved",
        "unpickle-missing-attribute",
    ),
    ("pool closed", "pool-not-running"),
    ("ran out of shared memory", "worker-shared-memory"),
    ("ddp find_unused_parameters", "ddp-unused-parameters"),
    ("ray serialize lock", "ray-unserializable"),
    ("spark python version different", "spark-python-mismatch"),
    (
        "gradient scaler deepcopy non leaf",
        "deepcopy-non-leaf-tensor",
    ),
    ("barrier hangs", "ranks-collective-timeout"),
    ("port already used", "ranks-address-in-use"),
    (
        "pyinstaller multiprocessing opens many windows",
        "frozen-without-freeze-support",
    ),
    ("matplotlib fork crash", "tk-in-worker"),
    ("macos objc initialize fork", "fork-macos-objc"),
    ("permission denied semlock", "no-semaphores"),
];

/// How many of `TYPED` lead to their rule at once, at least.
const FIRST: usize = 95;

/// Returns the ids of the rules that a text leads to, the best first.
fn ids_of(corpus: &Corpus, what: &str) -> Vec<String> {
    ids_in(answer(corpus, what))
}

fn ids_in(answer: Answer) -> Vec<String> {
    match answer {
        Answer::Failures(found) => {
            let ids = found.iter().map(|failure| failure.id().expect("a rule's"));
            ids.map(str::to_owned).collect()
        }
        Answer::Hits(hits) => hits.into_iter().map(|hit| hit.id).collect(),
    }
}

#[test]
fn a_piece_of_a_message_finds_its_rule_among_the_first_three() {
    assert_eq!(PASTED.len(), 52);
    let corpus = Corpus::built_in();
    let mut missed = Vec::new();
    for (query, id) in PASTED {
        let mut found = ids_of(&corpus, query);
        found.truncate(MAX_HITS);
        if !found.iter().any(|found| found == id) {
            missed.push(format!("{query}: {found:?}, not {id}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_people_type_finds_its_rule_among_the_first_three() {
    let corpus = Corpus::built_in();
    let (mut first, mut missed) = (0, Vec::new());
    for (query, meant) in TYPED {
        let mut found = ids_of(&corpus, query);
        found.truncate(MAX_HITS);
        let is_meant = |id: &String| meant.split(' ').any(|meant| meant == id);
        first += usize::from(found.first().is_some_and(is_meant));
        if !found.iter().any(is_meant) {
            missed.push(format!("{query}: {found:?}, not {meant}"));
        }
    }
    assert!(missed.is_empty(), "{first} first\n{}", missed.join("\n"));
    assert!(first >= FIRST, "{first} of {}", TYPED.len());
}

/// How many different messages of a rule are tried.
const MESSAGES: usize = 2;

/// Returns the messages of a rule's samples that do not lead to it without their type.
fn messages_missed(corpus: &Corpus, id: &str) -> Vec<String> {
    let (mut seen, mut missed) = (HashSet::new(), Vec::new());
    for sample in corpus.page(id).expect("a page").examples {
        if seen.len() == MESSAGES {
            break;
        }
        let found = root_failures(corpus, sample.input.as_bytes());
        let [failure] = found.as_slice() else {
            continue;
        };
        let message = failure.message.trim();
        let is_enough = message.split(' ').count() >= 3 && !message.contains('\n');
        // What quotes another exception is known as that one.
        let quotes = message
            .split_once("Error: ")
            .is_some_and(|(t, _)| !t.contains(' '));
        let is_known = failure.exception.is_some() && failure.id() == Some(id);
        if !is_known || !is_enough || quotes || !seen.insert(message.to_owned()) {
            continue;
        }
        // What no type leads to is for the search, which has tests of its own.
        let guessed = guessed(corpus, message);
        if guessed.iter().all(|failure| failure.id() != Some(id)) {
            continue;
        }
        let shown = first_of_each(root_failures(corpus, message.as_bytes()));
        let answer = if shown.is_empty() {
            answer_by_guess(corpus, message, guessed)
        } else {
            Answer::Failures(shown)
        };
        let mut found = ids_in(answer);
        found.truncate(MAX_HITS);
        if !found.iter().any(|found| found == id) {
            missed.push(format!("{message}: {found:?}, not {id}"));
        }
    }
    missed
}

#[test]
fn a_message_of_a_sample_finds_its_rule_without_its_type() {
    let corpus = &Corpus::built_in();
    let ids: Vec<&str> = corpus.ids().collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let of_all = |ids: &[&str]| -> Vec<String> {
        let missed = ids.iter().flat_map(|id| messages_missed(corpus, id));
        missed.collect()
    };
    let missed = thread::scope(|scope| {
        let shares = ids.chunks(ids.len().div_ceil(threads));
        let shares: Vec<_> = shares.map(|ids| scope.spawn(|| of_all(ids))).collect();
        let shares = shares.into_iter().flat_map(thread::ScopedJoinHandle::join);
        shares.collect::<Vec<_>>().concat()
    });
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn a_message_finds_its_rule_with_its_type_and_without() {
    let corpus = Corpus::built_in();
    for message in [
        "TypeError: cannot pickle '_thread.lock' object",
        "cannot pickle '_thread.lock' object",
        "  cannot pickle '_thread.lock' object\n\n",
    ] {
        assert_eq!(ids_of(&corpus, message)[0], "unpicklable-lock", "{message}");
    }
    assert!(ids_of(&corpus, "xyzzy zorkmid").is_empty());
}

#[test]
fn the_example_of_a_page_shows_its_rule_and_no_other() {
    let corpus = Corpus::built_in();
    let page = corpus.page("unpicklable-lock").expect("a page");
    let shown = example(&corpus, &page).expect("an example");
    assert_eq!(shown.failure.id(), Some("unpicklable-lock"));
}
