//! What is left out of the bytes and made again.

use super::*;

/// A list that is made of itself, again and again, is no way round the limits of the search.
#[test]
fn what_is_made_of_itself() {
    let text = "\
import pickle, threading
class Box:
    def __init__(self, more=None):
        self.lock = threading.Lock()
        self.flags = []
        if more:
            self.flags += more.split()
        self.flags = list(filter(lambda x: x != '-c', self.flags))
        self.flags.append(more)
print(pickle.dumps(Box()))
";
    let object = named_of(text, &failure("a.py")).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("Box.lock", 4));
}

/// An attribute that begins with two underscores stands in `__dict__` by its class's name.
#[test]
fn private_attributes_go_by_their_mangled_names() {
    let program = "\
import multiprocessing as mp
import threading
class _Store:
    def __init__(self):
        self.__lock = threading.Lock()
    def get(self, x):
        return x
print(mp.Pool(2).map(_Store().get, [1]))
";
    let object = pooled(program, "_thread.lock").unwrap();
    let code = object.change.unwrap().code;
    assert_has(&code, "del state[\"_Store__lock\"]");
    assert_has(&code, "self.__lock = threading.Lock()");
}

/// One of several that a line sets is made again alone.
#[test]
fn what_is_set_beside_others_is_made_again() {
    let program = "\
import multiprocessing as mp
import threading
class Store:
    def __init__(self, rate):
        self.rate, self.lock = rate, threading.Lock()
    def get(self, x):
        with self.lock:
            return x * self.rate
print(mp.Pool(2).map(Store(2).get, [1]))
";
    let object = pooled(program, "_thread.lock").unwrap();
    let code = object.change.unwrap().code;
    assert!(code.ends_with("self.lock = threading.Lock()"), "{code}");
}

/// A condition goes with the lock that is made for it.
#[test]
fn a_condition_with_a_lock_of_its_own() {
    let program = "\
import multiprocessing as mp
import threading
class Store:
    def __init__(self):
        self.ready = threading.Condition(threading.Lock())
    def get(self, x):
        with self.ready:
            return x
print(mp.Pool(2).map(Store().get, [1]))
";
    let object = pooled(program, "_thread.lock").unwrap();
    assert_eq!(object.type_name, "threading.Condition");
    let code = object.change.unwrap().code;
    let made = "self.ready = threading.Condition(threading.Lock())";
    assert!(code.ends_with(made), "{code}");
}

/// A container that is filled elsewhere is not made again empty; one that is filled where something is
/// missed is.
#[test]
fn a_container_is_emptied_only_where_it_fills_itself() {
    let program = |body: &str| {
        format!(
            "\
import multiprocessing as mp
import threading
class Bank:
    def __init__(self):
        self.locks = {{}}
    def add(self, name):
{body}
    def get(self, x):
        return self.locks.get(x)
bank = Bank()
print(mp.Pool(2).map(bank.get, [1]))
"
        )
    };
    for (body, is_remade) in [
        ("        self.locks[name] = threading.Lock()", false),
        (
            "        if name not in self.locks:\n            self.locks[name] = threading.Lock()",
            true,
        ),
        (
            "        self.locks.setdefault(name, threading.Lock())",
            true,
        ),
        (
            "        self.locks[name] = threading.Thread(target=print)",
            true,
        ),
    ] {
        let object = pooled(&program(body), "_thread.lock").expect(body);
        let change = object.change.expect(body);
        assert_eq!(change.patch.is_some(), is_remade, "{body}: {}", change.code);
        assert_has(&change.code, "self.locks = {}");
    }
}

/// A context manager that a generator function makes has no items to list.
#[test]
fn a_context_manager_is_not_listed() {
    let program = "\
import contextlib
import multiprocessing as mp
@contextlib.contextmanager
def folder():
    yield 1
class Report:
    def __init__(self):
        self.scope = folder()
    def write(self, x):
        return x, self.scope
print(mp.Pool(2).map(Report().write, [1]))
";
    let object = pooled(program, "generator").unwrap();
    assert_eq!(
        object.refusal.as_deref(),
        Some("it is a context manager: enter it where it is used")
    );
    assert!(!object.change.unwrap().code.contains("list("));
}

