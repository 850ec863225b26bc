//! Notes as Python 3.14 printed them, and the paths they give.

use super::super::{Exception, Frame};
use super::ObjectPath;

/// Reads notes in printed order, with the frames of a traceback as `file:function`.
fn read(notes: &[&str], frames: &[&str]) -> ObjectPath {
    let notes = notes
        .iter()
        .map(|n| format!("when serializing {n}"))
        .collect();
    let frames = frames.iter().map(|f| {
        let (file, function) = f.rsplit_once(':').expect("file:function");
        Frame {
            path: file.into(),
            function: function.to_owned(),
            ..Frame::default()
        }
    });
    let exception = Exception {
        notes,
        frames: frames.collect(),
        ..Exception::default()
    };
    ObjectPath::read(&exception).expect("a path")
}

const SPAWN: [&str; 2] = [
    "multiprocessing.context.SpawnProcess state",
    "multiprocessing.context.SpawnProcess object",
];
const CALL: [&str; 2] = [
    "concurrent.futures.process._CallItem state",
    "concurrent.futures.process._CallItem object",
];
const LOADER: &str =
    "/home/user/venv/lib/python3.14/site-packages/torch/utils/data/dataloader.py:__init__";
const HANDLE_TASKS: &str = "/usr/lib/python3.14/multiprocessing/pool.py:_handle_tasks";

fn then(inner: &[&'static str], outer: &[&'static str]) -> Vec<&'static str> {
    [inner, outer].concat()
}

fn own(text: &str) -> String {
    text.to_owned()
}

#[test]
fn the_target_of_a_process_is_a_bound_method() {
    let inner = [
        "dict item '_lock'",
        "Trainer state",
        "Trainer object",
        "tuple item 0",
        "method reconstructor arguments",
        "method object",
        "dict item '_target'",
    ];
    let path = read(&then(&inner, &SPAWN), &[]);
    assert_eq!(path.steps, ["process", "_target", "_lock"]);
    assert_eq!(path.display, "Trainer._lock");
    assert_eq!(
        path.reached,
        Some(own("process → _target (bound method of Trainer) → _lock"))
    );
    assert_eq!(path.holder, Some(own("Trainer")));
    assert_eq!(path.attribute, Some(own("_lock")));
}

#[test]
fn the_arguments_of_a_loader_worker_have_names() {
    let inner = [
        "dict item 'cache_lock'",
        "Records state",
        "Records object",
        "list item 0",
        "tuple item 1",
        "dict item '_args'",
    ];
    let path = read(&then(&inner, &SPAWN), &["train.py:main", LOADER]);
    assert_eq!(path.display, "dataset[0].cache_lock");
    assert_eq!(path.steps, ["process", "dataset", "[0]", "cache_lock"]);
    assert_eq!(
        (path.holder, path.attribute),
        (Some(own("Records")), Some(own("cache_lock")))
    );
    assert_eq!(path.reached, None);

    for (item, name) in [
        ("tuple item 6", "collate_fn"),
        ("tuple item 9", "worker_init_fn"),
    ] {
        let path = read(&then(&[item, "dict item '_args'"], &SPAWN), &[LOADER]);
        assert_eq!(path.display, name);
    }
    let windows = r"C:\py\Lib\site-packages\torch\utils\data\dataloader.py:__init__";
    let path = read(
        &then(&["tuple item 6", "dict item '_args'"], &SPAWN),
        &[windows],
    );
    assert_eq!(path.display, "collate_fn");
}

#[test]
fn the_arguments_of_a_process_are_numbered_or_named() {
    let inner = [
        "dict item 'fh'",
        "CsvLogger state",
        "CsvLogger object",
        "tuple item 0",
        "dict item '_args'",
    ];
    assert_eq!(read(&then(&inner, &SPAWN), &[]).display, "args[0].fh");
    let path = read(
        &then(&["dict item 'src'", "dict item '_kwargs'"], &SPAWN),
        &[],
    );
    assert_eq!(path.display, "kwargs['src']");
    assert_eq!(path.attribute, None);
    let path = read(&then(&["dict item '_target'"], &SPAWN), &[]);
    assert_eq!((path.display.as_str(), path.attribute), ("target", None));
    let torch = "/site-packages/torch/multiprocessing/spawn.py:start_process";
    let inner = ["tuple item 0", "tuple item 2", "dict item '_args'"];
    assert_eq!(read(&then(&inner, &SPAWN), &[torch]).display, "args[0]");
}

