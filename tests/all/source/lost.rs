//! What workers would go on to lose, once their objects can be sent.

use super::shared::{GUARD, failed, from_main, raised};
use super::*;

const STATS: &str = "class Stats:\n    def __init__(self):\n        self.lock = threading.Lock()\n        self.total = 0\n    \
                     def add(self, n):\n        with self.lock:\n            self.total += n\n    \
                     def get(self, n):\n        return n";

/// A worker changes a copy: what it counts there, the rest of the program does not see.
#[test]
fn what_workers_change_on_a_copy() {
    let of = |before: &str, sent: &str, after: &str| {
        format!(
            "import multiprocessing as mp, threading\nfrom functools import partial\n{STATS}\n{before}\n\
             def main():\n    stats = Stats()\n    with mp.Pool(2) as pool:  # mp.Pool(\n        pool.{sent}\n    {after}\n"
        )
    };
    let name_of = |text: &str| {
        let object = failed(
            &text.replace(
                "    with mp.Pool(2) as pool:  # mp.Pool(\n        pool.",
                "    mp.Pool(2).",
            ),
            "_thread.lock",
        );
        let is_patched = is_patched(&object);
        (object.refusal, is_patched)
    };
    for (before, sent, task) in [
        ("", "map(stats.add, [1])", "add"),
        ("", "map(partial(stats.add), [1])", "add"),
        (
            "def work(job):\n    stats, n = job\n    stats.add(n)",
            "map(work, [(stats, 1)])",
            "work",
        ),
        (
            "def work(stats, n):\n    stats.total += n",
            "starmap(work, [(stats, 1)])",
            "work",
        ),
        (
            "def work(n, told):\n    told(n)",
            "starmap(work, [(1, stats.add)])",
            "add",
        ),
    ] {
        let why = Some(format!(
            "what `{task}` changes in `total` would stay in the worker"
        ));
        assert_eq!(
            name_of(&of(before, sent, "print(stats.total)")),
            (why, false),
            "{sent}"
        );
        // What nothing reads is no loss.
        assert_eq!(name_of(&of(before, sent, "pass")), (None, true), "{sent}");
    }
    // It is the parent that counts.
    let counted = of(
        "",
        "map(stats.get, [1])",
        "stats.add(2); print(stats.total)",
    );
    assert_eq!(name_of(&counted), (None, true));
    // What a worker makes of its own is no copy.
    let own = of(
        "def work(stats):\n    own = Stats()\n    own.add(1)\n    return own.total",
        "map(work, [stats])",
        "pass",
    );
    assert_eq!(name_of(&own), (None, true));
}

/// What a task is given and fills, the one who gave it does not see; a process returns to nobody.
#[test]
fn what_a_task_fills_for_who_gave_it() {
    let of = |work: &str, sent: &str, after: &str| {
        let text = format!(
            "import multiprocessing as mp\ndef work(gate, out):\n    {work}\ndef main():\n    gate = mp.Event()\n    \
             out = []\n    {sent}  # mp.Pool(\n    {after}\nif __name__ == '__main__':\n    main()\n"
        );
        let object = raised(
            &text,
            "  File \"/usr/lib/python3.11/multiprocessing/context.py\", line 374, in assert_spawning\n    \
             raise RuntimeError(\nRuntimeError: Condition objects should only be shared between processes through inheritance\n",
        );
        let change = object.change.expect(sent);
        (change.patch.is_some(), change.text)
    };
    let apply = "mp.Pool(2).apply(work, (gate, out))";
    let fills = "out.append(1)";
    for sent in [
        apply,
        "mp.Pool(2).apply(work, (gate,), {'out': out}); mp.Pool(2).apply(work, (gate, out))",
        "mp.Pool(2).starmap(work, [(gate, out) for _ in range(3)])",
    ] {
        let (has_patch, text) = of(fills, sent, "print(out)");
        assert!(!has_patch, "{sent}");
        let words = "`work` changes `out` in the worker's copy only: let it return that.";
        assert!(text.starts_with(words), "{text}");
    }
    // So of an object that it counts in.
    let counts = "out.n += 1\nclass Stats:\n    def __init__(self):\n        self.n = 0";
    let made = format!("out = Stats(); {apply}");
    assert!(!of(counts, &made, "print(out.n)").0);
    assert!(of(counts, &made, "print(out)").0);
    for (work, sent, after) in [
        (fills, apply, "pass"),
        ("print(out)", apply, "print(out)"),
        ("out.append(1); return out", apply, "print(out)"),
        (fills, "mp.Pool(2).apply(work, (gate, [2]))", "print(out)"),
        (
            fills,
            "out = mp.Manager().list(); mp.Pool(2).apply(work, (gate, out))",
            "print(out)",
        ),
    ] {
        assert!(of(work, sent, after).0, "{work} {sent} {after}");
    }
}

