//! Start methods, classes of processes, CUDA before a fork, and tensors that workers move to a GPU.

use super::*;

const START: &str = "\
import multiprocessing as mp

if __name__ == '__main__':
    results = mp.Queue()
    mp.set_start_method('spawn')
";

#[test]
fn what_sets_the_start_method_first() {
    let error = "RuntimeError: context has already been set";
    let (object, new) = changed(START, 5, error);
    assert_eq!((object.line, object.certainty), (4, Certainty::Likely));
    let moved = "    mp.set_start_method('spawn')\n    results = mp.Queue()\n";
    assert!(new.unwrap().ends_with(moved));
    let twice = START.replace("results = mp.Queue()", "mp.set_start_method('fork')");
    let (object, new) = changed(&twice, 5, error);
    assert_eq!((object.line, new), (4, None));
    let called = START
        .replace("\nif", "def first():\n    mp.set_start_method('fork')\nif")
        .replace("results = mp.Queue()", "first()");
    let (object, new) = changed(&called, 6, error);
    assert_eq!((object.line, new), (5, None));
    let caller = "import multiprocessing as mp\ndef run():\n    mp.set_start_method('spawn')\n\
                  if __name__ == '__main__':\n    results = mp.Queue()\n    run()\n";
    let folder = Folder::new("caller");
    folder.write("root/a.py", caller);
    let log = format!(
        "Traceback (most recent call last):\n  File \"a.py\", line 6, in <module>\n    run()\n  \
         File \"a.py\", line 3, in run\n    mp.set_start_method('spawn')\n{error}\n"
    );
    let object = named(&folder.sources("root"), &log).unwrap();
    assert_eq!((object.line, object.change), (5, None));
    // A module that is imported, but not what its own guard runs.
    for (text, line) in [
        (
            "import multiprocessing\nLOCK = multiprocessing.Lock()\n",
            Some(2),
        ),
        (
            "import multiprocessing as mp\nif __name__ == '__main__':\n    mp.set_start_method('fork')\n",
            None,
        ),
    ] {
        let folder = Folder::new("imported");
        let own = START
            .replace("    results = mp.Queue()\n", "")
            .replace("\nif", "\nimport b\nif");
        folder.write("root/a.py", &own);
        folder.write("root/b.py", text);
        let log = format!(
            "Traceback (most recent call last):\n  File \"a.py\", line 5, in <module>\n    \
             mp.set_start_method('spawn')\n{error}\n"
        );
        let object = named(&folder.sources("root"), &log);
        assert_eq!(
            object.map(|o| (o.file, o.line)),
            line.map(|n| ("b.py".to_owned(), n))
        );
    }
    let above = START
        .replace("    results = mp.Queue()\n", "")
        .replace("\nif", "lock = mp.Lock()\nif");
    let (object, new) = changed(&above, 4, error);
    assert_eq!((object.line, new), (2, None));
}

/// `torch.multiprocessing` has all that `multiprocessing` has, under the name that the program gave it.
#[test]
fn a_context_of_torch() {
    let text = "import torch.multiprocessing as mp\nfrom concurrent.futures import ProcessPoolExecutor\n\
                if __name__ == '__main__':\n    ProcessPoolExecutor(2, start_method='spawn')\n";
    let error = "TypeError: ProcessPoolExecutor.__init__() got an unexpected keyword argument 'start_method'";
    let (_, new) = changed(text, 4, error);
    let new = new.unwrap();
    assert_has(&new, "mp_context=mp.get_context('spawn')");
    assert!(
        new.starts_with("import torch.multiprocessing as mp\nfrom "),
        "{new}"
    );
}

const CUDA: &str = "\
import multiprocessing
import torch


def setup():
    return torch.cuda.is_available()


