//! The program's own source: which object is named, and which files are read for it.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use common::CORPUS;
use pickfix::object::{Certainty, Edit, Object};
use pickfix::source::{Root, Sources};
use pickfix::traceback::read;

/// Returns what is named for a traceback.
fn named(sources: &Sources, text: &str) -> Option<Object> {
    read(text.as_bytes()).iter().find_map(|traceback| {
        let failures = CORPUS.diagnose(traceback);
        failures.iter().find_map(|failure| {
            let raised = failure.diagnosis.as_ref()?.exception;
            sources.object(traceback, raised, &failure.facts)
        })
    })
}

/// Returns what is named for a traceback of a program, and the line where it is set.
fn named_in(folder: &Folder, program: &str, text: &str) -> Option<(String, u32)> {
    folder.write("root/a.py", program);
    named(&folder.sources("root"), text).map(|o| (o.path, o.line))
}

/// Asserts that nothing is found in programs that are another one but for what is said of each.
fn assert_silent<const N: usize>(
    program: &str,
    found: impl Fn(&str) -> Option<(String, u32)>,
    others: [(&str, String); N],
) {
    for (what, other) in others {
        assert_ne!(other, program, "{what}");
        assert_eq!(found(&other), None, "{what}");
    }
}

/// Returns the lines that end in `# object`, by file below a folder.
fn marked(folder: &Path, below: &Path, found: &mut Vec<(String, u32)>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            marked(&path, below, found);
        } else if path.extension().is_some_and(|e| e == "py") {
            let text = fs::read_to_string(&path).unwrap();
            let lines = (1..).zip(text.lines());
            let lines = lines.filter(|(_, line)| line.ends_with("# object"));
            let file = path.strip_prefix(below).unwrap().display().to_string();
            found.extend(lines.map(|(n, _)| (file.clone(), n)));
        }
    }
}

/// Each program of tests/source/programs, by its traceback of Python 3.11: the right object or none.
#[test]
fn objects_of_programs() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/source");
    let (mut all, mut right, mut changed) = (0, 0, 0);
    let mut wrong = Vec::new();
    for entry in fs::read_dir(here.join("tracebacks")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let folder = here.join("programs").join(&name);
        let mut marks = Vec::new();
        let local = if folder.is_dir() {
            marked(&folder, &folder, &mut marks);
            folder
        } else {
            marked(&here.join("programs"), &here.join("programs"), &mut marks);
            here.join("programs")
        };
        let root = Root {
            local: local.clone(),
            recorded: Some("/project".to_owned()),
        };
        let sources = Sources::new(vec![root], local);
        all += 1;
        let Some(object) = named(&sources, &text) else {
            continue;
        };
        let is_right = marks.contains(&(object.file.clone(), object.line));
        if is_right {
            right += 1;
        } else {
            wrong.push(format!("{name}: {}:{}", object.file, object.line));
        }
        changed += i32::from(object.change.is_some());
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(right * 100 >= all * 90, "{right} of {all} named");
    assert!(
        changed * 100 >= all * 55,
        "{changed} of {all} can be changed"
    );
}

/// Programs that pickfix rewrites, by their tracebacks: `run.py` shows that they run then.
#[test]
fn programs_that_can_be_changed() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/source");
    for name in [
        "analyzer_pool",
        "api_settings",
        "crawl_limits",
        "engine_pool",
        "export_settings",
        "globals_together",
        "guard_lambda",
        "loop_defaults",
        "loop_jobs",
        "mail_inbox",
        "models_append",
        "outbreak_settings",
        "page_cache",
        "prices_loader",
        "printer_default",
        "renderer_join",
        "rows_of_files",
        "schedule_config",
        "scorers_dict",
        "service_loop",
        "sim_params",
        "tokens_task",
        "tracked_settings",
        "vocab_words",
        "weights_runner",
    ] {
        let text = fs::read_to_string(here.join(format!("tracebacks/{name}.txt"))).unwrap();
        let folder = here.join("programs").join(name);
        let local = if folder.is_dir() {
            folder
        } else {
            here.join("programs")
        };
        let root = Root {
            local: local.clone(),
            recorded: Some("/project".to_owned()),
        };
        let object = named(&Sources::new(vec![root], local), &text);
        let change = object.and_then(|o| o.change);
        assert!(change.is_some_and(|c| c.patch.is_some()), "{name}");
    }
}

/// What is shown of programs that are left to their authors is in their own names.
#[test]
fn code_that_is_shown_alone() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/source");
    let root = Root {
        local: here.join("programs"),
        recorded: Some("/project".to_owned()),
    };
    let sources = Sources::new(vec![root], here.join("programs"));
    for (name, code) in [
        (
            "progress_tqdm",
            "tqdm(pool.imap(self.convert, items), total=len(items))",
        ),
        ("region_service", "    global _client\n    _client = value"),
        (
            "report_initargs",
            "connection = sqlite3.connect(\"report.db\")",
        ),
    ] {
        let text = fs::read_to_string(here.join(format!("tracebacks/{name}.txt"))).unwrap();
        let change = named(&sources, &text).and_then(|o| o.change).unwrap();
        assert!(change.code.contains(code), "{name}: {}", change.code);
        assert_eq!(change.patch, None, "{name}");
    }
}

/// A class that uses names of the function around it gets them as arguments, in front of its own.
#[test]
fn a_local_class_is_given_what_it_used() {
    const INIT: &str =
        "(self, seed):\n            self.seed = seed\n            self.kind = kind\n";
    for (init, own) in [
        (INIT, ", seed"),
        (&INIT.replace("):", ") -> None:"), ", seed"),
        (
            "(self, seed: int = (2)) -> None:\n            self.seed, self.kind = seed, kind\n\n",
            ", seed: int = (2)",
        ),
        (
            "(self): self.kind, self.seed = kind, 2  # in one line\n\n\n",
            "",
        ),
        (
            "(\n            self, seed,\n        ): self.seed, self.kind = seed, kind\n",
            ", seed",
        ),
    ] {
        let swaps = [(INIT, init), ("  # object", "")];
        let object = varied("factory_class", &swaps).expect(init);
        let code = object.change.expect(init).code;
        let head = format!("class Model:\n    def __init__(self, kind, width{own}):\n");
        assert!(code.starts_with(&head), "{code}");
    }
}

const UNSET: &str = "\
import multiprocessing as mp
def convert(x):
    return x * RATE