/// What a function sets by `global` is found behind the `None` that the module has, and what goes into
/// a container under a key is found there.
#[test]
fn what_is_set_and_filled_later_is_found() {
    let head = "\
import collections
import multiprocessing as mp
import threading
class Cache:
    def __init__(self):
        self.guard = threading.Lock()
    def get(self, x):
        return x
";
    for (name, body) in [
        (
            "global",
            "CACHE = None\ndef setup():\n    global CACHE\n    CACHE = Cache()\nsetup()\nprint(mp.Pool(2).map(CACHE.get, [1]))\n",
        ),
        (
            "setdefault",
            "all = {}\nall.setdefault('a', []).append(Cache())\nprint(mp.Pool(2).map(all['a'][0].get, [1]))\n",
        ),
        (
            "defaultdict",
            "all = collections.defaultdict(list)\nkey = 'a'\nall[key].append(Cache())\nprint(mp.Pool(2).map(all['a'][0].get, [1]))\n",
        ),
    ] {
        let object = pooled(&format!("{head}{body}"), "_thread.lock").expect(name);
        assert_eq!((object.file.as_str(), object.line), ("a.py", 6), "{name}");
    }
}

/// A bar that tasks would count on is put around what they give.
#[test]
fn a_bar_stays_where_it_is_seen() {
    let program = "\
import concurrent.futures as cf
import multiprocessing as mp
from tqdm import tqdm
class Encoder:
    def __init__(self):
        self.bar = tqdm(total=2)
    def encode(self, x):
        return x
encoder = Encoder()
";
    let file = "_io.TextIOWrapper";
    let code = |object: Option<Object>| object.unwrap().change.unwrap().code;
    let mapped =
        format!("{program}pool = mp.Pool(2)\nprint(pool.map(encoder.encode, ['a', 'b']))\n");
    assert_eq!(
        code(pooled(&mapped, file)),
        "results = list(tqdm(pool.imap(encoder.encode, items), total=len(items)))"
    );
    let module = mapped
        .replace("from tqdm import", "import")
        .replace("tqdm(", "tqdm.tqdm(");
    assert_eq!(
        code(pooled(&module, file)),
        "results = list(tqdm.tqdm(pool.imap(encoder.encode, items), total=len(items)))"
    );
    let one_by_one = mapped.replace(
        "pool.map(encoder.encode, ['a', 'b'])",
        "pool.apply_async(encoder.encode, ('a',), callback=print).get()",
    );
    assert_eq!(
        code(pooled(&one_by_one, file)),
        "results = list(tqdm(pool.imap(encoder.encode, items), total=len(items)))"
    );
    let submitted = format!(
        "{program}pool = cf.ProcessPoolExecutor(2)\nprint(pool.submit(encoder.encode, 'a').result())\n"
    );
    let failure = format!(
        "Traceback (most recent call last):\n  \
         File \"/usr/lib/python3.11/multiprocessing/queues.py\", line 244, in _feed\n    \
         obj = _ForkingPickler.dumps(obj)\nTypeError: cannot pickle '{file}' object\n\n\
         The above exception was the direct cause of the following exception:\n\n\
         Traceback (most recent call last):\n  File \"a.py\", line 11, in <module>\n    \
         print(pool.submit(encoder.encode, 'a').result())\n  \
         File \"/usr/lib/python3.11/concurrent/futures/_base.py\", line 401, in __get_result\n    \
         raise self._exception\nTypeError: cannot pickle '{file}' object\n"
    );
    let code = code(named_of(&submitted, &failure));
    assert!(code.starts_with("futures = [pool.submit(encoder.encode, item) for item in items]\n"));
    assert!(code.ends_with("    result = future.result()"), "{code}");
}

/// Returns a program whose `Box('a')` a pool is sent, after the change.
fn mended(class: &str, type_name: &str) -> String {
    let text = sends(class, "Box('a')");
    let object = pooled(&text, type_name).expect(class);
    rewritten(&text, object).unwrap_or_else(|why| panic!("{class}\n{why}"))
}

