//! The program's own source: which object is named, and which files are read for it.

mod again;
mod arguments;
mod fetched;
mod files;
mod functions;
mod globals;
mod got;
mod guard;
mod initial;
mod late;
mod left;
mod loggers;
mod lost;
mod models;
mod nested;
mod notes;
mod of_object;
mod opened;
mod opened_same;
mod passed;
mod renamed;
mod repeated;
mod results;
mod shared;
mod start;
mod stayed;
mod unneeded;
mod unreturned;
mod waits;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::CORPUS;
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

/// Returns what is named for a traceback of a program, `a.py`.
fn named_of(program: &str, text: &str) -> Option<Object> {
    let folder = Folder::new("program");
    folder.write("root/a.py", program);
    named(&folder.sources("root"), text)
}

/// Returns the number of the first line of a program that has this in it.
fn line_of(program: &str, part: &str) -> usize {
    1 + program.lines().position(|l| l.contains(part)).expect(part)
}

/// Returns the frame of a traceback at a line of a program.
fn frame(program: &str, line: usize, function: &str) -> String {
    let source = program.lines().nth(line - 1).unwrap().trim();
    format!("  File \"a.py\", line {line}, in {function}\n    {source}\n")
}

/// Returns the frame of a traceback at the last line of a program.
fn last_frame(program: &str, function: &str) -> String {
    frame(program, program.lines().count(), function)
}

/// Returns how a report names an object: its path and what it is.
fn said(object: &Object) -> String {
    format!("{}, {}", object.path, object.type_name)
}

/// Returns what an executor tells of a result that cannot be sent back, below the frames that asked for it.
fn not_sent_back(frames: &str, message: &str) -> String {
    format!(
        "concurrent.futures.process._RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n  \
         File \"/usr/lib/python3.11/concurrent/futures/process.py\", line 217, in _sendback_result\n    \
         result_queue.put(_ResultItem(work_id, result=result,\n  \
         File \"/usr/lib/python3.11/multiprocessing/reduction.py\", line 51, in dumps\n    \
         cls(buf, protocol).dump(obj)\n{message}\n\"\"\"\n\nThe above exception was the direct cause of the following \
         exception:\n\nTraceback (most recent call last):\n{frames}{message}\n"
    )
}

/// Tells whether the change of an object is written for the reader, and not only shown.
fn is_patched(object: &Object) -> bool {
    object.change.as_ref().is_some_and(|c| c.patch.is_some())
}

/// Returns the program as it is after the change of an object.
fn patched(program: &str, object: &Object) -> Option<String> {
    let patch = object.change.as_ref()?.patch.as_ref()?;
    Some(Edit::all(program, &patch.edits).unwrap())
}

/// Returns the program as it is after the change of an object, or why it stays, where that is told.
fn rewritten(program: &str, object: Object) -> Result<String, String> {
    patched(program, &object).ok_or_else(|| object.refusal.unwrap_or_default())
}

/// Returns what is named for a traceback of a program, and the line where it is set.
fn named_in(folder: &Folder, program: &str, text: &str) -> Option<(String, u32)> {
    folder.write("root/a.py", program);
    named(&folder.sources("root"), text).map(|o| (o.path, o.line))
}

/// Asserts that a text has a part.
#[track_caller]
fn assert_has(text: &str, part: &str) {
    assert!(text.contains(part), "{text}");
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
        "distances_pairs",
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
        "rates_helper",
        "renderer_join",
        "report_initargs",
        "report_writer",
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
fn what_is_set_from_outside() {
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
    let failure = failure("a.py").replace("Box()", "main()");
    let object = named_of(text, &failure).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("Box.lock", 7));
    assert_eq!(object.certainty, Certainty::Certain);
}

