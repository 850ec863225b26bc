//! A pool's initializer that leaves the global as it was.

use super::globals::unset;
use super::*;

const SETS: &str = "import multiprocessing as mp\ndef convert(x):\n    return x * RATE\n\
                    def init(rate):\n    \"\"\"Begin.\"\"\"\n    RATE = rate\nif __name__ == \"__main__\":\n    \
                    with mp.Pool(2, initializer=init, initargs=(3,)) as pool: print(pool.map(convert, [1, 2]))\n";

/// Returns what is named, and the program as it is changed.
fn found(program: &str) -> Option<(String, Option<String>)> {
    let log = unset("a.py");
    let (head, _) = log.rsplit_once("  File \"a.py\", line 7").unwrap();
    let frame = frame(program, line_of(program, "pool.map("), "<module>");
    let text = format!("{head}{frame}NameError: name 'RATE' is not defined\n");
    let none = "TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'";
    let is_none = program.contains("RATE = None");
    let text = if is_none {
        text.replace("NameError: name 'RATE' is not defined", none)
            .replace("line 3, in convert", "line 4, in convert")
    } else {
        text
    };
    let object = named_of(program, &text)?;
    let changed = patched(program, &object);
    Some((said(&object), changed))
}

#[test]
fn an_initializer_that_sets_a_local_declares_the_global() {
    let declared =
        |program: &str| program.replace("    RATE = rate", "    global RATE\n    RATE = rate");
    let local = "RATE, set in init(), as a local".to_owned();
    assert_eq!(found(SETS), Some((local.clone(), Some(declared(SETS)))));
    let none = SETS.replace("import", "RATE = None\nimport");
    assert_eq!(found(&none), Some((local.clone(), Some(declared(&none)))));
    let placed = SETS.replace("initializer=init, initargs=(3,)", "init, (3,)");
    assert_eq!(
        found(&placed),
        Some((local.clone(), Some(declared(&placed))))
    );
    for (what, by) in [
        ("annotated", "RATE: int = rate"),
        ("entered", "with open(rate) as RATE: pass"),
    ] {
        let program = SETS.replace("RATE = rate", by);
        assert_eq!(found(&program), Some((local.clone(), None)), "{what}");
    }
    for (what, program) in [
        ("no initializer", SETS.replace("initializer=init, ", "")),
        (
            "its own parameter",
            SETS.replace("init(rate)", "init(rate, RATE=1)"),
        ),
        (
            "set",
            SETS.replace("    RATE = rate", "    global RATE\n    RATE = rate"),
        ),
    ] {
        assert_eq!(found(&program), None, "{what}");
    }
}

#[test]
fn an_initializer_that_is_called_is_given() {
    let global = SETS.replace("    RATE = rate", "    global RATE\n    RATE = rate");
    let path = |call: &str| format!("{call}, called in the parent: the pool gets `None`");
    for (call, given) in [
        ("init(abs(3))", "init, initargs=(abs(3),)"),
        ("init(3, )", "init, initargs=(3,)"),
        ("init()", "init"),
        ("init(3, 4)", "init, initargs=(3, 4)"),
    ] {
        let program = global.replace("init, initargs=(3,)", call);
        let right = global.replace("init, initargs=(3,)", given);
        assert_eq!(found(&program), Some((path(call), Some(right))));
    }
    let named = global.replace("init, initargs=(3,)", "init(rate=3)");
    assert_eq!(found(&named), Some((path("init(rate=3)"), None)));
    let made = global.replace("init, initargs=(3,)", "init(3)");
    let made = made.replace("    RATE = rate", "    RATE = rate\n    return print");
    assert_eq!(found(&made), None);
}

/// A function that was meant as the initializer, and is called by nobody.
#[test]
fn a_forgotten_initializer_is_given_what_has_its_names() {
    let forgotten = SETS
        .replace("    RATE = rate", "    global RATE\n    RATE = rate")
        .replace("initializer=init, initargs=(3,)", "")
        .replace("    with mp", "    rate = 3\n    with mp");
    let given = forgotten.replace(
        "mp.Pool(2, )",
        "mp.Pool(2, initializer=init, initargs=(rate,))",
    );
    let path = "RATE, set in init()".to_owned();
    assert_eq!(found(&forgotten), Some((path.clone(), Some(given))));
    for (what, program) in [
        ("no such name", forgotten.replace("rate = 3", "pace = 3")),
        (
            "set too late",
            forgotten.replace("    rate = 3\n", "") + "    rate = 3\n",
        ),
        ("called elsewhere", forgotten.clone() + "    print(init)\n"),
    ] {
        assert_eq!(found(&program), Some((path.clone(), None)), "{what}");
    }
}

/// Who makes the pool has set a local of the global's name.
#[test]
fn a_local_of_the_global_s_name_is_given_to_the_workers() {
    let local = "import multiprocessing as mp\nRATE = None\ndef convert(x):\n    return x * RATE\ndef main():\n    \
                 RATE = 3\n    with mp.Pool(2) as pool: print(pool.map(convert, [1, 2]))\n\
                 if __name__ == \"__main__\":\n    main()\n";
    let path = "RATE, set in main(), as a local".to_owned();
    let given = found(local).unwrap();
    assert_eq!(given.0, path);
    let new = given.1.unwrap();
    for part in [
        "def init_worker(value):\n    global RATE\n    RATE = value\n",
        "mp.Pool(2, initializer=init_worker, initargs=(RATE,))",
    ] {
        assert_has(&new, part);
    }
    for (what, of) in [
        ("a counter", "RATE = itertools.count()"),
        ("a file", "RATE = open('a')"),
    ] {
        let program = local
            .replace("RATE = 3", of)
            .replace("import m", "import itertools, m");
        assert_eq!(found(&program), Some((path.clone(), None)), "{what}");
    }
    let late = local
        .replace("    RATE = 3\n", "")
        .replace("[1, 2]))\n", "[1, 2]))\n    RATE = 3\n");
    assert_eq!(found(&late), None);
}

/// A loader's workers begin with a function, too.
#[test]
fn a_worker_init_fn_that_sets_a_local() {
    let program = SETS.replace("initializer=init, initargs=(3,)", "worker_init_fn=init");
    let local = "RATE, set in init(), as a local";
    assert_eq!(found(&program).unwrap().0, local);
    let global = program.replace("    RATE = rate", "    global RATE\n    RATE = rate");
    assert_eq!(found(&global), None);
}
