//! What is left to the author, and why.

use super::shared::{failed, from_main};
use super::*;

/// Returns what is named in a program of one file, and why it is not changed.
fn refused(name: &str, class: &str) -> String {
    let text =
        format!("import pickle, queue, sqlite3, threading\n{class}\nprint(pickle.dumps(Box()))\n");
    let line = text.lines().count();
    let failure = failure("a.py").replace("line 10", &format!("line {line}"));
    let object = named_of(&text, &failure).unwrap();
    // Code is shown, with the attribute's name in it, and none is written.
    let attribute = object.attribute.unwrap();
    if let Some(change) = object.change {
        assert_eq!(change.patch, None, "{name}");
        assert!(change.code.contains(&attribute.name), "{name}");
    }
    assert_eq!(attribute.class, "Box");
    assert_has(class, &format!("self.{} =", attribute.name));
    object.refusal.unwrap()
}

#[test]
fn changes_that_are_not_safe() {
    let slots = "class Box:\n    __slots__ = ('lock', '__weakref__')\n    def __init__(self):\n        self.lock = threading.Lock()";
    assert_eq!(refused("slots", slots), "the class `Box` has slots");
    let queue = "class Box:\n    def __init__(self):\n        self.jobs = queue.Queue()";
    assert_eq!(
        refused("queue", queue),
        "a new `queue.Queue` would be empty, and nobody here would read it"
    );
    let error =
        "class Box(Exception):\n    def __init__(self):\n        self.lock = threading.Lock()";
    assert!(refused("error", error).contains("`Exception` may pickle in a way of its own"));
}

/// What would be another thing in the other process, or fail there, is left to the author.
#[test]
fn what_would_not_do_the_same_is_not_made_again() {
    for (class, type_name, why) in [
        (
            "class Box:\n    def __init__(self, path):\n        try:\n            self.db = sqlite3.connect(path)\n        \
             except OSError:\n            self.db = sqlite3.connect('other')\n    def get(self, x):\n        return x",
            "sqlite3.Connection",
            "it is set in more than one way",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        path = path + '.db'\n        \
             self.db = sqlite3.connect(path)\n    def get(self, x):\n        return x",
            "sqlite3.Connection",
            "the object does not keep `path`",
        ),
        (
            "class Part:\n    def __init__(self, lock):\n        self.lock = lock\nclass Box:\n    def __init__(self, path):\n        \
             self.lock = threading.Lock()\n        self.parts = [Part(self.lock)]\n    def get(self, x):\n        return x",
            "_thread.lock",
            "`parts` has the same `lock`",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.handler = logging.FileHandler(path)\n        \
             self.log = logging.getLogger(path)\n        self.log.addHandler(self.handler)\n    def get(self, x):\n        return x",
            "_thread.RLock",
            "`self.log.addHandler(self.handler)` has it too",
        ),
        (
            "class Box(dict):\n    def __init__(self, path):\n        self.lock = threading.Lock()\n    \
             def __setitem__(self, key, value):\n        with self.lock:\n            super().__setitem__(key, value)",
            "_thread.lock",
            "`__setitem__` needs it before `__setstate__` has run",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        if path:\n            self.lock = threading.Lock()\n    \
             def get(self, x):\n        return hasattr(self, 'lock')",
            "_thread.lock",
            "the program asks whether it is there",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.data = {}\n        self.names = self.data.keys()\n    \
             def add(self, x):\n        self.data[x] = x\n    def get(self, x):\n        return sorted(self.names)[x]",
            "dict_keys",
            "`data` is filled later, and a list would not follow",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.names = {path: 1}.keys()\n    \
             def get(self, x):\n        return self.names - {x}",
            "dict_keys",
            "a list is no set, and the program uses it as one",
        ),
    ] {
        assert_left_alone(class, type_name, why);
    }
}

