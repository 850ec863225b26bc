//! What waits for processes that are told, or started, below it; and what a task was given that stays in the parent.

use super::*;

/// Returns what is found of a wait that Ctrl-C ended: at the statement that ends in `# here`, in this function of
/// `multiprocessing`.
fn of(text: &str, (file, function): (&str, &str)) -> Option<(String, Option<String>)> {
    let waits = frame(text, line_of(text, "# here"), "run");
    let is_called = text.contains("# calls");
    let call = is_called.then(|| frame(text, line_of(text, "# calls"), "main"));
    let failure = format!(
        "Traceback (most recent call last):\n{}{waits}  \
         File \"/usr/lib/python3.11/multiprocessing/{file}.py\", line 89, in {function}\n    \
         pass\nKeyboardInterrupt\n",
        call.unwrap_or_default()
    );
    let object = named_of(text, &failure)?;
    let new = patched(text, &object);
    Some((said(&object), new))
}

const EVENT: &str = "\
import multiprocessing as mp
def race(name, start, done):
    start.wait()
    done.put(name)
def run():
    go, done = mp.Event(), mp.Queue()
    all = [mp.Process(target=race, args=(n, go, done)) for n in 'ab']
    for p in all:
        p.start()
    print('ready')
    for p in all:
        p.join()  # here
    go.set()
    return [done.get() for _ in all]
";

#[test]
fn an_event_is_set_before_who_waits_for_it_is_joined() {
    let join = ("process", "join");
    let (object, new) = of(EVENT, join).unwrap();
    assert_eq!(object, "go.set(), which race() waits for, below `p.join()`");
    let right = EVENT.replace("    go.set()\n", "").replace(
        "    for p in all:\n        p.join",
        "    go.set()\n    for p in all:\n        p.join",
    );
    assert_eq!(new, Some(right));
    // It is set by another, or too late where it stands; or not waited for in any case.
    let inner = EVENT.replace(
        "        p.start()\n    print('ready')\n    for p in all:\n",
        "        p.start()\n",
    );
    let (object, new) = of(&inner, join).unwrap();
    assert_eq!((object.starts_with("go.set()"), new), (true, None));
    for text in [
        EVENT.replace("print('ready')", "go.set()"),
        EVENT.replace(
            "    start.wait()",
            "    if name == 'a':\n        start.wait()",
        ),
        EVENT.replace("start.wait()", "start.wait(1)"),
        EVENT.replace(
            "    start.wait()",
            "    if name == 'a':\n        return\n    start.wait()",
        ),
        EVENT.replace("print('ready')", "threading.Timer(1, go.set).start()"),
    ] {
        let found = of(&text, join).map(|(object, _)| object);
        assert!(found.is_none_or(|o| !o.starts_with("go.set()")), "{text}");
    }
}

#[test]
fn a_queue_is_not_read_where_its_items_are_to_be_done() {
    let text = "\
import multiprocessing as mp
def work(todo, done):
    while True:
        done.put(todo.get())
        todo.task_done()
def run():
    todo, done = mp.JoinableQueue(), mp.Queue()
    mp.Process(target=work, args=(todo, done), daemon=True).start()
    todo.put(1)
    todo.join()  # here
    print(done.get())
";
    assert_eq!(of(text, ("queues", "join")), None);
    let never = text.replace("        todo.task_done()\n", "");
    let (object, _) = of(&never, ("queues", "join")).unwrap();
    assert_eq!(object, "todo.join(), and nothing calls `task_done()`");
}

const FILLED: &str = "\
import multiprocessing as mp
class Finder:
    def __init__(self):
        self.jobs = mp.Queue(maxsize=10)
        self.found = mp.Queue()
        self.all = [mp.Process(target=work, args=(self.jobs, self.found)) for _ in range(2)]
    def fill(self):
        for n in range(99):
            self.jobs.put(n)  # here
    def run(self):
        self.fill()  # calls
        for p in self.all:
            p.start()
        return self.found.get()
def work(jobs, found):
    found.put(jobs.get())
if __name__ == '__main__':
    Finder().run()
";

