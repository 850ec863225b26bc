//! What processes have in common: a lock, a semaphore, an event, a folder.

use super::*;

/// Returns a program whose `box.get` a pool is sent, made of these lines in a function.
pub(super) fn from_main(class: &str, main: &str) -> String {
    let main = main.replace('\n', "\n    ");
    format!(
        "import multiprocessing as mp, os, sqlite3, threading\n{class}\ndef main():\n    {main}\n    \
         print(mp.Pool(2).map(box.get, [1]))\nif __name__ == '__main__':\n    main()\n"
    )
}

/// Returns the failure of a pool in the line that has `mp.Pool`.
pub(super) fn failed(text: &str, type_name: &str) -> Object {
    raised(
        text,
        &format!(
            "  File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 206, in send\n    \
             self._send_bytes(_ForkingPickler.dumps(obj))\n\
             TypeError: cannot pickle '{type_name}' object\n"
        ),
    )
}

/// Returns the failure of a pool that is sent a semaphore.
fn not_shared(text: &str) -> Object {
    raised(
        text,
        "  File \"/usr/lib/python3.11/multiprocessing/context.py\", line 374, in assert_spawning\n    \
         raise RuntimeError(\nRuntimeError: Semaphore objects should only be shared between processes through inheritance\n",
    )
}

/// Returns the failure of a pool's tasks that ends so, in the line that has `mp.Pool`.
pub(super) fn raised(text: &str, end: &str) -> Object {
    let frame = frame(text, line_of(text, "mp.Pool("), "main");
    let failure = format!(
        "Traceback (most recent call last):\n{frame}  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 540, in _handle_tasks\n    put(task)\n{end}"
    );
    named_of(text, &failure).expect(text)
}

pub(super) const GUARD: &str = "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.lock = threading.Lock()\n    \
                     def get(self, x):\n        with self.lock:\n            self.write(x)\n    \
                     def write(self, x):\n        with open(self.path, 'a') as f:\n            f.write(x)";
const LIMIT: &str = "class Box:\n    def __init__(self, n=1):\n        self.limit = threading.Semaphore(n)\n    \
                     def get(self, x):\n        with self.limit:\n            return x";
const EVENT: &str = "class Box:\n    def __init__(self, n=1):\n        self.stop = threading.Event()\n    \
                     def get(self, x):\n        return self.stop.is_set()";
const TRIED: &str = "class Box:\n    def __init__(self, n=1):\n        self.once = threading.Lock()\n    \
                     def get(self, x):\n        return self.once.acquire(False)";

#[test]
fn what_keeps_processes_out_is_a_manager_s() {
    for (class, code) in [
        (TRIED, "mp.Manager().Lock()"),
        (GUARD, "mp.Manager().Lock()"),
        (LIMIT, "mp.Manager().Semaphore(n)"),
        (EVENT, "mp.Manager().Event()"),
    ] {
        let object = failed(&from_main(class, "box = Box('a')"), "_thread.lock");
        let change = object.change.expect(code);
        assert_eq!(change.code, code);
        assert!(change.patch.is_some());
    }
}

/// What main does not know is not written there.
#[test]
fn what_is_passed_in_takes_no_names_of_its_class() {
    let several = "boxes = [Box(n) for n in range(2)]\n    box = boxes[0]";
    let object = failed(&from_main(LIMIT, several), "_thread.lock");
    let code = object.change.unwrap().code;
    assert_has(&code, "limit = manager.Semaphore(...)  #");
}

/// At the top of a module each worker would start one.
#[test]
fn a_manager_for_what_a_module_shares() {
    let text = "import multiprocessing as mp\ngate = mp.Semaphore(2)\ndef work(job):\n    with job[0]:\n        \
                return job[1]\nif __name__ == '__main__':\n    print(mp.Pool(2).map(work, [(gate, 1)]))\n";
    let change = not_shared(text).change.expect(text);
    assert!(
        change
            .text
            .starts_with("Let a manager hold it, which is started")
    );
    let code = "if __name__ == \"__main__\":\n    gate = mp.Manager().Semaphore(2)";
    assert_eq!((change.code.as_str(), change.patch), (code, None));
}