if __name__ == \"__main__\":
    RATE = 3
    with mp.get_context(\"spawn\").Pool(2) as pool:
        print(pool.map(convert, [1, 2]))
";

fn unset(script: &str) -> String {
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

/// The same of one that is `None`: what sets it must be known not to have run in the worker.
#[test]
fn a_global_that_is_still_none_in_a_worker() {
    let text = unset("a.py").replace("x * RATE", "x * RATE.of").replace(
        "NameError: name 'RATE' is not defined",
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
    let text = unset("a.py")
        .replace("x * RATE", "x * rates.RATE.of")
        .replace(
            "NameError: name 'RATE' is not defined",
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
    let folder = Folder::new("operand");
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
    ] {
        let text = unset("a.py").replace("x * RATE", line).replace(
            "NameError: name 'RATE' is not defined",
            &format!("TypeError: {message}"),
        );
        let program = UNSET.replace("x * RATE", line).replace(
            "import multiprocessing as mp\n",
            "import multiprocessing as mp; RATE = None\n",
        );
        folder.write("root/a.py", &program);
        let found = named(&folder.sources("root"), &text);
        assert_eq!(found.map(|o| o.path).as_deref(), Some("RATE"), "{line}");
        let called = program.replace(line, "x * RATE()");
        folder.write("root/a.py", &called);
        let text = text.replace(line, "x * RATE()");
        assert_eq!(named(&folder.sources("root"), &text), None, "{line}");
    }
}

/// A method sets it: who calls one of its name may be anywhere.
#[test]
fn a_global_that_a_method_sets() {
    let text = unset("a.py").replace("x * RATE", "x * RATE.of").replace(
        "NameError: name 'RATE' is not defined",
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
    let text = unset("a.py")
        .replace("x * RATE", "RATES[x] * x")
        .replace("NameError: name 'RATE' is not defined", "KeyError: 'day'");
    let folder = Folder::new("filled");
    let found = |program: &str| named_in(&folder, program, &text);
    let set = |line| Some(("RATES".to_owned(), line));
    assert_eq!(found(FILLED), set(4));
    let by_key = FILLED.replace("RATES[kind]", "RATES[\"day\"]");
    let fork = |program: &str| program.replace("get_context(\"spawn\").", "");
    // A key that is written out would be in a copy as well.
    assert_eq!(found(&fork(&by_key)), set(4));
    assert_eq!(found(&by_key.replace("= {}", "= {\"hour\": 1}")), set(4));
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

/// The same of an attribute that is set on a class from outside.
#[test]
fn an_attribute_of_a_class_that_is_not_set_in_a_worker() {
    let text = unset("a.py")
        .replace("line 3", "line 4")
        .replace("x * RATE", "x * Rates.day")
        .replace(
            "NameError: name 'RATE' is not defined",
            "AttributeError: type object 'Rates' has no attribute 'day'",
        );
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
    let folder = Folder::new("given");
    let code = |program: &str| -> Option<String> {
        folder.write("root/a.py", program);
        let object = named(&folder.sources("root"), &text).unwrap();
        let change = object.change.filter(|c| c.patch.is_some());
        change.map(|c| c.code)
    };
    let set = UNSET.replace("    RATE = 3\n", "    RATE = int(input()) if True else 3\n");
    let late = set.replace("RATE = int", "x = 1; RATE = x + int");
    let one = code(&late).unwrap();
    assert!(one.contains("initargs=(RATE,)"), "{one}");
    let taken = late.replace("Pool(2)", "Pool(2, print)");
    assert_eq!(code(&taken), None);
    let unsent = UNSET.replace("RATE = 3", "x = open(__file__); RATE = open(x.name, 'w')");
    assert_eq!(code(&unsent), None);
    let emptied = UNSET.replace("RATE = 3", "RATE = open('out.txt', 'w')");
    assert_eq!(code(&emptied), None);
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        // Tests run beside one another.
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("pickfix-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn sources(&self, below: &str) -> Sources {
        let local = self.0.join(below);
        let root = Root {
            local: local.clone(),
            recorded: None,
        };
        Sources::new(vec![root], local)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const PROGRAM: &str = "\
import pickle
import threading


class Box:
    def __init__(self):
        self.lock = threading.Lock()


print(pickle.dumps(Box()))
";

fn failure(file: &str) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"{file}\", line 10, in <module>\n    \
         print(pickle.dumps(Box()))\nTypeError: cannot pickle '_thread.lock' object\n"
    )
}

#[test]
fn a_file_below_the_root() {
    let folder = Folder::new("below");
    folder.write("root/a.py", PROGRAM);
    let object = named(&folder.sources("root"), &failure("a.py")).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("Box.lock", 7));
    assert_eq!(object.certainty, Certainty::Certain);
    let change = object.change.unwrap();
    assert!(change.code.contains("self.lock = threading.Lock()"));
    let patch = change.patch.unwrap();
    let new = Edit::all(PROGRAM, &patch.edits).unwrap();
    assert!(new.contains("    def __getstate__(self):\n        state = self.__dict__.copy()"));
}

#[test]
fn a_file_that_has_changed_says_nothing() {
    let folder = Folder::new("changed");
    folder.write(
        "root/a.py",
        &PROGRAM.replace("import pickle\n", "import pickle\n\n"),
    );
    assert_eq!(named(&folder.sources("root"), &failure("a.py")), None);
}

#[test]
fn paths_that_lead_out_of_the_root() {
    let folder = Folder::new("out");
    let outside = folder.write("outside/a.py", PROGRAM);
    folder.write("root/b.py", "");
    let sources = folder.sources("root");
    for file in [
        "../outside/a.py",
        "sub/../../outside/a.py",
        outside.to_str().unwrap(),
    ] {
        assert_eq!(named(&sources, &failure(file)), None, "{file}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(&outside, folder.0.join("root/link.py")).unwrap();
        symlink(folder.0.join("outside"), folder.0.join("root/folder")).unwrap();
        for file in ["link.py", "folder/a.py"] {
            assert_eq!(named(&sources, &failure(file)), None, "{file}");
        }
    }
}

#[test]
fn things_that_are_no_source_files() {
    let folder = Folder::new("strange");
    folder.write("root/a.txt", PROGRAM);
    folder.write("root/nul.py", &format!("{PROGRAM}\0"));
    folder.write(
        "root/huge.py",
        &format!("{PROGRAM}{}", "# long\n".repeat(400_000)),
    );
    fs::create_dir_all(folder.0.join("root/folder.py")).unwrap();
    let sources = folder.sources("root");
    let mut files = vec![
        "a.txt",
        "nul.py",
        "huge.py",
        "folder.py",
        "missing.py",
        "/dev/zero",
        "/proc/self/environ",
    ];
    #[cfg(unix)]
    {
        let fifo = folder.0.join("root/fifo.py");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.unwrap().success());
        files.push("fifo.py");
    }
    for file in files {
        assert_eq!(named(&sources, &failure(file)), None, "{file}");
    }
}

#[test]
fn sources_that_cannot_be_parsed_well() {
    let folder = Folder::new("broken");
    let half = format!("{PROGRAM}\n\ndef unfinished(:\n    x = (1,\n");
    folder.write("root/half.py", &half);
    folder.write(
        "root/deep.py",
        &format!(
            "{PROGRAM}x = {}{}\n",
            "[".repeat(20_000),
            "]".repeat(20_000)
        ),
    );
    fs::write(
        folder.0.join("root/latin.py"),
        [PROGRAM.as_bytes(), b"# caf\xe9\n"].concat(),
    )
    .unwrap();
    let sources = folder.sources("root");
    for file in ["half.py", "deep.py", "latin.py"] {
        let object = named(&sources, &failure(file));
        assert!(object.is_none_or(|o| o.path == "Box.lock"), "{file}");
    }
}

#[test]
fn classes_that_go_in_circles() {
    let folder = Folder::new("circle");
    let text = "\
import pickle
import threading
class A(B): pass
class B(A):
    def __init__(self, other=None):
        self.other = other or B(self)
        self.me = self.me
        self.lock = threading.Lock()
x = y
y = x
print(pickle.dumps(B(x)))
";
    folder.write("root/a.py", text);
    let failure = failure("a.py")
        .replace("line 10", "line 11")
        .replace("Box()", "B(x)");
    let object = named(&folder.sources("root"), &failure);
    assert!(object.is_none_or(|o| o.line == 8));
}

#[test]
fn packages_that_import_from_themselves() {
    let folder = Folder::new("imports");
    folder.write("root/shop/__init__.py", "from . import stock, prices\n");
    folder.write("root/shop/stock.py", "from .prices import lock\n");
    folder.write("root/shop/prices.py", "from .stock import lock\n");
    let text = PROGRAM
        .replace("import pickle\n", "import pickle, shop.stock as stock\n")
        .replace("threading.Lock()", "stock.lock or threading.Lock()");
    folder.write("root/a.py", &text);
    let object = named(&folder.sources("root"), &failure("a.py")).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("Box.lock", 7));
}

#[test]
fn what_is_set_from_outside() {
    let folder = Folder::new("attached");
    let text = "\
import pickle
import threading
class Box:
    pass
def main():
    box = Box()
    box.lock = threading.Lock()
    return box
if True:
    print(pickle.dumps(main()))
";
    folder.write("root/a.py", text);
    let failure = failure("a.py").replace("Box()", "main()");
    let object = named(&folder.sources("root"), &failure).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("Box.lock", 7));
    assert_eq!(object.certainty, Certainty::Certain);
}

/// A change takes the file's own indentation and line ends, and the result is Python.
#[test]
fn changes_of_planted_failures() {
    for unit in ["    ", "\t", "  "] {
        for newline in ["\n", "\r\n"] {
            for end in ["", "\n"] {
                let folder = Folder::new("planted");
                let text = PROGRAM.trim_end().replace("    ", unit) + end;
                let text = text.replace('\n', newline);
                folder.write("root/a.py", &text);
                let object = named(&folder.sources("root"), &failure("a.py")).unwrap();
                let patch = object.change.and_then(|c| c.patch).unwrap();
                let new = Edit::all(&text, &patch.edits).unwrap();
                let line = format!("{newline}{unit}{unit}del state[\"lock\"]{newline}");
                assert!(new.contains(&line), "{new:?}");
                assert_eq!(new.matches('\n').count(), new.matches(newline).count());
                // The class has its methods: nothing in it is left to be found.
                folder.write("root/a.py", &new);
                let at = new.lines().position(|l| l.starts_with("print")).unwrap() + 1;
                let again = failure("a.py").replace("line 10", &format!("line {at}"));
                assert_eq!(named(&folder.sources("root"), &again), None);
            }
        }
    }
}

/// A list that is made of itself, again and again, is no way round the limits of the search.
#[test]
fn what_is_made_of_itself() {
    let folder = Folder::new("itself");
    let text = "\
import pickle, threading
class Box:
    def __init__(self, more=None):
        self.lock = threading.Lock()
        self.flags = []
        if more:
            self.flags += more.split()
        self.flags = list(filter(lambda x: x != '-c', self.flags))
        self.flags.append(more)
print(pickle.dumps(Box()))
";
    folder.write("root/a.py", text);
    let object = named(&folder.sources("root"), &failure("a.py")).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("Box.lock", 4));
}

/// Returns what is named in a program of one file, and why it is not changed.
fn refused(name: &str, class: &str) -> String {
    let folder = Folder::new(name);
    let text =
        format!("import pickle, queue, sqlite3, threading\n{class}\nprint(pickle.dumps(Box()))\n");
    folder.write("root/a.py", &text);
    let line = text.lines().count();
    let failure = failure("a.py").replace("line 10", &format!("line {line}"));
    let object = named(&folder.sources("root"), &failure).unwrap();
    // Code is shown, with the attribute's name in it, and none is written.
    let attribute = object.attribute.unwrap();
    if let Some(change) = object.change {
        assert_eq!(change.patch, None, "{name}");
        assert!(change.code.contains(&attribute.name), "{name}");
    }
    assert_eq!(attribute.class, "Box");
    assert!(class.contains(&format!("self.{} =", attribute.name)));
    object.refusal.unwrap()
}

#[test]
fn changes_that_are_not_safe() {
    let slots = "class Box:\n    __slots__ = ('lock', '__weakref__')\n    def __init__(self):\n        self.lock = threading.Lock()";
    assert_eq!(refused("slots", slots), "the class `Box` has slots");
    let queue = "class Box:\n    def __init__(self):\n        self.jobs = queue.Queue()";
    assert_eq!(
        refused("queue", queue),
        "a new `queue.Queue` would be empty, and nobody here would read it"
    );
    let error =
        "class Box(Exception):\n    def __init__(self):\n        self.lock = threading.Lock()";
    assert!(refused("error", error).contains("`Exception` may pickle in a way of its own"));
}

/// Returns what is named for a failure at a line of a file, and the file after the change.
fn changed(name: &str, text: &str, line: usize, error: &str) -> (Object, Option<String>) {
    let folder = Folder::new(name);
    folder.write("root/a.py", text);
    let source = text.lines().nth(line - 1).unwrap().trim();
    let failure = format!(
        "Traceback (most recent call last):\n  File \"a.py\", line {line}, in <module>\n    {source}\n{error}\n"
    );
    let object = named(&folder.sources("root"), &failure).unwrap();
    let patch = object.change.as_ref().and_then(|c| c.patch.as_ref());
    let new = patch.map(|p| Edit::all(text, &p.edits).unwrap());
    (object, new)
}

const START: &str = "\
import multiprocessing as mp

if __name__ == '__main__':
    results = mp.Queue()
    mp.set_start_method('spawn')
";

#[test]
fn what_sets_the_start_method_first() {
    let error = "RuntimeError: context has already been set";
    let (object, new) = changed("first", START, 5, error);
    assert_eq!((object.line, object.certainty), (4, Certainty::Likely));
    let moved = "    mp.set_start_method('spawn')\n    results = mp.Queue()\n";
    assert!(new.unwrap().ends_with(moved));
    let twice = START.replace("results = mp.Queue()", "mp.set_start_method('fork')");
    let (object, new) = changed("twice", &twice, 5, error);
    assert_eq!((object.line, new), (4, None));
    let called = START
        .replace("\nif", "def first():\n    mp.set_start_method('fork')\nif")
        .replace("results = mp.Queue()", "first()");
    let (object, new) = changed("called", &called, 6, error);
    assert_eq!((object.line, new), (5, None));
    let above = START
        .replace("    results = mp.Queue()\n", "")
        .replace("\nif", "lock = mp.Lock()\nif");
    let (object, new) = changed("above", &above, 4, error);
    assert_eq!((object.line, new), (2, None));
}

/// `torch.multiprocessing` has all that `multiprocessing` has, under the name that the program gave it.
#[test]
fn a_context_of_torch() {
    let text = "import torch.multiprocessing as mp\nfrom concurrent.futures import ProcessPoolExecutor\n\
                if __name__ == '__main__':\n    ProcessPoolExecutor(2, start_method='spawn')\n";
    let error = "TypeError: ProcessPoolExecutor.__init__() got an unexpected keyword argument 'start_method'";
    let (_, new) = changed("context", text, 4, error);
    let new = new.unwrap();
    assert!(new.contains("mp_context=mp.get_context('spawn')"), "{new}");
    assert!(
        new.starts_with("import torch.multiprocessing as mp\nfrom "),
        "{new}"
    );
}

#[test]
fn types_under_another_name() {
    let text = "import collections, pickle\nPair = collections.namedtuple('Point', 'x y')\npickle.dumps(Pair(1, 2))\n";
    let error = "_pickle.PicklingError: Can't pickle <class '__main__.Point'>: attribute lookup Point on __main__ failed";
    let (object, new) = changed("pair", text, 3, error);
    assert_eq!((object.path.as_str(), object.line), ("Pair", 2));
    assert!(
        new.unwrap()
            .contains("Pair = collections.namedtuple('Pair', 'x y')")
    );
}

#[test]
fn lambdas_in_a_comprehension() {
    let text = |lambda: &str| {
        format!(
            "import pickle\ndef main():\n    return [{lambda} for n in range(2)]\npickle.dumps(main())\n"
        )
    };
    let error = "AttributeError: Can't pickle local object 'main.<locals>.<listcomp>.<lambda>'";
    let (object, new) = changed("late", &text("lambda x: x + n"), 4, error);
    assert_eq!(new, None);
    assert!(
        object
            .refusal
            .unwrap()
            .contains("comprehension around it changes")
    );
    let (_, new) = changed("default", &text("lambda x, n=n: x + n"), 4, error);
    let new = new.unwrap();
    assert!(
        new.contains("def _task(x, n):\n    return x + n\n"),
        "{new}"
    );
    assert!(
        new.contains("[functools.partial(_task, n=n) for n in range(2)]"),
        "{new}"
    );
}

#[test]
fn a_lambda_that_a_library_sends() {
    let text = "\
from somelib import Trainer

class Net:
    def __init__(self, act=None):
        self.act = act
        self.loss = lambda x: -x

Trainer().fit(Net())
";
    let error = "AttributeError: Can't pickle local object 'Net.__init__.<locals>.<lambda>'";
    let (object, new) = changed("library", text, 8, error);
    assert_eq!((object.path.as_str(), object.line), ("Net.loss", 6));
    assert!(new.unwrap().contains("        self.loss = _loss\n"));
    let text = text.replace(
        "self.loss = lambda x: -x",
        "self.loss = act or (lambda x: -x)",
    );
    let (_, new) = changed("operator", &text, 8, error);
    assert!(new.unwrap().contains("= act or _task\n"));
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
    let folder = Folder::new("cuda");
    folder.write("root/a.py", CUDA);
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
    let object = named(&folder.sources("root"), &failure).unwrap();
    assert_eq!(object.path, "torch.cuda.is_available()");
    assert_eq!((object.line, object.certainty), (6, Certainty::Likely));
}

/// Returns what is found for a program of tests/source with some of its text changed, in the
/// traceback too.
fn varied(name: &str, swaps: &[(&str, &str)]) -> Option<Object> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/source");
    let swapped = |path: PathBuf| {
        let mut text = fs::read_to_string(path).unwrap();
        for (from, to) in swaps {
            text = text.replace(from, to);
        }
        text
    };
    let folder = Folder::new(&format!("varied-{name}-{}", swaps.len() + swaps[0].1.len()));
    folder.write(
        &format!("{name}.py"),
        &swapped(here.join(format!("programs/{name}.py"))),
    );
    let root = Root {
        local: folder.0.clone(),
        recorded: Some("/project".to_owned()),
    };
    let sources = Sources::new(vec![root], folder.0.clone());
    named(
        &sources,
        &swapped(here.join(format!("tracebacks/{name}.txt"))),
    )
}