#[test]
fn processes_start_before_their_queue_is_filled() {
    let put = ("queues", "put");
    let (object, new) = of(FILLED, put).unwrap();
    assert_eq!(
        object,
        "p.start(), which stands below the `put()` into `self.jobs`"
    );
    let start = "        for p in self.all:\n            p.start()\n";
    let right = FILLED.replace(start, "").replace(
        "        self.fill()",
        &format!("{start}        self.fill()"),
    );
    assert_eq!(new, Some(right));
    // The next queue may be full then, or what stands between them is to come first.
    for (from, to) in [
        ("self.found = mp.Queue()", "self.found = mp.Queue(5)"),
        (start, &format!("        self.all.pop()\n{start}")),
    ] {
        let (_, new) = of(&FILLED.replace(from, to), put).unwrap();
        assert_eq!(new, None, "{to}");
    }
    // The processes are forked with what else is changed, or made there.
    for (from, to) in [
        (
            "            self.jobs.put(n)",
            "            self.last = n\n            self.jobs.put(n)",
        ),
        (
            "            self.jobs.put(n)",
            "            names.append(n)\n            self.jobs.put(n)",
        ),
        (
            "            self.jobs.put(n)",
            "            note(n)\n            self.jobs.put(n)",
        ),
        ("        self.fill()", "        rows = self.fill()"),
    ] {
        let text = FILLED.replacen(from, to, 1) + "def note(n):\n    print(n)\n";
        let (_, new) = of(&text, put).unwrap();
        assert_eq!(new, None, "{to}");
    }
    // Somebody takes already, or may.
    for (from, to) in [
        (
            "        self.fill()",
            "        self.all[0].start()\n        self.fill()",
        ),
        (
            "import",
            "from concurrent.futures import ProcessPoolExecutor\nx = ProcessPoolExecutor()\nimport",
        ),
    ] {
        assert_eq!(of(&FILLED.replacen(from, to, 1), put), None, "{to}");
    }
}

/// Returns what an executor's `submit` of a task that holds a lock is changed into.
fn submitted(text: &str) -> Option<Object> {
    let frame = frame(text, line_of(text, "# here"), "run");
    let error = "TypeError: cannot pickle '_thread.RLock' object";
    let failure = format!(
        "Traceback (most recent call last):\n  \
         File \"/usr/lib/python3.11/multiprocessing/queues.py\", line 244, in _feed\n    \
         obj = _ForkingPickler.dumps(obj)\n{error}\n\n\
         The above exception was the direct cause of the following exception:\n\n\
         Traceback (most recent call last):\n{frame}  \
         File \"/usr/lib/python3.11/concurrent/futures/_base.py\", line 401, in __get_result\n    \
         raise self._exception\n{error}\n"
    );
    named_of(text, &failure)
}

#[test]
fn a_bar_that_tasks_are_given_is_moved_in_the_parent() {
    let text = "\
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from rich.progress import Progress
def pack(name, progress, task):
    progress.update(task, advance=1)
def run():
    with Progress() as progress, ProcessPoolExecutor() as pool:
        task = progress.add_task('all', total=2)
        futures = [pool.submit(partial(pack, progress=progress, task=task), n) for n in 'ab']
        print([f.result() for f in futures])  # here
";
    let object = submitted(text).unwrap();
    assert_eq!(object.type_name, "rich.progress.Progress");
    let change = object.change.unwrap();
    assert!(change.code.ends_with("    progress.advance(task)"));
    assert_has(&change.text, "Take `progress` out");
}

#[test]
fn a_method_without_its_object_is_static() {
    let text = "\
from concurrent.futures import ProcessPoolExecutor
from http.server import BaseHTTPRequestHandler
pool = ProcessPoolExecutor()
class Handler(BaseHTTPRequestHandler):
    def count(self, text, limit=3):
        return len(text) // limit
    def do_GET(self):
        return pool.submit(self.count, 'abc').result()  # here
";
    let object = submitted(text).unwrap();
    assert_eq!(
        said(&object),
        "self.count, a method that does not use `self`"
    );
    let right = text.replace(
        "    def count(self, text",
        "    @staticmethod\n    def count(text",
    );
    assert_eq!(patched(text, &object), Some(right));
    let read = text
        .replace(
            "        return pool",
            "        text = self.rfile.read().decode()\n        return pool",
        )
        .replace("'abc'", "text");
    assert!(is_patched(&submitted(&read).unwrap()));
    let given = submitted(&text.replace("'abc'", "make()")).unwrap();
    assert!(given.change.is_some_and(|c| c.patch.is_none()));
    for (from, to) in [
        ("len(text)", "len(self.path)"),
        (
            "pool = ",
            "class Other(Handler):\n    def count(self, text):\n        return 1\npool = ",
        ),
        ("    def count", "    @cached\n    def count"),
        (
            "        return pool",
            "        Handler.count(self, 'a')\n        return pool",
        ),
        ("(BaseHTTPRequestHandler)", ""),
        // It is given an object there.
        (
            "        return pool",
            "        type(self).count(self, 'a')\n        return pool",
        ),
        (
            "        return pool",
            "        way = Handler.count\n        way(self, 'a')\n        return pool",
        ),
        ("self, text", "self, /, text"),
        ("len(text)", "len(locals())"),
    ] {
        let found = submitted(&text.replacen(from, to, 1));
        assert!(found.is_none_or(|o| o.path != "self.count"), "{to}");
    }
}

