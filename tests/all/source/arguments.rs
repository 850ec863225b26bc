//! Arguments that do not fit a worker's function.

use super::*;

/// Returns what a call is changed into, for a failure whose last frames are a worker's: the file, the function and
/// the line.
fn changed(text: &str, worker: &str, message: &str) -> Option<(String, Option<String>)> {
    let parent = text.contains("# here").then(|| {
        format!(
            "\nThe above exception was the direct cause of the following exception:\n\n\
             Traceback (most recent call last):\n{}  \
             File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 774, in get\n    raise self._value\n\
             TypeError: {message}\n",
            frame(text, line_of(text, "# here"), "<module>")
        )
    });
    let quotes = if parent.is_some() { "\"\"\"" } else { "" };
    let head = if quotes.is_empty() {
        "Process Process-1:\n"
    } else {
        "multiprocessing.pool.RemoteTraceback: \n"
    };
    let failure = format!(
        "{head}{quotes}{}Traceback (most recent call last):\n  File \"/usr/lib/python3.11/{worker}\n\
         TypeError: {message}\n{quotes}\n{}",
        if quotes.is_empty() { "" } else { "\n" },
        parent.unwrap_or_default()
    );
    let object = named_of(text, &failure)?;
    let new = patched(text, &object);
    let is_same = |line: &&str| text.lines().all(|l| l != *line);
    let line = new.map(|new| new.lines().find(is_same).unwrap().trim().to_owned());
    Some((object.path, line))
}

const MAPSTAR: &str = "multiprocessing/pool.py\", line 48, in mapstar\n    return list(map(*args))";
const STARMAPSTAR: &str = "multiprocessing/pool.py\", line 51, in starmapstar\n    \
                           return list(itertools.starmap(args[0], args[1]))";
const WORKER: &str = "multiprocessing/pool.py\", line 125, in worker\n    \
                      result = (True, func(*args, **kwds))";
const RUN: &str = "multiprocessing/process.py\", line 108, in run\n    \
                   self._target(*self._args, **self._kwargs)";

#[test]
fn tuples_are_spread_by_another_method() {
    let of = |items: &str, call: &str| {
        let text = format!(
            "import multiprocessing as mp\ndef add(a, b, c=0):\n    return a + b\npool = mp.Pool(2)\n\
             jobs = {items}\nprint(pool.{call})  # here\n"
        );
        let message = "add() missing 1 required positional argument: 'b'";
        changed(&text, MAPSTAR, message).map(|(_, line)| line)
    };
    let spread = Some(Some("print(pool.starmap(add, jobs))  # here".to_owned()));
    for items in [
        "[(1, 2), (3, 4)]",
        "[(x, 2) for x in range(3)]",
        "zip([1], [2])",
        "list(zip([1], [2]))",
        "list(enumerate('ab'))",
        "{1: 2}.items()",
        "[(1, 2, 3)]",
    ] {
        assert_eq!(of(items, "map(add, jobs)"), spread, "{items}");
    }
    for items in [
        "[1, 2]",
        "[(1, 2), (3,)]",
        "[(1, 2, 3, 4)]",
        "load()",
        "['ab']",
    ] {
        let line = of(items, "map(add, jobs)").flatten();
        assert_eq!(line, None, "{items}");
    }
    let spread = Some(Some(
        "print(pool.starmap_async(add, jobs).get())  # here".to_owned(),
    ));
    assert_eq!(of("[(1, 2)]", "map_async(add, jobs).get()"), spread);
    // A list in place of what is read as it comes may never end.
    assert_eq!(of("[(1, 2)]", "imap(add, jobs)"), Some(None));
    let of_class = |decorator: &str| {
        let text = format!(
            "import multiprocessing as mp\nclass Mail:\n    {decorator}\n    def add(a, b):\n        return a\n\
             print(mp.Pool(2).map(Mail.add, [(1, 2)]))  # here\n"
        );
        let message = "Mail.add() missing 1 required positional argument: 'b'";
        changed(&text, MAPSTAR, message)
    };
    let (_, line) = of_class("@staticmethod").unwrap();
    let spread = "print(mp.Pool(2).starmap(Mail.add, [(1, 2)]))  # here";
    assert_eq!(line.as_deref(), Some(spread));
    assert_eq!(of_class("# a method"), None);
}