#[test]
fn the_user_is_told_of_the_class_that_they_can_change() {
    let inner = [
        "dict item '_waitpid_lock'",
        "subprocess.Popen state",
        "subprocess.Popen object",
        "dict item 'proc'",
        "Tool state",
        "Tool object",
        "tuple item 0",
        "dict item '_args'",
    ];
    let path = read(&then(&inner, &SPAWN), &[]);
    assert_eq!(path.display, "args[0].proc._waitpid_lock");
    assert_eq!(
        (path.holder, path.attribute),
        (Some(own("Tool")), Some(own("proc")))
    );

    let inner = [
        "dict item 'lock'",
        "logging.FileHandler state",
        "logging.FileHandler object",
        "tuple item 0",
    ];
    let path = read(&then(&then(&inner, &["dict item '_args'"]), &SPAWN), &[]);
    assert_eq!(
        (path.holder, path.attribute),
        (Some(own("logging.FileHandler")), None)
    );
}

#[test]
fn a_pool_task_shows_the_function_and_its_items() {
    let map = [
        "train.py:main",
        "/usr/lib/python3.14/multiprocessing/pool.py:map",
        HANDLE_TASKS,
    ];
    let path = read(&["tuple item 0", "tuple item 0", "tuple item 3"], &map);
    assert_eq!(path.display, "func");
    let notes = [
        "dict item 'mutex'",
        "queue.Queue state",
        "queue.Queue object",
        "dict item 'buffer'",
        "Prefetcher state",
        "Prefetcher object",
        "tuple item 0",
        "tuple item 1",
        "tuple item 0",
        "tuple item 3",
    ];
    let path = read(&notes, &map);
    assert_eq!(path.display, "item.buffer.mutex");
    assert_eq!(path.steps, ["task", "item", "buffer", "mutex"]);
    assert_eq!(
        (path.holder, path.attribute),
        (Some(own("Prefetcher")), Some(own("buffer")))
    );
    let notes = [
        "dict item 'pool'",
        "Runner state",
        "Runner object",
        "tuple item 0",
        "method reconstructor arguments",
        "method object",
        "tuple item 0",
        "tuple item 0",
        "tuple item 3",
    ];
    let path = read(&notes, &map);
    assert_eq!(path.display, "Runner.pool");
    assert_eq!(
        path.reached,
        Some(own("task → func (bound method of Runner) → pool"))
    );

    let apply = [
        "/usr/lib/python3.14/multiprocessing/pool.py:get",
        HANDLE_TASKS,
    ];
    assert_eq!(
        read(&["tuple item 0", "tuple item 3"], &apply).display,
        "args[0]"
    );
    // Without the pool's frames a tuple is a tuple.
    assert_eq!(
        read(&["tuple item 0", "tuple item 3"], &[]).display,
        "tuple[3][0]"
    );
}

#[test]
fn an_executor_sends_tasks_and_answers() {
    let inner = [
        "dict item 'guard'",
        "Job state",
        "Job object",
        "tuple item 0",
        "dict item 'args'",
    ];
    let path = read(&then(&inner, &CALL), &[]);
    assert_eq!(path.steps, ["task", "args", "[0]", "guard"]);
    assert_eq!(path.display, "args[0].guard");

    let inner = [
        "tuple item 0",
        "tuple item 1",
        "functools.partial reconstructor arguments",
        "functools.partial object",
        "dict item 'fn'",
    ];
    let path = read(&then(&inner, &CALL), &[]);
    assert_eq!(path.display, "fn.args[0]");
    assert_eq!(path.reached, Some(own("task → fn (a partial) → args[0]")));

    let result = [
        "dict item 'lock'",
        "dict item 'result'",
        "concurrent.futures.process._ResultItem state",
        "concurrent.futures.process._ResultItem object",
    ];
    let path = read(&result, &[]);
    assert_eq!(path.display, "result['lock']");
    assert_eq!(path.attribute, None);
}

#[test]
fn joblib_sends_a_batch_of_calls() {
    let notes = [
        "dict item 'lock'",
        "Scorer state",
        "Scorer object",
        "tuple item 0",
        "method reconstructor arguments",
        "method object",
        "tuple item 0",
        "list item 0",
        "tuple item 0",
        "joblib.parallel.BatchedCalls reconstructor arguments",
        "joblib.parallel.BatchedCalls object",
        "dict item 'fn'",
        "joblib.externals.loky.process_executor._CallItem state",
        "joblib.externals.loky.process_executor._CallItem object",
    ];
    let path = read(&notes, &[]);
    assert_eq!(path.display, "Scorer.lock");
    assert_eq!(
        path.reached,
        Some(own("task → func (bound method of Scorer) → lock"))
    );
    let notes = [
        "tuple item 0",
        "tuple item 1",
        "list item 0",
        "tuple item 0",
    ];
    assert_eq!(
        read(&then(&notes, &notes_of_a_batch()), &[]).display,
        "args[0]"
    );
}