def embed(i):
    return torch.ones(2, device=\"cuda\") + i


if __name__ == \"__main__\":
    ready = setup()
    with multiprocessing.Pool(2) as pool:
        print(pool.map(embed, range(4)))
";

#[test]
fn what_uses_cuda_before_the_fork() {
    let message = "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with \
                   multiprocessing, you must use the 'spawn' start method";
    let failure = format!(
        "multiprocessing.pool.RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 125, in worker\n    \
         result = (True, func(*args, **kwds))\n  File \"a.py\", line 10, in embed\n    \
         return torch.ones(2, device=\"cuda\") + i\n{message}\n\"\"\"\n\nThe above exception was \
         the direct cause of the following exception:\n\nTraceback (most recent call last):\n  \
         File \"a.py\", line 16, in <module>\n    print(pool.map(embed, range(4)))\n  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 367, in map\n    \
         return self._map_async(func, iterable, mapstar, chunksize).get()\n{message}\n"
    );
    let object = named_of(CUDA, &failure).unwrap();
    assert_eq!(object.path, "torch.cuda.is_available()");
    assert_eq!((object.line, object.certainty), (6, Certainty::Likely));
}

#[test]
fn moves_to_the_gpu_that_stay_where_they_are() {
    let of = |swaps: &[(&str, &str)]| why_not("cuda_getitem", swaps);
    assert_eq!(
        of(&[("image.to(\"cuda\")", "self.image.to(\"cuda\")")]),
        "what the object keeps is moved there"
    );
    assert_eq!(
        of(&[("_ in loader", "_ in list(loader)")]),
        "its samples are also read outside of a `for` loop"
    );
    assert_eq!(
        of(&[("return image, index % 2", "return image")]),
        "the loop and the samples have different parts"
    );
    assert_eq!(
        of(&[(
            "self.count = count",
            "self.count = torch.ones(count).cuda()"
        )]),
        "`__init__` uses the device too"
    );
    let of = |swaps: &[(&str, &str)]| why_not("cuda_collate", swaps);
    assert_eq!(
        of(&[("ids.to(DEVICE", "ids.to(batch[0].device")]),
        "the loop does not know `batch`"
    );
}

#[test]
fn processes_that_must_not_be_spawned() {
    let of = |swaps: &[(&str, &str)]| why_not("cuda_pool", swaps);
    assert_eq!(
        of(&[("if __name__ == \"__main__\":", "if True:")]),
        "`spawn` needs a main guard, which the script lacks"
    );
    assert_eq!(
        of(&[
            ("SCALE = 2\n", "\n"),
            ("    found = main", "    SCALE = 2; found = main"),
            (
                "    SCALE = 2; found = main([1, 2, 3])\n  File",
                "    found = main([1, 2, 3])\n  File"
            ),
        ]),
        "`embed` uses `SCALE`, which only a forked process has"
    );
    assert_eq!(
        of(&[("pool.map(embed, ", "pool.map(lambda n: embed(n), ")]),
        "`spawn` would have to pickle a function made in a function"
    );
}

#[test]
fn a_question_for_the_start_method_sets_none() {
    let error = "RuntimeError: context has already been set";
    let asked = START.replace(
        "    results = mp.Queue()\n    mp.",
        "    if mp.get_start_method() != 'spawn':\n        mp.",
    );
    let (object, new) = changed(&asked, 5, error);
    assert_eq!(object.path, "if mp.get_start_method() != 'spawn'");
    assert_has(
        &new.unwrap(),
        "get_start_method(allow_none=True) != 'spawn'",
    );
    let (_, new) = changed(&asked.replace("!=", "=="), 5, error);
    assert_eq!(new, None);
}

/// Returns what is named for Ctrl-C in a wait for results of a pool, at the line that ends in `# waits`,
/// and the file after the change.
fn waited(method: &str, text: &str) -> Option<(Object, Option<String>)> {
    let frame = frame(text, line_of(text, "# waits"), "main");
    let failure = format!(
        "Traceback (most recent call last):\n{frame}  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 768, in {method}\n    self.wait(timeout)\n\
         KeyboardInterrupt\n"
    );
    let object = named_of(text, &failure)?;
    let new = patched(text, &object);
    Some((object, new))
}

/// The end of a pool's block stops its workers: what is read behind it never comes.
#[test]
fn results_that_are_read_behind_their_block() {
    const TEXT: &str = "from multiprocessing import Pool\ndef found(ns):\n    with Pool(2) as pool:\n        \
                        return pool.imap(abs, ns)\ndef main():\n    for n in found([1, 2]):  # waits\n        print(n)\n";
    let (object, new) = waited("next", TEXT).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("pool.imap()", 4));
    assert_has(&new.unwrap(), "return list(pool.imap(abs, ns))\n");
    let asked = TEXT.replace(
        "for n in found([1, 2]):  # waits",
        "n = next(found([1, 2]))  # waits",
    );
    let (object, new) = waited("next", &asked.replace("    print", "print")).unwrap();
    assert_eq!(
        (object.change.unwrap().code.as_str(), new),
        ("list(pool.imap(abs, ns))", None)
    );
    let async_ = TEXT
        .replace("imap", "map_async")
        .replace("]):", "]).get():");
    let (object, new) = waited("get", &async_).unwrap();
    assert_eq!(
        (object.change.unwrap().code.as_str(), new),
        ("pool.map_async(abs, ns).get()", None)
    );
    let several = "from multiprocessing import Pool\ndef main():\n    with Pool(2) as pool:\n        \
                   parts = [pool.apply_async(abs, (n,)) for n in (1, 2)]\n    print([p.get() for p in parts])  # waits\n";
    let (object, _) = waited("get", several).unwrap();
    assert_eq!(
        object.change.unwrap().code,
        "parts = [result.get() for result in parts]"
    );
    for (from, to) in [
        // The block waits with its generator.
        ("return pool.imap(abs, ns)", "yield from pool.imap(abs, ns)"),
        // This one ends its pool elsewhere.
        ("with Pool(2) as pool:\n        ", "pool = Pool(2)\n    "),
        ("pool.imap(", "pool.map("),
        // An executor waits for its tasks at the end of its block.
        (
            "multiprocessing import Pool",
            "concurrent.futures import ProcessPoolExecutor as Pool",
        ),
    ] {
        assert_eq!(waited("next", &TEXT.replace(from, to)), None, "{to}");
    }
    let inside = several.replace("    print", "        print");
    assert_eq!(waited("get", &inside), None);
}