/// A change takes the file's own indentation and line ends, and the result is Python.
#[test]
fn changes_of_planted_failures() {
    for unit in ["    ", "\t", "  "] {
        for newline in ["\n", "\r\n"] {
            for end in ["", "\n"] {
                let text = PROGRAM.trim_end().replace("    ", unit) + end;
                let text = text.replace('\n', newline);
                let object = named_of(&text, &failure("a.py")).unwrap();
                let new = patched(&text, &object).unwrap();
                let line = format!("{newline}{unit}{unit}del state[\"lock\"]{newline}");
                assert!(new.contains(&line), "{new:?}");
                assert_eq!(new.matches('\n').count(), new.matches(newline).count());
                // The class has its methods: nothing in it is left to be found.
                let at = new.lines().position(|l| l.starts_with("print")).unwrap() + 1;
                let again = failure("a.py").replace("line 10", &format!("line {at}"));
                assert_eq!(named_of(&new, &again), None);
            }
        }
    }
}

/// Returns what is named for a failure at a line of a file, and the file after the change.
fn changed(text: &str, line: usize, error: &str) -> (Object, Option<String>) {
    let frame = frame(text, line, "<module>");
    let failure = format!("Traceback (most recent call last):\n{frame}{error}\n");
    let object = named_of(text, &failure).unwrap();
    let new = patched(text, &object);
    (object, new)
}

/// `__dict__` has a private attribute under another name.
#[test]
fn a_getattr_that_calls_itself_asks_for_the_private_name() {
    let text = "import pickle\nclass Proxy:\n    def __init__(self, of):\n        self.__of = of\n    def __getattr__(self, name):\n        \
                return getattr(self.__of, name)\npickle.loads(pickle.dumps(Proxy(1)))\n";
    let frame = "  File \"a.py\", line 6, in __getattr__\n    return getattr(self.__of, name)\n";
    let error = format!(
        "{frame}{frame}{frame}  [Previous line repeated 981 more times]\nRecursionError: maximum recursion depth exceeded"
    );
    let (_, new) = changed(text, 7, &error);
    assert_has(&new.unwrap(), "\"_Proxy__of\" not in self.__dict__:");
}

#[test]
fn types_under_another_name() {
    let text = "import collections, pickle\nPair = collections.namedtuple('Point', 'x y')\npickle.dumps(Pair(1, 2))\n";
    let error = "_pickle.PicklingError: Can't pickle <class '__main__.Point'>: attribute lookup Point on __main__ failed";
    let (object, new) = changed(text, 3, error);
    assert_eq!((object.path.as_str(), object.line), ("Pair", 2));
    assert_has(
        &new.unwrap(),
        "Pair = collections.namedtuple('Pair', 'x y')",
    );
    // What reads the names of types goes on to read the same.
    let read = format!("{text}print(Pair.__name__)\n");
    let (_, new) = changed(&read, 3, error);
    let bound = "Pair = Point = collections.namedtuple('Point', 'x y')";
    assert_has(&new.unwrap(), bound);
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
fn pooled(text: &str, type_name: &str) -> Option<Object> {
    let frame = last_frame(text, "<module>");
    let failure = format!(
        "Traceback (most recent call last):\n{frame}  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 367, in map\n    \
         return self._map_async(func, iterable, mapstar, chunksize).get()\n  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 540, in _handle_tasks\n    put(task)\n  \
         File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 206, in send\n    \
         self._send_bytes(_ForkingPickler.dumps(obj))\n\
         TypeError: cannot pickle '{type_name}' object\n"
    );
    named_of(text, &failure)
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

/// Asserts that no change is written for a class whose `Box('a')` a pool is sent, and why; its task uses all of
/// it.
fn assert_left_alone(class: &str, type_name: &str, why: &str) {
    let class = class.replace("return x", "return x, repr(self)");
    let object = pooled(&sends(&class, "Box('a')"), type_name).expect(why);
    assert_eq!(object.refusal.as_deref(), Some(why), "{class}");
    assert!(!is_patched(&object), "{class}");
}
