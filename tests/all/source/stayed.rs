//! What workers alone fill or set, and the parent reads.

use super::*;

/// Returns what is named where the last line of a program's `main` misses an item.
pub(super) fn missed(program: &str, error: &str) -> Option<Object> {
    let frame = frame(program, line_of(program, "print("), "main");
    let failure = format!("Traceback (most recent call last):\n{frame}{error}\n");
    named_of(program, &failure)
}

/// Returns a program that fills `found` in this way.
pub(super) fn program(work: &str, main: &str) -> String {
    format!(
        "from concurrent.futures import ProcessPoolExecutor\nfrom functools import partial\n\
         from multiprocessing import Manager, Pool, Process\nfrom threading import Thread\n{work}\n\
         def main():\n    {}\n    print(found[0])\nif __name__ == '__main__':\n    main()\n",
        main.replace('\n', "\n    ")
    )
}

const SETS: &str = "def work(n, found):\n    found[n] = n";
const STARTS: &str = "found = {}\np = Process(target=work, args=(0, found))\np.start()\np.join()";

#[test]
fn what_workers_alone_fill_is_named() {
    let list = "found = []\ndef work(n):\n    found.append(n)";
    for (work, main, error) in [
        (SETS, STARTS, "KeyError: 0"),
        (
            SETS,
            "found = dict()\nProcess(target=work, kwargs={'n': 0, 'found': found}).start()",
            "KeyError: 0",
        ),
        (
            SETS,
            "found = {}\nwith Pool() as pool:\n    pool.starmap(work, [(n, found) for n in range(3)])",
            "KeyError: 0",
        ),
        (
            SETS,
            "found = {}\nwith ProcessPoolExecutor() as pool:\n    pool.submit(work, 0, found)",
            "KeyError: 0",
        ),
        (
            list,
            "Process(target=work, args=(1,)).start()",
            "IndexError: list index out of range",
        ),
        (
            list,
            "with Pool() as pool:\n    pool.map(work, range(3))",
            "IndexError: list index out of range",
        ),
    ] {
        let object = missed(&program(work, main), error).expect(main);
        assert_eq!(said(&object), "found, filled in work()", "{main}");
    }
}

#[test]
fn what_is_measured_is_named() {
    let list = "found = []\ndef work(n):\n    found.append(n)";
    let main = "Process(target=work, args=(1,)).start()";
    for (read, error) in [
        ("max(found)", "ValueError: max() arg is an empty sequence"),
        ("min(found)", "ValueError: min() iterable argument is empty"),
        (
            "sum(found) / len(found)",
            "ZeroDivisionError: division by zero",
        ),
        (
            "dict(zip(*found))",
            "ValueError: not enough values to unpack (expected 2, got 0)",
        ),
        ("pd.concat(found)", "ValueError: No objects to concatenate"),
        (
            "np.vstack(list(found))",
            "ValueError: need at least one array to concatenate",
        ),
        (
            "statistics.mean(found)",
            "statistics.StatisticsError: mean requires at least one data point",
        ),
    ] {
        let text = program(list, main).replace("found[0]", read);
        assert_eq!(missed(&text, error).expect(read).path, "found");
        let other = text.replace("Process(", "Thread(");
        assert!(missed(&other, error).is_none(), "{read}");
    }
}

/// The same of an attribute, whose methods run in other processes.
#[test]
fn an_attribute_that_workers_alone_fill_is_named() {
    let class = "class Job:\n    def __init__(self):\n        self.rate, self.seen = 2, {}\n    \
                 def work(self, n):\n        self.seen[n] = n\n";
    let main = "job = Job()\nwith Pool() as pool:\n    pool.map(job.work, [1])";
    let error = "ValueError: max() arg is an empty sequence";
    let read = |work: &str, main: &str| {
        let text = program(work, main).replace("found[0]", "max(job.seen.values())");
        missed(&text, error)
    };
    let object = read(class, main).unwrap();
    assert_eq!(said(&object), "job.seen, filled in Job.work()");
    // What is sent on is a copy.
    let sent = class.replace("[n] = n\n", "[n] = n\n        self.pipe.send(self.seen)\n");
    assert!(read(&sent, main).is_some());
    for (work, main) in [
        (class.to_owned(), format!("{main}\njob.work(2)")),
        (class.to_owned(), format!("{main}\njob.seen.update(load())")),
        (class.to_owned(), format!("{main}\nload(job.seen)")),
        (class.to_owned(), format!("{main}\njob.seen = load()")),
        (
            format!("{class}    def all(self):\n        return self.seen"),
            main.to_owned(),
        ),
        (
            format!("{class}    def all(self):\n        return self.rate, self.seen"),
            main.to_owned(),
        ),
        (
            format!("{class}    def set(self, name):\n        setattr(self, name, {{}})"),
            main.to_owned(),
        ),
        (class.to_owned(), main.replace("Pool()", "ThreadPool()")),
    ] {
        let object = read(&work, &main);
        assert!(object.is_none(), "{work} {main}: {object:?}");
    }
}