const GREETER: &str = "\
from multiprocessing import Process
class Greeter(Process):
    def __init__(self, who):
        \"\"\"Greets.\"\"\"
        self.daemon = True
        self.who = who
        super().__init__()
    def run(self):
        print(self.who)
Greeter('ada').start()
";

/// Returns the object, and the program as it is changed, where a class of processes has not begun as one.
fn not_begun(program: &str, at: &str) -> Option<(Object, Option<String>)> {
    let function = if at.contains("self.") {
        "__init__"
    } else {
        "<module>"
    };
    let frame = frame(program, line_of(program, at), function);
    let failure = format!(
        "Traceback (most recent call last):\n{frame}  \
         File \"/usr/lib/python3.11/multiprocessing/process.py\", line 210, in daemon\n    \
         assert self._popen is None, 'process has already started'\n           ^^^^^^^^^^^\n\
         AttributeError: 'Greeter' object has no attribute '_popen'\n"
    );
    let object = named_of(program, &failure)?;
    let new = patched(program, &object);
    Some((object, new))
}

#[test]
fn a_process_that_has_not_begun_as_one() {
    let (object, new) = not_begun(GREETER, "self.daemon").unwrap();
    assert_eq!(
        said(&object),
        "Greeter.__init__, which calls its base's too late"
    );
    let first = "\"\"\"Greets.\"\"\"\n        super().__init__()\n        self.daemon = True\n        self.who = who\n    def run";
    assert_has(&new.unwrap(), first);
    // What it is given is not there yet.
    let given = GREETER
        .replace("self.who = who", "label = who.title()")
        .replace("super().__init__()", "Process.__init__(self, name=label)");
    let (object, new) = not_begun(&given, "self.daemon").unwrap();
    let why = "it is given `label`, which is set before";
    assert_eq!((object.refusal.as_deref(), new), (Some(why), None));
    let none = GREETER.replace("        super().__init__()\n", "");
    let (object, new) = not_begun(&none, ".start()").unwrap();
    assert_eq!(object.type_name, "which calls no other");
    assert_has(&new.unwrap(), "super().__init__()\n        self.daemon");
    // A base of the program is at fault, or may be.
    let of_base = none
        .replace("class Greeter(Process)", "class Base(Process)")
        .replace("Greeter('", "class Greeter(Base):\n    def __init__(self, who):\n        super().__init__(who)\nGreeter('");
    let (object, _) = not_begun(&of_base, ".start()").unwrap();
    assert_eq!(object.path, "Base.__init__");
    let mixed = of_base
        .replace("Base(Process)", "Base")
        .replace("(Base)", "(Base, Process)");
    assert!(not_begun(&mixed, ".start()").is_none());
}

