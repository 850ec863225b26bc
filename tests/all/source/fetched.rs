//! Results that are used before they are fetched, lists that a pool's method does not take, queues of another start
//! method.

use super::*;

/// Returns the program as it becomes, or why it stays; nothing where nothing is named.
fn changed(
    program: &str,
    line: usize,
    library: &str,
    error: &str,
) -> Option<Result<String, String>> {
    let frame = frame(program, line, "main");
    let failure = format!("Traceback (most recent call last):\n{frame}{library}{error}\n");
    let object = named_of(program, &failure)?;
    Some(rewritten(program, object))
}

const FUTURES: &str = "\
from concurrent.futures import ProcessPoolExecutor, as_completed
def work(x):
    return x
def main():
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(work, x) for x in 'ab']
        one = pool.submit(work, 1)
        for job in as_completed(jobs):
            print(one + 1)
";

#[test]
fn a_result_is_fetched_where_it_is_used() {
    let error = "TypeError: unsupported operand type(s) for +: 'Future' and 'int'";
    for (old, new) in [
        ("print(one + 1)", Ok("print(one.result() + 1)")),
        (
            "print(f'{one:.2f}', job)",
            Ok("print(f'{one.result():.2f}', job.result())"),
        ),
        (
            "print(1 + job, job.done())",
            Ok("print(1 + job.result(), job.done())"),
        ),
        (
            "print(one.result() + job)",
            Ok("print(one.result() + job.result())"),
        ),
        (
            "print(sorted(jobs))",
            Err("all tasks are to be started before one is waited for"),
        ),
    ] {
        let program = FUTURES.replace("print(one + 1)", old);
        let expected = new.map(|new| FUTURES.replace("print(one + 1)", new));
        let found = changed(&program, 9, "", error);
        assert_eq!(found, Some(expected.map_err(str::to_owned)), "{old}");
    }
    let listed = FUTURES.replace("        for job in as_completed(jobs):\n    ", "");
    let listed = listed.replace("one + 1", "sum(jobs)");
    let line = "        jobs = [task.result() for task in jobs]\n        print(";
    let expected = listed.replace("        print(", line);
    assert_eq!(changed(&listed, 8, "", error), Some(Ok(expected)));
    let again = format!("{listed}    return [job.result() for job in jobs]\n");
    let why = "the results are fetched later".to_owned();
    assert_eq!(changed(&again, 8, "", error), Some(Err(why)));
    // The name is read again, and the other calls give a result.
    let more = FUTURES.replace("one + 1)", "one + 1)\n            print(one)");
    let why = "all tasks are to be started before one is waited for".to_owned();
    assert_eq!(changed(&more, 9, "", error), Some(Err(why)));
    let more = FUTURES.replace("one + 1)", "job + 1)\n            print(job)");
    let line = "            job = job.result()\n            print(job + 1)";
    let expected = more.replace("            print(job + 1)", line);
    assert_eq!(changed(&more, 9, "", error), Some(Ok(expected)));
    // A pool of threads is no failure among processes.
    let threads = FUTURES.replace("ProcessPool", "ThreadPool");
    assert_eq!(changed(&threads, 9, "", error), None);
}