/// What an object of the task holds may be read by its own name.
#[test]
fn what_a_held_object_counts() {
    let class = "class Laps:\n    def __init__(self):\n        self.seen = []\n    def lap(self, n):\n        \
                 self.seen.append(n)\nclass Box:\n    def __init__(self, laps):\n        self.laps = laps\n        \
                 self.lock = threading.Lock()\n    def get(self, n):\n        self.laps.lap(n)\n        return n";
    let of = |after: &str| {
        let text = from_main(class, "laps = Laps()\nbox = Box(laps)");
        let text = text.replace("\nif __name__", &format!("\n    {after}\nif __name__"));
        failed(&text, "_thread.lock").refusal
    };
    let why = "what `get` changes in `seen` would stay in the worker";
    assert_eq!(of("print(laps.seen)").as_deref(), Some(why));
    assert_eq!(of("print(box.lock)"), None);
}

/// What a task calls by another name may be a method of what its object holds.
#[test]
fn what_a_callback_fills() {
    let of = |given: &str, call: &str| {
        let class = format!(
            "class Retry:\n    def __init__(self, tell):\n        self.tell = tell\n    def check(self, n):\n        \
             self.tell(n)\nclass Box:\n    def __init__(self):\n        self.failed = []\n        \
             self.lock = threading.Lock()\n        self.retry = Retry({given})\n    def note(self, n):\n        \
             self.failed.append(n)\n    def get(self, n):\n        self.retry.{call}(n)\n        return n"
        );
        let text = from_main(&class, "box = Box()");
        let text = text.replace(
            "\nif __name__",
            "\n    print(box.failed, SEEN)\nif __name__",
        );
        let text = text.replace("\nclass Box", "\nSEEN = []\nclass Box");
        failed(&text, "_thread.lock").refusal
    };
    let why = "what `get` changes in `failed` would stay in the worker";
    for given in ["self.failed.append", "self.note"] {
        for call in ["tell", "check"] {
            assert_eq!(of(given, call).as_deref(), Some(why), "{given} {call}");
        }
    }
    assert_eq!(
        of("SEEN.append", "tell").as_deref(),
        Some("what `get` changes in `SEEN` would stay in the worker")
    );
    for given in ["print", "[].append", "self.failed.index"] {
        assert_eq!(of(given, "tell"), None, "{given}");
    }
    // What a pool calls back runs in the parent.
    let called_back = "[].append); POOL.apply_async(print, callback=self.failed.append";
    assert_eq!(of(called_back, "tell"), None);
}

