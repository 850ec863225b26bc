//! What is waited for in vain: a lock that its holder takes, an item that is not told to be done, or was dropped.

use super::*;

/// Returns what is found of a program that Ctrl-C ended in these lines, each told by a text in it, and below them in a
/// function of `multiprocessing`; and the program after the change.
fn waited(text: &str, lines: &[&str], last: &str) -> Option<(String, Option<String>)> {
    let frames = lines.iter().map(|l| frame(text, line_of(text, l), "main"));
    let frames: String = frames.collect();
    let failure = format!(
        "Traceback (most recent call last):\n{frames}  File \"/usr/lib/python3.11/multiprocessing/{last}\nKeyboardInterrupt\n"
    );
    let object = named_of(text, &failure)?;
    let new = patched(text, &object);
    Some((said(&object), new))
}

/// A lock that a method takes below another one which holds it.
#[test]
fn a_lock_that_its_holder_takes() {
    const TEXT: &str = "import multiprocessing as mp\nclass Box:\n    def __init__(self):\n        self.lock = mp.Lock()\n    \
                        def log(self, n):\n        with self.lock:  # inner\n            print(n)\n    \
                        def add(self, n):\n        with self.lock:\n            self.log(n)  # outer\n";
    let of = |text: &str| {
        let last = "synchronize.py\", line 95, in __enter__\n    return self._semlock.__enter__()";
        waited(text, &["# outer", "# inner"], last)
    };
    let (object, new) = of(TEXT).unwrap();
    assert_eq!(object, "self.lock, which Box.add() holds");
    assert_eq!(new, Some(TEXT.replace("mp.Lock()", "mp.RLock()")));
    // Who releases it may be another process.
    let released = format!("{TEXT}    def free(self):\n        self.lock.release()\n");
    assert_eq!(of(&released).unwrap().1, None);
    // Whether it is free is asked, too.
    let tried = format!("{TEXT}    def is_free(self):\n        return self.lock.acquire(False)\n");
    assert_eq!(of(&tried).unwrap().1, None);
    let handled = TEXT.replace("class Box", "signal.signal(2, work)\nclass Box");
    assert_eq!(of(&handled).unwrap().1, None);
    for (from, to) in [
        ("self.log(n)", "self.log(os.fork())"),
        ("mp.Lock()", "mp.RLock()"),
        ("self.log(n)", "Box().log(n)"),
        // It is not held any more.
        (
            "            self.log(n)",
            "            self.lock.release()\n            self.log(n)",
        ),
        (
            "with self.lock:\n            self.log",
            "with open('a'):\n            self.log",
        ),
        (
            "with self.lock:\n            self.log",
            "if self.lock:\n            self.log",
        ),
    ] {
        assert_eq!(of(&TEXT.replace(from, to)), None, "{to}");
    }
    // A lock that processes are given, and give on.
    let given = "from multiprocessing import Lock, Process\ndef log(lock, n):\n    with lock:  # inner\n        print(n)\n\
                 def work(n, key):\n    with key:\n        log(key, n)  # outer\ndef main():\n    lock = Lock()\n    \
                 Process(target=work, args=(1, lock)).start()\n";
    let (object, new) = of(given).unwrap();
    assert_eq!(object, "lock, which work() holds");
    assert_has(&new.unwrap(), "lock = multiprocessing.RLock()");
    // Another one of the same line.
    let several = given
        .replace("lock = Lock()", "locks = [Lock() for _ in range(2)]")
        .replace("(1, lock)", "(1, locks[0])");
    assert_eq!(of(&several), None);
}