#[test]
fn a_result_is_not_fetched_where_its_handle_is_needed() {
    let error = "TypeError: unsupported operand type(s) for +: 'Future' and 'int'";
    for (main, why) in [
        (
            "    jobs = [pool.submit(work, 1)]\n    print(sum(jobs), list(as_completed(jobs)))\n",
            None,
        ),
        (
            "    jobs = [pool.submit(work, 1)]\n    print(sum(jobs))\n    print(as_completed(jobs))\n",
            Some("the results are fetched later"),
        ),
        (
            "    one = pool.submit(work, 1)\n    print(one + 1)\n    print(one.done(), one)\n",
            Some("the results are fetched later"),
        ),
        (
            "    jobs = [1]\n    print(sum(pool.submit(work, x) for x in jobs))\n",
            Some("all tasks are to be started before one is waited for"),
        ),
        (
            "    global one\n    print(1 + (one := pool.submit(work, 1)), one)\n",
            Some("it gets a name in the same line"),
        ),
    ] {
        let head = "from concurrent.futures import ProcessPoolExecutor, as_completed\ndef work(x):\n    return x\npool = ProcessPoolExecutor()\ndef main():\n";
        let program = format!("{head}{main}");
        let found = changed(&program, 7, "", error).unwrap();
        assert_eq!(found.err().as_deref(), why, "{main}");
    }
    // One that is chosen by its result is a handle.
    let chosen = FUTURES.replace("one + 1", "max(jobs, key=id) + 1");
    let expected = FUTURES.replace("one + 1", "max(jobs, key=id).result() + 1");
    assert_eq!(changed(&chosen, 9, "", error), Some(Ok(expected)));
    let least = FUTURES.replace("one + 1", "one.result(), min(jobs)");
    let why = "all tasks are to be started before one is waited for".to_owned();
    assert_eq!(changed(&least, 9, "", error), Some(Err(why)));
    // The list is another function's; one of two statements in a line is not told.
    let outer = FUTURES.replace(
        "        for job",
        "        print(one)\ndef show():\n        for job",
    );
    let outer = outer.replace("print(one + 1)", "print(sum(jobs))");
    let outer = outer.replace("def main():\n", "def main():\n    global jobs\n");
    let why = "the list is made in another function".to_owned();
    assert_eq!(changed(&outer, 12, "", error), Some(Err(why)));
    let more = FUTURES.replace("one + 1)", "1); print(one + 1); print(one)");
    assert_eq!(changed(&more, 9, "", error), None);
}

#[test]
fn a_result_is_fetched_by_its_own_method_while_its_pool_runs() {
    let program = "\
import multiprocessing
def main():
    with multiprocessing.Pool() as pool:
        one = pool.apply_async(abs, (1,))
        print(one.result())
";
    let error = "AttributeError: 'ApplyResult' object has no attribute 'result'";
    let expected = program.replace("one.result()", "one.get()");
    assert_eq!(changed(program, 5, "", error), Some(Ok(expected)));
    let late = program.replace("        print(one.result", "    print(one[0]");
    let error = "TypeError: 'ApplyResult' object is not subscriptable";
    let why = "the pool has ended by then".to_owned();
    assert_eq!(changed(&late, 5, "", error), Some(Err(why)));
}

#[test]
fn several_lists_are_zipped_for_starmap() {
    let program = "\
from multiprocessing import Pool
def add(a, b):
    return a + b
def main():
    with Pool() as pool:
        print(pool.map(add, [1], [2]))
";
    let library = "  File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 367, in map\n    \
        return self._map_async(func, iterable, mapstar, chunksize).get()\n  \
        File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 485, in _map_async\n    \
        result = MapResult(self, chunksize, len(iterable), callback,\n  \
        File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 798, in __init__\n    if chunksize <= 0:\n";
    let error = "TypeError: '<=' not supported between instances of 'list' and 'int'";
    let new = |call: &str| Some(Ok(program.replace("map(add, [1], [2])", call)));
    let expected = new("starmap(add, zip([1], [2]))");
    assert_eq!(changed(program, 6, library, error), expected);
    let starred = program.replace(".map(", ".starmap(");
    assert_eq!(changed(&starred, 6, library, error), expected);
    let lazy = program.replace(".map(", ".imap(");
    assert!(matches!(changed(&lazy, 6, library, error), Some(Err(_))));
    let number = program.replace("[2])", "'2')");
    assert_eq!(changed(&number, 6, library, error), None);
    // The same for all items, as its type tells, or perhaps.
    let same = program.replace("[2])", "load())");
    let bound = same.replace("add, [1], load()", "functools.partial(add, b=load()), [1]");
    let other = error.replace("'list'", "'dict'");
    let found = changed(&same, 6, library, &other).unwrap().unwrap();
    assert_eq!(found, format!("import functools\n{bound}"));
    let whole = program.replace("return a + b", "return b[a]");
    assert!(matches!(changed(&whole, 6, library, error), Some(Err(_))));
    let three = program.replace("a, b)", "a, b, c)");
    assert_eq!(changed(&three, 6, library, error), None);
}