/// Tasks of joblib run in processes, if the program does not speak of threads.
#[test]
fn what_joblib_runs_stays_there_too() {
    let work = "from joblib import Parallel, delayed\nclass Job:\n    def __init__(self):\n        self.seen = {}\n    \
                def work(self, n):\n        self.seen[n] = n\n";
    let main = "job = Job()\nParallel(n_jobs=2)(delayed(job.work)(n) for n in range(3))";
    let text = program(work, main).replace("found[0]", "max(job.seen)");
    let error = "ValueError: max() arg is an empty sequence";
    let object = missed(&text, error).unwrap();
    assert_eq!(object.type_name, "filled in Job.work()");
    for options in ["n_jobs=2, prefer='threads'", "n_jobs=1"] {
        let here = text.replace("n_jobs=2", options);
        assert_eq!(missed(&here, error), None, "{options}");
    }
}

/// What `run` returns goes nowhere: a queue brings it to the parent.
#[test]
fn what_a_process_finds_comes_by_a_queue() {
    let fills = RUNS.replace("self.result = [1]", "self.result.append(1)");
    let fills = fills.replace("self.result = None", "self.result = []");
    let start = "task = Task()\ntask.start()\ntask.join()";
    let several = RUNS.replace("self.result = [1]", "self.result, self.rest = [1], [2]");
    for (work, error, put) in [
        (RUNS, NONE, "self.found.put([1])"),
        (&several, NONE, "self.found.put(result)"),
        (
            &fills,
            "IndexError: list index out of range",
            "self.found.put(1)",
        ),
    ] {
        let text = program(work, start).replace("found[0]", "task.result[0]");
        let change = missed(&text, error).and_then(|o| o.change).expect(put);
        assert_has(&change.code, put);
        assert_eq!(change.patch, None);
    }
}

/// Of a dict in a function a manager's can take the place, where no order is asked for.
#[test]
fn a_manager_holds_what_is_filled() {
    let change = missed(&program(SETS, STARTS), "KeyError: 0").and_then(|o| o.change);
    let change = change.unwrap();
    assert_eq!(change.code, "found = Manager().dict()");
    assert!(change.patch.is_some());
    let dumped = format!("{STARTS}\njson.dump(found, file)");
    let object = missed(&program(SETS, &dumped), "KeyError: 0").unwrap();
    assert_eq!(object.change.unwrap().patch, None);
    let looped = format!("{STARTS}\nfor n in found:\n    pass");
    let object = missed(&program(SETS, &looped), "KeyError: 0").unwrap();
    assert_eq!(object.change.unwrap().patch, None);
    let counts = SETS.replace("] = n", "] += n");
    let object = missed(&program(&counts, STARTS), "KeyError: 0").unwrap();
    assert_eq!(
        object.refusal.as_deref(),
        Some("`work` is to return what it finds")
    );
    // The keys that it counts would be the worker's.
    let counted = "class Job:\n    def __init__(self):\n        self.found, self.n = {}, 0\n    def work(self):\n        \
                   self.n += 1\n        self.found[self.n] = 1";
    let main = "job = Job()\np = Process(target=job.work)\np.start()\np.join()\nfound = job.found";
    let object = missed(&program(counted, main), "KeyError: 0");
    assert!(object.is_none_or(|o| o.change.is_none()));
    let top = "found = {}\ndef work(n):\n    found[n] = n";
    let main = "Process(target=work, args=(0,)).start()";
    let object = missed(&program(top, main), "KeyError: 0").unwrap();
    let change = object.change.unwrap();
    assert_has(&change.code, "found_2.put((n, n))");
    assert_eq!(change.patch, None);
}