/// A way through a loop that takes an item of a queue and passes over `task_done()`.
#[test]
fn an_item_that_is_passed_over() {
    const TEXT: &str = "from multiprocessing import JoinableQueue, Process\ndef work(tasks):\n    while True:\n        \
                        n = tasks.get()\n        if n < 0:\n            continue\n        print(n)\n        \
                        tasks.task_done()\ndef main():\n    queue = JoinableQueue()\n    \
                        Process(target=work, args=(queue,)).start()\n    queue.put(1)\n    queue.join()\n";
    let of = |text: &str| {
        let last = "queues.py\", line 331, in join\n    self._cond.wait()";
        waited(text, &["queue.join()"], last)
    };
    let (object, new) = of(TEXT).unwrap();
    assert_eq!(object, "work(), which passes over `task_done()`");
    let right = "            tasks.task_done()\n            continue\n";
    assert_eq!(new, Some(TEXT.replace("            continue\n", right)));
    // The `None` that ends it counts, if it is put before `join()`.
    let none = TEXT.replace(
        "n < 0:\n            continue",
        "n is None:\n            break",
    );
    assert_eq!(of(&none), None);
    let ended = none.replace("queue.put(1)", "queue.put(None)");
    // The next reader takes it, or it is one of another queue.
    let again = "            tasks.put(None)\n            break";
    for text in [
        ended.replace("            break", again),
        ended.replace("queue.put(None)", "other.put(None)"),
    ] {
        assert_eq!(of(&text), None, "{text}");
    }
    let (_, new) = of(&ended).unwrap();
    assert_has(
        &new.unwrap(),
        "            tasks.task_done()\n            break\n",
    );
    let finally = "        try:\n            if n < 0:\n                continue\n        finally:\n            tasks.task_done()\n";
    let (start, rest) = TEXT.split_once("        if n < 0").unwrap();
    let (_, end) = rest.split_once("task_done()\n").unwrap();
    assert_eq!(of(&format!("{start}{finally}{end}")), None);
    for (from, to) in [
        ("        if n < 0:\n            continue\n", ""),
        ("continue", "tasks.task_done(); continue"),
        (
            "\ndef main",
            "\ndef skip(tasks):\n    tasks.task_done()\ndef main",
        ),
        // It is told by another name, or it is kept for the next time.
        (
            "            continue",
            "            done = tasks.task_done\n            done()\n            continue",
        ),
        ("n = tasks.get()", "n = held or tasks.get()"),
        // Another queue is joined.
        (
            "    queue.join()",
            "    queue.put(2)\n    queue = JoinableQueue()\n    queue.join()",
        ),
        // Nothing was taken.
        (
            "        n = tasks.get()\n        if n < 0:\n",
            "        try:\n            n = tasks.get(timeout=1)\n        except Exception:\n",
        ),
        (
            "            continue\n",
            "            for _ in '':\n                continue\n",
        ),
        ("args=(queue,)", "args=(JoinableQueue if 0 else open('a'),)"),
    ] {
        assert_ne!(TEXT.replace(from, to), TEXT, "{from}");
        assert_eq!(of(&TEXT.replace(from, to)), None, "{to}");
    }
}

/// What a process puts at its end, and cannot be pickled, is dropped.
#[test]
fn an_item_that_is_dropped() {
    const TEXT: &str = "import cloudpickle, multiprocessing as mp\ndef work(out, n):\n    out.put((n, lambda x: x + 1))\ndef main():\n    \
                        found = mp.Queue()\n    p = mp.Process(target=work, args=(found, 3))\n    p.start()\n    \
                        print(found.get())\n    p.join()\nif __name__ == '__main__':\n    main()\n";
    let of = |text: &str| {
        let last = "queues.py\", line 103, in get\n    res = self._recv_bytes()";
        waited(text, &["found.get()"], last)
    };
    let (object, new) = of(TEXT).unwrap();
    assert_eq!(object, "lambda x: x + 1, a lambda");
    assert!(new.is_some());
    for (from, to) in [
        ("(n, lambda x: x + 1)", "(n, n * 2)"),
        // A library makes something else of it.
        ("(n, lambda x: x + 1)", "list(map(lambda x: x + 1, [n]))"),
        ("(n, lambda x: x + 1)", "cloudpickle.dumps(lambda x: x + 1)"),
        // It may not be put, or is not in it any more.
        (
            "    out.put((n, lambda x: x + 1))",
            "    if n > 5:\n        out.put((n, lambda x: x + 1))",
        ),
        (
            "    out.put((n, lambda x: x + 1))",
            "    try:\n        n += 1\n    except ValueError:\n        out.put((n, lambda x: x + 1))",
        ),
        (
            "    out.put((n, lambda x: x + 1))",
            "    row = {'a': lambda x: x + 1}\n    row.pop('a')\n    out.put(row)",
        ),
        (
            "    out.put((n, lambda x: x + 1))",
            "    row = {'a': lambda x: x + 1}\n    row['a'] = row['a'](n)\n    out.put(row)",
        ),
        (
            "def work(out, n):\n    out.put((n, lambda x: x + 1))",
            "class Row:\n    def __init__(self):\n        self.key = lambda x: x + 1\n    def close(self):\n        \
             self.key = None\ndef work(out, n):\n    row = Row()\n    row.close()\n    out.put(row)",
        ),
        // Another queue; one that pickles at once; what `dill` sends.
        ("args=(found, 3)", "args=(mp.Queue(), 3)"),
        ("mp.Queue()", "mp.SimpleQueue()"),
        ("import cloud", "import copyreg, cloud"),
        // The parent puts it, whose thread says so.
        ("p.start()", "found.put(lambda: 1); work = print"),
    ] {
        let text = TEXT.replace(from, to);
        let text = if to.contains("work = print") {
            text.replace("out.put((n, lambda x: x + 1))", "out.put(n)")
        } else {
            text
        };
        assert_eq!(of(&text), None, "{to}");
    }
}