#[test]
fn a_value_for_all_items_is_bound() {
    let program = "\
from multiprocessing import Pool
def add(a, b):
    return a + b
def main():
    with Pool() as pool:
        print(pool.map(add, [1, 2], 5))
";
    let failure = "multiprocessing.pool.RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n  \
        File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 125, in worker\n    \
        result = (True, func(*args, **kwds))\n  \
        File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 48, in mapstar\n    return list(map(*args))\n\
        TypeError: add() missing 1 required positional argument: 'b'\n\"\"\"\n\n\
        The above exception was the direct cause of the following exception:\n\n\
        Traceback (most recent call last):\n  File \"a.py\", line 6, in main\n    \
        print(pool.map(add, [1, 2], 5))\n\
        TypeError: add() missing 1 required positional argument: 'b'\n";
    let object = named_of(program, failure).unwrap();
    let change = object.change.unwrap();
    assert_eq!(object.path, "5");
    assert_has(
        &change.code,
        "pool.map(functools.partial(add, b=5), [1, 2])",
    );
    for (old, new) in [("a, b)", "a, b, /)"), (", 5)", ", CHUNK)")] {
        let failure = failure.replace(old, new);
        let other = program.replace(old, new);
        assert!(named_of(&other, &failure).is_none(), "{new}");
    }
    // They may be tuples, and the number the size of the chunks.
    let read = program.replace("[1, 2]", "read()");
    let failure = failure.replace("[1, 2]", "read()");
    assert!(named_of(&read, &failure).is_none());
}

/// An executor's `map` takes a number for one more list.
#[test]
fn a_number_is_no_list_for_an_executor() {
    let program = "\
from concurrent.futures import ProcessPoolExecutor
CHUNK = 100
def double(n):
    return 2 * n
def main():
    with ProcessPoolExecutor() as pool:
        print(list(pool.map(double, [1, 2], CHUNK)))
";
    let library = "  File \"/usr/lib/python3.11/concurrent/futures/process.py\", line 837, in map\n    \
        results = super().map(partial(_process_chunk, fn),\n  \
        File \"/usr/lib/python3.11/concurrent/futures/process.py\", line 193, in _get_chunks\n    \
        it = zip(*iterables)\n";
    let error = "TypeError: 'int' object is not iterable";
    let of = |old: &str, new: &str| {
        let text = program.replace(old, new);
        assert_eq!(text == program, old == new, "{new}");
        changed(&text, 7, library, error)
    };
    let chunks = Some(Ok(program.replace("2], ", "2], chunksize=")));
    assert_eq!(of("", ""), chunks);
    // Another number may be a limit of the time.
    let named = Some(Err(String::new()));
    assert_eq!(of(", CHUNK", ", 100"), named);
    for name in ["LIMIT", "N_CHUNKS", "CHUNK_TIMEOUT", "chunk"] {
        assert_eq!(of("CHUNK", name), named, "{name}");
    }
    assert!(matches!(of("CHUNK", "chunk_size"), Some(Ok(_))));
    // What the function takes is bound.
    let bound = program
        .replace("CHUNK", "FACTOR")
        .replace("double(n)", "double(n, factor)");
    let new = bound.replace(
        "double, [1, 2], FACTOR",
        "functools.partial(double, factor=FACTOR), [1, 2]",
    );
    let new = format!("import functools\n{new}");
    assert_eq!(changed(&bound, 7, library, error), Some(Ok(new)));
    for (old, new) in [
        // It may be either.
        ("double(n)", "double(n, chunk)"),
        // The first one is none.
        ("[1, 2]", "CHUNK"),
        ("double(n)", "double(n, a, b)"),
        ("CHUNK)", "*[CHUNK])"),
        ("[1, 2], CHUNK", "[1, 2], read()"),
        ("pool.map(double", "pool.map(load()"),
    ] {
        assert_eq!(of(old, new), None, "{new}");
    }
}