/// Whatever else may fill it, the item is missing for another reason.
#[test]
fn what_the_parent_may_fill_is_not_named() {
    let top = "found = []\ndef work(n):\n    return n\ndef collect(n):\n    found.append(n)";
    let main = "pool = Pool()\npool.apply_async(work, (1,), callback=";
    let index = "IndexError: list index out of range";
    for (work, main, error) in [
        (SETS, STARTS.replace("{}", "{1: 2}"), "KeyError: 0"),
        (
            SETS,
            STARTS.replace("{}", "Manager().dict()"),
            "KeyError: 0",
        ),
        (SETS, format!("{STARTS}\nfound[1] = 2"), "KeyError: 0"),
        (SETS, format!("{STARTS}\nwork(1, found)"), "KeyError: 0"),
        (SETS, format!("{STARTS}\nload(found)"), "KeyError: 0"),
        (SETS, format!("{STARTS}\nother = found"), "KeyError: 0"),
        (
            SETS,
            format!("{STARTS}\nThread(target=work, args=(1, found)).start()"),
            "KeyError: 0",
        ),
        (SETS, STARTS.replace("Process", "Thread"), "KeyError: 0"),
        (top, format!("{main}collect)"), index),
        (top, format!("{main}found.append)"), index),
        (top, format!("{main}lambda n: found.append(n))"), index),
    ] {
        let object = missed(&program(work, &main), error);
        assert!(object.is_none(), "{main}: {object:?}");
    }
}

const RUNS: &str = "class Task(Process):\n    def __init__(self):\n        super().__init__()\n        self.result = None\n    \
                    def run(self):\n        self.result = [1]";
pub(super) const NONE: &str = "TypeError: 'NoneType' object is not subscriptable";

#[test]
fn what_a_worker_alone_sets_is_named() {
    let total = "total = None\ndef work(n):\n    global total\n    total = [n]";
    let own = "class Job:\n    def __init__(self):\n        self.rows = None\n    def work(self):\n        self.rows = [1]";
    for (work, main, read, of) in [
        (
            RUNS,
            "task = Task()\ntask.start()\ntask.join()",
            "task.result",
            "set in Task.run()",
        ),
        (
            own,
            "job = Job()\np = Process(target=job.work)\np.start()\np.join()",
            "job.rows",
            "set in Job.work()",
        ),
        (
            total,
            "with Pool() as pool:\n    pool.map(work, [1])",
            "total",
            "set in work()",
        ),
    ] {
        let text = program(work, main).replace("found[0]", &format!("{read}[0]"));
        let object = missed(&text, NONE).expect(main);
        assert_eq!(said(&object), format!("{read}, {of}"));
    }
    let text = program(RUNS, "task = Task()\ntask.start()\ntask.join()");
    let sums = "total = 1\n    total += task.result  # print(";
    let text = text.replace("print(found[0])", sums);
    let error = "TypeError: unsupported operand type(s) for +=: 'int' and 'NoneType'";
    assert_eq!(missed(&text, error).unwrap().path, "task.result");
}

#[test]
fn what_the_parent_may_set_is_not_named() {
    let start = "task = Task()\ntask.start()\ntask.join()";
    let read = |work: &str, main: &str| {
        missed(
            &program(work, main).replace("found[0]", "task.result[0]"),
            NONE,
        )
    };
    for (work, main) in [
        (RUNS.to_owned(), format!("{start}\ntask.run()")),
        (RUNS.to_owned(), format!("{start}\ntask.result = load()")),
        (RUNS.replace("Process", "Thread"), start.to_owned()),
        (
            RUNS.replace(
                "        self.result = None\n",
                "        self.result = load()\n",
            ),
            start.to_owned(),
        ),
    ] {
        assert!(read(&work, &main).is_none(), "{work} {main}");
    }
}

/// Returns what is named where the parent reads an attribute that its object lacks.
fn lacking(program: &str) -> Option<Object> {
    missed(
        program,
        "AttributeError: 'Task' object has no attribute 'total'",
    )
}

