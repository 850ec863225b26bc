//! Connections and files that stay arguments: the other process would not open the same, or the parent does more with
//! them.

use super::*;

use super::opened::{changed, to_pool, to_process};

/// Returns why a program stays whose function and caller are these.
fn kept(body: &str, main: &str, type_name: &str) -> String {
    let program = format!(
        "import multiprocessing as mp, os, sqlite3, tempfile\nCONFIG = {{}}\nTEMP = tempfile.mktemp()\n\
         def work(own, n):\n    {body}\ndef main(path, pool):\n    {main}  # here\n\
         if __name__ == '__main__':\n    mp.set_start_method('spawn')\n    main('a', mp.Pool(2))\n"
    );
    changed(&program, type_name).expect_err(&program)
}

/// Asserts that a connection that `main` opens and gives away is left where it is, and why.
fn connection_stays(main: &str, why: &str) {
    let kept = kept("print(own)", main, "sqlite3.Connection");
    assert_eq!(kept, why, "{main}");
}

#[test]
fn what_it_is_opened_with_is_the_same_there() {
    let start = "p = mp.Process(target=work, args=(db, 1)); p.start()";
    for (opened, call, why) in [
        (
            "db = sqlite3.connect(tempfile.mktemp())",
            start,
            "`tempfile.mktemp()` may be another one there",
        ),
        (
            "db = sqlite3.connect(TEMP)",
            start,
            "`TEMP` may be another one there",
        ),
        (
            "CONFIG['db'] = path\n    db = sqlite3.connect(CONFIG['db'])",
            start,
            "`CONFIG['db']` may be another one there",
        ),
        (
            "db = sqlite3.connect(path)",
            "pool.starmap(work, [(db, path) for path in 'ab'])",
            "`path` may be another one by then",
        ),
        (
            "db = sqlite3.connect(pool.path)\n    pool.path = 'b'",
            start,
            "`pool.path` may be another one by then",
        ),
        (
            "path += '.db'\n    db = sqlite3.connect(path)",
            start,
            "`path` may be another one by then",
        ),
        (
            "for at in 'ab':\n     if at == 'a':\n      db = sqlite3.connect(at)\n    ",
            start,
            "`at` may be another one by then",
        ),
        (
            "db = sqlite3.connect(path.at, pool.at)",
            start,
            "it is opened with `pool`, which is not known there",
        ),
        (
            "db = sqlite3.connect('')",
            start,
            "a new database in memory would be empty",
        ),
    ] {
        connection_stays(&format!("{opened}\n    {call}"), why);
    }
    let main = format!("fd = os.open('a', 0)\n    db = open(fd)\n    {start}");
    let why = "it is opened by the number of a file of this process";
    assert_eq!(kept("print(own)", &main, "_io.TextIOWrapper"), why);
    // What is given twice is one argument more.
    let body = "print(own.execute('select 1'), n)";
    let program = to_process("sqlite3.connect(path, path)", "pass", body);
    let new = changed(&program, "sqlite3.Connection").unwrap();
    assert_has(&new, "def work(path, n):");
}

