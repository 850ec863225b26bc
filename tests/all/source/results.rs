//! What a task gives back, an exception too, and objects that a message names by their class.

use super::*;

const RAISED: &str = "import threading\nfrom concurrent.futures import ProcessPoolExecutor\nclass Job:\n    def __init__(self, n):\n        \
                      self.n = n\n        self.done = threading.Event()\nclass Failed(Exception):\n    def __init__(self, job):\n        \
                      super().__init__(job)\n        self.job = job\ndef run(n):\n    job = Job(n)\n    raise Failed(job)\n\
                      if __name__ == '__main__':\n    with ProcessPoolExecutor(1) as ex:\n        ex.submit(run, 3).result()\n";

/// Returns what is named where an executor's task of such a program raised what could not be sent back.
fn raised(text: &str) -> Option<Object> {
    let frame = last_frame(text, "<module>");
    let message = "TypeError: cannot pickle '_thread.lock' object";
    let failure = format!(
        "concurrent.futures.process._RemoteTraceback: \n\"\"\"\nFailed: 3\n\nDuring handling of the above exception, \
         another exception occurred:\n\nTraceback (most recent call last):\n  \
         File \"/usr/lib/python3.11/concurrent/futures/process.py\", line 217, in _sendback_result\n    \
         result_queue.put(_ResultItem(work_id, result=result,\n  \
         File \"/usr/lib/python3.11/multiprocessing/reduction.py\", line 51, in dumps\n    \
         cls(buf, protocol).dump(obj)\n{message}\n\"\"\"\n\nThe above exception was the direct cause of the following \
         exception:\n\nTraceback (most recent call last):\n{frame}  \
         File \"/usr/lib/python3.11/concurrent/futures/_base.py\", line 401, in __get_result\n    raise self._exception\n{message}\n"
    );
    named_of(text, &failure)
}

#[test]
fn an_exception_that_cannot_be_sent_back() {
    let object = raised(RAISED).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("Failed.job.done", 6));
    assert!(is_patched(&object));
    // Another object's `done` is not the result's.
    let of_another = "class Bar:\n    def done(self):\n        pass\nBar().done()\ndef run";
    let object = raised(&RAISED.replace("def run", of_another)).unwrap();
    assert!(is_patched(&object));
    // Its base is not given what it would be made of.
    let other = raised(&RAISED.replace(
        "super().__init__(job)",
        "super().__init__(f'{job.n} failed')",
    ))
    .unwrap();
    let why = "`Failed` could not be rebuilt: `super().__init__` is given other things than it is";
    assert_eq!(other.refusal.as_deref(), Some(why));
    // One of two may be the one.
    let two = RAISED.replace("def run", "class Lost(Failed):\n    pass\ndef run");
    assert_eq!(raised(&two), None);
}

/// Dask's message names a class, and what in it cannot be pickled is in the source.
#[test]
fn an_object_that_dask_names_by_its_class() {
    let text = "import threading\nfrom dask.distributed import Client\nclass Writer:\n    def __init__(self):\n        \
                self.lock = threading.Lock()\n    def write(self, n):\n        return n\nclient = Client()\n\
                client.map(Writer().write, [1, 2])\n";
    let error = "dask.tokenize.TokenizationError: Object <__main__.Writer object at 0x7f0357f004d0> cannot be \
                 deterministically hashed. This likely indicates that the object cannot be serialized deterministically.";
    let (object, new) = changed(text, 9, error);
    assert_eq!((object.path.as_str(), object.line), ("Writer.lock", 5));
    assert_has(&new.unwrap(), "del state[\"lock\"]");
}

/// `process_map` sends as the `map` of an executor does, and takes the options of a bar.
#[test]
fn what_process_map_sends() {
    let text = "import threading\nfrom tqdm.contrib.concurrent import process_map\nclass Loader:\n    def __init__(self):\n        \
                self.lock = threading.Lock()\n    def load(self, n):\n        return n\n\
                process_map(Loader().load, [1, 2], max_workers=2, lock_name='mp_lock')\n";
    let failure = "concurrent.futures.process._RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n  \
                   File \"/usr/lib/python3.11/multiprocessing/queues.py\", line 244, in _feed\n    \
                   obj = _ForkingPickler.dumps(obj)\nTypeError: cannot pickle '_thread.lock' object\n\"\"\"\n\n\
                   The above exception was the direct cause of the following exception:\n\n\
                   Traceback (most recent call last):\n  File \"a.py\", line 8, in <module>\n    \
                   process_map(Loader().load, [1, 2], max_workers=2, lock_name='mp_lock')\n  \
                   File \"/venv/lib/python3.11/site-packages/tqdm/contrib/concurrent.py\", line 163, in _executor_map\n    \
                   return list(tqdm_class(ex.map(fn, *iterables, chunksize=chunksize), **kwargs))\n  \
                   File \"/usr/lib/python3.11/concurrent/futures/_base.py\", line 401, in __get_result\n    \
                   raise self._exception\nTypeError: cannot pickle '_thread.lock' object\n";
    let object = named_of(text, failure).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("Loader.lock", 5));
    assert_eq!(object.certainty, Certainty::Certain);
}