/// What keeps its attributes elsewhere, and what is made of what is left out.
#[test]
fn what_libraries_hold_is_made_again() {
    let get = "    def get(self, x):\n        return x";
    for (class, type_name, lines) in [
        (
            "from pydantic import BaseModel, PrivateAttr\nclass Box(BaseModel):\n    name: str\n    \
             _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)\n",
            "_thread.lock",
            [
                "private.pop(\"_lock\", None)",
                "super().__setstate__(state)\n        self._lock = threading.Lock()",
            ],
        ),
        (
            "from attrs import define, field\n@define\nclass Box:\n    name: str\n    \
             lock: threading.Lock = field(factory=threading.Lock, eq=False)\n",
            "_thread.lock",
            [
                "names = [a.name for a in self.__attrs_attrs__ if hasattr(self, a.name)]",
                "object.__setattr__(self, name, value)\n        self.lock = threading.Lock()",
            ],
        ),
        (
            "from sqlalchemy import create_engine\nfrom sqlalchemy.orm import sessionmaker\nclass Box:\n    \
             def __init__(self, url):\n        self.url = url\n        self.engine = create_engine(url)\n        \
             self.Session = sessionmaker(bind=self.engine)\n",
            "_thread.lock",
            [
                "del state[\"Session\"]",
                "self.engine = create_engine(self.url)\n        self.Session = sessionmaker(bind=self.engine)",
            ],
        ),
        (
            "import boto3\nclass Box:\n    def __init__(self, key):\n        \
             self.s3 = boto3.client('s3', aws_access_key_id='x')\n",
            "_thread.lock",
            [
                "del state[\"s3\"]",
                "self.s3 = boto3.client('s3', aws_access_key_id='x')",
            ],
        ),
        (
            "import types\nclass Box:\n    def __init__(self, name):\n        self._data = {name: 1}\n        \
             self.view = types.MappingProxyType(self._data)\n    def add(self, x):\n        self._data[x] = 1\n",
            "mappingproxy",
            [
                "del state[\"view\"]",
                "self.view = types.MappingProxyType(self._data)",
            ],
        ),
    ] {
        let new = mended(&format!("{class}{get}"), type_name);
        for line in lines {
            assert_has(&new, line);
        }
    }
}

/// A worker changes a copy: what the rest of the program reads is to be returned.
#[test]
fn what_a_task_changes_on_its_own_object_is_lost() {
    let class = |read: &str| {
        format!(
            "class Box:\n    def __init__(self, path):\n        self.lock = threading.Lock()\n        self.seen = []\n    \
             def get(self, x):\n        self.keep(x)\n    def keep(self, x):\n        self.seen.append(x)\n    \
             def count(self):\n        return {read}"
        )
    };
    let text = sends(&class("len(self.seen)"), "Box('a')");
    let object = pooled(&text, "_thread.lock").expect("an object");
    let change = object.change.expect("code to show");
    let why = "what `get` changes in `seen` would stay in the worker";
    assert_eq!(object.refusal.as_deref(), Some(why));
    assert!(
        change
            .text
            .starts_with("`get` changes `seen` in the worker's copy only")
    );
    assert_has(&change.code, "self.lock = threading.Lock()");
    assert_eq!(change.patch, None);
    assert!(mended(&class("1"), "_thread.lock").contains("def __getstate__"));
}

/// What is made of a connection is of no use where that is not.
#[test]
fn a_cursor_is_shown_with_its_connection() {
    let text = "import functools, multiprocessing as mp, sqlite3\ndef square(cur, x):\n    return cur, x\n\
                conn = sqlite3.connect('n.db')\ncur = conn.cursor()\nprint(square(cur, 1))\n\
                print(mp.Pool(2).map(functools.partial(square, cur), [1]))\n";
    let change = pooled(text, "sqlite3.Cursor").and_then(|o| o.change);
    let code = change.map(|c| c.code);
    let both = "conn = sqlite3.connect('n.db')\ncur = conn.cursor()";
    assert_eq!(code.as_deref(), Some(both));
}

/// What may be another value by the time the object is made again is kept as it is when it is first made.
#[test]
fn what_the_program_sets_again_is_kept() {
    for (before, made, kept) in [
        (
            "",
            "self.name = path\n        self.conn = sqlite3.connect(self.name)\n        self.name = 'of ' + path",
            "self._name = self.name",
        ),
        (
            "def rename(box):\n    box.path = 'a name'\n",
            "self.path = path\n        self.conn = sqlite3.connect(self.path)",
            "self._path = self.path",
        ),
        (
            "import os\nos.environ['DB'] = 'a'\n",
            "self.conn = sqlite3.connect(os.environ['DB'])",
            "self.db = os.environ['DB']",
        ),
        (
            "DB = 'a'\ndef configure():\n    global DB\n    DB = 'b'\n",
            "self.conn = sqlite3.connect(DB)",
            "self.db = DB",
        ),
        (
            "class Config:\n    path = 'a'\nConfig.path = 'b'\n",
            "self.conn = sqlite3.connect(Config.path)",
            "self._path = Config.path",
        ),
        (
            "CONF = {'db': 'a'}\nCONF['db'] = 'b'\n",
            "self.conn = sqlite3.connect(CONF['db'])",
            "self.db = CONF['db']",
        ),
    ] {
        let class = format!(
            "{before}class Box:\n    def __init__(self, path):\n        {made}\n    def get(self, x):\n        return x"
        );
        let object = pooled(&sends(&class, "Box('a')"), "sqlite3.Connection");
        let change = object.expect(kept).change.expect(kept);
        assert_has(&change.text, &format!("`{kept}` goes above"));
        let (name, _) = kept.split_once(" = ").unwrap();
        let again = format!("self.conn = sqlite3.connect({name})");
        assert_has(&change.code, &again);
        assert!(change.patch.is_some(), "{class}");
    }
    // Where the program shows all attributes, a new one would be seen.
    let class = "def rename(box):\n    box.path = 'a name'\nclass Box:\n    def __init__(self, path):\n        self.path = path\n        \
                 self.conn = sqlite3.connect(self.path)\n    def get(self, x):\n        return vars(self)['path']";
    assert_left_alone(
        class,
        "sqlite3.Connection",
        "`self.path` is set again while the program runs",
    );
}