#[test]
fn a_queue_is_made_by_the_context_of_its_process() {
    let program = "\
import multiprocessing as mp
def work(q):
    q.put(1)
def main():
    ctx = mp.get_context('spawn')
    q = mp.Queue()
    p = ctx.Process(target=work, args=(q,))
    p.start()
";
    let library = "  File \"/usr/lib/python3.11/multiprocessing/process.py\", line 121, in start\n    \
        self._popen = self._Popen(self)\n";
    let error = "RuntimeError: A SemLock created in a fork context is being shared with a process in a spawn context. \
        This is not supported. Please use the same context to create multiprocessing objects and Process.";
    let expected = program.replace("mp.Queue", "ctx.Queue");
    assert_eq!(changed(program, 8, library, error), Some(Ok(expected)));
    let unnamed = program.replace("ctx = mp.get_context('spawn')", "pass");
    let unnamed = unnamed.replace("ctx.", "mp.get_context('spawn').");
    let expected = unnamed.replace("= mp.Queue", "= mp.get_context(\"spawn\").Queue");
    assert_eq!(changed(&unnamed, 8, library, error), Some(Ok(expected)));
    let line = "from multiprocessing import Queue as Jobs; import multi";
    let renamed = program.replace("import multi", line);
    let renamed = renamed.replace("mp.Queue", "Jobs");
    let expected = renamed.replace("q = Jobs", "q = ctx.Queue");
    assert_eq!(changed(&renamed, 8, library, error), Some(Ok(expected)));
    let given = program.replace("main()", "main(make=mp.Queue)");
    let given = given.replace("= mp.Queue", "= make");
    assert!(matches!(changed(&given, 8, library, error), Some(Err(_))));
    let both = program.replace("q = mp.", "q = mp.get_context('fork').");
    assert_eq!(changed(&both, 8, library, error), None);
}

#[test]
fn a_pool_in_a_task_of_a_pool_becomes_one_of_threads() {
    let program = "\
from multiprocessing import Pool
def outer(n):
    with Pool(2) as pool:
        return pool.map(abs, [n])
";
    let library = "  File \"/usr/lib/python3.11/multiprocessing/process.py\", line 118, in start\n    \
        assert not _current_process._config.get('daemon'), \\\n";
    let error = "AssertionError: daemonic processes are not allowed to have children";
    let worker = "  File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 125, in worker\n    \
        result = (True, func(*args, **kwds))\n";
    let failure = format!(
        "Traceback (most recent call last):\n{worker}  File \"a.py\", line 3, in outer\n    with Pool(2) as pool:\n{library}{error}\n"
    );
    for (given, is_edited) in [("2", true), ("processes=2", true), ("2, init", false)] {
        let program = program.replace("Pool(2)", &format!("Pool({given})"));
        let failure = failure.replace("Pool(2)", &format!("Pool({given})"));
        let object = named_of(&program, &failure).unwrap();
        let code = object.change.map(|c| c.code);
        let import = "import multiprocessing.pool  # at the top of the file";
        let expected =
            format!("{import}\n\nwith multiprocessing.pool.ThreadPool({given}) as pool:");
        assert_eq!(code, is_edited.then_some(expected), "{given}");
    }
    let daemon = "\
from multiprocessing import Pool, Process
def outer():
    Pool(2)
child = Process(target=outer, daemon=True)
child.start()
child.join()
";
    let expected = daemon.replace(", daemon=True", "");
    assert_eq!(changed(daemon, 3, library, error), Some(Ok(expected)));
    let unjoined = daemon.replace("child.join()", "");
    assert!(matches!(
        changed(&unjoined, 3, library, error),
        Some(Err(_))
    ));
    let words = daemon.replace("child.join()", "','.join([])");
    assert!(matches!(changed(&words, 3, library, error), Some(Err(_))));
    // Of a queue, or for a time: the process may run for ever.
    for join in ["queue.join()", "child.join(5)"] {
        let other = daemon.replace("child.join()", join);
        assert!(
            matches!(changed(&other, 3, library, error), Some(Err(_))),
            "{join}"
        );
    }
    let listed = daemon.replace("child = ", "all = [").replace(
        "True)\nchild.start()\nchild.join()",
        "True)]\n[c.join() for c in all]",
    );
    let expected = listed.replace(", daemon=True", "");
    assert_eq!(changed(&listed, 3, library, error), Some(Ok(expected)));
    let another = daemon.replace("target=outer", "target=print");
    assert_eq!(changed(&another, 3, library, error), None);
    let two = format!("{daemon}Process(target=outer, daemon=True)\n");
    assert_eq!(changed(&two, 3, library, error), None);
}