/// Attributes are set in what holds them all, too.
#[test]
fn what_is_set_among_all_attributes() {
    let of = |sets: &str| {
        let class = format!(
            "class Box:\n    def __init__(self):\n        self.total = 0\n        self.rows = {{}}\n        \
             self.lock = threading.Lock()\n    def get(self, n):\n        {sets}\n        return n"
        );
        let text = from_main(&class, "box = Box()");
        let text = text.replace(
            "\nif __name__",
            "\n    print(box.total, box.rows)\nif __name__",
        );
        failed(&text, "_thread.lock").refusal
    };
    let why = |name: &str| format!("what `get` changes in `{name}` would stay in the worker");
    for sets in [
        "self.__dict__['total'] = n",
        "self.__dict__.update(total=n)",
        "vars(self).update(total=n)",
    ] {
        assert_eq!(of(sets), Some(why("total")), "{sets}");
    }
    assert_eq!(of("each(self.rows.__setitem__, n)"), Some(why("rows")));
    assert_eq!(of("print(self.__dict__, vars(self))"), None);
}

/// What tasks count below a lock, and print themselves, begins again with each copy.
#[test]
fn what_tasks_count_below_a_lock() {
    let of = |added: &str| {
        let class = format!(
            "class Bar:\n    def __init__(self):\n        self.n = 0\n        self.lock = threading.Lock()\n    \
             def get(self, n):\n        with self.lock:\n            self.n += 1\n            {added}\n        return n"
        );
        failed(&from_main(&class, "box = Bar()"), "_thread.lock").refusal
    };
    let why = "what `get` changes in `n` would stay in the worker";
    assert_eq!(of("print(self.n)").as_deref(), Some(why));
    assert_eq!(of("print(n)"), None);
}

/// What a process sends to its parent has all that the process changed.
#[test]
fn what_a_process_sends_comes_back() {
    let text = "import multiprocessing as mp, threading\nclass Box:\n    def __init__(self):\n        self.n = 0\n        \
                self.lock = threading.Lock()\n    def add(self):\n        self.n += 1\ndef work(conn):\n    box = Box()\n    \
                box.add()\n    conn.send(box)\ndef main():\n    here, there = mp.Pipe()\n    \
                mp.Process(target=work, args=(there,)).start()\n    box = here.recv()\n    print(box.n)\nmain()\n";
    let failure = "Process Process-1:\nTraceback (most recent call last):\n  \
                   File \"/usr/lib/python3.11/multiprocessing/process.py\", line 108, in run\n    \
                   self._target(*self._args, **self._kwargs)\n  File \"a.py\", line 11, in work\n    conn.send(box)\n  \
                   File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 206, in send\n    \
                   self._send_bytes(_ForkingPickler.dumps(obj))\nTypeError: cannot pickle '_thread.lock' object\n";
    let object = named_of(text, failure).unwrap();
    assert_eq!(object.refusal, None);
    assert!(is_patched(&object));
}

/// `copy.copy` asks the methods of pickle, too: a view that shares the lock would have its own.
#[test]
fn copies_that_share_a_lock() {
    let view = "class Box:\n    def __init__(self):\n        self.lock = threading.Lock()\n    def get(self, x):\n        \
                return x\n    def view(self):\n        return copy.copy(self)";
    let text = from_main(view, "box = Box()").replace("import ", "import copy, ");
    let object = failed(&text, "_thread.lock");
    assert_eq!(
        object.refusal.as_deref(),
        Some("`copy.copy(self)` would have its own too")
    );
    let other = text.replace("copy.copy(self)", "copy.copy([self])");
    assert_eq!(failed(&other, "_thread.lock").refusal, None);
}