#[test]
fn what_is_made_again_fits_the_class() {
    for (class, line) in [
        (
            "class Box:\n    def __init__(self, parent=None):\n        self.parent = weakref.ref(parent) if parent else None\n    \
             def get(self, x):\n        return self.parent()",
            "self.parent_kept = self.parent",
        ),
        (
            "class Box:\n    def __init__(self):\n        self.read = self.write = threading.RLock()\n    \
             def get(self, x):\n        return x",
            "self.write = self.read",
        ),
        (
            "class Box:\n    def __init__(self):\n        self.lock = threading.Lock()\n    def __setattr__(self, name, value):\n        \
             super().__setattr__(name, value)\n    def get(self, x):\n        return x",
            "self.__dict__[\"lock\"] = threading.Lock()",
        ),
        (
            "class Box:\n    def __init__(self):\n        self.lock = threading.Lock()\n    def close(self):\n        \
             del self.lock\n    def get(self, x):\n        return x",
            "state.pop(\"lock\", None)",
        ),
        (
            "class Box:\n    def __init__(self, is_dry=False):\n        self.lock = None\n        if not is_dry:\n            \
             self.lock = threading.Lock()\n    def get(self, x):\n        return x",
            "if \"lock\" not in state:\n        self.lock = threading.Lock()",
        ),
        (
            "from pathlib import Path\nclass Box:\n    def __init__(self, path: Path = Path('a')):\n        \
             self.out = (path / 'b').open('a')\n    def get(self, x):\n        return x",
            "self.out = (self.path / 'b').open('a')",
        ),
        (
            "class Box:\n    def __init__(self):\n        self.rows = open('a.csv')\n    \
             def get(self, x):\n        self.rows.seek(x)\n        return self.rows.readline()",
            "self.rows = open('a.csv')",
        ),
        (
            "class Box:\n    def __init__(self):\n        self.rows = open('a.csv')\n        self.head = self.rows.readline()\n        \
             self.starts = []\n        while self.rows.readline():\n            self.starts.append(self.rows.tell())\n    \
             def get(self, x):\n        self.rows.seek(self.starts[x])\n        return self.rows.readline()",
            "self.rows = open('a.csv')",
        ),
        (
            "class Box:\n    def __init__(self):\n        self.out = logging.FileHandler('a')\n        \
             self.out.addFilter(logging.Filter('b'))\n    def get(self, x):\n        return x",
            "self.out.addFilter(logging.Filter('b'))",
        ),
    ] {
        let type_name = match line {
            line if line.contains("open(") => "_io.TextIOWrapper",
            line if line.contains("addFilter") => "_thread.RLock",
            line if line.contains("parent") => "weakref.ReferenceType",
            line if line.contains("write") => "_thread.RLock",
            _ => "_thread.lock",
        };
        let object = pooled(&sends(class, "Box()"), type_name).expect(line);
        let change = object.change.expect(line);
        assert_has(&change.code, line);
        assert!(change.patch.is_some(), "{class}");
    }
}

/// A class that derives from the one may set its attributes again, below `super().__init__()`.
#[test]
fn what_a_derived_class_sets_is_not_asked() {
    for path in ["self.path", "path"] {
        let class = format!(
            "class Base:\n    def __init__(self, path):\n        self.path = path\n        self.conn = sqlite3.connect({path})\n    \
             def get(self, x):\n        return self.conn\nclass Box(Base):\n    def __init__(self):\n        super().__init__('a')\n        \
             self.path = 'a name'"
        );
        let object = pooled(&sends(&class, "Box()"), "sqlite3.Connection").unwrap();
        let code = object.change.filter(|c| c.patch.is_some()).unwrap().code;
        assert_has(&code, "sqlite3.connect(self._path)");
    }
    let class = "class Base:\n    def __init__(self):\n        self.conn = sqlite3.connect('a')\n    def get(self, x):\n        \
                 return self.conn\nclass Box(Base):\n    def __init__(self):\n        super().__init__()\n        \
                 self.conn = sqlite3.connect('b')";
    let why = "it is set in more than one way";
    assert_left_alone(class, "sqlite3.Connection", why);
}