/// Returns why such a program is not changed.
fn why_not(name: &str, swaps: &[(&str, &str)]) -> String {
    let object = varied(name, swaps).expect("it is named");
    assert_eq!(object.change, None, "{name} {swaps:?}");
    object.refusal.unwrap()
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

/// A search reads 200 files at most, and 5 MB.
#[test]
fn limits_of_a_search() {
    let chain = |count: usize, filler: &str| {
        let folder = Folder::new(&format!("chain-{count}-{}", filler.len()));
        let text = PROGRAM.replace("import threading\n", "from link0 import threading\n");
        folder.write("root/a.py", &text);
        for n in 0..count {
            let next = n + 1;
            folder.write(
                &format!("root/link{n}.py"),
                &format!("from link{next} import threading\n{filler}"),
            );
        }
        folder.write(&format!("root/link{count}.py"), "import threading\n");
        let object = named(&folder.sources("root").patient(), &failure("a.py"));
        object.map(|o| (o.line, o.certainty))
    };
    assert_eq!(chain(8, ""), Some((7, Certainty::Certain)));
    assert_eq!(chain(220, ""), None);
    let filler = "# a long comment line of some module\n".repeat(13_000);
    assert_eq!(chain(12, &filler), None);
}

/// Each object of the tables is made and pickled by the Pythons that are installed.
#[test]
fn objects_of_the_tables() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/source/objects.py");
    let names = [
        "python3",
        "python3.8",
        "python3.10",
        "python3.12",
        "python3.13",
    ];
    let mut tried = 0;
    for name in names {
        let run = std::process::Command::new(name).arg(&script).output();
        let Ok(output) = run else {
            eprintln!("SKIPPED: {name} is not installed");
            continue;
        };
        let said = String::from_utf8_lossy(&output.stdout);
        // A name that a version manager knows, but no version of.
        if !said.contains("Python 3") {
            eprintln!("SKIPPED: {name} does not run");
            continue;
        }
        eprintln!("{said}");
        assert!(output.status.success(), "{name}: {said}");
        tried += 1;
    }
    if tried == 0 {
        eprintln!("SKIPPED: there is no Python here");
    }
}