/// A task changes what its object holds in many ways; what is read alone, or made where it is missed, is not lost.
#[test]
fn what_a_task_changes_in_place() {
    let of = |made: &str, change: &str| {
        let class = format!(
            "class Inner:\n    def __init__(self):\n        self.n = 0\n    def add(self, n):\n        self.n += n\n\
             SEEN = []\nclass Box:\n    total = 0\n    def __init__(self):\n        self.lock = threading.Lock()\n        \
             self.d = {made}\n    def get(self, n):\n        {change}"
        );
        let text = from_main(&class, "box = Box()").replace("import ", "import heapq, numpy, ");
        let text = text.replace(
            "\nif __name__",
            "\n    print(box.d, Box.total, SEEN)\nif __name__",
        );
        failed(&text, "_thread.lock").refusal
    };
    let lost = |name: &str| {
        Some(format!(
            "what `get` changes in `{name}` would stay in the worker"
        ))
    };
    for (made, change, name) in [
        ("{}", "self.d['k'] += n", "d"),
        ("numpy.zeros(3)", "self.d[n] = n", "d"),
        ("numpy.zeros(3)", "self.d.fill(n)", "d"),
        ("[]", "heapq.heappush(self.d, n)", "d"),
        ("[1, 2]", "del self.d[0]", "d"),
        ("[]", "d = self.d; d.append(n)", "d"),
        ("Inner()", "self.d.add(n)", "d"),
        ("Inner()", "self.d.n += n", "d"),
        ("0", "Box.total += n", "total"),
        ("0", "SEEN.append(n)", "SEEN"),
    ] {
        assert_eq!(of(made, change), lost(name), "{change}");
    }
    for (made, change) in [
        ("{}", "return self.d.get('k')"),
        ("[]", "d = list(self.d); d.append(n)"),
        ("None", "if self.d is None:\n            self.d = load(n)"),
    ] {
        assert_eq!(of(made, change), None, "{change}");
    }
}

/// What each use takes a step further would take the same one in each task.
#[test]
fn what_each_task_would_begin_with() {
    let of = |made: &str, used: &str| {
        let class = format!(
            "class Box:\n    def __init__(self):\n        self.lock = threading.Lock()\n        self.d = {made}\n    \
             def get(self, n):\n        {used}"
        );
        let text =
            from_main(&class, "box = Box()").replace("import ", "import itertools, random, ");
        failed(&text, "_thread.lock").refusal
    };
    let why = Some("each task would get a copy of `d` in the same state".to_owned());
    assert_eq!(of("random.Random(1)", "return self.d.random()"), why);
    assert_eq!(of("itertools.count()", "return next(self.d)"), why);
    assert_eq!(of("random.Random(1)", "return n"), None);
    // Each task has an object of its own.
    let class = "class Box:\n    def __init__(self, seed):\n        self.lock = threading.Lock()\n        \
                 self.d = random.Random(seed)\ndef get(box):\n    return box.d.random()";
    let refused = |sent: &str| {
        let text = from_main(class, "box = Box(1)").replace("import ", "import random, ");
        failed(&text.replace("box.get, [1]", sent), "_thread.lock").refusal
    };
    assert_eq!(refused("get, [Box(n) for n in range(3)]"), None);
    assert_eq!(refused("get, [Box(1) for n in range(3)]"), why);
    assert_eq!(refused("get, [box, box]"), why);
    // A process's own goes with it alone.
    let process = "class Box(mp.Process):\n    def __init__(self):\n        super().__init__()\n        self.lock = threading.Lock()\n        \
                   self.d = random.Random(1)\n    def run(self):\n        print(self.d.random())";
    let text = from_main(process, "box = Box()").replace("import ", "import random, ");
    let text = text.replace("print(mp.Pool(2).map(box.get, [1]))", "box.start()");
    let frame = frame(&text, line_of(&text, ".start()"), "main");
    let failure = format!(
        "Traceback (most recent call last):\n{frame}  \
         File \"/usr/lib/python3.11/multiprocessing/process.py\", line 121, in start\n    self._popen = self._Popen(self)\n  \
         File \"/usr/lib/python3.11/multiprocessing/reduction.py\", line 60, in dump\n    ForkingPickler(file, protocol).dump(obj)\n\
         TypeError: cannot pickle '_thread.lock' object\n"
    );
    let object = named_of(&text, &failure).expect(&text);
    assert_eq!(object.refusal, None);
}