#[test]
fn an_attribute_that_a_worker_alone_sets_is_named() {
    let runs = "class Task(Process):\n    def run(self):\n        self.total = [1]";
    let start = "task = Task()\ntask.start()\ntask.join()";
    let read = |work: &str, main: &str| program(work, main).replace("found[0]", "task.total");
    let object = lacking(&read(runs, start)).unwrap();
    assert_eq!(said(&object), "task.total, set in Task.run()");
    let tasks = "class Task:\n    def compute(self):\n        self.total = [1]\ndef work(t):\n    t.compute()";
    let main = "task = Task()\nwith Pool() as pool:\n    pool.map(work, [task])";
    assert_eq!(
        lacking(&read(tasks, main)).unwrap().type_name,
        "set in Task.compute()"
    );
    for (what, other) in [
        (
            "a thread",
            read(&runs.replace("(Process)", "(Thread)"), start),
        ),
        (
            "another name",
            read(&runs.replace("total", "totals"), start),
        ),
        (
            "set in the parent",
            read(runs, &format!("{start}\ntask.total = 3")),
        ),
        (
            "run in the parent",
            read(runs, &format!("{start}\ntask.run()")),
        ),
    ] {
        assert!(lacking(&other).is_none(), "{what}");
    }
}

/// What a task sets on the object that it is given stays on its copy.
#[test]
fn an_attribute_of_what_a_task_is_given_is_named() {
    let enrich = "class Task:\n    pass\nclass Other:\n    pass\ndef enrich(t):\n    t.total = 1";
    let main = "tasks = [Task()]\nwith Pool() as pool:\n    pool.map(enrich, tasks)";
    let read = |work: &str, main: &str| program(work, main).replace("found[0]", "tasks[0].total");
    let object = lacking(&read(enrich, main)).unwrap();
    assert_eq!(object.type_name, "set in enrich()");
    for (what, main) in [
        (
            "another's",
            main.replace("enrich, tasks", "enrich, [Other()]"),
        ),
        (
            "set in the parent",
            format!("{main}\nfor t in tasks[1:]:\n    t.total = 2"),
        ),
        ("run in the parent", format!("{main}\nenrich(tasks[0])")),
    ] {
        assert!(lacking(&read(enrich, &main)).is_none(), "{what}");
    }
    // `None` as the class has it.
    let run = enrich.replace("class Task:\n    pass", "class Task:\n    total = None");
    let main = "task = Task()\np = Process(target=enrich, args=(task,))\np.start()\np.join()";
    let text = program(&run, main).replace("found[0]", "task.total[0]");
    let object = missed(&text, NONE).unwrap();
    assert_eq!(said(&object), "task.total, set in enrich()");
    let thread = text.replace("Process(", "Thread(");
    assert!(missed(&thread, NONE).is_none());
}