/// Returns the failure of a pool that is sent a bound method in the last line of a program.
fn pooled(name: &str, text: &str, type_name: &str) -> Option<Object> {
    let folder = Folder::new(name);
    folder.write("root/a.py", text);
    let line = text.lines().count();
    let source = text.lines().last().unwrap().trim();
    let failure = format!(
        "Traceback (most recent call last):\n  File \"a.py\", line {line}, in <module>\n    {source}\n  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 367, in map\n    \
         return self._map_async(func, iterable, mapstar, chunksize).get()\n  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 540, in _handle_tasks\n    put(task)\n  \
         File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 206, in send\n    \
         self._send_bytes(_ForkingPickler.dumps(obj))\n\
         TypeError: cannot pickle '{type_name}' object\n"
    );
    named(&folder.sources("root"), &failure)
}

/// An attribute that begins with two underscores stands in `__dict__` by its class's name.
#[test]
fn private_attributes_go_by_their_mangled_names() {
    let program = "\
import multiprocessing as mp
import threading
class _Store:
    def __init__(self):
        self.__lock = threading.Lock()
    def get(self, x):
        return x
print(mp.Pool(2).map(_Store().get, [1]))
";
    let object = pooled("private", program, "_thread.lock").unwrap();
    let code = object.change.unwrap().code;
    assert!(code.contains("del state[\"_Store__lock\"]"), "{code}");
    assert!(code.contains("self.__lock = threading.Lock()"), "{code}");
}