/// What one process writes and has not committed, or adds to an archive, another one does not have.
#[test]
fn what_another_process_does_not_have() {
    let of = |made: &str, used: &str, main: &str| {
        let class = format!(
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.d = {made}\n    \
             def add(self, n):\n        {used}\n    def get(self, n):\n        return self.d"
        );
        let text =
            from_main(&class, "box = Box('d')\nbox.add(1)").replace("import ", "import zipfile, ");
        let text = text.replace("\nif __name__", &format!("\n    {main}\nif __name__"));
        failed(
            &text,
            if made.contains("sql") {
                "sqlite3.Connection"
            } else {
                "_io.BufferedRandom"
            },
        )
        .refusal
    };
    let insert = "self.d.execute('insert into t values (1)')";
    let uncommitted = Some("a new connection sees only what is committed".to_owned());
    assert_eq!(
        of("sqlite3.connect(path)", insert, "box.d.commit()"),
        uncommitted
    );
    let committed = format!("{insert}; self.d.commit()");
    assert_eq!(of("sqlite3.connect(path)", &committed, "pass"), None);
    let archive = Some("several processes cannot write one archive".to_owned());
    assert_eq!(
        of("zipfile.ZipFile(path, 'a')", "self.d.write(n)", "pass"),
        archive
    );
    assert_eq!(of("zipfile.ZipFile(path)", "self.d.read(n)", "pass"), None);
}

/// A client of HTTP keeps the cookies of the request that logs in, whichever method sends it.
#[test]
fn a_client_that_is_logged_in() {
    let of = |method: &str, path: &str| {
        let class = format!(
            "class Box:\n    def __init__(self, base):\n        self.base = base\n        \
             self.client = httpx.Client(base_url=base)\n    def {method}(self):\n        \
             self.client.post('{path}')\n    def get(self, n):\n        return self.client.get(n)"
        );
        let text = from_main(&class, "box = Box('d')").replace("import ", "import httpx, ");
        failed(&text, "_thread.RLock").refusal
    };
    let why = |path: &str| {
        Some(format!(
            "a new one would be without `self.client.post('{path}')`"
        ))
    };
    assert_eq!(of("log_in", "/in"), why("/in"));
    assert_eq!(of("begin", "/auth?next=1"), why("/auth?next=1"));
    assert_eq!(of("add", "/authors"), None);
}

/// What main sets before the object is made is kept as it was then: a new process imports it as it was written.
#[test]
fn what_main_sets_before_it_is_made() {
    let of = |above: &str, path: &str, set: &str| {
        let class = format!(
            "{above}\nclass Box:\n    def __init__(self, conf=None):\n        self.conf = conf\n        \
             self.db = sqlite3.connect({path})\n    def get(self, n):\n        return n"
        );
        let text = from_main(&class, &format!("{set}\nbox = Box({{'db': 'a.db'}})"));
        let object = failed(&text, "sqlite3.Connection");
        let is_kept = |c: &str| !c.contains(&format!("connect({path})"));
        object
            .change
            .is_none_or(|c| c.patch.is_none() || is_kept(&c.code))
    };
    let settings = "class Settings:\n    PATH = 'a.db'\n    def __init__(self):\n        self.db = 'a.db'\n    \
                    def load(self, db):\n        self.db = db\n    @classmethod\n    def use(cls, path):\n        cls.PATH = path\n\
                    settings = Settings()";
    for (above, path, set) in [
        (settings, "settings.db", "settings.db = 'b.db'"),
        (settings, "settings.db", "settings.load('b.db')"),
        (settings, "Settings.PATH", "Settings.use('b.db')"),
        ("DB = 'a.db'", "DB", "globals()['DB'] = 'b.db'"),
        (
            "DB = ['a.db']\ndef path():\n    return DB[0]",
            "path()",
            "DB[0] = 'b.db'",
        ),
        (
            "def path():\n    return path.of\npath.of = 'a.db'",
            "path()",
            "path.of = 'b.db'",
        ),
        (
            "import contextvars\nDB = contextvars.ContextVar('DB')",
            "DB.get()",
            "DB.set('b.db')",
        ),
        (
            "",
            "conf['db']",
            "other = Box({'db': 'a.db'}); other.conf['db'] = 'b.db'",
        ),
    ] {
        assert!(of(above, path, set), "{set}");
    }
    // What nothing sets is as it was imported.
    let settings =
        "class Settings:\n    def __init__(self):\n        self.db = 'a.db'\nsettings = Settings()";
    for (above, path) in [
        (settings, "settings.db"),
        ("DB = 'a.db'", "DB"),
        ("DB = ['a.db']\ndef path():\n    return DB[0]", "path()"),
    ] {
        assert!(!of(above, path, "pass"), "{path}");
    }
}