/// Nothing is made again where the program would see that it is another one.
#[test]
fn what_the_program_would_notice_is_left_to_its_author() {
    let with = "    def get(self, x):\n        return x";
    for (class, type_name, why) in [
        (
            "from dataclasses import dataclass, field\n@dataclass\nclass Box:\n    name: str\n    \
             lock: threading.Lock = field(default_factory=threading.Lock)\n    def get(self, other):\n        return self == other",
            "_thread.lock",
            "`==` compares `lock` too, and a new one is another: give the field `compare=False`",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.file = open(path, 'a')\n    \
             def get(self, x):\n        return self.file.closed",
            "_io.TextIOWrapper",
            "the program asks whether it is closed, and a new one is open",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.file = open(path)\n    \
             def get(self, x):\n        return self.file.readline()",
            "_io.TextIOWrapper",
            "a new one would not be where `get` leaves it",
        ),
        (
            "import csv\nclass Box:\n    def __init__(self, path):\n        self.path = path\n        self.file = open(path)\n        \
             self.rows = csv.reader(self.file)\n        self.head = next(self.rows)\n",
            "_io.TextIOWrapper",
            "a new one would not be where `self.head = next(self.rows)` leaves it",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.db = sqlite3.connect(path)\n    \
             def add(self, x):\n        self.db.execute('insert into t values (1)')\n    \
             def close(self):\n        self.db.commit()\n",
            "sqlite3.Connection",
            "a new connection sees only what is committed",
        ),
        (
            "from dataclasses import dataclass, field\n@dataclass\nclass Box:\n    path: str\n    \
             file: object = field(init=False)\n    def open(self):\n        self.file = open(self.path, 'a')\n",
            "_io.TextIOWrapper",
            "it may not be set yet",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.rows = []\n        \
             self.thread = threading.Thread(target=self.fill)\n        self.thread.start()\n    \
             def fill(self):\n        self.rows.append(1)\n    def get(self, x):\n        return self.rows",
            "_thread.lock",
            "no thread would work on `rows` there, and `get` uses it",
        ),
        (
            "import types\nclass Box:\n    def __init__(self, data):\n        self.view = types.MappingProxyType(data)\n        \
             data.update(self=self)\n        register(data)\n",
            "mappingproxy",
            "others hold the dict that it shows",
        ),
        (
            "from collections import OrderedDict\nclass Box(OrderedDict):\n    def __init__(self, size):\n        super().__init__()\n        \
             self.lock = threading.Lock()\n",
            "_thread.lock",
            "pickle makes it by `Box()`, which its `__init__` does not take",
        ),
    ] {
        let class = if class.contains("def get") {
            class.to_owned()
        } else {
            format!("{class}\n{with}")
        };
        assert_left_alone(&class, type_name, why);
    }
}

/// What sets something on it elsewhere, or changes what it is made of, counts too.
#[test]
fn what_the_rest_of_the_program_does_is_looked_at() {
    for (class, type_name, why) in [
        (
            "class Box:\n    def __init__(self, path):\n        if path:\n            self.lock = threading.Lock()\n        else:\n            \
             self.lock = threading.Semaphore(2)\n    def get(self, x):\n        return x",
            "_thread.lock",
            "it is set in more than one way",
        ),
        (
            "import httpx\nclass Box:\n    def __init__(self, path):\n        self.client = httpx.Client()\n    \
             def log_in(self, name):\n        self.client.headers['User'] = name\n    def get(self, x):\n        return x",
            "_thread.RLock",
            "a new one would be without `self.client.headers['User'] = name`",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.conn = sqlite3.connect(path)\n        self._prepare()\n    \
             def _prepare(self):\n        self.conn.row_factory = sqlite3.Row\n    def get(self, x):\n        return x",
            "sqlite3.Connection",
            "a new one would be without `self.conn.row_factory = sqlite3.Row`",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.conn = sqlite3.connect(path)\n        self.conn.interrupt()\n    \
             def get(self, x):\n        return x",
            "sqlite3.Connection",
            "a new one would be without `self.conn.interrupt()`",
        ),
        (
            "import httpx\nclass Box:\n    def __init__(self, path):\n        self.client = httpx.Client()\n        \
             self.client.get('/login')\n    def get(self, x):\n        return x",
            "_thread.RLock",
            "a new one would be without `self.client.get('/login')`",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.conn = sqlite3.connect(self.path)\n        \
             self.path += '.old'\n    def get(self, x):\n        return x",
            "sqlite3.Connection",
            "`self.path` is set again while the program runs",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.of = {'db': path}\n        self.conn = sqlite3.connect(self.of['db'])\n    \
             def move(self, path):\n        self.of['db'] = path\n    def get(self, x):\n        return x",
            "sqlite3.Connection",
            "`self.of` is set again while the program runs",
        ),
        (
            "import time\nclass Box:\n    def __init__(self, path):\n        self.conn = sqlite3.connect(f'{path}{time.time()}')\n    \
             def get(self, x):\n        return x",
            "sqlite3.Connection",
            "it would be made of another name or time there",
        ),
        (
            "import shutil\nclass Box:\n    def __init__(self, path):\n        self.path = path\n        self.lock = threading.Lock()\n    \
             def __del__(self):\n        shutil.rmtree(self.path)\n    def get(self, x):\n        return x",
            "_thread.lock",
            "each copy would do what `__del__` does: `shutil.rmtree(self.path)`",
        ),
    ] {
        assert_left_alone(class, type_name, why);
    }
}