/// A container that is filled elsewhere is not made again empty; one that is filled where something is
/// missed is.
#[test]
fn a_container_is_emptied_only_where_it_fills_itself() {
    let program = |body: &str| {
        format!(
            "\
import multiprocessing as mp
import threading
class Bank:
    def __init__(self):
        self.locks = {{}}
    def add(self, name):
{body}
    def get(self, x):
        return x
bank = Bank()
print(mp.Pool(2).map(bank.get, [1]))
"
        )
    };
    for (body, is_remade) in [
        ("        self.locks[name] = threading.Lock()", false),
        (
            "        if name not in self.locks:\n            self.locks[name] = threading.Lock()",
            true,
        ),
        (
            "        self.locks.setdefault(name, threading.Lock())",
            true,
        ),
        (
            "        self.locks[name] = threading.Thread(target=print)",
            true,
        ),
    ] {
        let object = pooled("bank", &program(body), "_thread.lock").expect(body);
        let change = object.change.expect(body);
        assert_eq!(change.patch.is_some(), is_remade, "{body}: {}", change.code);
        assert!(change.code.contains("self.locks = {}"), "{}", change.code);
    }
}

/// A context manager that a generator function makes has no items to list.
#[test]
fn a_context_manager_is_not_listed() {
    let program = "\
import contextlib
import multiprocessing as mp
@contextlib.contextmanager
def folder():
    yield 1
class Report:
    def __init__(self):
        self.scope = folder()
    def write(self, x):
        return x
print(mp.Pool(2).map(Report().write, [1]))
";
    let object = pooled("scope", program, "generator").unwrap();
    assert_eq!(
        object.refusal.as_deref(),
        Some("it is a context manager: enter it where it is used")
    );
    assert!(!object.change.unwrap().code.contains("list("));
}

/// What a function sets by `global` is found behind the `None` that the module has, and what goes into
/// a container under a key is found there.
#[test]
fn what_is_set_and_filled_later_is_found() {
    let head = "\
import collections
import multiprocessing as mp
import threading
class Cache:
    def __init__(self):
        self.guard = threading.Lock()
    def get(self, x):
        return x
";
    for (name, body) in [
        (
            "global",
            "CACHE = None\ndef setup():\n    global CACHE\n    CACHE = Cache()\nsetup()\nprint(mp.Pool(2).map(CACHE.get, [1]))\n",
        ),
        (
            "setdefault",
            "all = {}\nall.setdefault('a', []).append(Cache())\nprint(mp.Pool(2).map(all['a'][0].get, [1]))\n",
        ),
        (
            "defaultdict",
            "all = collections.defaultdict(list)\nkey = 'a'\nall[key].append(Cache())\nprint(mp.Pool(2).map(all['a'][0].get, [1]))\n",
        ),
    ] {
        let object = pooled(name, &format!("{head}{body}"), "_thread.lock").expect(name);
        assert_eq!((object.file.as_str(), object.line), ("a.py", 6), "{name}");
    }
}

/// A bar that tasks would count on is put around what they give.
#[test]
fn a_bar_stays_where_it_is_seen() {
    let program = "\
import concurrent.futures as cf
import multiprocessing as mp
from tqdm import tqdm
class Encoder:
    def __init__(self):
        self.bar = tqdm(total=2)
    def encode(self, x):
        return x
encoder = Encoder()
";
    let file = "_io.TextIOWrapper";
    let code = |object: Option<Object>| object.unwrap().change.unwrap().code;
    let mapped =
        format!("{program}pool = mp.Pool(2)\nprint(pool.map(encoder.encode, ['a', 'b']))\n");
    assert_eq!(
        code(pooled("bar", &mapped, file)),
        "results = list(tqdm(pool.imap(encoder.encode, items), total=len(items)))"
    );
    let folder = Folder::new("bar-submit");
    let submitted = format!(
        "{program}pool = cf.ProcessPoolExecutor(2)\nprint(pool.submit(encoder.encode, 'a').result())\n"
    );
    folder.write("root/a.py", &submitted);
    let failure = format!(
        "Traceback (most recent call last):\n  \
         File \"/usr/lib/python3.11/multiprocessing/queues.py\", line 244, in _feed\n    \
         obj = _ForkingPickler.dumps(obj)\nTypeError: cannot pickle '{file}' object\n\n\
         The above exception was the direct cause of the following exception:\n\n\
         Traceback (most recent call last):\n  File \"a.py\", line 11, in <module>\n    \
         print(pool.submit(encoder.encode, 'a').result())\n  \
         File \"/usr/lib/python3.11/concurrent/futures/_base.py\", line 401, in __get_result\n    \
         raise self._exception\nTypeError: cannot pickle '{file}' object\n"
    );
    let code = code(named(&folder.sources("root"), &failure));
    assert!(code.starts_with("futures = [pool.submit(encoder.encode, item) for item in items]\n"));
    assert!(code.ends_with("    result = future.result()"), "{code}");
}

#[test]
fn a_question_for_the_start_method_sets_none() {
    let error = "RuntimeError: context has already been set";
    let asked = START.replace(
        "    results = mp.Queue()\n    mp.",
        "    if mp.get_start_method() != 'spawn':\n        mp.",
    );
    let (object, new) = changed("asked", &asked, 5, error);
    assert_eq!(object.path, "if mp.get_start_method() != 'spawn'");
    assert!(
        new.unwrap()
            .contains("get_start_method(allow_none=True) != 'spawn'")
    );
    let (_, new) = changed("equal", &asked.replace("!=", "=="), 5, error);
    assert_eq!(new, None);
}

/// Returns a program that sends a method of an object of this class to a pool.
fn sends(class: &str, made: &str) -> String {
    format!(
        "\
import functools, logging, multiprocessing as mp, sqlite3, threading, weakref
{class}
print(mp.Pool(2).map({made}.get, [1]))
"
    )
}

/// What would be another thing in the other process, or fail there, is left to the author.
/// Asserts that no change is written for a class whose `Box('a')` a pool is sent, and why.
fn assert_left_alone(class: &str, type_name: &str, why: &str) {
    let object = pooled("same", &sends(class, "Box('a')"), type_name).expect(why);
    assert_eq!(object.refusal.as_deref(), Some(why), "{class}");
    assert!(object.change.is_none_or(|c| c.patch.is_none()), "{class}");
}

#[test]
fn what_would_not_do_the_same_is_not_made_again() {
    for (class, type_name, why) in [
        (
            "class Box:\n    def __init__(self, path):\n        try:\n            self.db = sqlite3.connect(path)\n        \
             except OSError:\n            self.db = sqlite3.connect('other')\n    def get(self, x):\n        return x",
            "sqlite3.Connection",
            "it is set in more than one way",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        path = path + '.db'\n        \
             self.db = sqlite3.connect(path)\n    def get(self, x):\n        return x",
            "sqlite3.Connection",
            "the object does not keep `path`",
        ),
        (
            "class Part:\n    def __init__(self, lock):\n        self.lock = lock\nclass Box:\n    def __init__(self, path):\n        \
             self.lock = threading.Lock()\n        self.parts = [Part(self.lock)]\n    def get(self, x):\n        return x",
            "_thread.lock",
            "`parts` has the same `lock`",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.handler = logging.FileHandler(path)\n        \
             self.log = logging.getLogger(path)\n        self.log.addHandler(self.handler)\n    def get(self, x):\n        return x",
            "_thread.RLock",
            "`self.log.addHandler(self.handler)` has it too",
        ),
        (
            "class Box(dict):\n    def __init__(self, path):\n        self.lock = threading.Lock()\n    \
             def __setitem__(self, key, value):\n        with self.lock:\n            super().__setitem__(key, value)",
            "_thread.lock",
            "`__setitem__` needs it before `__setstate__` has run",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        if path:\n            self.lock = threading.Lock()\n    \
             def get(self, x):\n        return hasattr(self, 'lock')",
            "_thread.lock",
            "the program asks whether it is there",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.data = {}\n        self.names = self.data.keys()\n    \
             def add(self, x):\n        self.data[x] = x\n    def get(self, x):\n        return sorted(self.names)[x]",
            "dict_keys",
            "`data` is filled later, and a list would not follow",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.names = {path: 1}.keys()\n    \
             def get(self, x):\n        return self.names - {x}",
            "dict_keys",
            "a list is no set, and the program uses it as one",
        ),
    ] {
        assert_left_alone(class, type_name, why);
    }
}