/// Options of a connection that are set by any way, and what a lock guards by any way.
#[test]
fn what_is_set_or_guarded_by_any_way() {
    let set = |way: &str| {
        let class = format!(
            "def use(db):\n    return db\nclass Box:\n    def __init__(self, path):\n        self.path = path\n        \
             self.db = sqlite3.connect(path)\n        {way}\n    def get(self, n):\n        return self.db"
        );
        failed(&from_main(&class, "box = Box('a')"), "sqlite3.Connection").refusal
    };
    for way in [
        "use(self.db).row_factory = sqlite3.Row",
        "getattr(self, 'db').text_factory = bytes",
        "self.__dict__['db'].row_factory = sqlite3.Row",
    ] {
        assert_eq!(
            set(way),
            Some(format!("a new one would be without `{way}`"))
        );
    }
    assert_eq!(set("self.db.row_factory = sqlite3.Row"), None);
    let guards = |held: &str| {
        let class = format!(
            "import subprocess\ndef bump(path):\n    with open(path, 'a') as f:\n        f.write('x')\n\
             class Book:\n    def bump(self):\n        bump('seq')\n\
             class Box:\n    def __init__(self):\n        self.book = Book()\n        self.v = mp.Value('i', 0)\n        \
             self.rows = mp.Manager().dict()\n        self.lock = threading.Lock()\n    \
             def get(self, n):\n        with self.lock:\n            {held}"
        );
        failed(&from_main(&class, "box = Box()"), "_thread.lock")
            .change
            .unwrap()
            .code
    };
    for held in [
        "bump('seq')",
        "self.book.bump()",
        "subprocess.run(['touch', 'seq'])",
        "self.v.value = self.v.value + n",
        "self.rows[n] = 1",
    ] {
        assert_eq!(guards(held), "mp.Manager().Lock()", "{held}");
    }
    assert!(guards("print(n)").contains("__getstate__"));
}

/// What is taken away after it was opened cannot be opened again.
#[test]
fn what_is_taken_away() {
    let of = |after: &str, method: &str| {
        let class = format!(
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.file = open(path, 'a')\n        \
             {after}\n    def rotate(self):\n        {method}\n    def get(self, n):\n        return self.file"
        );
        failed(&from_main(&class, "box = Box('a')"), "_io.TextIOWrapper").refusal
    };
    let why = |call: &str| Some(format!("`{call}` takes away what it is opened by"));
    assert_eq!(of("os.unlink(path)", "pass"), why("os.unlink(path)"));
    assert_eq!(
        of("pass", "os.rename(self.path, 'b')"),
        why("os.rename(self.path, 'b')")
    );
    assert_eq!(
        of("pass", "Path(self.path).unlink()"),
        why("Path(self.path).unlink()")
    );
    assert_eq!(of("pass", "return self.path.replace('a', 'b')"), None);
}

/// A manager ends with what it gave: an object that `apply_async` has sent is held by nobody.
#[test]
fn a_manager_that_would_end() {
    let of = |main: &str| {
        let text = from_main(GUARD, main).replace(
            "mp.Pool(2).map(box.get, [1])",
            "mp.Pool(2).apply_async(Box('a').get, (1,)).get()",
        );
        failed(&text, "_thread.lock").refusal
    };
    let why = "the manager would end with the object, before the task begins";
    assert_eq!(of("pass").as_deref(), Some(why));
}