/// A task that only appends can return it, and the parent append what comes back.
#[test]
fn what_tasks_append_is_brought_back() {
    let list = "found = []\ndef work(n):\n    found.append(n * n)";
    let own = "class Job:\n    def __init__(self):\n        self.found = []\n    def work(self, n):\n        self.found.append(n)";
    let maps = "with Pool() as pool:\n    pool.map(work, range(3))";
    let of_job = "job = Job()\nwith Pool() as pool:\n    pool.map(job.work, [1])";
    let code = |work: &str, main: &str, read: &str| {
        let text = program(work, main).replace("print(found[0])", &format!("print({read})"));
        let object = missed(&text, "IndexError: list index out of range").expect(work);
        let change = object.change.filter(|c| c.patch.is_some());
        change.map(|c| c.code)
    };
    assert_eq!(
        code(list, maps, "found[0]").as_deref(),
        Some("return n * n  # was: found.append(n * n)\n\nfound.extend(pool.map(work, range(3)))")
    );
    assert_eq!(
        code(own, of_job, "job.found[0]").as_deref(),
        Some("return n  # was: self.found.append(n)\n\njob.found.extend(pool.map(job.work, [1]))")
    );
    let dict = list.replace("[]", "{}");
    let filled = dict.replace("found.append(n * n)", "found[n] = n * n");
    let expected =
        "return n, n * n  # was: found[n] = n * n\n\nfound.update(pool.map(work, range(3)))";
    assert_eq!(code(&filled, maps, "found[0]").as_deref(), Some(expected));
    for fill in [
        "found[n, 1] = n",
        "found[n] = n, 2",
        "found[n] = (n, 2), 3",
        "found[n] += n",
    ] {
        let dict = dict.replace("found.append(n * n)", fill);
        assert_eq!(code(&dict, maps, "found[0]"), None, "{fill}");
    }
    let twice = format!("{list}\n    found.append(n)");
    let under_if = list.replace("    found", "    if n:\n        found");
    let skips = list.replace("    found", "    if n:\n        return\n    found");
    let twice_sent = format!("{maps}\n    pool.map(work, range(4))");
    let lazy = maps.replace("map(", "imap(");
    let counts = "    global count\n    count += 1\n    found[";
    let counted = format!("count = 0\n{}", filled.replace("    found[", counts));
    for value in ["y := n", "*[n]", "k for k in [n]", "lambda: n"] {
        let list = list.replace("n * n", value);
        assert_eq!(code(&list, maps, "found[0]"), None, "{value}");
    }
    // In a worker it would stay empty.
    let read = format!(
        "def known():\n    return len(found)\n{}",
        list.replace("n * n", "known()")
    );
    for (work, main) in [
        (&*read, maps),
        (&*twice, maps),
        (&under_if, maps),
        (&skips, maps),
        (&counted, maps),
        (list, &*twice_sent),
        (list, &lazy),
    ] {
        assert_eq!(code(work, main, "found[0]"), None, "{work} {main}");
    }
    // The list is another object's.
    let other = "class Log:\n    def __init__(self):\n        self.rows = []\nclass Job:\n    def __init__(self, log):\n        \
                 self.log = log\n    def work(self, n):\n        self.log.rows.append(n)";
    let main = "log = Log()\njob = Job(log)\nwith Pool() as pool:\n    pool.map(job.work, [1])";
    assert_eq!(code(other, main, "log.rows[0]"), None);
}

/// What a loop starts is fetched below it, in the order in which it was started.
#[test]
fn what_tasks_of_a_loop_append_is_brought_back() {
    let list = "found = []\ndef work(n):\n    found.append(n * n)";
    let loops =
        "pool = Pool()\nfor n in [1]:\n    pool.apply_async(work, (n,))\npool.close()\npool.join()";
    let changed = |work: &str, main: &str| {
        let text = program(work, main);
        let object = missed(&text, "IndexError: list index out of range").expect(work);
        let new = patched(&text, &object)?;
        Some((text, new))
    };
    let right = |text: &str, call: &str, get: &str| {
        text.replace("found.append(n * n)", "return n * n")
            .replace("    for n in", "    tasks = []\n    for n in")
            .replace(
                call,
                &format!("tasks.append({call})\n    found.extend(task.{get}() for task in tasks)"),
            )
    };
    let (text, new) = changed(list, loops).unwrap();
    assert_eq!(new, right(&text, "pool.apply_async(work, (n,))", "get"));
    let submits =
        "with ProcessPoolExecutor() as pool:\n  pass\nfor n in [1]:\n    pool.submit(work, n)";
    let (text, new) = changed(list, submits).unwrap();
    assert_eq!(new, right(&text, "pool.submit(work, n)", "result"));
    // The task returns it, too.
    let both = "found = []\ndef work(n):\n    row = n * n\n    found.append(row)\n    return row";
    let (_, new) = changed(both, loops).unwrap();
    assert_has(&new, "    row = n * n\n    return row\n");
    // `task` is the function's own name.
    let each = "found = []\ndef task(n):\n    found.extend([n])";
    let (_, new) = changed(each, &loops.replace("work", "task")).unwrap();
    let fetched = "    for task_2 in tasks:\n        found.extend(task_2.get())\n";
    assert_has(&new, fetched);
    for (work, main) in [
        (list, &*loops.replace("(n,))", "(n,), callback=print)")),
        (
            list,
            &loops.replace("    pool.a", "    pool = Pool()\n    pool.a"),
        ),
        (
            list,
            &loops.replace("for n in [1]:", "for m in [1]:\n  for n in [1]:"),
        ),
        (list, &loops.replace("for n in [1]:", "if True:\n    n = 1")),
        (&both.replace("return row", "return n"), loops),
        (&both.replace("return row", "return"), loops),
    ] {
        assert_eq!(changed(work, main), None, "{work} {main}");
    }
}