/// A method that yields gets another one beside it, which a task can return the list of.
#[test]
fn a_method_that_yields_is_used_up_in_the_worker() {
    let program = "\
from multiprocessing import Pool
class Reader:
    def rows(self, name, n):
        yield name
        yield n
r = Reader()
if __name__ == '__main__':
    print([list(x) for x in Pool(1).starmap(r.rows, [('a', 1)])])
";
    let found = |text: &str| {
        let frame = last_frame(text, "<module>");
        let failure = format!(
            "Traceback (most recent call last):\n{frame}  \
             File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 774, in get\n    raise self._value\n\
             multiprocessing.pool.MaybeEncodingError: Error sending result: '[<generator object Reader.rows at \
             0x7f0000000000>]'. Reason: 'TypeError(\"cannot pickle 'generator' object\")'\n"
        );
        let change = named_of(text, &failure).unwrap().change;
        change.map(|c| (c.code, c.patch.is_some()))
    };
    let code = "def rows_all(self, name, n):\n    return list(self.rows(name, n))";
    assert_eq!(found(program), Some((code.to_owned(), true)));
    let taken = program.replace("[list(x)", "[next(x)");
    assert_eq!(found(&taken), Some((code.to_owned(), false)));
    let wrapped = program.replace("    def rows", "    @staticmethod\n    def rows");
    assert_eq!(found(&wrapped), None);
}

/// Generators and views of a list, as they are written.
#[test]
fn what_is_run_over_becomes_a_list_once() {
    let program = |sent: &str| {
        format!(
            "import multiprocessing as mp\nfrom collections import Counter\ndef rows(n):\n    yield n\n\
             made = [rows(1), rows(2)]\nprint(mp.Pool(2).map(len, {sent}))\n"
        )
    };
    let changed = |sent: &str, type_name: &str| {
        let text = program(sent);
        patched(&text, &pooled(&text, type_name)?)
    };
    for (sent, new) in [
        ("[rows(3)]", "[list(rows(3))]"),
        // What is a list already is not made one again.
        ("[list(rows(3)), rows(4)]", "[list(rows(3)), list(rows(4))]"),
        (
            "[set(rows(3)), (x for x in 'ab')]",
            "[set(rows(3)), [x for x in 'ab']]",
        ),
    ] {
        assert_eq!(changed(sent, "generator"), Some(program(new)), "{sent}");
    }
    let both = program("made").replace("[rows(1), rows(2)]", "[list(rows(1)), list(rows(2))]");
    assert_eq!(changed("made", "generator"), Some(both));
    let view = "[Counter('ab').keys()]";
    let new = program("[list(Counter('ab').keys())]");
    assert_eq!(changed(view, "dict_keys"), Some(new));
    // A pipe's `send` is no generator's.
    let text = "import multiprocessing as mp\ndef work(conn, other):\n    conn.send(n for n in 'ab')\n    \
                conn.send(2)\na, b = mp.Pipe()\nmp.Process(target=work, args=(b, 1)).start()\na.send(1)\n";
    let failure = "Process Process-1:\nTraceback (most recent call last):\n  \
                   File \"/usr/lib/python3.11/multiprocessing/process.py\", line 314, in _bootstrap\n    self.run()\n  \
                   File \"/usr/lib/python3.11/multiprocessing/process.py\", line 108, in run\n    \
                   self._target(*self._args, **self._kwargs)\n  \
                   File \"a.py\", line 3, in work\n    conn.send(n for n in 'ab')\n  \
                   File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 206, in send\n    \
                   self._send_bytes(_ForkingPickler.dumps(obj))\nTypeError: cannot pickle 'generator' object\n";
    for (other, is_changed) in [("conn.send(2)", true), ("other.send(2)", false)] {
        let object = named_of(&text.replace("conn.send(2)", other), failure).unwrap();
        let change = object.change.filter(|c| c.patch.is_some());
        let code = change.map(|c| c.code);
        assert_eq!(code.is_some(), is_changed, "{other}");
        assert!(
            code.is_none_or(|c| c.contains("([n for n in 'ab'])")),
            "{other}"
        );
    }
}

const BY_NAME: &str = "\
from multiprocessing import Pool
class RowError(Exception):
    def __init__(self, *, row):
        super().__init__(f'bad row {row}')
        self.row = row
def check(row):
    raise RowError(row=row)
if __name__ == '__main__':
    Pool(1).map(check, [3])
";

/// Returns the change of a program whose exception is not rebuilt.
fn not_rebuilt(program: &str, words: &str) -> Option<Object> {
    let failure = format!(
        "Exception in thread Thread-3 (_handle_results):\nTraceback (most recent call last):\n  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 579, in _handle_results\n    task = get()\n  \
         File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 251, in recv\n    \
         return _ForkingPickler.loads(buf.getbuffer())\n           \
         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\nTypeError: RowError.__init__() {words}\n"
    );
    named_of(program, &failure)
}