/// A queue that does not count its tasks.
#[test]
fn a_queue_that_is_not_joinable() {
    const TEXT: &str = "import multiprocessing as mp\ndef work(tasks):\n    print(tasks.get())\n    tasks.task_done()\n\
                        def main():\n    queue = mp.Queue(3)\n    mp.Process(target=work, args=(queue,)).start()\n    \
                        queue.put(1)\n    queue.join()\n";
    let of = |text: &str, at: &str, method: &str| {
        let frame = frame(text, line_of(text, at), "work");
        let failure = format!(
            "Process Process-1:\nTraceback (most recent call last):\n  \
             File \"/usr/lib/python3.11/multiprocessing/process.py\", line 108, in run\n    \
             self._target(*self._args, **self._kwargs)\n{frame}\
             AttributeError: 'Queue' object has no attribute '{method}'\n"
        );
        named_of(text, &failure).map(|object| patched(text, &object))
    };
    let right = TEXT.replace("mp.Queue(3)", "mp.JoinableQueue(3)");
    let done = |text: &str| of(text, "tasks.task_done()", "task_done");
    assert_eq!(done(TEXT), Some(Some(right.clone())));
    assert_eq!(of(TEXT, "queue.join()", "join"), Some(Some(right)));
    let named = TEXT.replace("mp.Queue(3)", "Queue(3)").replace(
        "\ndef work",
        "\nfrom multiprocessing import Queue\ndef work",
    );
    assert!(
        done(&named)
            .unwrap()
            .unwrap()
            .contains("queue = mp.JoinableQueue(3)\n")
    );
    // `join()` would wait.
    let joined = TEXT.replace("    tasks.task_done()\n", "");
    assert_eq!(of(&joined, "queue.join()", "join"), Some(None));
    // What is joined is another one; or an item of it would never be done.
    let other = TEXT.replace("queue.join()", "other = mp.Queue()\n    other.join()");
    assert_eq!(of(&other, "other.join()", "join"), Some(None));
    let ended = TEXT.replace(
        "    print(tasks.get())\n    tasks",
        "    while True:\n        n = tasks.get()\n        \
                              if n is None:\n            break\n        print(n)\n        tasks",
    );
    let ended = ended.replace("    queue.join", "    queue.put(None)\n    queue.join");
    assert_eq!(done(&ended), Some(None));
    let after = ended.replace(
        "    queue.put(None)\n    queue.join()",
        "    queue.join()\n    queue.put(None)",
    );
    assert!(done(&after).unwrap().is_some());
    for to in ["args=(mp.SimpleQueue(),)", "args=(open('a'),)"] {
        assert_eq!(done(&TEXT.replace("args=(queue,)", to)), None, "{to}");
    }
}