/// What others are given, and keep or set up, would be without it.
#[test]
fn what_others_have_too_is_not_made_again() {
    let class = "class Box:\n    def __init__(self, path):\n        self.path = path\n        \
                 self.conn = sqlite3.connect(path)\n    def get(self, x):\n        return self.conn\nbox = Box('a')\n";
    for (before, after, call) in [
        (
            "def configure(connection):\n    connection.create_function('f', 0, f)\n",
            "configure(box.conn)",
            Some("configure(box.conn)"),
        ),
        (
            "class Kept:\n    def __init__(self, conn):\n        self.conn = conn\n",
            "Kept(conn=box.conn)",
            Some("Kept(conn=box.conn)"),
        ),
        (
            "import events\n",
            "events.watch([box.conn])",
            Some("events.watch([box.conn])"),
        ),
        (
            "import events\n",
            "@events.listens_for(box.conn, 'connect')\ndef pragma(conn):\n    pass",
            Some("events.listens_for(box.conn, 'connect')"),
        ),
        (
            "def show(connection):\n    return connection.execute('select 1')\n",
            "print(show(box.conn))",
            None,
        ),
        (
            "import pandas as pd\n",
            "rows = pd.read_sql('a', box.conn)",
            None,
        ),
    ] {
        let text = sends(&format!("{before}{class}{after}"), "box");
        let object = pooled(&text, "sqlite3.Connection").expect(after);
        let why = call.map(|call| format!("`{call}` has it too"));
        assert_eq!(object.refusal, why, "{after}");
    }
    assert_left_alone(
        "class Box:\n    def __init__(self, path):\n        self.out = logging.FileHandler(path)\n        \
         logging.basicConfig(handlers=[self.out])\n    def get(self, x):\n        return x",
        "_thread.RLock",
        "`logging.basicConfig(handlers=[self.out])` has it too",
    );
}

/// What SQL sets is the connection's, wherever the statement is; a client keeps what it listens to.
#[test]
fn what_is_said_to_a_connection_is_not_said_to_a_new_one() {
    for (before, made, after, line) in [
        (
            "",
            "cur = self.conn.cursor()\n        cur.execute('pragma foreign_keys = on')",
            "",
            "cur.execute('pragma foreign_keys = on')",
        ),
        (
            "",
            "self.conn.executescript('create table t (n); pragma foreign_keys = on')",
            "",
            "self.conn.executescript('create table t (n); pragma foreign_keys = on')",
        ),
        (
            "KEYS = 'pragma foreign_keys = on'\n",
            "self.conn.execute(KEYS)",
            "",
            "KEYS = 'pragma foreign_keys = on'",
        ),
        (
            "",
            "with self.conn as c:\n            c.execute('pragma foreign_keys = on')",
            "",
            "c.execute('pragma foreign_keys = on')",
        ),
        (
            "",
            "self.path = path",
            "    def prepare(self):\n        cur = self.conn.cursor()\n        cur.execute('create temp table t (n)')\n",
            "cur.execute('create temp table t (n)')",
        ),
    ] {
        let class = format!(
            "{before}class Box:\n    def __init__(self, path):\n        self.conn = sqlite3.connect(path)\n        \
             {made}\n{after}    def get(self, x):\n        return x"
        );
        let why = format!("a new one would be without `{line}`");
        assert_left_alone(&class, "sqlite3.Connection", &why);
    }
    for (made, line) in [
        ("kafka.KafkaConsumer(path)", "self.it.subscribe(name)"),
        ("redis.Redis(path).pubsub()", "self.it.subscribe(name)"),
        (
            "boto3.client('s3')",
            "self.it.meta.events.register('a', name)",
        ),
    ] {
        let class = format!(
            "import boto3, kafka, redis\nclass Box:\n    def __init__(self, path):\n        self.it = {made}\n    \
             def follow(self, name):\n        {line}\n    def get(self, x):\n        return x"
        );
        let why = format!("a new one would be without `{line}`");
        assert_left_alone(&class, "_thread.lock", &why);
    }
}