/// The slots of a list that are still `None` in the parent.
#[test]
fn slots_that_workers_alone_fill_are_named() {
    const ITEM: &str = "TypeError: 'NoneType' object is not subscriptable";
    const SUM: &str = "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'";
    let main = STARTS.replace("{}", "[None] * 3");
    let each = STARTS.replace("{}", "[None for _ in range(3)]");
    let changed = |main: &str, read: &str, error: &str| {
        let text = program(SETS, main).replace("print(found[0])", read);
        let object = missed(&text, error)?;
        let new = patched(&text, &object);
        Some((said(&object), text, new))
    };
    for (main, read, error) in [
        (&main, "print(found[0][0])", ITEM),
        (&main, "print(sum(found))", SUM),
        (&each, "for row in found: print(row[0])", ITEM),
    ] {
        let (named, text, new) = changed(main, read, error).expect(read);
        assert!(named.ends_with(", filled in work()"), "{named}");
        let held = text
            .replace("found = [", "found = Manager().list([")
            .replace("* 3", "* 3)")
            .replace("(3)]", "(3)])");
        assert_eq!(new, Some(held), "{read}");
    }
    for read in [
        "print(sum(found), found == [])",
        "print(sum(found), np.array(found))",
    ] {
        assert_eq!(changed(&main, read, SUM).unwrap().2, None, "{read}");
    }
    let returned = changed(&main, "print(sum(found))\n    return found", SUM).unwrap();
    assert_eq!(returned.2, None);
    let ones = main.replace("None", "1");
    let filled = format!("{main}\nfound[1] = 2");
    for main in [ones, filled] {
        assert!(
            changed(&main, "print(found[0][0])", ITEM).is_none(),
            "{main}"
        );
    }
}

/// The name of a comprehension stands for each of several processes.
#[test]
fn what_each_process_fills_is_named() {
    let task = "class Task(Process):\n    def __init__(self):\n        super().__init__()\n        self.found = {}\n        self.total = None\n    \
                def run(self):\n        for n in range(3):\n            self.found[n] = n\n        self.total = 3";
    let main = "tasks = [Task(), Task()]\nfor task in tasks:\n    task.start()";
    let text = program(task, main);
    let all = text.replace("print(found[0])", "print(sum(t.found[0] for t in tasks))");
    let object = missed(&all, "KeyError: 0").unwrap();
    assert_eq!(object.path, "t.found");
    let code = object.change.unwrap().code;
    assert_has(&code, "self.found_2.put(self.found)  # at the end of `run`");
    let all = text.replace(
        "print(found[0])",
        "print(sum(t.total for t in tasks), [t.total + 1 for t in tasks])",
    );
    let error = "TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'";
    assert_eq!(missed(&all, error).unwrap().path, "t.total");
}

/// What a process's function puts somewhere comes by a queue, with its key.
#[test]
fn what_a_target_fills_comes_by_a_queue() {
    let code = |work: &str, error: &str| {
        let text = program(work, "Process(target=work, args=(1,)).start()");
        missed(&text, error).unwrap().change.map(|c| c.code)
    };
    let put = |line: &str| {
        Some(format!(
            "found_2 = multiprocessing.Queue()  # given to the process\n\n{line}\n\nfound_2.get()  # in the parent"
        ))
    };
    let index = "IndexError: list index out of range";
    let list = "found = []\ndef work(n):\n    found.append(n)";
    let appended = "found_2.put(n)  # in `work`, was: found.append(n)";
    assert_eq!(code(list, index), put(appended));
    let keyed = "found = {}\ndef work(n):\n    found[n] = 2";
    let item = "found_2.put((n, 2))  # in `work`, was: found[n] = 2";
    assert_eq!(code(keyed, "KeyError: 0"), put(item));
    let looped = "found = []\ndef work(n):\n    for i in range(n):\n        found.append(i)";
    let whole = "found_2.put(found)  # at the end of `work`";
    assert_eq!(code(looped, index), put(whole));
}