/// A function that takes its first argument apart wants the tuple, and something else as well.
#[test]
fn a_tuple_that_is_taken_apart_is_not_spread() {
    for body in ["return a[0] + b", "x, y = a\n    return x + b"] {
        let text = format!(
            "import multiprocessing as mp\ndef add(a, b):\n    {body}\npool = mp.Pool(2)\n\
             print(pool.map(add, [(1, 2), (3, 4)]))  # here\n"
        );
        let message = "add() missing 1 required positional argument: 'b'";
        let found = changed(&text, MAPSTAR, message);
        assert_eq!(found, Some(("add".to_owned(), None)), "{body}");
    }
}

#[test]
fn items_that_are_no_tuples_are_not_spread() {
    let of = |params: &str| {
        let text = format!(
            "import multiprocessing as mp\ndef inc({params}):\n    return a\n\
             print(mp.Pool(2).starmap(inc, [1, 2]))  # here\n"
        );
        changed(&text, STARMAPSTAR, "'int' object is not iterable").and_then(|(_, line)| line)
    };
    let whole = "print(mp.Pool(2).map(inc, [1, 2]))  # here".to_owned();
    assert_eq!(of("a"), Some(whole));
    assert_eq!(of("a, b"), None);
    assert_eq!(of("a, b=1"), None);
    // Letter by letter.
    let of = |items: &str| {
        let text = format!(
            "import multiprocessing as mp, os\ndef size(path):\n    return os.stat(path)\n\
             print(mp.Pool(2).starmap(size, {items}))  # here\n"
        );
        let message = "size() takes 1 positional argument but 7 were given";
        changed(&text, STARMAPSTAR, message).and_then(|(_, line)| line)
    };
    for items in ["['/etc/rc']", "[os.path.join('/etc', n) for n in ('rc',)]"] {
        let whole = format!("print(mp.Pool(2).map(size, {items}))  # here");
        assert_eq!(of(items), Some(whole));
    }
    assert_eq!(of("[(1, 2)]"), None);
    assert_eq!(of("load()"), None);
}

#[test]
fn one_argument_gets_its_comma() {
    let of = |args: &str, message: &str| {
        let text = format!(
            "import multiprocessing as mp, sys\nwho, pair, rows = sys.argv[1], (1, 2, 3), [[1, 2, 3]]\ndef hi(name):\n    print(name)\n\
             mp.Process(target=hi, args={args}).start()\n"
        );
        let found = changed(&text, RUN, message)?;
        let line = found.1?;
        Some(
            line.replace("mp.Process(target=hi, args=", "")
                .replace(").start()", ""),
        )
    };
    let three = "hi() takes 1 positional argument but 3 were given";
    for (args, new) in [
        ("('bob')", "('bob',)"),
        ("'bob'", "('bob',)"),
        ("( 'bob' )", "( 'bob', )"),
        ("(who)", "(who,)"),
        ("(f'{who}')", "(f'{who}',)"),
        ("([1, 2, 3])", "([1, 2, 3],)"),
        ("(rows[0])", "(rows[0],)"),
    ] {
        assert_eq!(of(args, three).as_deref(), Some(new), "{args}");
    }
    for args in [
        "('rob', 'eve', 'a')",
        "pair",
        "(pair)",
        "rows[0]",
        "[1, 2, 3]",
        "([1], 2, [3])",
        "who",
        "('robert')",
        "('bob'  # the name\n)",
        "(who)()",
    ] {
        assert_eq!(of(args, three), None, "{args}");
    }
    // Their results would be lost: that comes first.
    let text = "import multiprocessing as mp\nfound = []\ndef inc(n):\n    found.append(n)\n\
                def main():\n    mp.Process(target=inc, args=('bob')).start()\n    print(found)\nmain()\n";
    let message = "inc() takes 1 positional argument but 3 were given";
    let named = Some(("args=('bob')".to_owned(), None));
    assert_eq!(changed(text, RUN, message), named);
    let text = "import multiprocessing as mp\ndef inc(n):\n    return n\npool = mp.Pool(2)\n\
                parts = [pool.apply_async(inc, (n)) for n in range(3)]\nprint([p.get() for p in parts])  # here\n";
    let message = "__main__.inc() argument after * must be an iterable, not int";
    let (path, line) = changed(text, WORKER, message).unwrap();
    assert_eq!(path, "(n)");
    assert_eq!(
        line.as_deref(),
        Some("parts = [pool.apply_async(inc, (n,)) for n in range(3)]")
    );
}