/// Returns what is found of the `join()` of a process or queue that Ctrl-C ended, and the program as it is changed.
fn of(text: &str) -> Option<(String, Option<String>)> {
    let frame = frame(text, line_of(text, ".join("), "main");
    let (file, wait) = if frame.contains("queue.join") {
        ("queues.py", "self._cond.wait()")
    } else {
        ("process.py", "res = self._popen.wait(timeout)")
    };
    let failure = format!(
        "Traceback (most recent call last):\n{frame}  \
         File \"/usr/lib/python3.11/multiprocessing/{file}\", line 149, in join\n    {wait}\nKeyboardInterrupt\n"
    );
    let object = named_of(text, &failure)?;
    let new = patched(text, &object);
    Some((said(&object), new))
}

/// A process that takes from its queue in a loop without end.
#[test]
fn a_process_that_never_ends() {
    const TEXT: &str = "from multiprocessing import Process, Queue\ndef work(tasks, found):\n    while True:\n        \
                        n = tasks.get()\n        found.put(n * n)\ndef main():\n    a, b = Queue(), Queue()\n    \
                        all = [Process(target=work, args=(a, b)) for _ in range(3)]\n    for p in all:\n        p.start()\n    \
                        for n in range(9):\n        a.put(n)\n    for p in all:\n        p.join()\n    print(b.get())\n";
    let (object, new) = of(TEXT).unwrap();
    assert_eq!(object, "work(), whose loop never ends");
    let right = TEXT
        .replace(
            "tasks.get()\n",
            "tasks.get()\n        if n is None:\n            break\n",
        )
        .replace(
            "    for p in all:\n        p.join",
            "    for p in all:\n        a.put(None)\n    for p in all:\n        p.join",
        );
    assert_eq!(new, Some(right));
    let one = TEXT.replace(
        "all = [Process(target=work, args=(a, b)) for _ in range(3)]",
        "p = Process(target=work, args=(a, b))",
    );
    let one = one.replace("for p in all:\n        p.", "p.");
    assert!(
        of(&one)
            .unwrap()
            .1
            .unwrap()
            .contains("    a.put(None)\n    p.join()")
    );
    let pair = of(&TEXT.replace("n = tasks", "n, _ = tasks"));
    let leaves = "        item = tasks.get()\n        if item is None:\n            break\n        n, _ = item\n";
    assert!(pair.unwrap().1.unwrap().contains(leaves));
    // Who puts the last task is not known, or who takes the `None`.
    for (from, to) in [
        (
            "for n in range(9)",
            "Process(target=print, args=(a,)).start()\n    for n in range(9)",
        ),
        ("def main", "def more(q):\n    q.put(1)\ndef main"),
        ("found.put", "tasks.put(0)\n        found.put"),
        ("print(", "a.put(1)\n    print("),
        (
            "for n in range(9)",
            "Process(target=work, args=(a, b)).start()\n    for n in range(9)",
        ),
        (
            "        n = tasks.get()",
            "        for _ in range(2):\n            n = tasks.get()",
        ),
    ] {
        let (object, new) = of(&TEXT.replace(from, to)).expect(to);
        assert_eq!(
            (&*object, new),
            ("work(), whose loop never ends", None),
            "{to}"
        );
    }
    // What asks an event only does so when something has come.
    let asks = TEXT.replace("while True", "while not stop.is_set()");
    let (object, new) = of(&asks).unwrap();
    assert_eq!(object, "work(), whose loop waits in `tasks.get()`");
    assert_has(&new.unwrap(), "        a.put(None)\n");
    let told = of(&asks.replace(
        "    for p in all:\n        p.join",
        "    a.put(None)\n    for p in all:\n        p.join",
    ));
    assert!(told.is_none_or(|(object, _)| !object.contains("loop")));
    // Nothing is read below, and nothing given: it may be meant to run on.
    let service = TEXT
        .replace("a.put(n)", "print(n)")
        .replace("print(b.get())", "pass");
    for text in [
        TEXT.replace(
            "n = tasks.get()",
            "n = tasks.get()\n        if n < 0:\n            return",
        ),
        TEXT.replace("while True", "while not tasks.empty()"),
        TEXT.replace("tasks.get()", "tasks.get(True, 9)"),
        TEXT.replace("print(b", "p.terminate()\n    print(b"),
        service,
    ] {
        let object = of(&text).map(|(object, _)| object);
        assert_ne!(
            object.as_deref(),
            Some("work(), whose loop never ends"),
            "{text}"
        );
    }
}