/// Nothing is made again where the program would see that it is another one.
#[test]
fn what_the_program_would_notice_is_left_to_its_author() {
    let with = "    def get(self, x):\n        return x";
    for (class, type_name, why) in [
        (
            "from dataclasses import dataclass, field\n@dataclass\nclass Box:\n    name: str\n    \
             lock: threading.Lock = field(default_factory=threading.Lock)\n    def get(self, other):\n        return self == other",
            "_thread.lock",
            "`==` compares `lock` too, and a new one is another: give the field `compare=False`",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.file = open(path, 'a')\n    \
             def get(self, x):\n        return self.file.closed",
            "_io.TextIOWrapper",
            "the program asks whether it is closed, and a new one is open",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.file = open(path)\n    \
             def get(self, x):\n        return self.file.readline()",
            "_io.TextIOWrapper",
            "a new one would not be where `get` leaves it",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.db = sqlite3.connect(path)\n    \
             def add(self, x):\n        self.db.execute('insert into t values (1)')\n    \
             def close(self):\n        self.db.commit()\n",
            "sqlite3.Connection",
            "a new connection sees only what is committed",
        ),
        (
            "from dataclasses import dataclass, field\n@dataclass\nclass Box:\n    path: str\n    \
             file: object = field(init=False)\n    def open(self):\n        self.file = open(self.path, 'a')\n",
            "_io.TextIOWrapper",
            "it may not be set yet",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.rows = []\n        \
             self.thread = threading.Thread(target=self.fill)\n        self.thread.start()\n    \
             def fill(self):\n        self.rows.append(1)\n    def get(self, x):\n        return self.rows",
            "_thread.lock",
            "no thread would work on `rows` there, and `get` uses it",
        ),
        (
            "import types\nclass Box:\n    def __init__(self, data):\n        self.view = types.MappingProxyType(data)\n        \
             data.update(self=self)\n        register(data)\n",
            "mappingproxy",
            "others hold the dict that it shows",
        ),
        (
            "from collections import OrderedDict\nclass Box(OrderedDict):\n    def __init__(self, size):\n        super().__init__()\n        \
             self.lock = threading.Lock()\n",
            "_thread.lock",
            "pickle makes it by `Box()`, which its `__init__` does not take",
        ),
    ] {
        let class = if class.contains("def get") {
            class.to_owned()
        } else {
            format!("{class}\n{with}")
        };
        assert_left_alone(&class, type_name, why);
    }
}

/// Returns a program whose `Box('a')` a pool is sent, after the change.
fn mended(class: &str, type_name: &str) -> String {
    let text = sends(class, "Box('a')");
    let object = pooled("mended", &text, type_name).expect(class);
    let patch = object.change.and_then(|c| c.patch);
    let patch = patch.unwrap_or_else(|| panic!("{class}\n{:?}", object.refusal));
    Edit::all(&text, &patch.edits).unwrap()
}

/// What keeps its attributes elsewhere, and what is made of what is left out.
#[test]
fn what_libraries_hold_is_made_again() {
    let get = "    def get(self, x):\n        return x";
    for (class, type_name, lines) in [
        (
            "from pydantic import BaseModel, PrivateAttr\nclass Box(BaseModel):\n    name: str\n    \
             _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)\n",
            "_thread.lock",
            [
                "private.pop(\"_lock\", None)",
                "super().__setstate__(state)\n        self._lock = threading.Lock()",
            ],
        ),
        (
            "from attrs import define, field\n@define\nclass Box:\n    name: str\n    \
             lock: threading.Lock = field(factory=threading.Lock, eq=False)\n",
            "_thread.lock",
            [
                "names = [a.name for a in self.__attrs_attrs__ if hasattr(self, a.name)]",
                "object.__setattr__(self, name, value)\n        self.lock = threading.Lock()",
            ],
        ),
        (
            "from sqlalchemy import create_engine\nfrom sqlalchemy.orm import sessionmaker\nclass Box:\n    \
             def __init__(self, url):\n        self.url = url\n        self.engine = create_engine(url)\n        \
             self.Session = sessionmaker(bind=self.engine)\n",
            "_thread.lock",
            [
                "del state[\"Session\"]",
                "self.engine = create_engine(self.url)\n        self.Session = sessionmaker(bind=self.engine)",
            ],
        ),
        (
            "import boto3\nclass Box:\n    def __init__(self, key):\n        \
             self.s3 = boto3.client('s3', aws_access_key_id='x')\n",
            "_thread.lock",
            [
                "del state[\"s3\"]",
                "self.s3 = boto3.client('s3', aws_access_key_id='x')",
            ],
        ),
        (
            "import types\nclass Box:\n    def __init__(self, name):\n        self._data = {name: 1}\n        \
             self.view = types.MappingProxyType(self._data)\n    def add(self, x):\n        self._data[x] = 1\n",
            "mappingproxy",
            [
                "del state[\"view\"]",
                "self.view = types.MappingProxyType(self._data)",
            ],
        ),
    ] {
        let new = mended(&format!("{class}{get}"), type_name);
        for line in lines {
            assert!(new.contains(line), "{new}");
        }
    }
}

/// A worker changes a copy: what the rest of the program reads is to be returned.
#[test]
fn what_a_task_changes_on_its_own_object_is_lost() {
    let class = |read: &str| {
        format!(
            "class Box:\n    def __init__(self, path):\n        self.lock = threading.Lock()\n        self.seen = []\n    \
             def get(self, x):\n        self.keep(x)\n    def keep(self, x):\n        self.seen.append(x)\n    \
             def count(self):\n        return {read}"
        )
    };
    let text = sends(&class("len(self.seen)"), "Box('a')");
    let change = pooled("lost", &text, "_thread.lock").and_then(|o| o.change);
    let change = change.expect("code to show");
    assert!(
        change
            .text
            .starts_with("`get` changes `seen` in the worker's copy only")
    );
    assert!(change.code.contains("self.lock = threading.Lock()"));
    assert_eq!(change.patch, None);
    assert!(mended(&class("1"), "_thread.lock").contains("def __getstate__"));
}

/// What is made of a connection is of no use where that is not.
#[test]
fn a_cursor_is_shown_with_its_connection() {
    let text = "import functools, multiprocessing as mp, sqlite3\ndef square(cur, x):\n    return x\n\
                conn = sqlite3.connect('n.db')\ncur = conn.cursor()\n\
                print(mp.Pool(2).map(functools.partial(square, cur), [1]))\n";
    let change = pooled("cursor", text, "sqlite3.Cursor").and_then(|o| o.change);
    let code = change.map(|c| c.code);
    let both = "conn = sqlite3.connect('n.db')\ncur = conn.cursor()";
    assert_eq!(code.as_deref(), Some(both));
}