/// A new process does not import the `__main__.py` that was run.
#[test]
fn a_main_that_is_not_imported() {
    let text = "import multiprocessing as mp\ndef main():\n    with mp.get_context('spawn').Pool(2) as pool:\n        \
                print(pool.map(lambda n: n, [1]))\nif __name__ == '__main__':\n    main()\n";
    let of = |name: &str, text: &str| {
        let folder = Folder::new("main");
        folder.write(&format!("root/{name}"), text);
        let failure = format!(
            "Traceback (most recent call last):\n  File \"{name}\", line 6, in <module>\n    main()\n  \
             File \"{name}\", line 4, in main\n    print(pool.map(lambda n: n, [1]))\n\
             _pickle.PicklingError: Can't pickle <function main.<locals>.<lambda> at 0x7f>: attribute lookup \
             main.<locals>.<lambda> on __main__ failed\n"
        );
        let object = named(&folder.sources("root"), &failure).unwrap();
        (object.refusal, object.change.unwrap().patch.is_some())
    };
    let why = Some("a new process does not import `__main__.py`".to_owned());
    assert_eq!(of("tool/__main__.py", text), (why, false));
    assert_eq!(
        of("tool/__main__.py", &text.replace("'spawn'", "'fork'")),
        (None, true)
    );
    assert_eq!(of("tool/main.py", text), (None, true));
}

/// What lies in a temporary folder is gone behind its block.
#[test]
fn a_folder_that_is_gone() {
    let class = "import tempfile\nclass Box:\n    def __init__(self, path):\n        self.path = path\n        \
                 self.db = sqlite3.connect(path)\n    def get(self, n):\n        return n";
    let main = "with tempfile.TemporaryDirectory() as folder:\n    box = Box(folder + '/c.db')";
    let text = from_main(class, main);
    let why = "its temporary folder is gone when it is sent";
    assert_eq!(
        failed(&text, "sqlite3.Connection").refusal.as_deref(),
        Some(why)
    );
    let inside = text.replace("\n    print(mp.Pool", "\n        print(mp.Pool");
    assert_eq!(failed(&inside, "sqlite3.Connection").refusal, None);
}

/// A number that tasks count up is as they found it, in the parent.
#[test]
fn a_global_that_tasks_count_up() {
    let of = |after: &str| {
        let text = format!(
            "import multiprocessing as mp, threading\n{STATS}\ntotal = 0\ndef work(stats):\n    global total\n    \
             total += stats.get(1)\ndef main():\n    mp.Pool(2).map(work, [Stats()])\n    {after}\n"
        );
        failed(&text, "_thread.lock").refusal
    };
    let why = "what `work` changes in `total` would stay in the worker";
    assert_eq!(of("print(total)").as_deref(), Some(why));
    assert_eq!(of("pass"), None);
}

/// What a task works out with Python's own functions, or hands on to be called.
#[test]
fn what_a_task_sets_or_hands_on() {
    let refused = |begin: &str, work: &str| {
        let class = format!(
            "class Box:\n    def __init__(self):\n        self.lock = threading.Lock()\n        self.found = {begin}\n    \
             def get(self, n):\n        {work}\n    def all(self):\n        return self.found"
        );
        failed(&from_main(&class, "box = Box()"), "_thread.lock").refusal
    };
    let why = Some("what `get` changes in `found` would stay in the worker".to_owned());
    assert_eq!(refused("None", "self.found = sum(range(n))"), why);
    assert_eq!(refused("[]", "threading.Timer(n, self.found.append)"), why);
    assert_eq!(
        refused("[]", "sorted(range(n), reverse=self.found.reverse)"),
        None
    );
}
