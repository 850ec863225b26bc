//! Connections, files and values that are arguments themselves: opened in the function that gets them, or given to the
//! workers while they start.

use super::*;

/// Returns the program as it becomes, or why it stays.
pub(super) fn changed(program: &str, type_name: &str) -> Result<String, String> {
    let frame = frame(program, line_of(program, "# here"), "<module>");
    let (library, error) = if type_name != "Synchronized" && program.contains(".Process(") {
        let library =
            "multiprocessing/process.py\", line 121, in start\n    self._popen = self._Popen(self)";
        (
            library,
            format!("TypeError: cannot pickle '{type_name}' object"),
        )
    } else {
        let library = "multiprocessing/pool.py\", line 540, in _handle_tasks\n    put(task)";
        let error = match type_name {
            "Synchronized" => format!(
                "RuntimeError: {type_name} objects should only be shared between processes through inheritance"
            ),
            _ => format!("TypeError: cannot pickle '{type_name}' object"),
        };
        (library, error)
    };
    let failure = format!(
        "Traceback (most recent call last):\n{frame}  File \"/usr/lib/python3.11/{library}\n{error}\n"
    );
    let object = named_of(program, &failure).expect(program);
    rewritten(program, object)
}

/// Returns a program that gives what it opens to a process.
pub(super) fn to_process(opened: &str, between: &str, body: &str) -> String {
    format!(
        "import multiprocessing as mp, sqlite3\nDB = 'a.db'\n\
         def work(own, n):\n    \"\"\"It works.\"\"\"\n    {body}\n\
         def main(path):\n    db = {opened}\n    {between}\n    p = mp.Process(target=work, args=(db, 1))\n    \
         p.start()  # here\n    p.join()\n    db.close()\n\
         if __name__ == '__main__':\n    mp.set_start_method('spawn')\n    main('b.db')\n"
    )
}

#[test]
fn a_connection_is_opened_by_the_function_that_gets_it() {
    let body = "print(own.execute('select 1').fetchone(), n)";
    let asks = "db.execute('create table t (n)')";
    for (opened, params, made, args) in [
        (
            "sqlite3.connect('a.db')",
            "n",
            "sqlite3.connect('a.db')",
            "1,",
        ),
        (
            "sqlite3.connect(DB, timeout=9)",
            "n",
            "sqlite3.connect(DB, timeout=9)",
            "1,",
        ),
        (
            "sqlite3.connect(path)",
            "path, n",
            "sqlite3.connect(path)",
            "path, 1",
        ),
    ] {
        let program = to_process(opened, asks, body);
        let expected = program
            .replace("work(own, n)", &format!("work({params})"))
            .replace(body, &format!("own = {made}\n    {body}"))
            .replace("args=(db, 1)", &format!("args=({args})"));
        assert_eq!(
            changed(&program, "sqlite3.Connection"),
            Ok(expected),
            "{opened}"
        );
    }
    // What nothing else needs is not opened in the parent.
    let program = to_process("sqlite3.connect(DB)", "print('start')", body);
    let new = changed(&program, "sqlite3.Connection").unwrap();
    assert!(!new.contains("    db"), "{new}");
    // What sets it up is done again.
    let set = "db.row_factory = sqlite3.Row";
    let new = changed(
        &to_process("sqlite3.connect(DB)", set, body),
        "sqlite3.Connection",
    )
    .unwrap();
    assert_has(&new, "    own.row_factory = sqlite3.Row\n    print");
}

#[test]
fn a_connection_that_another_process_would_miss_something_of_stays() {
    let body = "print(own, n)";
    let unseen = "the other process would not see what is not committed";
    let insert = "db.execute('insert into t values (1)')";
    for (opened, between, body, why) in [
        (
            "sqlite3.connect(':memory:')",
            "pass",
            body,
            "a new database in memory would be empty",
        ),
        ("sqlite3.connect(DB)", insert, body, unseen),
        (
            "sqlite3.connect(DB)",
            "pass",
            "own.execute('insert into t values (1)')",
            "`work` does not commit what it writes",
        ),
        (
            "sqlite3.connect(DB)",
            "db.create_function('f', 1, abs); n = path\n    db.create_function(n, 1, abs)",
            body,
            "`db.create_function(n, 1, abs)` sets it up, and would be missing there",
        ),
        (
            "sqlite3.connect(path + '.db')",
            "pass",
            body,
            "it is opened with `path`, which is not known there",
        ),
        (
            "sqlite3.connect(DB)",
            "work(db, 2)",
            body,
            "`work` is used elsewhere, too",
        ),
    ] {
        let program = to_process(opened, between, body);
        let found = changed(&program, "sqlite3.Connection");
        assert_eq!(found, Err(why.to_owned()), "{between}: {body}");
    }
    let cursor = to_process(
        "sqlite3.connect(DB).cursor(path)",
        "pass",
        "own.execute('')",
    );
    let apart = cursor.replace(
        "    db = sqlite3.connect(DB)",
        "    of = sqlite3.connect(DB)\n    db = of",
    );
    let found = changed(&apart, "sqlite3.Cursor");
    let why = "the function does not know what it is made with".to_owned();
    assert_eq!(found, Err(why));
    let made = "    of = sqlite3.connect(DB)\n    own = of.cursor()\n    own.execute";
    let plain = changed(&apart.replace("(path)\n", "()\n"), "sqlite3.Cursor").unwrap();
    assert_has(&plain, made);
    let temporary = "db.execute('create temp table t (n)')";
    let program = to_process("sqlite3.connect(DB)", temporary, body);
    let why = format!("`{temporary}` sets it up, and would be missing there");
    assert_eq!(changed(&program, "sqlite3.Connection"), Err(why));
    let committed = format!("{insert}\n    db.commit()");
    let program = to_process("sqlite3.connect(DB)", &committed, body);
    assert!(changed(&program, "sqlite3.Connection").is_ok());
    let commits = "with own: own.execute('insert into t values (1)')".replace(": ", ":\n        ");
    let program = to_process("sqlite3.connect(DB)", "pass", &commits);
    assert!(changed(&program, "sqlite3.Connection").is_ok());
}