#[test]
fn a_function_that_others_call_or_have_keeps_its_arguments() {
    let open = "db = sqlite3.connect(path)";
    for (main, why) in [
        (
            "job = work; job(2, 2)\n    mp.Process(target=job, args=(db, 1)).start()",
            "`work` is used elsewhere, too",
        ),
        (
            "mp.Process(target=work, args=(db, db)).start()",
            "`db` is given more than once",
        ),
        (
            "tasks = [(db, 1)]\n    print(*tasks)\n    pool.starmap(work, tasks)",
            "the call that gives it could not be made out",
        ),
    ] {
        connection_stays(&format!("{open}\n    {main}"), why);
    }
    let call = "pool.map(work, [(db, n, n) for n in 'ab'])";
    let program = to_pool(call, "def work(task):\n    own, *rest = task");
    let why = "`work` takes it in another way".to_owned();
    assert_eq!(changed(&program, "sqlite3.Connection"), Err(why));
    let task = "class A:\n    def work(self, own, n):\n        pass\nclass B(A):\n    def work(self, own, n):\n        pass";
    let program = to_pool("pool.apply(A().work, (db, 2))", task);
    let why = "`work` is used elsewhere, too".to_owned();
    assert_eq!(changed(&program, "sqlite3.Connection"), Err(why));
    // Each caller has another one.
    let program = "import multiprocessing as mp, sqlite3\ndef work(own, n):\n    print(own)\ndef start(db, n):\n    \
                   mp.Process(target=work, args=(db, n)).start()  # here\ndef main():\n    \
                   start(sqlite3.connect('a'), 1)\n    start(sqlite3.connect('b'), 2)\n\
                   if __name__ == '__main__':\n    mp.set_start_method('spawn')\n    main()\n";
    let failure = "Traceback (most recent call last):\n  File \"a.py\", line 7, in main\n    \
                   start(sqlite3.connect('a'), 1)\n  File \"a.py\", line 5, in start\n    \
                   mp.Process(target=work, args=(db, n)).start()  # here\n  \
                   File \"/usr/lib/python3.11/multiprocessing/process.py\", line 121, in start\n    \
                   self._popen = self._Popen(self)\nTypeError: cannot pickle 'sqlite3.Connection' object\n";
    let object = named_of(program, failure).unwrap();
    let why = "it is opened in another function";
    assert_eq!(object.refusal.as_deref(), Some(why));
    // The suite of a `try` is not left empty.
    let program = to_process("sqlite3.connect(DB)", "print('start')", "print(own)");
    let tried = "    try:\n        db = sqlite3.connect(DB)\n    except OSError:\n        return\n";
    let program = program.replace("    db = sqlite3.connect(DB)\n", tried);
    let new = changed(&program, "sqlite3.Connection").unwrap();
    assert_has(&new, tried);
}

#[test]
fn what_the_parent_does_with_it_is_not_lost() {
    let start = "mp.Process(target=work, args=(db, 1)).start()";
    let insert = "own.execute('insert into t values (1)')";
    let late = format!("{start}\n    db.row_factory = sqlite3.Row");
    for (body, main, why) in [
        (
            "print(own)",
            "if path:\n        db.row_factory = sqlite3.Row",
            "`db.row_factory = sqlite3.Row` sets it up, and would be missing there",
        ),
        (
            "print(own)",
            late.as_str(),
            "`db.row_factory = sqlite3.Row` sets it up, and would be missing there",
        ),
        (
            "print(own)",
            "tempfile.load(db)",
            "`tempfile.load(db)` may set it up, too",
        ),
        (
            &format!("{insert}\n    if n: own.commit()"),
            "pass",
            "`work` does not commit what it writes",
        ),
        (
            &format!("{insert}\n    if n: return\n    own.commit()"),
            "pass",
            "`work` does not commit what it writes",
        ),
        (
            &format!("{insert}\n    own.commit()"),
            "rows = db.execute('select 1')",
            "`rows = db.execute('select 1')` still reads from it",
        ),
    ] {
        let main = if main.starts_with("mp.") {
            main
        } else {
            &format!("{main}\n    {start}")
        };
        let main = format!("db = sqlite3.connect(path)\n    {main}")
            .replace("start()\n    db.row_factory", "start(); db.row_factory");
        assert_eq!(kept(body, &main, "sqlite3.Connection"), why, "{main}");
    }
    let by_another_name = "`db` goes by another name, too";
    let unsent = "a worker would end without writing what it holds back";
    for (body, opened, why) in [
        ("print(own)", "of = db = open('a')", by_another_name),
        ("print(own)", "of = open('a')\n    db = of", by_another_name),
        (
            "print(own)",
            "global db\n    db = open('a')",
            "`db` is a global of other functions, too",
        ),
        (
            "print(own)",
            "db = open('a')\n    os.remove('a')",
            "`os.remove('a')` takes its path away",
        ),
        (
            "own.seek(9)",
            "db = open('a', 'w')",
            "it is not written from end to end",
        ),
        ("CONFIG['own'] = own", "db = open('a', 'w')", unsent),
        (
            "print(own.read(3)); own.seek(0)",
            "db = open('a')\n    for n in 'ab': print(n)\n    mp.Process(target=work, args=(db, 2)).start()",
            "each would read it from its start",
        ),
    ] {
        let main = format!("{opened}\n    {start}");
        assert_eq!(kept(body, &main, "_io.TextIOWrapper"), why, "{main}");
    }
}