#[test]
fn one_argument_of_an_initializer_gets_its_comma() {
    let text = "import multiprocessing as mp, os\npath = os.path.join('a', 'b')\ndef connect(path):\n    print(path)\n\
                mp.Pool(2, initializer=connect, initargs=(path)).map(print, 'ab')\n";
    let worker = WORKER.replace(
        "result = (True, func(*args, **kwds))",
        "initializer(*initargs)",
    );
    let message = "connect() takes 1 positional argument but 3 were given";
    let right = "mp.Pool(2, initializer=connect, initargs=(path,)).map(print, 'ab')";
    let found = changed(text, &worker, message).unwrap();
    assert_eq!(
        found,
        ("initargs=(path)".to_owned(), Some(right.to_owned()))
    );
    let given = text.replace("os.path.join('a', 'b')", "(1, 2, 3)");
    assert_eq!(changed(&given, &worker, message), None);
    // Another number of them than it takes.
    let missing = "connect() missing 1 required positional argument: 'mode'";
    let two = text.replace("connect(path)", "connect(path, mode)");
    let of = |args: &str| {
        let text = two.replace("initargs=(path)", args);
        changed(&text, &worker, missing).map(|(path, _)| path)
    };
    let path = Some("initargs=(path,)".to_owned());
    assert_eq!(of("initargs=(path,)"), path);
    assert_eq!(of("initargs=(path, 'r')"), None);
    assert_eq!(of("initargs=given"), None);
}

/// torch's `spawn` puts the number of the process before the arguments.
#[test]
fn one_argument_of_torchs_spawn_gets_its_comma() {
    let of = |args: &str, function: &str| {
        let text = format!(
            "import sys\nimport torch.multiprocessing as mp\nsize = 2\ndef work(rank, size):\n    print(rank)\n\
             def solve(rank, a, b):\n    print(a)\nmp.spawn({function}, args={args}, nprocs=2)\n"
        );
        let wrap =
            "site-packages/torch/multiprocessing/spawn.py\", line 89, in _wrap\n    fn(i, *args)";
        let message = "Value after * must be an iterable, not int";
        changed(&text, wrap, message).and_then(|(_, line)| line)
    };
    let new = |call: &str| Some(format!("mp.spawn({call}, nprocs=2)"));
    assert_eq!(of("(size)", "work"), new("work, args=(size,)"));
    assert_eq!(of("size", "work"), new("work, args=(size,)"));
    assert_eq!(of("(size)", "sys.show"), new("sys.show, args=(size,)"));
    for (args, function) in [
        ("size", "sys.show"),
        ("(load())", "sys.show"),
        ("(size)", "solve"),
        ("(size, 3)", "work"),
        ("[size]", "work"),
    ] {
        assert_eq!(of(args, function), None, "{args} {function}");
    }
}

/// `submit` takes no tuple of arguments, as `apply_async` and a `Process` do.
#[test]
fn a_tuple_that_is_submitted_is_spread() {
    const SUBMIT: &str = "concurrent/futures/process.py\", line 261, in _process_worker\n    \
                          r = call_item.fn(*call_item.args, **call_item.kwargs)";
    let of = |params: &str, call: &str, message: &str| {
        let text = format!(
            "from concurrent.futures import ProcessPoolExecutor\ndef add({params}):\n    return a\n\
             pool = ProcessPoolExecutor()\nn = 3\nprint(pool.submit(add, {call}).result())  # here\n"
        );
        changed(&text, SUBMIT, message).and_then(|(_, line)| line)
    };
    let missing = "add() missing 1 required positional argument: 'b'";
    let surplus = "add() got an unexpected keyword argument 'args'";
    let line = Some("print(pool.submit(add, n, 2).result())  # here".to_owned());
    assert_eq!(of("a, b", "(n, 2)", missing), line);
    assert_eq!(of("a, b", "args=(n, 2,)", surplus), line);
    for (params, call) in [
        ("a, b", "n"),
        ("a, b", "(n, 2, 3)"),
        ("a, b", "(n, 2), 3"),
        ("a, b=1", "(n, 2)"),
        ("a, b", "[n, 2]"),
        // `args` is a parameter of its own.
        ("args, b", "args=(n, 2)"),
        // Whose result is asked for?
        ("a, b", "1) or pool.submit(add, (n, 2)"),
    ] {
        assert_eq!(of(params, call, missing), None, "{params} {call}");
    }
}