/// A pipe that is read until it ends, by the process that has its other end open.
#[test]
fn a_pipe_whose_other_end_is_open_here() {
    const TEXT: &str = "import multiprocessing as mp\ndef work(conn):\n    conn.send(1)\n    conn.close()\ndef read(conn):\n    \
                        found = []\n    while True:\n        try:\n            found.append(conn.recv())\n        \
                        except EOFError:\n            return found\ndef main():\n    ours, theirs = mp.Pipe(duplex=False)\n    \
                        child = mp.Process(target=work, args=(theirs,))\n    child.start()\n    print(read(ours))\n    \
                        child.join()\n";
    let of = |text: &str| {
        let last = "connection.py\", line 250, in recv\n    buf = self._recv_bytes()";
        waited(text, &["read(ours)", "conn.recv()"], last)
    };
    let (object, new) = of(TEXT).unwrap();
    assert_eq!(object, "theirs, which stays open in this process");
    let closed = TEXT.replace("child.start()\n", "child.start()\n    theirs.close()\n");
    assert_eq!(new, Some(closed.clone()));
    // The try is around the loop.
    let around = TEXT
        .replace(
            "    while True:\n        try:\n            found",
            "    try:\n        while True:\n            found",
        )
        .replace(
            "        except EOFError:\n            return found",
            "    except EOFError:\n        return found",
        );
    assert!(of(&around).unwrap().1.is_some());
    // Another process that is started has a copy of it, too; or it is started in a loop.
    for (from, to) in [
        ("    child = ", "    pool = mp.Pool(2)\n    child = "),
        ("    child = ", "    Beat().start()\n    child = "),
        (
            "    print(read",
            "    mp.Process(target=print).start()\n    print(read",
        ),
        (
            "    child.start()\n",
            "    for n in 'a':\n        child.start()\n",
        ),
    ] {
        let (_, new) = of(&TEXT.replace(from, to)).unwrap();
        assert_eq!(new, None, "{to}");
    }
    for text in [
        closed,
        // The other process never ends, or waits in turn.
        TEXT.replace("    conn.send(1)", "    while True:\n        conn.send(1)"),
        TEXT.replace("    conn.send(1)", "    while conn.recv() != 0:\n        conn.send(1)"),
        TEXT.replace("    conn.send(1)", "    conn.send(conn.recv())"),
        // Something else ends the loop, or the end is used here.
        TEXT.replace("            found.append(conn.recv())", "            found.append(conn.recv())\n            if found[-1] is None:\n                break"),
        TEXT.replace("    print(read", "    theirs.send(2)\n    print(read"),
        TEXT.replace("    print(read", "    keep(theirs)\n    print(read"),
        TEXT.replace("    print(read", "    del theirs\n    print(read"),
        TEXT.replace("except EOFError", "except OSError"),
        // Nobody was given it, and it is closed with the frame of another function.
        TEXT.replace("args=(theirs,)", "args=()"),
        TEXT.replace("ours, theirs = mp.Pipe(duplex=False)", "ours, theirs = pipe()"),
    ] {
        assert_ne!(text, TEXT);
        assert_eq!(of(&text), None, "{text}");
    }
}

/// An attribute of a process that hides `run()`.
#[test]
fn an_attribute_that_hides_run() {
    const TEXT: &str = "from multiprocessing import Process\nclass Watch(Process):\n    def __init__(self):\n        \
                        super().__init__()\n        self.run = True\n    def run(self):\n        while self.run:\n            \
                        print(1)\n    def stop(self):\n        self.run = False\nif __name__ == '__main__':\n    Watch().start()\n";
    let of = |text: &str| {
        let folder = Folder::new("hidden");
        folder.write("root/a.py", text);
        let failure = "Process Watch-1:\nTraceback (most recent call last):\n  \
                       File \"/usr/lib/python3.11/multiprocessing/process.py\", line 314, in _bootstrap\n    self.run()\n\
                       TypeError: 'bool' object is not callable\n";
        let object = named(&folder.sources("root"), failure)?;
        let patch = object.change.as_ref().and_then(|c| c.patch.as_ref());
        let new = patch.map(|p| Edit::all(text, &p.edits).unwrap());
        Some((format!("{}, {}", object.path, object.type_name), new))
    };
    let (object, new) = of(TEXT).unwrap();
    assert_eq!(object, "self.run, which hides `Process.run`");
    let expected = TEXT.replace("self.run", "self.running");
    assert_eq!(new, Some(expected));
    // Who asks for it may mean either.
    for (from, to) in [
        ("            print(1)", "            print(self.run)"),
        (
            "    Watch().start()",
            "    watch = Watch()\n    watch.run = False",
        ),
        (
            "            print(1)",
            "            Thread(target=self.run)",
        ),
        ("    Watch().start()", "    Watch().run()"),
        // A text may be its name, and a base may have it.
        ("self.run = False", "setattr(self, 'run', False)"),
        (
            "            print(1)",
            "            self.__dict__.update(found)",
        ),
        (
            "            print(1)",
            "            print(attrgetter('run')(self))",
        ),
        ("Watch(Process)", "Watch(Base, Process)"),
    ] {
        let (_, new) = of(&TEXT.replace(from, to)).expect(to);
        assert_eq!(new, None, "{to}");
    }
    for (from, to) in [
        ("Watch(Process)", "Watch(Thread)"),
        ("self.run =", "other.run ="),
        ("self.run =", "self.ran ="),
    ] {
        assert_eq!(of(&TEXT.replace(from, to)), None, "{to}");
    }
    // `Process.__init__` has not run: nothing is hidden.
    let lacking = "Traceback (most recent call last):\n  File \"a.py\", line 5, in __init__\n    print(self.daemon)\n  \
                   File \"/usr/lib/python3.11/multiprocessing/process.py\", line 203, in daemon\n    \
                   return self._config.get('daemon', False)\n\
                   AttributeError: 'Beat' object has no attribute '_config'\n";
    let folder = Folder::new("not_hidden");
    folder.write("root/a.py", &TEXT.replace("self.run", "self._config"));
    assert!(named(&folder.sources("root"), lacking).is_none());
}