/// Modules are imported, not made again.
#[test]
fn a_module_that_is_kept_from_outside() {
    let class = "class Box:\n    def get(self, x):\n        return self.loader.get_ident()\n\
                 box = Box()\nbox.loader = threading";
    let text = from_main(class, "print(1)");
    let change = failed(&text, "module").change.unwrap();
    assert_eq!(change.code, "import threading");
    assert!(change.text.starts_with("Keep no module in `box.loader`"));
    assert_eq!(change.patch, None);
    let either = "import multiprocessing as mp\ntry:\n    import cmath as m\nexcept ImportError:\n    import math as m\n\
                  class Box:\n    def __init__(self):\n        self.m = m\n    def get(self, x):\n        return self.m.sqrt(x)\n\
                  print(mp.Pool(2).map(Box().get, [1]))";
    let object = pooled(either, "module").unwrap();
    assert_eq!(object.type_name, "the module cmath or math");
    assert_eq!(object.change.unwrap().code, "import cmath  # or math");
}

/// What is set goes to a property, which keeps it under another name: `__dict__` has none of this one.
#[test]
fn what_a_property_keeps_is_not_left_out() {
    let class = "class Box:\n    def __init__(self):\n        self.lock = threading.Lock()\n    \
                 @property\n    def lock(self):\n        return self._own\n    \
                 @lock.setter\n    def lock(self, value):\n        self._own = value";
    let why = "a property of the class keeps it elsewhere";
    assert_eq!(refused("property", class), why);
}

/// A pool that a process keeps is of the parent, which started it: `run` cannot do without one.
#[test]
fn a_pool_that_a_process_keeps() {
    let program = |run: &str| {
        format!(
            "import multiprocessing as mp\nclass Cruncher(mp.Process):\n    def __init__(self):\n        \
             super().__init__()\n        self.pool = mp.Pool(2)\n    def run(self):\n        {run}\n\
             if __name__ == '__main__':\n    mp.set_start_method('spawn')\n    c = Cruncher()\n    c.start()\n"
        )
    };
    let library = "/usr/lib/python3.11/multiprocessing";
    let failure = format!(
        "Traceback (most recent call last):\n  File \"a.py\", line 11, in <module>\n    c.start()\n  \
         File \"{library}/process.py\", line 121, in start\n    self._popen = self._Popen(self)\n  \
         File \"{library}/popen_spawn_posix.py\", line 47, in _launch\n    reduction.dump(process_obj, fp)\n  \
         File \"{library}/reduction.py\", line 60, in dump\n    ForkingPickler(file, protocol).dump(obj)\n  \
         File \"{library}/pool.py\", line 643, in __reduce__\n    raise NotImplementedError(\n\
         NotImplementedError: pool objects cannot be passed between processes or pickled\n"
    );
    let why = "`run` uses `pool`, which would be `None` there";
    for (run, refusal) in [("print(1)", None), ("self.pool.map(abs, [1])", Some(why))] {
        let object = named_of(&program(run), &failure).expect(run);
        assert_eq!((object.path.as_str(), object.line), ("c.pool", 5));
        assert_eq!(object.refusal.as_deref(), refusal);
    }
}

/// What a task does with the object that it is given is looked at, too, and a thread that `__init__` starts runs
/// in no worker.
#[test]
fn what_a_task_calls_on_its_argument() {
    let program = |set: &str, get: &str| {
        format!(
            "import multiprocessing as mp\nfrom concurrent.futures import ThreadPoolExecutor, ProcessPoolExecutor\n\
             from threading import Thread\nclass Box:\n    def __init__(self):\n        {set}\n    \
             def get(self):\n        {get}\ndef work(box):\n    return box.get()\n\
             print(mp.Pool(2).map(work, [Box()]))\n"
        )
    };
    let threads = "self.thread = Thread(target=print)\n        self.thread.start()";
    let own = "self.ex = ProcessPoolExecutor(1)";
    for (set, get, why) in [
        (own, "return 1", None),
        (
            own,
            "return self.ex.submit(abs, 1).result()",
            Some("`get` uses `ex`, which would be `None` there"),
        ),
        (threads, "return 1", None),
        (
            threads,
            "return self.thread.join()",
            Some("`get` uses `thread`, which would not run there"),
        ),
        (
            threads,
            "self.thread.start()\n        return self.thread.join()",
            None,
        ),
    ] {
        let object = pooled(&program(set, get), "_thread.lock").expect(get);
        assert_eq!(object.refusal.as_deref(), why, "{set} {get}");
    }
}