/// Several processes that each wait for a `None`, of which one is put.
#[test]
fn a_process_that_lacks_its_none() {
    const TEXT: &str = "from multiprocessing import Process, Queue\ndef fill(q):\n    for n in range(9):\n        q.put(n)\n    \
                        q.put(None)\ndef work(q, found):\n    while True:\n        n = q.get()\n        if n is None:\n            \
                        break\n        found.put(n)\ndef main():\n    a, b = Queue(), Queue()\n    \
                        Process(target=fill, args=(a,)).start()\n    \
                        all = [Process(target=work, args=(a, b)) for _ in range(3)]\n    for p in all:\n        p.start()\n    \
                        for p in all:\n        p.join()\n    print(b.get())\n";
    let lacks = "work(), which waits for a `None`: one is put for several processes";
    assert_eq!(of(TEXT), Some((lacks.to_owned(), None)));
    // The parent does it, by another function.
    let process = "Process(target=fill, args=(a,)).start()";
    let called = TEXT.replace(process, "fill(a)");
    assert_eq!(of(&called), Some((lacks.to_owned(), None)));
    for to in [
        "for _ in 'abc':\n        fill(a)",
        "fill(a)\n    fill(a)",
        "run(fill, a)",
    ] {
        let found = of(&TEXT.replace(process, to)).map(|(object, _)| object);
        assert_ne!(found.as_deref(), Some(lacks), "{to}");
    }
    for (from, to) in [
        (
            "    q.put(None)",
            "    for _ in range(3):\n        q.put(None)",
        ),
        ("    q.put(None)", "    [q.put(None) for _ in range(3)]"),
        (
            "            break",
            "            q.put(None)\n            break",
        ),
        (
            "            break",
            "            q.put(n)\n            break",
        ),
        ("n is None", "n == 'end'"),
        // Each has a queue of its own.
        (
            "args=(a, b)) for _ in range(3)]",
            "args=(q, b)) for q in [Queue() for _ in range(3)]]",
        ),
        ("args=(a, b)) for _ in", "args=(all[n], b)) for n in"),
        ("q.get()", "q.get(timeout=9)"),
        (
            "[Process(target=work, args=(a, b)) for _ in range(3)]",
            "[Process(target=work, args=(a, b))]",
        ),
        (
            "    Process(target=fill, args=(a,)).start()",
            "    for _ in range(3):\n        Process(target=fill, args=(a,)).start()",
        ),
    ] {
        assert_ne!(TEXT.replace(from, to), TEXT, "{to}");
        let found = of(&TEXT.replace(from, to)).map(|(object, _)| object);
        assert_ne!(found.as_deref(), Some(lacks), "{to}");
    }
}