#[test]
fn a_file_is_opened_as_the_parent_leaves_it() {
    for (opened, between, new) in [
        ("open('a.txt')", "pass", Ok("own = open('a.txt')")),
        ("open('a.txt', 'w')", "pass", Ok("own = open('a.txt', 'a')")),
        ("open(path, 'ab')", "pass", Ok("own = open(path, 'ab')")),
        (
            "open('a.txt', 'w+')",
            "pass",
            Err("several processes cannot write it at a time"),
        ),
        (
            "open('a.txt')",
            "next(db)",
            Err("a new one would not be where `next(db)` leaves it"),
        ),
        (
            "open('a.txt', path)",
            "pass",
            Err("its mode is not written there"),
        ),
        (
            "open(3)",
            "pass",
            Err("pickfix cannot tell how it is opened"),
        ),
        (
            "open('a.txt')\n    mp.Process(target=work, args=(db, 2)).start()",
            "pass",
            Err("each would read it from its start"),
        ),
        (
            "open('a.txt', 'w')",
            "db.write('head')",
            Err("a new one would not be where `db.write('head')` leaves it"),
        ),
    ] {
        let program = to_process(opened, between, "print(own, n)");
        let found = changed(&program, "_io.TextIOWrapper");
        match new {
            Ok(line) => assert!(found.unwrap().contains(line), "{opened}"),
            Err(why) => assert_eq!(found, Err(why.to_owned()), "{opened}"),
        }
    }
    // The name is another file's outside of the `with`.
    let program = to_process("open('a.txt', 'w')", "db.write('head')", "print(own, n)");
    let program = program.replace(
        "\n    p = mp.Process(target=work, args=(db, 1))\n    p.start()  # here",
        "\n    with open(DB) as db:\n        p = mp.Process(target=work, args=(db, 1))\n        p.start()  # here",
    );
    let new = changed(&program, "_io.TextIOWrapper").unwrap();
    assert_has(&new, "    own = open(DB)\n");
    // A file that is emptied is still opened by the parent, which empties it.
    let program = to_process("open('a.txt', 'w')", "pass", "print(own, n)");
    let new = changed(&program, "_io.TextIOWrapper").unwrap();
    assert_has(&new, "    db = open('a.txt', 'w')\n");
}

#[test]
fn a_csv_writer_is_made_on_its_file_again() {
    let body = "own.writerow([n])";
    let of = |file: &str, between: &str| {
        let program = to_process("csv.writer(of)", between, body);
        let program = program.replace("import ", "import csv, ");
        program.replace("    db = ", &format!("    of = {file}\n    db = "))
    };
    let program = of("open('a.csv', 'w', newline='')", "pass");
    let new = changed(&program, "_csv.writer").unwrap();
    let lines =
        "    of = open('a.csv', 'a', newline='')\n    own = csv.writer(of)\n    own.writerow";
    assert_has(&new, lines);
    for (file, between, why) in [
        (
            "open('a.csv', 'w')",
            "of.write('n')",
            "the program does more with `of`",
        ),
        (
            "open('a.csv', 'w')",
            "db.writerow(['n'])",
            "a new one would not be where `db.writerow(['n'])` leaves it",
        ),
        ("[]", "pass", "pickfix cannot tell how its file is opened"),
    ] {
        let found = changed(&of(file, between), "_csv.writer");
        assert_eq!(found, Err(why.to_owned()), "{between}");
    }
}

/// Returns a program that sends it to the workers of a pool.
pub(super) fn to_pool(call: &str, task: &str) -> String {
    format!(
        "import multiprocessing as mp, sqlite3\nfrom functools import partial\n{task}\n\
         if __name__ == '__main__':\n    total = mp.Value('i', 0)\n    db = sqlite3.connect('a.db')\n    \
         pool = mp.Pool(2)\n    print({call})  # here\n    print(total.value)\n"
    )
}