/// A manager is a process: one for each object is too many, and workers may start none.
#[test]
fn a_manager_is_started_once() {
    let once = "each object would start a manager: start one in main, and pass in what it makes";
    for main in [
        "boxes = [Box() for _ in range(9)]\nbox = boxes[0]",
        "for _ in range(9):\n    box = Box()",
        "box = Box()\nother = Box()",
    ] {
        let object = failed(&from_main(EVENT, main), "_thread.lock");
        assert_eq!(object.refusal.as_deref(), Some(once), "{main}");
        let change = object.change.expect(main);
        assert_eq!(
            (change.code.as_str(), change.patch),
            (
                "if __name__ == \"__main__\":\n    manager = mp.Manager()\n    \
                 stop = manager.Event()  # pass it to `Box`, for `self.stop`",
                None
            )
        );
        assert!(
            change
                .text
                .starts_with("Each worker needs the same `stop`.")
        );
    }
    let field = "import dataclasses\n@dataclasses.dataclass\nclass Box:\n    \
                 stop: object = dataclasses.field(default_factory=lambda: mp.Semaphore(2))\n    \
                 def get(self, x):\n        with self.stop:\n            return x";
    for (main, why) in [
        ("box = Box()", None),
        ("box, other = Box(), Box()", Some(once)),
    ] {
        let text = from_main(field, main);
        let object = not_shared(&text);
        assert_eq!(object.refusal.as_deref(), why, "{main}");
        assert_eq!(is_patched(&object), why.is_none(), "{main}");
    }
    // What comes back may be used when the one that was sent, and its manager, is gone.
    let returned = EVENT.replace(
        "return self.stop.is_set()",
        "self.stop.wait(1)\n        return self",
    );
    let object = failed(&from_main(&returned, "box = Box()"), "_thread.lock");
    assert!(!is_patched(&object));
    let object = failed(&from_main(EVENT, "box = Box()"), "_thread.lock");
    assert!(is_patched(&object));
    let top = format!("{EVENT}\nbox = Box()");
    let object = failed(&from_main(&top, "print(1)"), "_thread.lock");
    assert_eq!(object.refusal.as_deref(), Some(once));
    let nested = format!("{EVENT}\ndef inner():\n    return Box()\nJOBS = [(inner, inner)]");
    let object = failed(&from_main(&nested, "box = Box()"), "_thread.lock");
    assert_eq!(object.refusal.as_deref(), Some(once));
    // One lock of the script's, whoever has it.
    let given = "class Box:\n    def __init__(self, lock):\n        self.lock = lock\n    def get(self, x):\n        return x";
    let main = "lock = threading.Lock()\nboxes = [Box(lock) for _ in range(9)]\nbox = boxes[0]";
    let text = format!(
        "import multiprocessing as mp, threading\n{given}\nif __name__ == '__main__':\n    {}\n    \
                        print(mp.Pool(2).map(box.get, [1]))\n",
        main.replace('\n', "\n    ")
    );
    let change = failed(&text, "_thread.lock").change.unwrap();
    assert_eq!(
        (change.code.as_str(), change.patch.is_some()),
        ("mp.Manager().Lock()", true)
    );
    for (class, why) in [
        (
            format!("{EVENT} or isinstance(self.stop, threading.Event)"),
            "a new `threading.Event` in the worker would not hear what this one is told",
        ),
        (
            format!("{GUARD}\n    def __del__(self):\n        os.remove(self.path)")
                .replace("self, path", "self, path='a'"),
            "each copy would do what `__del__` does: `os.remove(self.path)`",
        ),
        (
            format!("{LIMIT}\n    def free(self, n):\n        self.limit.release(n)"),
            "another kind is not released several times at once",
        ),
    ] {
        let object = failed(&from_main(&class, "box = Box()"), "_thread.lock");
        assert_eq!(object.refusal.as_deref(), Some(why));
        assert!(!is_patched(&object));
    }
}

/// The parent submits what a task would; a mock keeps the fix of its rule.
#[test]
fn what_has_a_better_fix_is_not_left_out() {
    let text = "from concurrent.futures import ProcessPoolExecutor\ndef leaf(n):\n    return n\ndef branch(pool, n):\n    \
                return [pool.submit(leaf, i).result() for i in range(n)]\ndef main():\n    pool = ProcessPoolExecutor()\n    \
                print(pool.submit(branch, pool, 2).result())\n";
    let failure = "Traceback (most recent call last):\n  \
                   File \"/usr/lib/python3.11/multiprocessing/queues.py\", line 244, in _feed\n    \
                   obj = _ForkingPickler.dumps(obj)\nTypeError: cannot pickle '_thread.lock' object\n\n\
                   The above exception was the direct cause of the following exception:\n\n\
                   Traceback (most recent call last):\n  File \"a.py\", line 8, in main\n    \
                   print(pool.submit(branch, pool, 2).result())\n  \
                   File \"/usr/lib/python3.11/concurrent/futures/_base.py\", line 401, in __get_result\n    \
                   raise self._exception\nTypeError: cannot pickle '_thread.lock' object\n";
    let change = named_of(text, failure).and_then(|o| o.change);
    let code = "items = pool.submit(branch, 2).result()\nresults = list(pool.map(leaf, items))";
    assert_eq!(change.map(|c| c.code).as_deref(), Some(code));
    let mocked = "from unittest.mock import MagicMock\nclass Box:\n    def __init__(self):\n        \
                  self.client = MagicMock()\n    def get(self, x):\n        return self.client.get(x)";
    let object = failed(&from_main(mocked, "box = Box()"), "MagicMock");
    assert!(object.change.is_none());
}