/// A process that asks a variable of its own whether to go on.
#[test]
fn a_flag_of_which_a_process_has_a_copy() {
    const TEXT: &str = "from multiprocessing import Process\nimport time\nrunning = True\ndef watch():\n    while running:\n        \
                        time.sleep(1)\ndef main():\n    global running\n    p = Process(target=watch)\n    p.start()\n    \
                        running = False\n    p.join()\nif __name__ == '__main__':\n    main()\n";
    let found = Some(("running, of which watch() has a copy".to_owned(), None));
    assert_eq!(of(TEXT), found);
    let class = "from multiprocessing import Process\nclass Watch(Process):\n    def __init__(self):\n        super().__init__()\n        \
                 self.done = False\n    def run(self):\n        while not self.done:\n            print(1)\n    def stop(self):\n        \
                 self.done = True\ndef main():\n    w = Watch()\n    w.start()\n    w.stop()\n    w.join()\n";
    let found = Some((
        "self.done, of which Watch.run() has a copy".to_owned(),
        None,
    ));
    assert_eq!(of(class), found);
    for (from, to) in [
        (
            "time.sleep(1)",
            "time.sleep(1)\n        if time.time() > 9: break",
        ),
        ("    running = False\n    p.join", "    p.join"),
        ("    p.join", "    p.terminate()\n    p.join"),
        ("running = True", "running = Event()"),
        (
            "time.sleep(1)",
            "end()\ndef end():\n    global running\n    running = False",
        ),
        ("def watch():\n", "def watch(running=True):\n"),
    ] {
        assert_ne!(TEXT.replace(from, to), TEXT, "{to}");
        assert_eq!(of(&TEXT.replace(from, to)), None, "{to}");
    }
    assert_eq!(of(&class.replace("print(1)", "self.stop()")), None);
}

/// A process that waits for the end of a pipe, and holds its other end.
#[test]
fn a_pipe_that_a_copy_keeps_open() {
    const TEXT: &str = "from multiprocessing import Pipe, Process\ndef read(conn):\n    try:\n        while True:\n            \
                        print(conn.recv())\n    except EOFError:\n        pass\ndef main():\n    a, b = Pipe()\n    \
                        p = Process(target=read, args=(a,))\n    p.start()\n    b.send(1)\n    b.close()\n    p.join()\n";
    let found = Some((
        "b, of which read() has a copy that is open".to_owned(),
        None,
    ));
    assert_eq!(of(TEXT), found);
    for (from, to) in [
        ("args=(a,)", "args=(a, b)"),
        ("    try", "    conn.close()\n    try"),
        ("EOFError", "OSError"),
        ("Pipe()\n", "Queue(), Queue()\n"),
        ("    b.close()\n", ""),
    ] {
        assert_ne!(TEXT.replace(from, to), TEXT, "{to}");
        assert_eq!(of(&TEXT.replace(from, to)), None, "{to}");
    }
}

/// A queue that waits for `task_done()`.
#[test]
fn a_queue_whose_items_are_never_done() {
    const TEXT: &str = "from multiprocessing import JoinableQueue, Process\ndef work(q):\n    while True:\n        \
                        print(q.get())\ndef main():\n    queue = JoinableQueue()\n    \
                        Process(target=work, args=(queue,)).start()\n    queue.put(1)\n    queue.join()\n";
    let (object, _) = of(TEXT).unwrap();
    assert_eq!(object, "queue.join(), and nothing calls `task_done()`");
    let done = TEXT.replace("print(q.get())", "print(q.get())\n        q.task_done()");
    assert_eq!(of(&done), None);
}