/// `submit(square(3))` gives a result where the function is wanted.
#[test]
fn a_function_that_is_called_at_once_is_given_instead() {
    let of = |start: &str, call: &str| {
        let text = format!(
            "import multiprocessing as mp\nfrom concurrent.futures import ProcessPoolExecutor\n\
             def square(x, k=1):\n    return x * x\n{start}\n{call}\nprint(task.get())  # here\n"
        );
        changed(&text, WORKER, "'int' object is not callable")
    };
    let pool = "pool = mp.Pool(2)";
    for (call, new) in [
        (
            "task = pool.apply_async(square(3))",
            Some("task = pool.apply_async(square, (3,))"),
        ),
        (
            "task = pool.apply_async(square(3, 2))",
            Some("task = pool.apply_async(square, (3, 2))"),
        ),
        ("task = pool.apply_async(square(3, k=2))", None),
        ("task = pool.map_async(square(3), [1])", None),
        ("task = pool.apply_async(func=square(3))", None),
        ("task = pool.apply_async(square(3  # it\n))", None),
    ] {
        let (path, line) = of(pool, call).expect(call);
        assert!(path.starts_with("square(3"), "{path}");
        assert_eq!(line.as_deref(), new);
    }
    let executor = "pool = ProcessPoolExecutor(2)";
    let (_, line) = of(executor, "task = pool.submit(square(3, k=2))").unwrap();
    assert_eq!(line.unwrap(), "task = pool.submit(square, 3, k=2)");
    // What a function gives may be a function; and it may be another call that is given a number.
    for (before, call) in [
        (
            "make = lambda: partial(square, 3)",
            "pool.submit(make()); task = pool.submit(n)",
        ),
        (
            "def make(): return getattr(k, 'f')",
            "pool.submit(make()); task = pool.submit(n)",
        ),
    ] {
        let before = format!("from functools import partial\n{before}\n{executor}\nn = square(3)");
        assert_eq!(of(&before, call), None, "{before}");
    }
    // Two of them: nothing tells which one it is.
    assert_eq!(
        of(pool, "task = pool.apply(square(3)), pool.apply(square(4))"),
        None
    );
    let text = "import multiprocessing as mp\ndef show(n):\n    return n\nmp.Process(target=show(3)).start()\n";
    let (path, line) = changed(text, RUN, "'int' object is not callable").unwrap();
    assert_eq!(path, "show(3)");
    assert_eq!(line.unwrap(), "mp.Process(target=show, args=(3,)).start()");
    let joblib = "joblib/parallel.py\", line 607, in <listcomp>\n    return [func(*args, **kwargs) for func, args, kwargs in self.items]";
    let text = "from joblib import Parallel, delayed\ndef area(w, h):\n    return w * h\n\
                print(Parallel(2)(delayed(area(w, h=2)) for w in (1, 2)))  # here\n";
    let error = "cannot unpack non-iterable function object";
    let (path, line) = changed(text, joblib, error).unwrap();
    assert_eq!(path, "area(w, h=2)");
    assert_has(&line.unwrap(), "(delayed(area)(w, h=2) for w in");
    // `delayed` is missing.
    let of = |text: &str| {
        let error = "cannot unpack non-iterable float object";
        changed(text, joblib, error).and_then(|(_, line)| line)
    };
    let bare = text.replace("delayed(area(w, h=2))", "area(w, h=2)");
    let whole = "print(Parallel(2)(delayed(area)(w, h=2) for w in (1, 2)))  # here";
    assert_eq!(of(&bare).as_deref(), Some(whole));
    for (from, to) in [
        // It may be `delayed` itself, or give what it gives.
        ("def area", "@wrap\ndef area"),
        ("return w * h", "return delayed(max)(w, h)"),
        ("area(w, h=2)", "tasks[w](h=2)"),
        ("area(w, h=2) for w in (1, 2)", "tasks"),
        ("area(w, h=2)", "w"),
        // A coroutine cannot be sent back; another line is the one that fails.
        ("def area", "async def area"),
        ("))  # here", "))\nParallel(2)(tasks)  # here"),
        // Its object may not be sent.
        ("area(w, h=2)", "Area().area(w, h=2)"),
    ] {
        let bare = bare.replace(
            "# here\n",
            "# here\nclass Area:\n    def area(self, w, h):\n        pass\n",
        );
        assert_ne!(bare.replace(from, to), bare, "{to}");
        assert_eq!(of(&bare.replace(from, to)), None, "{to}");
    }
}