/// What sets something on it elsewhere, or changes what it is made of, counts too.
#[test]
fn what_the_rest_of_the_program_does_is_looked_at() {
    for (class, type_name, why) in [
        (
            "class Box:\n    def __init__(self, path):\n        if path:\n            self.lock = threading.Lock()\n        else:\n            \
             self.lock = threading.Semaphore(2)\n    def get(self, x):\n        return x",
            "_thread.lock",
            "it is set in more than one way",
        ),
        (
            "import httpx\nclass Box:\n    def __init__(self, path):\n        self.client = httpx.Client()\n    \
             def log_in(self, name):\n        self.client.headers['User'] = name\n    def get(self, x):\n        return x",
            "_thread.RLock",
            "a new one would be without `self.client.headers['User'] = name`",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.conn = sqlite3.connect(path)\n        self._prepare()\n    \
             def _prepare(self):\n        self.conn.row_factory = sqlite3.Row\n    def get(self, x):\n        return x",
            "sqlite3.Connection",
            "a new one would be without `self.conn.row_factory = sqlite3.Row`",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.conn = sqlite3.connect(path)\n        self.conn.interrupt()\n    \
             def get(self, x):\n        return x",
            "sqlite3.Connection",
            "a new one would be without `self.conn.interrupt()`",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.path = path\n        self.conn = sqlite3.connect(self.path)\n        \
             self.path += '.old'\n    def get(self, x):\n        return x",
            "sqlite3.Connection",
            "`self.path` is set again while the program runs",
        ),
        (
            "class Box:\n    def __init__(self, path):\n        self.of = {'db': path}\n        self.conn = sqlite3.connect(self.of['db'])\n    \
             def move(self, path):\n        self.of['db'] = path\n    def get(self, x):\n        return x",
            "sqlite3.Connection",
            "`self.of` is set again while the program runs",
        ),
        (
            "import time\nclass Box:\n    def __init__(self, path):\n        self.conn = sqlite3.connect(f'{path}{time.time()}')\n    \
             def get(self, x):\n        return x",
            "sqlite3.Connection",
            "it would be made of another name or time there",
        ),
        (
            "import shutil\nclass Box:\n    def __init__(self, path):\n        self.path = path\n        self.lock = threading.Lock()\n    \
             def __del__(self):\n        shutil.rmtree(self.path)\n    def get(self, x):\n        return x",
            "_thread.lock",
            "each copy would do what `__del__` does: `shutil.rmtree(self.path)`",
        ),
    ] {
        assert_left_alone(class, type_name, why);
    }
}

/// What may be another value by the time the object is made again is kept as it is when it is first made.
#[test]
fn what_the_program_sets_again_is_kept() {
    for (before, made, kept) in [
        (
            "",
            "self.name = path\n        self.conn = sqlite3.connect(self.name)\n        self.name = 'of ' + path",
            "self._name = self.name",
        ),
        (
            "def rename(box):\n    box.path = 'a name'\n",
            "self.path = path\n        self.conn = sqlite3.connect(self.path)",
            "self._path = self.path",
        ),
        (
            "import os\nos.environ['DB'] = 'a'\n",
            "self.conn = sqlite3.connect(os.environ['DB'])",
            "self.db = os.environ['DB']",
        ),
        (
            "DB = 'a'\ndef configure():\n    global DB\n    DB = 'b'\n",
            "self.conn = sqlite3.connect(DB)",
            "self.db = DB",
        ),
        (
            "class Config:\n    path = 'a'\nConfig.path = 'b'\n",
            "self.conn = sqlite3.connect(Config.path)",
            "self._path = Config.path",
        ),
        (
            "CONF = {'db': 'a'}\nCONF['db'] = 'b'\n",
            "self.conn = sqlite3.connect(CONF['db'])",
            "self.db = CONF['db']",
        ),
    ] {
        let class = format!(
            "{before}class Box:\n    def __init__(self, path):\n        {made}\n    def get(self, x):\n        return x"
        );
        let object = pooled("kept", &sends(&class, "Box('a')"), "sqlite3.Connection");
        let change = object.expect(kept).change.expect(kept);
        assert!(
            change.text.contains(&format!("`{kept}` goes above")),
            "{}",
            change.text
        );
        let (name, _) = kept.split_once(" = ").unwrap();
        let again = format!("self.conn = sqlite3.connect({name})");
        assert!(change.code.contains(&again), "{}", change.code);
        assert!(change.patch.is_some(), "{class}");
    }
    // Where the program shows all attributes, a new one would be seen.
    let class = "def rename(box):\n    box.path = 'a name'\nclass Box:\n    def __init__(self, path):\n        self.path = path\n        \
                 self.conn = sqlite3.connect(self.path)\n    def get(self, x):\n        return vars(self)['path']";
    assert_left_alone(
        class,
        "sqlite3.Connection",
        "`self.path` is set again while the program runs",
    );
}

#[test]
fn what_is_made_again_fits_the_class() {
    for (class, line) in [
        (
            "class Box:\n    def __init__(self, parent=None):\n        self.parent = weakref.ref(parent) if parent else None\n    \
             def get(self, x):\n        return self.parent()",
            "self.parent_kept = self.parent",
        ),
        (
            "class Box:\n    def __init__(self):\n        self.read = self.write = threading.RLock()\n    \
             def get(self, x):\n        return x",
            "self.write = self.read",
        ),
        (
            "class Box:\n    def __init__(self):\n        self.lock = threading.Lock()\n    def __setattr__(self, name, value):\n        \
             super().__setattr__(name, value)\n    def get(self, x):\n        return x",
            "self.__dict__[\"lock\"] = threading.Lock()",
        ),
        (
            "class Box:\n    def __init__(self):\n        self.lock = threading.Lock()\n    def close(self):\n        \
             del self.lock\n    def get(self, x):\n        return x",
            "state.pop(\"lock\", None)",
        ),
        (
            "class Box:\n    def __init__(self, is_dry=False):\n        self.lock = None\n        if not is_dry:\n            \
             self.lock = threading.Lock()\n    def get(self, x):\n        return x",
            "if \"lock\" not in state:\n        self.lock = threading.Lock()",
        ),
        (
            "from pathlib import Path\nclass Box:\n    def __init__(self, path: Path = Path('a')):\n        \
             self.out = (path / 'b').open('a')\n    def get(self, x):\n        return x",
            "self.out = (self.path / 'b').open('a')",
        ),
        (
            "class Box:\n    def __init__(self):\n        self.out = logging.FileHandler('a')\n        \
             self.out.addFilter(logging.Filter('b'))\n    def get(self, x):\n        return x",
            "self.out.addFilter(logging.Filter('b'))",
        ),
    ] {
        let type_name = match line {
            line if line.contains(".open(") => "_io.TextIOWrapper",
            line if line.contains("addFilter") => "_thread.RLock",
            line if line.contains("parent") => "weakref.ReferenceType",
            line if line.contains("write") => "_thread.RLock",
            _ => "_thread.lock",
        };
        let object = pooled("fits", &sends(class, "Box()"), type_name).expect(line);
        let change = object.change.expect(line);
        assert!(change.code.contains(line), "{}", change.code);
        assert!(change.patch.is_some(), "{class}");
    }
}

