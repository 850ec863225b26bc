//! What a worker does not know: globals, attributes and dicts that only the parent sets.

use super::*;

const UNSET: &str = "\
import multiprocessing as mp
def convert(x):
    return x * RATE
if __name__ == \"__main__\":
    RATE = 3
    with mp.get_context(\"spawn\").Pool(2) as pool:
        print(pool.map(convert, [1, 2]))
";

pub(super) fn unset(script: &str) -> String {
    format!(
        "multiprocessing.pool.RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n  \
         File \"/python/lib/python3.11/multiprocessing/pool.py\", line 48, in worker\n    \
         return list(map(*args))\n  File \"a.py\", line 3, in convert\n    return x * RATE\n\
         NameError: name 'RATE' is not defined\n\"\"\"\n\n\
         The above exception was the direct cause of the following exception:\n\n\
         Traceback (most recent call last):\n  File \"{script}\", line 7, in <module>\n    \
         print(pool.map(convert, [1, 2]))\nNameError: name 'RATE' is not defined\n"
    )
}

/// Returns the same traceback of a worker that uses this, and raises that.
pub(super) fn raises(used: &str, error: &str) -> String {
    unset("a.py")
        .replace("x * RATE", used)
        .replace("NameError: name 'RATE' is not defined", error)
}

/// The words of a misspelt name are a failure of processes only where the source says so.
#[test]
fn a_global_that_a_worker_does_not_know() {
    let ids = |text: &str, sources| -> Vec<String> {
        let found = pickfix::reader::incidents(&CORPUS, text.as_bytes(), sources);
        let ids = found.iter().filter_map(|i| i.root.id());
        ids.map(str::to_owned).collect()
    };
    let folder = Folder::new("unset");
    folder.write("root/a.py", UNSET);
    folder.write("root/b.py", UNSET);
    let sources = || Some(folder.sources("root"));
    assert_eq!(ids(&unset("a.py"), sources()), ["global-not-set-in-worker"]);
    assert_eq!(ids(&unset("a.py"), None), Vec::<String>::new());
    // Another script imported it: its guard was run by nobody.
    assert_eq!(ids(&unset("b.py"), sources()), Vec::<String>::new());
    // A forked worker may not know it either.
    let pool = "    with mp.get_context(\"spawn\").Pool(2) as pool:\n";
    let late = UNSET
        .replace(pool, "    if True:\n")
        .replace("    RATE = 3\n", "    pool = mp.Pool(2); RATE = 3\n");
    folder.write("root/a.py", &late);
    assert_eq!(ids(&unset("a.py"), sources()), ["global-not-set-in-worker"]);
    // Set at the top as well: it is missing for another reason.
    folder.write(
        "root/a.py",
        &UNSET.replace("import multi", "RATE = 1; import multi"),
    );
    assert_eq!(ids(&unset("a.py"), sources()), Vec::<String>::new());
}

/// A function that is one line fails in its body.
#[test]
fn a_global_that_is_none_in_a_function_of_one_line() {
    let line = "def convert(x): return x * RATE.of";
    let program = UNSET
        .replace("import multi", "RATE = None; import multi")
        .replace("def convert(x):\n    return x * RATE", &format!("\n{line}"));
    let text = unset("a.py").replace("return x * RATE", line).replace(
        "NameError: name 'RATE' is not defined",
        "AttributeError: 'NoneType' object has no attribute 'of'",
    );
    let object = named_of(&program, &text).unwrap();
    assert_eq!(object.path, "RATE");
}

/// The same of one that is `None`: what sets it must be known not to have run in the worker.
#[test]
fn a_global_that_is_still_none_in_a_worker() {
    let text = raises(
        "x * RATE.of",
        "AttributeError: 'NoneType' object has no attribute 'of'",
    );
    let folder = Folder::new("none");
    let ids = |program: &str| -> Vec<String> {
        folder.write("root/a.py", program);
        let found =
            pickfix::reader::incidents(&CORPUS, text.as_bytes(), Some(folder.sources("root")));
        let ids = found.iter().filter_map(|i| i.root.id());
        ids.map(str::to_owned).collect()
    };
    let program = "\
RATE = None
def convert(x):
    return x * RATE.of
def load():
    global RATE; RATE = Rate(3)
    with mp.Pool(2) as pool:
        print(pool.map(convert, [1, 2]))
if __name__ == \"__main__\":
    load()
";
    assert_eq!(ids(program), ["global-not-set-in-worker"]);
    for (what, other) in [
        (
            "set by the worker",
            program.replace("(x):", "(x, of=lambda: load()):"),
        ),
        (
            "set by what the worker calls",
            program
                .replace("(x):", "(x, of=lambda: ready()):")
                .replace("if __name__", "def ready():\n    load()\nif __name__"),
        ),
        (
            "set by each worker",
            program.replace("Pool(2)", "Pool(2, initializer=load)"),
        ),
        (
            "set by each worker, by its place",
            program.replace("Pool(2)", "Pool(2, load)"),
        ),
        (
            "set by the import",
            program.replace("if __name__", "load()\nif __name__"),
        ),
        (
            "a parameter",
            program.replace("convert(x)", "convert(x, RATE)"),
        ),
        ("not `None`", program.replace("RATE = None", "RATE = 3")),
        ("set by nothing", program.replace("Rate(3)", "None")),
        ("another name", program.replace("RATE.of", "rates.of")),
    ] {
        assert_ne!(other, program, "{what}");
        assert_eq!(ids(&other), Vec::<String>::new(), "{what}");
    }
}

const OF_MODULE: &str = "\
import multiprocessing as mp, rates
def convert(x):
    return x * rates.RATE.of
if __name__ == \"__main__\":
    rates.load(\"day\")
    with mp.get_context(\"spawn\").Pool(2) as pool:
        print(pool.map(convert, [1, 2]))
";

/// The same of one of another module: each worker calls what sets it.
#[test]
fn a_global_of_another_module_that_is_still_none() {
    const RATES: &str = "RATE = None\ndef load(kind):\n    global RATE\n    RATE = Rate(kind)\n";
    let text = raises(
        "x * rates.RATE.of",
        "AttributeError: 'NoneType' object has no attribute 'of'",
    );
    let folder = Folder::new("of-module");
    let found = |program: &str, rates: &str| -> Option<(String, Option<String>)> {
        folder.write("root/a.py", program);
        folder.write("root/rates.py", rates);
        let sources = Some(folder.sources("root"));
        let found = pickfix::reader::incidents(&CORPUS, text.as_bytes(), sources);
        found.iter().find_map(|i| i.root.id())?;
        let object = named(&folder.sources("root"), &text).unwrap();
        let patched = object.change.filter(|c| c.patch.is_some());
        Some((object.path, patched.map(|c| c.code)))
    };
    let (path, code) = found(OF_MODULE, RATES).unwrap();
    assert_eq!(path, "rates.RATE");
    let begun = "mp.get_context(\"spawn\").Pool(2, initializer=rates.load, initargs=(\"day\",))";
    assert_eq!(code.as_deref(), Some(begun));
    let told = OF_MODULE.replace("(\"day\")", "(int(mp.sys.argv[1]))");
    let (_, code) = found(&told, RATES).unwrap();
    let code = code.unwrap();
    assert_has(&code, "initargs=(int(mp.sys.argv[1]),)");
    // What it is given is another thing by the time the pool is made.
    for (set, given, then) in [
        ("k = [3]", "len(k)", "k.append(1)"),
        ("k = {1: 3}", "k[1]", "k[1] = 4"),
        ("k = [3]", "k[0]", "del k[0]"),
        ("k = 3", "k", "k = 4"),
        ("k = mp.Value('i')", "k.value", "k.value = 4"),
        ("k = [3]", "len(k)", "convert(k)"),
        ("k = rates.Kind()", "k.of", "k.turn()"),
        ("k = 1", "int(mp.sys.argv[1])", "mp.sys.argv.pop(1)"),
        ("k = 1", "int(mp.sys.argv[1])", "mp.sys.argv = []"),
    ] {
        let main = |then: &str| {
            let line = format!("{set}; rates.load({given}); {then}");
            OF_MODULE.replace("rates.load(\"day\")", &line)
        };
        let kind = "class Kind:\n    def __init__(self):\n        self.of = 1\n    \
                    def turn(self):\n        self.of = 2\n";
        let rates = format!("{RATES}{kind}");
        let (_, code) = found(&main("pass"), &rates).unwrap();
        assert!(code.is_some(), "{given}");
        assert_eq!(found(&main(then), &rates).unwrap().1, None, "{then}");
        let local = |then: &str| {
            let text = main(then).replace("if __name__ == \"__main__\":", "def main():");
            format!("{text}if __name__ == \"__main__\": main()\n")
        };
        let (_, code) = found(&local("pass"), &rates).unwrap();
        assert!(code.is_some(), "{given}");
        assert_eq!(found(&local(then), &rates).unwrap().1, None, "{then}");
    }
    let start = OF_MODULE.replace("(\"day\")", "(rates.START)");
    let rates = format!("{RATES}START = 3\n");
    assert!(found(&start, &rates).unwrap().1.is_some());
    let reset = format!("{rates}def reset():\n    global START\n    START = 4\n");
    assert_eq!(found(&start, &reset).unwrap().1, None);
    let plain = OF_MODULE.replace("(\"day\")", "(kind=\"day\")");
    assert_eq!(found(&plain, RATES).unwrap().1, None);
    for (what, program, rates) in [
        (
            "set by the import",
            OF_MODULE.replace("rates\n", "rates; rates.load(1)\n"),
            RATES.to_owned(),
        ),
        (
            "set by its own import",
            OF_MODULE.to_owned(),
            format!("{RATES}load(2)\n"),
        ),
        (
            "set by each worker",
            OF_MODULE.replace("Pool(2)", "Pool(2, rates.load, (2,))"),
            RATES.to_owned(),
        ),
        (
            "set by the worker",
            OF_MODULE.replace("(x):", "(x, of=lambda: rates.load(1)):"),
            RATES.to_owned(),
        ),
        (
            "set from outside",
            format!("{OF_MODULE}    rates.RATE = 2\n"),
            RATES.to_owned(),
        ),
        (
            "not `None`",
            OF_MODULE.to_owned(),
            RATES.replace("= None", "= 3"),
        ),
    ] {
        assert_eq!(found(&program, &rates), None, "{what}");
    }
}

/// It is used as it is: a sum, a comparison, a length.
#[test]
fn a_global_that_is_none_among_operands() {
    for (line, message) in [
        (
            "x * RATE",
            "unsupported operand type(s) for *: 'int' and 'NoneType'",
        ),
        (
            "x < RATE",
            "'<' not supported between instances of 'int' and 'NoneType'",
        ),
        ("x in RATE", "argument of type 'NoneType' is not iterable"),
        ("len(RATE)", "object of type 'NoneType' has no len()"),
        ("pow(2.0, RATE)", "must be real number, not NoneType"),
        (
            "f\"{RATE:.1f}\"",
            "unsupported format string passed to NoneType.__format__",
        ),
        (
            "\"a\" + RATE",
            "can only concatenate str (not \"NoneType\") to str",
        ),
    ] {
        let text = raises(line, &format!("TypeError: {message}"));
        let program = UNSET.replace("x * RATE", line).replace(
            "import multiprocessing as mp\n",
            "import multiprocessing as mp; RATE = None\n",
        );
        let found = named_of(&program, &text);
        assert_eq!(found.map(|o| o.path).as_deref(), Some("RATE"), "{line}");
        let called = program.replace(line, "x * RATE()");
        let text = text.replace(line, "x * RATE()");
        assert_eq!(named_of(&called, &text), None, "{line}");
    }
    // `print` takes it as it is: the other one was `None`.
    let line = "print(\"%.1f\" % x, RATE)";
    let text = raises(line, "TypeError: must be real number, not NoneType");
    let program = UNSET.replace("x * RATE", line).replace(
        "import multiprocessing as mp\n",
        "import multiprocessing as mp; RATE = None\n",
    );
    assert_eq!(named_of(&program, &text), None, "{line}");
}

/// It is given on to a function, or an object that keeps it.
#[test]
fn a_global_that_is_none_and_given_on() {
    const KEPT: &str = "class Limit:\n    def __init__(self, low):\n        self.low = low\n    def keep(self, x):\n        \
                        return x > self.low\n";
    const WORDS: &str = "'>' not supported between instances of 'int' and 'NoneType'";
    const PLAIN: &str = "def keep(x, low):\n    return x > low\n";
    let of = |before: &str, call: &str| {
        let text = format!(
            "import multiprocessing as mp\nRATE = None\n{before}def work(x):\n    return {call}\n\
             if __name__ == '__main__':\n    RATE = 3\n    print(mp.get_context('spawn').Pool(2).map(work, [1]))\n"
        );
        let at = |part: &str, function: &str| frame(&text, line_of(&text, part), function);
        let failure = format!(
            "multiprocessing.pool.RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n  \
             File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 48, in worker\n    \
             return list(map(*args))\n{}{}TypeError: {WORDS}\n\"\"\"\n\n\
             The above exception was the direct cause of the following exception:\n\n\
             Traceback (most recent call last):\n{}TypeError: {WORDS}\n",
            at(&format!("return {call}"), "work"),
            at("return x > ", "keep"),
            at("print(", "<module>"),
        );
        named_of(&text, &failure).map(|o| o.path)
    };
    let rate = Some("RATE".to_owned());
    assert_eq!(of(PLAIN, "keep(x, RATE)"), rate);
    assert_eq!(of(PLAIN, "keep(low=RATE, x=x)"), rate);
    assert_eq!(of(KEPT, "Limit(RATE).keep(x)"), rate);
    // Something else may be `None`.
    assert_eq!(of(PLAIN, "keep(RATE, x)"), rate);
    assert_eq!(of(PLAIN, "keep(x, abs(RATE))"), None);
    assert_eq!(
        of(
            &PLAIN.replace("    return", "    low = None\n    return"),
            "keep(x, RATE)"
        ),
        None
    );
    let set_again = format!("{KEPT}    def reset(self):\n        self.low = None\n");
    assert_eq!(of(&set_again, "Limit(RATE).keep(x)"), None);
}

/// A method sets it: who calls one of its name may be anywhere.
#[test]
fn a_global_that_a_method_sets() {
    let text = raises(
        "x * RATE.of",
        "AttributeError: 'NoneType' object has no attribute 'of'",
    );
    let folder = Folder::new("method");
    let found = |program: &str| named_in(&folder, program, &text);
    let program = "\
RATE = None
def convert(x):
    return x * RATE.of
class Rates:
    def load(self): global RATE; RATE = Rate(3)
def main(pool):
    print(pool.map(convert, [1, 2]))
if __name__ == \"__main__\":
    Rates().load()
    main(mp.Pool(2))
";
    assert_eq!(found(program), Some(("RATE".to_owned(), 5)));
    assert_silent(
        program,
        found,
        [
            (
                "set by the import",
                program.replace("if __name__", "Rates().load()\nif __name__"),
            ),
            (
                "called by itself",
                program.replace("load(self)", "__enter__(self)"),
            ),
            (
                "a property",
                program.replace("    def load", "    @property\n    def load"),
            ),
            (
                "set by the worker",
                program.replace("(x):", "(x, of=lambda r: r.load()):"),
            ),
            (
                "set by each worker",
                program.replace("Pool(2)", "Pool(2, Rates().load)"),
            ),
            (
                "set where an object is made",
                program
                    .replace("load(self)", "__init__(self)")
                    .replace("def main", "RATES = Rates()\ndef main"),
            ),
        ],
    );
}

const FILLED: &str = "\
import multiprocessing as mp; RATES = {}
def convert(x):
    return RATES[x] * x
def load(kind): RATES[kind] = 3
def main():
    load(\"day\"); pool = mp.get_context(\"spawn\").Pool(2)
    print(pool.map(convert, [1, 2]))
if __name__ == \"__main__\":
    main()
";

/// The words of a key that is missing are a failure of processes only where the worker's dict is known not
/// to be filled.
#[test]
fn a_dict_that_is_not_filled_in_a_worker() {
    let text = raises("RATES[x] * x", "KeyError: 'day'");
    let folder = Folder::new("filled");
    let found = |program: &str| named_in(&folder, program, &text);
    let set = |line| Some(("RATES".to_owned(), line));
    assert_eq!(found(FILLED), set(4));
    let by_key = FILLED.replace("RATES[kind]", "RATES[\"day\"]");
    let fork = |program: &str| program.replace("get_context(\"spawn\").", "");
    // A key that is written out would be in a copy as well.
    assert_eq!(found(&fork(&by_key)), set(4));
    assert_eq!(found(&by_key.replace("= {}", "= {\"hour\": 1}")), set(4));
    let of_module = FILLED
        .replace("RATES = {}", "import rates")
        .replace("RATES[", "rates.RATES[");
    folder.write("root/rates.py", "RATES = {}\n");
    let fails = text.replace("RATES[x]", "rates.RATES[x]");
    folder.write(
        "root/a.py",
        &of_module.replace("load(\"day\")", "rates.RATES[\"day\"] = 3"),
    );
    let change = named(&folder.sources("root"), &fails).unwrap().change;
    let code = change.filter(|c| c.patch.is_some()).unwrap().code;
    assert_has(&code, "rates.RATES.update(value)");
    // A function that fills nothing else fills each worker's.
    let begun = of_module.replace(
        "load(kind): rates.RATES[kind]",
        "load(): rates.RATES[\"day\"]",
    );
    folder.write("root/a.py", &begun.replace("load(\"day\")", "load()"));
    let change = named(&folder.sources("root"), &fails).unwrap().change;
    assert_eq!(
        change.unwrap().code,
        "mp.get_context(\"spawn\").Pool(2, initializer=load)"
    );
    let updated = FILLED.replace("RATES[kind] = 3", "RATES.update({\"day\": 3})");
    assert_eq!(found(&fork(&updated)), set(4));
    assert_silent(
        FILLED,
        found,
        [
            ("a copy, which may lack the key too", fork(FILLED)),
            ("not empty", FILLED.replace("= {}", "= {\"hour\": 1}")),
            (
                "filled by the import",
                FILLED.replace("if __name__", "load(1)\nif __name__"),
            ),
            (
                "filled by a decorator",
                FILLED.replace("def main", "@load\ndef main"),
            ),
            (
                "filled by each worker",
                FILLED.replace("Pool(2)", "Pool(2, load, (1,))"),
            ),
            (
                "filled by the worker",
                FILLED.replace("(x):", "(x, of=lambda: load(1)):"),
            ),
            (
                "filled by nothing",
                FILLED.replace("RATES[kind] = 3", "pass"),
            ),
            (
                "made again",
                FILLED.replace(
                    "RATES[kind] = 3",
                    "global RATES; RATES = {}; RATES[kind] = 3",
                ),
            ),
            (
                "a parameter",
                FILLED.replace("convert(x)", "convert(x, RATES=None)"),
            ),
            ("another key", by_key.replace("RATES[x]", "RATES[\"hour\"]")),
            (
                "one of two",
                FILLED.replace("RATES[x] * x", "RATES[x] * x[x]"),
            ),
            (
                "taken out",
                FILLED.replace("RATES[x] * x", "RATES[x] * x.pop(x)"),
            ),
        ],
    );
}

/// The same of a dict that lies on a class.
#[test]
fn a_dict_of_a_class_that_is_not_filled_in_a_worker() {
    let text = raises("x * Rates.of[x]", "KeyError: 'day'").replace("line 3", "line 4");
    let program = "\
import multiprocessing as mp
class Rates: of = {}
def convert(x):
    return x * Rates.of[x]
def main(day):
    Rates.of[day] = 3; pool = mp.get_context(\"spawn\").Pool(2)
    print(pool.map(convert, [1, 2]))
if __name__ == \"__main__\":
    main(\"day\")
";
    let folder = Folder::new("on-class");
    let found = |program: &str| named_in(&folder, program, &text);
    assert_eq!(found(program), Some(("Rates.of".to_owned(), 6)));
    // A method fills it, which knows the class by another name.
    let class = "class Rates:\n    of = {}\n    @classmethod\n    def add(cls, key):\n        cls.of[key] = 3\n";
    folder.write("root/rates.py", class);
    let by_method = program.replace("class Rates: of = {}", "from rates import Rates");
    let by_method = by_method.replace("Rates.of[day] = 3", "Rates.add(day); Rates.add(1)");
    folder.write("root/a.py", &by_method);
    let change = named(&folder.sources("root"), &text).unwrap().change;
    let code = change.filter(|c| c.patch.is_some()).unwrap().code;
    assert_has(&code, "    Rates.of.update(value)");
    assert_silent(
        program,
        found,
        [
            (
                "made again",
                program.replace(
                    "Rates.of[day] = 3",
                    "Rates.of = {day: 3}; Rates.of[day] = 3",
                ),
            ),
            (
                "filled by the import",
                program.replace("if __name__", "main(1)\nif __name__"),
            ),
            (
                "another class",
                program.replace("Rates.of[day]", "Prices.of[day]"),
            ),
            (
                "a copy, which may lack the key too",
                program.replace("get_context(\"spawn\").", ""),
            ),
        ],
    );
}

/// The same of an attribute that is set on a class from outside.
#[test]
fn an_attribute_of_a_class_that_is_not_set_in_a_worker() {
    let text = raises(
        "x * Rates.day",
        "AttributeError: type object 'Rates' has no attribute 'day'",
    )
    .replace("line 3", "line 4");
    let program = "\
import multiprocessing as mp
class Rates: hour = 1
def convert(x):
    return x * Rates.day
def main():
    Rates.day = 3; pool = mp.Pool(2)
    print(pool.map(convert, [1, 2]))
if __name__ == \"__main__\":
    main()
";
    let folder = Folder::new("of-class");
    let found = |program: &str| named_in(&folder, program, &text);
    assert_eq!(found(program), Some(("Rates.day".to_owned(), 6)));
    assert_silent(
        program,
        found,
        [
            (
                "set by the import",
                program.replace("def main", "Rates.day = 1\ndef main"),
            ),
            (
                "set by the worker",
                program.replace("(x):", "(x, of=lambda: main()):"),
            ),
            (
                "set on another class",
                program.replace("Rates.day = 3", "Prices.day = 3"),
            ),
            (
                "set by nothing",
                program.replace("Rates.day = 3", "Rates.hour = 3"),
            ),
        ],
    );
}

/// What is given to workers while they start needs a call that takes it.
#[test]
fn workers_that_cannot_be_given_a_global() {
    let text = unset("a.py");
    let code = |program: &str| -> Option<String> {
        let object = named_of(program, &text).unwrap();
        let change = object.change.filter(|c| c.patch.is_some());
        change.map(|c| c.code)
    };
    let set = UNSET.replace("    RATE = 3\n", "    RATE = int(input()) if True else 3\n");
    let late = set.replace("RATE = int", "x = 1; RATE = x + int");
    let one = code(&late).unwrap();
    assert_has(&one, "initargs=(RATE,)");
    let taken = late.replace("Pool(2)", "Pool(2, print)");
    assert_eq!(code(&taken), None);
    // A new process begins with the arguments as they are then.
    let argv = UNSET.replace("RATE = 3", "RATE = sys.argv[1]");
    let argv = argv.replace("import multi", "import sys; import multi");
    assert_eq!(code(&argv).as_deref(), Some("RATE = sys.argv[1]"));
    for change in [
        "sys.argv = sys.argv[2:]",
        "sys.argv=sys.argv[2:]",
        "sys.argv[1:] = []",
        "sys.argv.pop(1)",
        "words = sys.argv; words.pop(1)",
    ] {
        let changed = argv.replace("import multi", &format!("{change}; import multi"));
        let handed = code(&changed).unwrap();
        assert!(handed.contains("initargs=(RATE,)"), "{change}: {handed}");
    }
    let unsent = UNSET.replace("RATE = 3", "x = open(__file__); RATE = open(x.name, 'w')");
    assert_eq!(code(&unsent), None);
    let emptied = UNSET.replace("RATE = 3", "RATE = open('out.txt', 'w')");
    assert_eq!(code(&emptied), None);
    // Each process would count from the start, and lock a lock of its own.
    for value in [
        "itertools.count()",
        "threading.Lock()",
        "queue.Queue()",
        "(n for n in [1])",
        "iter([1]); next(RATE)",
    ] {
        let own = UNSET.replace("RATE = 3", &format!("RATE = {value}"));
        let own = own.replace(
            "import multi",
            "import itertools, queue, threading; import multi",
        );
        assert_eq!(code(&own), None, "{value}");
    }
}

/// What each process would make anew is given to the workers.
#[test]
fn a_global_that_differs_from_process_to_process_is_handed_over() {
    for value in [
        "mp.get_context(\"spawn\").Lock()",
        "tempfile.mkdtemp()",
        "uuid.uuid4().hex",
    ] {
        let text = UNSET
            .replace("RATE = 3", &format!("RATE = {value}"))
            .replace("import multi", "import tempfile, uuid\nimport multi");
        let log = unset("a.py")
            .replace("line 7", "line 8")
            .replace("line 3", "line 4");
        let object = named_of(&text, &log).expect(value);
        let change = object.change.expect(value);
        assert_has(&change.code, "initializer=");
    }
}

/// Each worker would take the same numbers of its copy.
#[test]
fn a_global_that_is_taken_further_is_not_handed_over() {
    const TEXT: &str = "import multiprocessing as mp, random; RATE = None\ndef convert(x):\n    return RATE.random()\n\
                        def setup(seed): global RATE; RATE = random.Random(seed)\nif __name__ == '__main__':\n    setup(7)\n    \
                        with mp.get_context('spawn').Pool(2) as pool:\n        print(pool.map(convert, [1, 2]))\n";
    let error = "AttributeError: 'NoneType' object has no attribute 'random'";
    let log = raises("RATE.random()", error).replace("line 7", "line 8");
    let object = named_of(TEXT, &log).unwrap();
    assert_eq!((object.path.as_str(), object.change), ("RATE", None));
}

/// A lock goes only to workers of its own context.
#[test]
fn a_lock_of_another_context_is_not_handed_over() {
    let text = unset("a.py");
    let refusal = |made: &str, pool: &str| -> Option<String> {
        let program = UNSET
            .replace(
                "RATE = 3",
                &format!("ctx = mp.get_context('spawn'); RATE = {made}"),
            )
            .replace("mp.get_context(\"spawn\").Pool(2)", pool);
        let object = named_of(&program, &text).unwrap();
        object.refusal
    };
    assert_eq!(refusal("ctx.Lock()", "ctx.Pool(2)"), None);
    assert_eq!(refusal("mp.Lock()", "mp.Pool(2)"), None);
    for (made, pool) in [
        ("mp.Lock()", "ctx.Pool(2)"),
        ("mp.Queue()", "mp.get_context(\"spawn\").Pool(2)"),
        ("ctx.Lock()", "mp.Pool(2)"),
    ] {
        assert!(refusal(made, pool).is_some(), "{made} {pool}");
    }
}

/// What the script sets in a module of settings, new processes do not have.
#[test]
fn a_setting_of_another_module_that_the_script_sets() {
    let text = raises(
        "x * rates.RATE",
        "TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'",
    );
    let folder = Folder::new("settings");
    let found = |set: &str, rates: &str| {
        let program = UNSET
            .replace("x * RATE", "x * rates.RATE")
            .replace("import multi", "import rates; import multi")
            .replace("RATE = 3", set);
        folder.write("root/a.py", &program);
        folder.write("root/rates.py", rates);
        let object = named(&folder.sources("root"), &text)?;
        let change = object.change.filter(|c| c.patch.is_some());
        Some((object.path, change.map(|c| c.code)))
    };
    let (path, code) = found("rates.RATE = int(3)", "RATE = None\n").unwrap();
    assert_eq!(path, "rates.RATE");
    let code = code.unwrap();
    assert_has(&code, "rates.RATE = value");
    assert_has(&code, "initargs=(rates.RATE,)");
    assert_eq!(found("pass", "RATE = None\n"), None);
    assert_eq!(found("rates.RATE = 3", "RATE = 2\n"), None);
}

/// Python 3.15 names no file, and a worker has no frame of the program.
#[test]
fn a_function_that_a_worker_does_not_find_in_a_script_without_a_name() {
    let text = "import multiprocessing as mp\npool = mp.get_context('fork').Pool(2)\ndef square(n):\n    return n * n\n\
                if __name__ == '__main__':\n    print(pool.map(square, [1]))\n";
    let folder = Folder::new("unnamed");
    folder.write("root/a.py", text);
    let log = "\
Process ForkPoolWorker-1:
Traceback (most recent call last):
  File \"/usr/lib/python3.15/multiprocessing/pool.py\", line 114, in worker
    task = get()
  File \"/usr/lib/python3.15/multiprocessing/queues.py\", line 387, in get
    return _ForkingPickler.loads(res)
AttributeError: module '__main__' has no attribute 'square'
";
    let object = named(&folder.sources("root"), log).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("square", 3));
    assert!(object.change.is_some());
    // Which of two it is, nothing tells.
    folder.write("root/b.py", text);
    assert!(named(&folder.sources("root"), log).is_none());
}

/// An item that is `None` at first is set by the parent alone, as a global would be.
#[test]
fn an_item_that_is_none_in_a_new_worker() {
    let program = "\
import multiprocessing as mp
state = {\"rate\": None, \"kind\": 1}
def convert(x): return x * state[\"rate\"]
def load(): state[\"rate\"] = 3
def main():
    load(); pool = mp.get_context(\"spawn\").Pool(2)
    print(pool.map(convert, [1, 2]))
if __name__ == \"__main__\":
    main()
";
    let text = unset("a.py")
        .replace(
            "return x * RATE",
            "def convert(x): return x * state[\"rate\"]",
        )
        .replace(
            "NameError: name 'RATE' is not defined",
            "TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'",
        );
    let folder = Folder::new("item");
    folder.write("root/a.py", program);
    let object = named(&folder.sources("root"), &text).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("state", 4));
    assert!(object.change.unwrap().code.ends_with("initializer=load)"));
    // New processes are the default from Python 3.14 on.
    let fork = program.replace("spawn", "fork");
    let newer = text.replace("3.11", "3.14");
    let default = program.replace("get_context(\"spawn\").", "");
    assert!(named_in(&folder, &default, &newer).is_some());
    assert_eq!(named_in(&folder, &fork, &newer), None);
    assert_silent(
        program,
        |program| named_in(&folder, program, &text),
        [
            ("a copy", default.clone()),
            ("a value", program.replace("\"rate\": None", "\"rate\": 0")),
            (
                "another item",
                program.replace("load(): state[\"rate\"]", "load(): state[\"kind\"]"),
            ),
            (
                "set by nothing",
                program.replace("state[\"rate\"] = 3", "state[\"rate\"] = None"),
            ),
        ],
    );
}