/// What would write elsewhere, or too late, or be `None` where it is used.
#[test]
fn what_the_worker_would_lack_is_not_left_out() {
    for (class, main, type_name, why) in [
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.out = open(path, 'a')\n    \
             def get(self, x):\n        return self.out",
            "box = Box('a')\nos.chdir('work')",
            "_io.TextIOWrapper",
            "the program changes the folder that its path starts from",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.out = open(path, 'a')\n        \
             self.out.write('head')\n    def get(self, x):\n        return self.out",
            "box = Box('a')",
            "_io.TextIOWrapper",
            "what `self.out.write('head')` writes may still be in the buffer",
        ),
        (
            "from concurrent.futures import ThreadPoolExecutor\nclass Box:\n    def __init__(self):\n        \
             self.threads = ThreadPoolExecutor(1)\n        self.future = self.threads.submit(print)\n    \
             def get(self, x):\n        return self.future.result()",
            "box = Box()",
            "_thread.RLock",
            "`get` uses `future`, which would be `None` there",
        ),
    ] {
        let object = failed(&from_main(class, main), type_name);
        assert_eq!(object.refusal.as_deref(), Some(why), "{class}");
        assert!(!is_patched(&object));
    }
    let flushed = "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.out = open(path, 'a')\n        \
                   self.out.write('head')\n        self.out.flush()\n    def get(self, x):\n        return x";
    let object = failed(&from_main(flushed, "box = Box('a')"), "_io.TextIOWrapper");
    assert!(is_patched(&object));
}

/// A condition on which nobody waits is made again with its lock.
#[test]
fn a_condition_goes_with_its_lock() {
    let class = "class Box:\n    def __init__(self):\n        self.lock = threading.RLock()\n        \
                 self.ready = threading.Condition(self.lock)\n    def get(self, x):\n        with self.lock:\n            \
                 self.ready.notify_all()";
    let object = failed(&from_main(class, "box = Box()"), "_thread.RLock");
    let code = object.change.unwrap().code;
    assert!(
        code.ends_with(
            "self.lock = threading.RLock()\n        self.ready = threading.Condition(self.lock)\n"
        ) || code.ends_with(
            "self.lock = threading.RLock()\n    self.ready = threading.Condition(self.lock)"
        ),
        "{code}"
    );
    let waited = class.replace("notify_all", "wait");
    let change = failed(&from_main(&waited, "box = Box()"), "_thread.RLock")
        .change
        .unwrap();
    assert_eq!(change.patch, None);
    let both = "state.pop(\"lock\", None)\n    state.pop(\"ready\", None)\n";
    assert_has(&change.code, both);
}

/// A queue by which a pool's tasks give what the rest takes is a manager's, one that feeds a process its own.
#[test]
fn a_queue_that_leads_across() {
    let of = |method: &str, main: &str| {
        let class = format!(
            "class Box:\n    def __init__(self):\n        self.out = queue.Queue()\n    def get(self, n):\n        {method}"
        );
        let text = from_main(&class, "box = Box()").replace("import ", "import queue, ");
        let text = text.replace("\nif __name__", &format!("\n    {main}\nif __name__"));
        let change = failed(&text, "_thread.lock").change.unwrap();
        (change.code, change.patch.is_some())
    };
    let shared = ("mp.Manager().Queue()".to_owned(), true);
    assert_eq!(of("self.out.put(n)", "print(box.out.get())"), shared);
    // Nobody takes it, or it is looked into.
    assert!(!of("self.out.put(n)", "pass").1);
    assert!(!of("self.out.put(n)", "print(box.out.get(), box.out.queue)").1);
    // A thread in this process feeds it, which ends after the manager.
    let fed = "class Box:\n    def __init__(self):\n        self.out = queue.Queue()\n        \
               self.filler = threading.Thread(target=self.fill)\n        self.filler.start()\n    \
               def fill(self):\n        self.out.put(1)\n    def get(self, n):\n        return self.out.get()";
    let text = from_main(fed, "box = Box()").replace("import ", "import queue, ");
    let why = "no thread would work on `out` there, and `get` uses it";
    assert_eq!(failed(&text, "_thread.lock").refusal.as_deref(), Some(why));
}