/// What a weak reference points at is not sent in its place where it holds what cannot be sent, either.
#[test]
fn what_a_weak_reference_points_at_may_stay() {
    let class = "class World:\n    def __init__(self):\n        self.lock = threading.Lock()\nWORLD = World()\nclass Box:\n    \
                 def __init__(self):\n        self.world = weakref.ref(WORLD)\n    def get(self, x):\n        return self.world()";
    let why = "what it points at cannot be sent";
    assert_left_alone(class, "weakref.ReferenceType", why);
}

/// Returns what a program is changed into whose `main` sends `made` to a pool, and why it is not.
fn listed(made: &str, between: &str) -> (Option<String>, Option<String>) {
    let text = format!(
        "import multiprocessing as mp\nrows = [1]\ndef load():\n    rows.append(2)\ndef told():\n    print(rows)\n    yield 1\n\
         def plain(n):\n    yield n\ndef read():\n    for row in rows:\n        yield row\n\
         def main():\n    mine = {{1: 2}}\n    items = {made}\n    {between}\n    print(mp.Pool(2).map(sum, [items]))\n"
    );
    let type_name = if made.ends_with("keys()") {
        "dict_keys"
    } else {
        "generator"
    };
    let object = pooled(&text, type_name).expect(made);
    let new = patched(&text, &object);
    let line = new.map(|new| {
        new.lines()
            .find(|l| l.contains("items ="))
            .unwrap()
            .trim()
            .to_owned()
    });
    (line, object.refusal)
}

/// A list that is made at once does not know what comes before it is used.
#[test]
fn what_changes_before_a_generator_is_used() {
    for (made, between, new) in [
        ("plain(1)", "print('go')", "items = list(plain(1))"),
        (
            "(x for x in mine)",
            "print(len(mine))",
            "items = [x for x in mine]",
        ),
        ("told()", "x = 1", "items = list(told())"),
        ("read()", "mine[2] = 3", "items = list(read())"),
        ("mine.keys()", "load()", "items = list(mine.keys())"),
    ] {
        assert_eq!(
            listed(made, between).0.as_deref(),
            Some(new),
            "{made} {between}"
        );
    }
    for (made, between, name) in [
        ("(x for x in rows)", "rows.append(2)", "rows"),
        ("(x for x in rows)", "load()", "rows"),
        ("read()", "rows.extend([1])", "rows"),
        ("plain(mine)", "fill(mine)", "mine"),
        ("mine.keys()", "mine[2] = 3", "mine"),
    ] {
        let why = format!("`{name}` is changed later, and a list would not follow");
        assert_eq!(listed(made, between), (None, Some(why)), "{made} {between}");
    }
    let again = "`items` is used up by the first that reads it, and is read again";
    assert_eq!(
        listed("(x for x in rows)", "print(sum(items))"),
        (None, Some(again.to_owned()))
    );
    assert_eq!(
        listed("(x for x in rows)", "next(items)").0.as_deref(),
        Some("items = iter([x for x in rows])")
    );
    let huge = "a generator of the program gives more than a list can hold";
    assert_eq!(
        listed("(x for x in range(10 ** 10))", "pass"),
        (None, Some(huge.to_owned()))
    );
    let earlier = "what it does would be done earlier than what lies between";
    assert_eq!(
        listed("told()", "print('go')"),
        (None, Some(earlier.to_owned()))
    );
}

/// Each task would begin with the first item.
#[test]
fn a_generator_that_tasks_take_items_of() {
    let program = "import multiprocessing as mp\nclass Tickets:\n    def __init__(self):\n        self.numbers = (i for i in range(9))\n    \
                   def draw(self, who):\n        return next(self.numbers)\ndef main():\n    tickets = Tickets()\n    \
                   print(mp.Pool(2).map(tickets.draw, [1, 2]))\n";
    let object = pooled(program, "generator").unwrap();
    assert!(object.change.unwrap().patch.is_none());
    assert_eq!(
        object.refusal.as_deref(),
        Some("each task would get a copy of `numbers` in the same state")
    );
}