#[test]
fn it_is_taken_out_of_each_task() {
    let plain = "def work(own, n):\n    return own, n";
    let pair = "def work(task):\n    own, n = task\n    return own, n";
    let made = "own = sqlite3.connect('a.db')";
    for (call, task, new) in [
        (
            "pool.starmap(work, [(db, n) for n in 'ab'])",
            plain,
            "pool.starmap(work, [(n,) for n in 'ab'])",
        ),
        (
            "pool.map(work, [(db, n) for n in 'ab'])",
            pair,
            "pool.map(work, [n for n in 'ab'])",
        ),
        (
            "pool.map(work, [(db, 1), (db, 2)])",
            pair,
            "pool.map(work, [1, 2])",
        ),
        (
            "pool.map(partial(work, db), 'ab')",
            plain,
            "pool.map(work, 'ab')",
        ),
        (
            "pool.map(partial(work, n=1, own=db), 'ab')",
            plain,
            "pool.map(partial(work, n=1), 'ab')",
        ),
        ("pool.apply(work, (db, 2))", plain, "pool.apply(work, (2,))"),
        (
            "pool.apply_async(work, args=[db, 2]).get()",
            plain,
            "pool.apply_async(work, args=[2]).get()",
        ),
    ] {
        let found = changed(&to_pool(call, task), "sqlite3.Connection").expect(call);
        assert_has(&found, &format!("print({new})"));
        let task = task.replace("def work(own, n):", &format!("def work(n):\n    {made}"));
        let task = task.replace("own, n = task", &format!("n = task\n    {made}"));
        assert_has(&found, &task);
    }
    for (call, task, why) in [
        (
            "pool.map(work, [(db, n) for n in 'ab'])",
            "def work(task):\n    own, n = task\n    return len(task)",
            "`work` takes it in another way",
        ),
        (
            "pool.apply(work, (db, 2))",
            "def work(own, n): return n",
            "`work` is written in another way",
        ),
        (
            "pool.apply(work, (db, 2))",
            "def work(own, n):\n    own = own or n",
            "`work` takes it in another way",
        ),
        (
            "pool.starmap(work, zip([db], 'a'))",
            plain,
            "the call that gives it could not be made out",
        ),
    ] {
        let found = changed(&to_pool(call, task), "sqlite3.Connection");
        assert_eq!(found, Err(why.to_owned()), "{call}");
    }
}

#[test]
fn a_value_is_given_to_the_workers_while_they_start() {
    let task = "def add(n, total):\n    total.value += n";
    let program = to_pool("pool.starmap(add, [(n, total) for n in (1, 2)])", task);
    let expected = program
        .replace("add(n, total):", "add(n):")
        .replace("(n, total) for", "(n,) for")
        .replace(
            "Pool(2)",
            "Pool(2, initializer=init_worker, initargs=(total,))",
        )
        .replace(
            "if __name__",
            "def init_worker(shared):\n    global total\n    total = shared\n\n\nif __name__",
        );
    assert_eq!(changed(&program, "Synchronized"), Ok(expected.clone()));
    // Only the context of the workers makes what they can be given.
    let spawned = |text: &str| text.replace("mp.Pool(", "mp.get_context('spawn').Pool(");
    let own = spawned(&expected).replace("mp.Value(", "mp.get_context('spawn').Value(");
    assert_eq!(changed(&spawned(&program), "Synchronized"), Ok(own));
    let named = |text: &str| {
        let sets = "    ctx = mp.get_context('spawn')\n    pool = ctx.Pool(";
        text.replace("    pool = mp.Pool(", sets)
    };
    let why = "`total` is made in another context than the workers".to_owned();
    assert_eq!(changed(&named(&program), "Synchronized"), Err(why));
    let late = "pool = mp.Pool(2)\n";
    let early = program
        .replace(&format!("    {late}"), "")
        .replace("    total =", &format!("    {late}    total ="));
    let why = "it is not set where the workers are made".to_owned();
    assert_eq!(changed(&early, "Synchronized"), Err(why));
    let other = program
        .replace("n, total)", "n, own)")
        .replace("total.value +=", "own.value +=");
    let other = other
        .replace("(n, own) for", "(n, total) for")
        .replace("\ndef add", "\nown = []\ndef add");
    let why = "the program has another `own`".to_owned();
    assert_eq!(changed(&other, "Synchronized"), Err(why));
    // What another function calls is gone in the workers, too.
    let builtin = program
        .replace("n, total)", "n, sum)")
        .replace("total.value +=", "sum.value +=")
        .replace("(n, sum) for", "(n, total) for")
        .replace(
            "\nif __name__",
            "\ndef both(n):\n    return sum([n])\nif __name__",
        );
    let why = "the program has another `sum`".to_owned();
    assert_eq!(changed(&builtin, "Synchronized"), Err(why));
}