#[test]
fn a_process_that_is_given_too_few_or_too_many_is_named() {
    let of = |args: &str, message: &str| {
        let text = format!(
            "import multiprocessing as mp\ndef show(a, b):\n    pass\nmp.Process(target=show{args}).start()\n"
        );
        changed(&text, RUN, message)
    };
    let missing = "show() missing 1 required positional argument: 'b'";
    assert_eq!(
        of(", args=(1,)", missing).unwrap(),
        ("args=(1,)".to_owned(), None)
    );
    let missing = "show() missing 2 required positional arguments: 'a' and 'b'";
    assert_eq!(of("", missing).unwrap(), ("target=show".to_owned(), None));
    let surplus = "show() takes 2 positional arguments but 3 were given";
    assert_eq!(of(", args=(1, 2, 3)", surplus).unwrap().0, "args=(1, 2, 3)");
    assert_eq!(of(", args=(1, 2)", surplus), None);
    assert_eq!(of(", **options", missing), None);
    // The number of the process comes before them.
    let wrap =
        "site-packages/torch/multiprocessing/spawn.py\", line 89, in _wrap\n    fn(i, *args)";
    let of = |args: &str, message: &str| {
        let text = format!(
            "import torch.multiprocessing as mp\ndef show(a, b):\n    pass\nmp.spawn(show{args}, nprocs=2)\n"
        );
        changed(&text, wrap, message).map(|(path, _)| path)
    };
    let surplus = "show() takes 2 positional arguments but 3 were given";
    let path = Some("args=(0, 1)".to_owned());
    assert_eq!(of(", args=(0, 1)", surplus), path);
    assert_eq!(of(", args=(1,)", surplus), None);
    let missing = "show() missing 1 required positional argument: 'b'";
    assert_eq!(of("", missing).as_deref(), Some("show"));
}

/// A command of the command line is called with what the parser gives, whatever calls it.
#[test]
fn what_a_command_is_called_with() {
    const TEXT: &str = "import argparse, sys\nfrom multiprocessing import Pool\nclass Search:\n    \
                        def __init__(self, options):\n        self.options = options\n    def one(self, n):\n        return n\n\
                        def search(args):\n    found = Search(args)\n    with Pool() as pool:\n        \
                        print(pool.map(found.one, [1]))\ndef main():\n    parser = argparse.ArgumentParser()\n    \
                        commands = parser.add_subparsers()\n    one = commands.add_parser('search')\n    \
                        one.add_argument('--out', default=sys.stdout)\n    one.set_defaults(run=search)\n    \
                        args = parser.parse_args()\n    args.run(args)\n";
    let folder = Folder::new("command");
    let failure = "Traceback (most recent call last):\n  File \"a.py\", line 11, in search\n    \
                   print(pool.map(found.one, [1]))\n  \
                   File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 367, in map\n    \
                   return self._map_async(func, iterable, mapstar, chunksize).get()\n\
                   TypeError: cannot pickle '_io.TextIOWrapper' object\n";
    let found = named_in(&folder, TEXT, failure);
    assert_eq!(found, Some(("found.options.out".to_owned(), 16)));
    let other = TEXT.replace("run=search", "run=print");
    assert_eq!(named_in(&folder, &other, failure), None);
}