fn notes_of_a_batch() -> [&'static str; 5] {
    [
        "joblib.parallel.BatchedCalls reconstructor arguments",
        "joblib.parallel.BatchedCalls object",
        "dict item 'fn'",
        "joblib.externals.loky.process_executor._CallItem state",
        "joblib.externals.loky.process_executor._CallItem object",
    ]
}

#[test]
fn a_plain_dump_is_named_by_its_type() {
    let path = read(&["dict item 'values'", "Index state", "Index object"], &[]);
    assert_eq!(path.display, "Index.values");
    assert_eq!(path.steps, ["Index", "values"]);
    assert_eq!(read(&["dict item 'state'"], &[]).display, "dict['state']");
    let notes = [
        "dict item '_lock'",
        "threading.Condition state",
        "threading.Condition object",
        "dict item '_cond'",
        "threading.Event state",
        "threading.Event object",
        "dict item 'stop'",
    ];
    let path = read(&notes, &[]);
    assert_eq!(path.display, "dict['stop']._cond._lock");
    assert_eq!(
        (path.holder, path.attribute),
        (Some(own("threading.Condition")), None)
    );
    assert_eq!(
        read(&["tuple item 0", "bytes reconstructor arguments"], &[]).display,
        "bytes.__reduce__()[1][0]"
    );
}

#[test]
fn closures_default_factories_sets_and_classes_are_shown() {
    let notes = [
        "tuple item 0",
        "cell reconstructor arguments",
        "cell object",
        "tuple item 0",
        "dict item '__closure__'",
        "tuple item 1",
        "function state",
        "function object",
    ];
    assert_eq!(
        read(&notes, &[]).display,
        "function.__closure__[0].cell_contents"
    );
    let notes = [
        "tuple item 0",
        "collections.defaultdict reconstructor arguments",
        "collections.defaultdict object",
        "dict item 'counts'",
        "Vocab state",
        "Vocab object",
        "dict item 'vocab'",
        "tuple item 0",
        "dict item '_args'",
    ];
    let path = read(&then(&notes, &SPAWN), &[]);
    assert_eq!(path.display, "args[0]['vocab'].counts.default_factory");
    let notes = [
        "set element",
        "dict item 'data'",
        "_weakrefset.WeakSet state",
        "_weakrefset.WeakSet object",
    ];
    assert_eq!(read(&notes, &[]).display, "WeakSet.data[…]");
    let notes = [
        "DynamicConfig class",
        "DynamicConfig object",
        "tuple item 0",
        "dict item '_args'",
    ];
    let path = read(&then(&notes, &SPAWN), &[]);
    assert_eq!(path.display, "args[0]");
    assert_eq!(
        path.reached,
        Some(own("process → _args[0] → class of DynamicConfig"))
    );
}

#[test]
fn a_runaway_recursion_has_no_path() {
    let three = ["Node state", "Node object", "dict item 'nxt'"];
    let notes = |n: usize| {
        three
            .iter()
            .cycle()
            .take(n)
            .map(|n| format!("when serializing {n}"))
            .collect()
    };
    let exception = |n: usize| Exception {
        notes: notes(n),
        ..Exception::default()
    };
    assert_eq!(ObjectPath::read(&exception(200)), None);
    assert_eq!(ObjectPath::read(&exception(14_000)), None);
    let path = ObjectPath::read(&exception(150)).expect("a path");
    assert!(path.display.chars().count() <= 161, "{}", path.display);
}

#[test]
fn other_notes_are_no_path() {
    let exception = |notes: &[&str]| Exception {
        notes: notes.iter().map(|&n| n.to_owned()).collect(),
        ..Exception::default()
    };
    for notes in [
        &[][..],
        &["while loading shard 3"],
        &["when serializing"],
        &["when serializing x"],
    ] {
        assert_eq!(ObjectPath::read(&exception(notes)), None, "{notes:?}");
    }
    let mixed = exception(&[
        "when serializing dict item 'a'",
        "while loading",
        "when serializing dict item 3",
    ]);
    assert_eq!(
        ObjectPath::read(&mixed).expect("a path").display,
        "dict[3]['a']"
    );
}