/// Returns why a function or lambda that a pool is sent stays where it is; the last line sends it.
fn stays(text: &str, error: &str) -> String {
    let folder = Folder::new("stays");
    folder.write("root/a.py", text);
    let line = text.lines().count();
    let source = text.lines().last().unwrap().trim();
    let failure = format!(
        "Traceback (most recent call last):\n  File \"a.py\", line {line}, in main\n    {source}\n  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 367, in map\n    \
         return self._map_async(func, iterable, mapstar, chunksize).get()\n  \
         File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 206, in send\n    \
         self._send_bytes(_ForkingPickler.dumps(obj))\n{error}\n"
    );
    let object = named(&folder.sources("root"), &failure).unwrap();
    assert!(object.change.is_none_or(|c| c.patch.is_none()), "{text}");
    object.refusal.unwrap()
}

#[test]
fn functions_that_would_mean_another_thing_at_the_top_stay() {
    let of_lambda = "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'";
    for (body, why) in [
        (
            "    k = 1\n    task = lambda x: x * k\n    for i in range(3):\n        k += i\n",
            "it uses `k`, which may change or is made beside it",
        ),
        (
            "    task = lambda x: box.__key\n",
            "it uses `__key`, which is private to its class",
        ),
        (
            "    task = jax.jit(lambda x: x * box)\n",
            "`jax.jit` makes another function of it",
        ),
        (
            "    k = 1\n    task = lambda x: x * k\n    def faster():\n        nonlocal k\n        k = 2\n",
            "it uses `k`, which may change or is made beside it",
        ),
        (
            "    match box:\n        case {'k': k} if k > 1:\n            pass\n    k = 2\n    task = lambda x: x * k\n",
            "it uses `k`, which may change or is made beside it",
        ),
        (
            "    task = lambda x: x * __class__.factor\n",
            "it uses `__class__`, which is of its class",
        ),
        (
            "    all = []\n    for k in (1, 2):\n        all.append(lambda x: x * k)\n    task = all[0]\n",
            "it uses `k` as the loop around it leaves it in the end",
        ),
        (
            "    task = lambda x, k=box.k: x * k\n    print(task(1, 2))\n",
            "a call may give it what its default stands for",
        ),
        (
            "    task = re.Scanner([('a', lambda s, t: t)])\n",
            "a `re.Scanner` cannot be sent, with named functions either",
        ),
    ] {
        let text = format!(
            "import multiprocessing as mp\nimport jax, re\ndef main(box):\n{body}    mp.Pool(2).map(task, [1])\n"
        );
        assert_eq!(stays(&text, of_lambda), why);
    }
    let of_function = "AttributeError: Can't pickle local object 'main.<locals>.task'";
    let text = "from typing import List\nimport multiprocessing as mp\ndef main(box):\n    Row = List[int]\n    \
                def task(row: Row) -> int:\n        return row\n    mp.Pool(2).map(task, [1])\n";
    let why = "its annotations use `Row` of the function around it";
    assert_eq!(stays(text, of_function), why);
    let of_wrapper = "AttributeError: Can't pickle local object 'timed.<locals>.task'";
    let text = "import multiprocessing as mp\nhooks = []\ndef timed(func):\n    def task(x):\n        return func(x)\n    \
                hooks.append(task)\n    return func\n@timed\ndef one(x):\n    return x\ndef main():\n    mp.Pool(2).map(hooks[0], [1])\n";
    assert_eq!(stays(text, of_wrapper), "the decorator returns another one");
}

/// A worker's own global is changed, not a copy of the parent's that comes along.
#[test]
fn a_lambda_that_changes_a_global_becomes_a_function() {
    let text = "import pickle\nSTATE = {}\ndef main(cfg):\n    pickle.dumps(lambda: STATE.update(cfg))\nmain({})\n";
    let error = "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'";
    let (_, new) = changed("global", text, 4, error);
    let new = new.unwrap();
    assert!(
        new.contains("(cfg):\n    return STATE.update(cfg)\n"),
        "{new}"
    );
}

/// The width within a format is a value like any other.
#[test]
fn what_a_nested_format_uses_goes_along() {
    let text = "import multiprocessing as mp\ndef main(width):\n    \
                print(mp.Pool(2).map(lambda x: f'{x:>{width}}', [1]))\n";
    let error = "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'";
    let folder = Folder::new("nested");
    folder.write("root/a.py", text);
    let failure = format!(
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in main\n    \
         print(mp.Pool(2).map(lambda x: f'{{x:>{{width}}}}', [1]))\n  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 367, in map\n    \
         return self._map_async(func, iterable, mapstar, chunksize).get()\n  \
         File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 206, in send\n    \
         self._send_bytes(_ForkingPickler.dumps(obj))\n{error}\n"
    );
    let object = named(&folder.sources("root"), &failure).unwrap();
    let code = object.change.unwrap().code;
    assert!(code.contains("(width, x):"), "{code}");
}

/// What each process would make anew is given to the workers.
#[test]
fn a_global_that_differs_from_process_to_process_is_handed_over() {
    for value in ["mp.Lock()", "tempfile.mkdtemp()", "uuid.uuid4().hex"] {
        let folder = Folder::new("differs");
        let text = UNSET
            .replace("RATE = 3", &format!("RATE = {value}"))
            .replace("import multi", "import tempfile, uuid\nimport multi");
        folder.write("root/a.py", &text);
        let log = unset("a.py")
            .replace("line 7", "line 8")
            .replace("line 3", "line 4");
        let object = named(&folder.sources("root"), &log).expect(value);
        let change = object.change.expect(value);
        assert!(change.code.contains("initializer="), "{}", change.code);
    }
}

/// A function that is sent a view of a dict may use it as a set under its own name.
#[test]
fn a_view_that_a_task_uses_as_a_set_is_no_list() {
    for (body, is_changed) in [("sorted(names)", true), ("names - {1}", false)] {
        let text = format!(
            "import multiprocessing as mp\nPRICES = {{1: 2}}\ndef missing(names):\n    return {body}\n\
             mp.Pool(2).apply(missing, (PRICES.keys(),))\n"
        );
        let object = pooled("view", &text, "dict_keys").expect(body);
        let is_patched = object.change.is_some_and(|c| c.patch.is_some());
        assert_eq!(is_patched, is_changed, "{body}");
    }
}

/// `if "__main__":` looks like a guard and is none.
#[test]
fn a_guard_that_is_always_true_is_compared_with_the_name() {
    let program = "import multiprocessing as mp\ndef work(n):\n    return n\nif \"__main__\":\n    pool = mp.get_context('spawn').Pool(2)\n";
    let folder = Folder::new("always");
    folder.write("root/a.py", program);
    let failure = "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n  \
        File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 122, in spawn_main\n    exitcode = _main(fd, parent_sentinel)\n  \
        File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 131, in _main\n    prepare(preparation_data)\n  \
        File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 246, in prepare\n    _fixup_main_from_path(data['init_main_from_path'])\n  \
        File \"a.py\", line 5, in <module>\n    pool = mp.get_context('spawn').Pool(2)\n  \
        File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 164, in get_preparation_data\n    _check_not_importing_main()\n  \
        File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 140, in _check_not_importing_main\n    raise RuntimeError('''\n\
        RuntimeError: \n        An attempt has been made to start a new process before the\n        current process has finished its bootstrapping phase.\n";
    let object = named(&folder.sources("root"), failure).unwrap();
    let patch = object.change.unwrap().patch.unwrap();
    let new = Edit::all(program, &patch.edits).unwrap();
    assert_eq!(
        new,
        program.replace("\"__main__\"", "__name__ == \"__main__\"")
    );
}