/// Returns what is found of a pool that takes no more tasks, at the line that ends in `# here`, with its code.
fn ended(text: &str) -> Option<(String, String)> {
    let failure = format!(
        "Traceback (most recent call last):\n{}  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 353, in _check_running\n    \
         raise ValueError(\"Pool not running\")\nValueError: Pool not running\n",
        frame(text, line_of(text, "# here"), "run")
    );
    let object = named_of(text, &failure)?;
    assert_eq!(object.type_name, "whose `with` block has ended");
    let change = object.change?;
    assert!(change.patch.is_none());
    Some((object.path, change.code))
}

#[test]
fn a_pool_is_used_within_its_block() {
    let kept = "\
import multiprocessing as mp
class Swarm:
    def __init__(self, n):
        with mp.Pool(n) as self.pool:
            self.run()
    def run(self):
        return self.pool.map(abs, [-1])  # here
Swarm(2).run()
";
    let code =
        "self.pool = mp.Pool(n)  # in `__init__`\n...\nself.pool.terminate()  # when all is done";
    let found = ("self.pool".to_owned(), code.to_owned());
    assert_eq!(ended(kept), Some(found));
    let below = "\
from multiprocessing import Pool
def run():
    with Pool(2) as pool:
        print(pool.map(abs, [-1]))
    print(pool.map(abs, [-2]))  # here
";
    let code = "with Pool(2) as pool:\n    ...\n    print(pool.map(abs, [-2]))";
    let found = ("pool".to_owned(), code.to_owned());
    assert_eq!(ended(below), Some(found));
    // It was closed, or is another one by then.
    for text in [
        kept.replace(
            "with mp.Pool(n) as self.pool:",
            "if n:\n            self.pool = mp.Pool(n)",
        ),
        below.replace(
            "    print(pool.map(abs, [-2]))",
            "    pool = Pool(2)\n    pool.close()\n    print(pool.map(abs, [-2]))",
        ),
        below
            .replace("    print(pool.map(abs, [-2]))  # here", "")
            .replace("[-1]))", "[-1]))  # here"),
    ] {
        assert_eq!(ended(&text), None, "{text}");
    }
}

#[test]
fn a_global_that_joblib_sends_goes_into_a_module() {
    let text = "\
import threading
from joblib import Parallel, delayed
lock = threading.Lock()
def say(n):
    with lock:
        print(n)
def work(n):
    say(n)
Parallel(n_jobs=2)(delayed(work)(n) for n in range(3))  # here
";
    let failure = "\
joblib.externals.loky.process_executor._RemoteTraceback: 
\"\"\"
Traceback (most recent call last):
  File \"/usr/lib/python3.11/site-packages/joblib/externals/loky/backend/queues.py\", line 159, in _feed
    obj_ = dumps(obj, reducers=reducers)
TypeError: cannot pickle '_thread.lock' object
\"\"\"

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File \"a.py\", line 9, in <module>
    Parallel(n_jobs=2)(delayed(work)(n) for n in range(3))  # here
  File \"/usr/lib/python3.11/site-packages/joblib/parallel.py\", line 763, in _return_or_raise
    raise self._result
_pickle.PicklingError: Could not pickle the task to send it to the workers.
";
    let object = named_of(text, failure).unwrap();
    assert_eq!(object.path, "lock");
    let change = object.change.unwrap();
    assert_has(&change.text, "Put `lock` and the functions");
    assert!(
        change.code.ends_with("from tasks import work"),
        "{}",
        change.code
    );
    assert!(change.patch.is_none());
}