#[test]
fn an_exception_that_keeps_more_than_it_takes() {
    let words = "takes 1 positional argument but 2 were given";
    let object = not_rebuilt(BY_NAME, words).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("RowError", 3));
    let code = object.change.unwrap().code;
    assert_has(&code, "make = functools.partial(type(self), row=self.row)");
    let optional = BY_NAME
        .replace("*, row", "row=1")
        .replace("(f'bad row {row}')", "(row, 'bad')");
    let most = "takes from 1 to 2 positional arguments but 3 were given";
    let code = not_rebuilt(&optional, most).unwrap().change.unwrap().code;
    assert_has(&code, "return type(self), (self.row,), self.__dict__");
    // It is given what it takes.
    assert!(not_rebuilt(&BY_NAME.replace("*, ", ""), words).is_none());
}

/// What a result holds may be made in a module of which the failure has no frame.
#[test]
fn a_function_of_another_module_in_a_result() {
    let folder = Folder::new("other-module");
    let model = "class Model:\n    def fit(self, k):\n        def predict(n):\n            return k * n\n        self.predict = predict\n";
    let main = "import multiprocessing as mp\nfrom model import Model\ndef fit(model):\n    model.fit(2)\n    return model\n\
                if __name__ == '__main__':\n    print(mp.Pool(2).map(fit, [Model()]))\n";
    folder.write("root/a.py", main);
    folder.write("root/model.py", model);
    let failure = "Traceback (most recent call last):\n  File \"a.py\", line 7, in <module>\n    \
                   print(mp.Pool(2).map(fit, [Model()]))\n  \
                   File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 774, in get\n    raise self._value\n\
                   multiprocessing.pool.MaybeEncodingError: Error sending result: '[<model.Model object at 0x7f53>]'. \
                   Reason: 'AttributeError(\"Can't pickle local object 'Model.fit.<locals>.predict'\")'\n";
    let object = named(&folder.sources("root"), failure).unwrap();
    assert_eq!(
        (object.path.as_str(), object.file.as_str()),
        ("predict", "model.py")
    );
    assert!(is_patched(&object));
}

/// The list of a view does not follow what is put into the dict, by whichever name.
#[test]
fn a_view_of_what_is_filled_later_stays() {
    let program = |class: &str| {
        format!(
            "import multiprocessing as mp\n{class}\n    def get(self, n):\n        return sorted(self.names)\n\
             print(mp.Pool(2).map(Box({{1: 2}}).get, [1]))\n"
        )
    };
    let given = "class Box:\n    def __init__(self, menu):\n        self.dishes = menu\n        \
                 self.names = menu.keys()";
    let own = "class Box(dict):\n    def __init__(self, menu):\n        super().__init__(menu)\n        \
               self.names = self.keys()";
    for (class, more, why) in [
        (given, "pass", None),
        (given, "self.dishes[name] = 1", Some("dishes")),
        (given, "self.dishes.update({name: 1})", Some("dishes")),
        (own, "pass", None),
        (own, "self[name] = 1", Some("self")),
    ] {
        let text = program(&format!(
            "{class}\n    def add(self, name):\n        {more}"
        ));
        let object = pooled(&text, "dict_keys").expect(class);
        assert_eq!(object.path, "Box.names");
        let why = why.map(|of| format!("`{of}` is filled later, and a list would not follow"));
        assert_eq!(object.refusal, why, "{text}");
        assert_eq!(is_patched(&object), why.is_none(), "{text}");
    }
}

/// What a folder gives are paths, and each of them gives what is in it.
#[test]
fn the_files_of_folders_become_lists() {
    let text = "from pathlib import Path\nimport multiprocessing as mp\ndef work(job):\n    return 1\n\
                jobs = []\nfor folder in sorted(Path('notes').iterdir()):\n    \
                jobs.append((folder.name, folder.glob('*.txt')))\nprint(mp.Pool(2).map(work, jobs))\n";
    let object = pooled(text, "generator").unwrap();
    let right = text.replace("folder.glob('*.txt')", "list(folder.glob('*.txt'))");
    assert_eq!(patched(text, &object), Some(right));
}

/// A task that is an `async def` function gives a coroutine back.
#[test]
fn a_coroutine_that_a_task_gives() {
    let text = "import asyncio\nfrom concurrent.futures import ProcessPoolExecutor\nasync def fetch(url, n):\n    return url, n\n\
                if __name__ == '__main__':\n    with ProcessPoolExecutor() as ex:\n        print(ex.submit(fetch, 'a', 1).result())\n";
    let of = |text: &str| {
        let frame = last_frame(text, "<module>");
        let message = "TypeError: cannot pickle 'coroutine' object";
        named_of(text, &not_sent_back(&frame, message))
    };
    let object = of(text).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("fetch()", 3));
    let change = object.change.unwrap();
    let code = "def fetch_now(url, n):\n    return asyncio.run(fetch(url, n))";
    assert_eq!((change.code.as_str(), change.patch), (code, None));
    let plain = text.replace("async def", "def");
    assert_eq!(of(&plain), None);
}