/// A process that is joined above the line that reads its queue.
#[test]
fn a_join_above_what_reads() {
    const TEXT: &str = "from multiprocessing import Process, Queue\ndef work(queue):\n    queue.put(1)\ndef main():\n    \
                        queue = Queue()\n    all = [Process(target=work, args=(queue,)) for _ in range(3)]\n    \
                        for p in all:\n        p.start()\n    for p in all:\n        p.join()\n    found = []\n    \
                        for _ in all:\n        found.append(queue.get())\n    print(found)\n";
    let (object, new) = of(TEXT).unwrap();
    assert_eq!(object, "p.join(), which stands above `queue.get()`");
    let joins = "    for p in all:\n        p.join()\n";
    let reads = "        found.append(queue.get())\n";
    let right = TEXT
        .replace(joins, "")
        .replace(reads, &format!("{reads}{joins}"));
    assert_eq!(new, Some(right));
    let own = "class Box:\n    def __init__(self):\n        self.queue = Queue()\n    def work(self):\n        self.queue.put(1)\n    \
               def run(self):\n        p = Process(target=self.work)\n        p.join()\n        print(self.queue.get())\n";
    let (object, new) = of(&format!(
        "from multiprocessing import Process, Queue\n{own}"
    ))
    .unwrap();
    assert_eq!(object, "p.join(), which stands above `self.queue.get()`");
    assert!(new.unwrap().ends_with("get())\n        p.join()\n"));
    // How much is there by now, `empty()` does not tell; and the files may be the processes'.
    for (from, to) in [
        (
            "for _ in all:\n        found",
            "while not queue.empty():\n        found",
        ),
        ("found = []", "found = [open('a')]"),
    ] {
        assert_eq!(of(&TEXT.replace(from, to)).expect(to).1, None, "{to}");
    }
    for (from, to) in [
        (
            joins,
            "    print(queue.get())\n    for p in all:\n        p.join()\n",
        ),
        ("p.join()", "p.join(9)"),
        ("args=(queue,)", "args=(Queue(),)"),
        ("queue.get()", "work(queue)"),
        ("queue = Queue()", "queue = open('a')"),
        // What is left of the tasks.
        ("queue.put(1)", "queue.get()"),
        ("queue = Queue()", "queue = Queue()\n    queue.put(1)"),
    ] {
        assert_eq!(of(&TEXT.replace(from, to)), None, "{to}");
    }
}

/// A queue of threads is replaced where processes were given it, and left where threads share it.
#[test]
fn a_queue_of_threads_that_a_process_was_given() {
    let text = "import queue\nfrom multiprocessing import Process\ndef work(numbers, results):\n    for n in numbers:\n        \
                results.put(n)\nresults = queue.Queue()\nif __name__ == '__main__':\n    process = Process(target=work, args=([1], results))\n    \
                process.start()\n    print(results.get())\n";
    let frame =
        "  File \"/usr/lib/python3.11/queue.py\", line 171, in get\n    self.not_empty.wait()\n";
    let waiting = format!("{frame}KeyboardInterrupt");
    let (object, new) = changed(text, 10, &waiting);
    assert_eq!((object.path.as_str(), object.line), ("results", 6));
    assert_has(&new.unwrap(), "\nresults = multiprocessing.Queue()\n");
    // An item may not be there yet.
    let asks = text.replace("results.get()", "results.get_nowait()");
    let late = waiting.replace("KeyboardInterrupt", "_queue.Empty");
    let (object, new) = changed(&asks, 10, &late);
    assert_eq!((object.path.as_str(), new), ("results", None));
    // The process waits, and knows the queue by a parameter.
    let takes = text
        .replace("results.put(n)", "results.get()")
        .replace("print(results.get())", "results.put(1)");
    let (object, _) = changed(&takes, 5, &waiting);
    assert_eq!((object.path.as_str(), object.line), ("results", 6));
    let local = "import queue\nfrom multiprocessing import Process\ndef take(q):\n    print(q.get())\ndef work(results):\n    \
                 take(queue.Queue())\nresults = queue.Queue()\nif __name__ == '__main__':\n    \
                 Process(target=work, args=(results,)).start()\n";
    let log = format!(
        "Traceback (most recent call last):\n  File \"a.py\", line 6, in work\n    take(queue.Queue())\n  \
         File \"a.py\", line 4, in take\n    print(q.get())\n{waiting}\n"
    );
    assert!(named_of(local, &log).is_none());
    let threads = text.replace(
        "from multiprocessing import Process",
        "from threading import Thread as Process",
    );
    let log = format!(
        "Traceback (most recent call last):\n  File \"a.py\", line 10, in <module>\n    print(results.get())\n{waiting}\n"
    );
    assert!(named_of(&threads, &log).is_none());
}