/// A queue by which a process gives what the rest takes is its own, where that is taken before the process is joined.
#[test]
fn a_queue_that_leads_back() {
    let of = |work: &str, below: &str| {
        let text = format!(
            "import multiprocessing as mp\nimport queue\nclass Box:\n    def __init__(self):\n        \
             self.out = queue.Queue()\n    def work(self, n):\n        {work}\n    def run(self):\n        \
             p = mp.Process(target=self.work, args=(1,))\n        p.start()\n        {below}\n\
             if __name__ == '__main__':\n    mp.set_start_method('spawn')\n    Box().run()\n"
        );
        let frame = frame(&text, line_of(&text, "p.start()"), "run");
        let failure = format!(
            "Traceback (most recent call last):\n{frame}  \
             File \"/usr/lib/python3.11/multiprocessing/popen_spawn_posix.py\", line 32, in __init__\n    \
             super().__init__(process_obj)\n  File \"/usr/lib/python3.11/multiprocessing/reduction.py\", line 60, in dump\n    \
             ForkingPickler(file, protocol).dump(obj)\nTypeError: cannot pickle '_thread.lock' object\n"
        );
        let change = named_of(&text, &failure).unwrap().change.unwrap();
        (change.code, change.patch.is_some())
    };
    let puts = "self.out.put(n)";
    let own = |is_written| ("mp.Queue()".to_owned(), is_written);
    assert_eq!(
        of(puts, "print(self.out.get())\n        p.join()"),
        own(true)
    );
    // It may wait for its reader, or ask too early.
    for late in [
        "p.join()\n        print(self.out.get())",
        "while not self.out.empty():\n            print(self.out.get())",
        "print(self.out.get_nowait())\n        p.join()",
        "print(self.out.get(timeout=1))\n        p.join()",
    ] {
        assert_eq!(of(puts, late), own(false), "{late}");
    }
    // What is put for it is there a little later.
    let fed = "self.out.put(1)\n        p.join()";
    assert_eq!(of("print(self.out.get())", fed), own(true));
    for asks in [
        "while not self.out.empty():\n            print(self.out.get())",
        "print(self.out.get_nowait())",
    ] {
        assert_eq!(of(asks, fed), own(false), "{asks}");
    }
    // What only threads have.
    let opened = "self.out.put(1)\n        print(self.out.unfinished_tasks)";
    assert!(of("self.out.get()", opened).0.contains("__getstate__"));
    for tied in [
        "self.out.put((1, lambda: 2))",
        "self.out.put(isinstance(self.out, queue.Queue))",
    ] {
        assert!(of("self.out.get()", tied).0.contains("__getstate__"));
    }
    // Nobody takes it.
    assert!(of(puts, "p.join()").0.contains("__getstate__"));
    assert!(
        of("self.out.get(), self.out.put(n)", "print(self.out.get())")
            .0
            .contains("__getstate__")
    );
}

/// No manager has a `Value`: beside one, a lock is given to the workers with it.
#[test]
fn a_lock_that_goes_with_a_value_is_given_with_it() {
    let program = |args: &str| {
        format!(
            "\
import multiprocessing as mp
def add(lock, total, n):
    with lock:
        total.value += n
if __name__ == '__main__':
    lock, total = mp.Lock(), mp.Value('i', 0)
    print(mp.Pool(2).starmap(add, [{args}]))
"
        )
    };
    let found = |args: &str| {
        let text = program(args);
        let frame = last_frame(&text, "<module>");
        let failure = format!(
            "Traceback (most recent call last):\n{frame}  \
             File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 540, in _handle_tasks\n    put(task)\n  \
             File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 206, in send\n    \
             self._send_bytes(_ForkingPickler.dumps(obj))\n\
             RuntimeError: Lock objects should only be shared between processes through inheritance\n"
        );
        named_of(&text, &failure).unwrap().change.unwrap()
    };
    let change = found("(lock, total, 1)");
    assert!(change.patch.is_none(), "{}", change.code);
    assert_has(&change.code, "initargs=(lock, total)");
    assert_eq!(found("(lock, 0, 1)").code, "mp.Manager().Lock()");
}
