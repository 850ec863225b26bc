//! What the tasks do without of their own object.

use super::shared::{failed, from_main};
use super::{assert_has, is_patched};

/// Returns a class with a file that only the parent writes; `job` is the body of what a pool is sent, `more` comes
/// below it.
fn report(job: &str, more: &str) -> String {
    format!(
        "class Box:\n    def __init__(self, path):\n        self.rate = 2\n        self.out = open(path, 'w')\n    \
         def get(self, x):\n        {job}\n    def save(self, rows):\n        self.out.write(str(rows))\n{more}"
    )
}

/// Returns the lines that are written into a class, and why there are none.
fn written(class: &str) -> (String, Option<String>) {
    let object = failed(&from_main(class, "box = Box('a')"), "_io.TextIOWrapper");
    let change = object.change.filter(|c| c.patch.is_some());
    (change.map(|c| c.code).unwrap_or_default(), object.refusal)
}

/// What cannot be made again is left out where no task looks at it.
#[test]
fn what_no_task_uses_is_left_out() {
    for (job, more) in [
        ("return x * self.rate", ""),
        (
            "return self.scaled(x)",
            "    def scaled(self, x):\n        return x * self.rate",
        ),
        ("return f'{self.rate}{self.__class__.__name__}'", ""),
        (
            "return self.double * x",
            "    @property\n    def double(self):\n        return self.rate * 2",
        ),
        ("return x", "    def __enter__(self):\n        return self"),
        // A thread of the parent's.
        (
            "return x",
            "    def start(self):\n        threading.Thread(target=self.save, daemon=True).start()",
        ),
    ] {
        let (code, refusal) = written(&report(job, more));
        assert!(code.contains("del state[\"out\"]"), "{job}: {refusal:?}");
        assert!(code.contains("self.out = None"), "{job}");
    }
}

/// Where a task may come to it, its author decides.
#[test]
fn what_a_task_may_use_stays() {
    let log = "    def log(self, x):\n        self.out.write(x)\n";
    for (job, more) in [
        ("return self.out", ""),
        ("return self.log(x)", log),
        ("return getattr(self, 'log')(x)", log),
        ("return self", ""),
        ("return vars(self)", ""),
        ("return self.log_too(x)", &format!("{log}    log_too = log")),
        (
            "return self.calls[0](x)",
            &format!("{log}    def fill(self):\n        self.calls = [self.log]"),
        ),
        (
            "return self.stream",
            "    @property\n    def stream(self):\n        return self.out\n    @stream.setter\n    def stream(self, x):\n        pass",
        ),
        (
            "return self.part.own.out",
            "    def fill(self):\n        self.part = Part(self)",
        ),
        (
            "return x",
            "    def __del__(self):\n        self.out.close()",
        ),
        (
            "return self.other",
            "    def __getattr__(self, name):\n        return self.out",
        ),
        (
            "return x",
            &format!("{log}    def start(self):\n        mp.Pool(1).map(self.log, [1])"),
        ),
    ] {
        let (code, refusal) = written(&report(job, more));
        assert_eq!(code, "", "{job} {more}");
        assert!(refusal.is_some(), "{job} {more}");
    }
    let class = report("return x", "");
    let decorated = class.replace("    def get", "    @logged\n    def get");
    assert_eq!(written(&decorated).0, "");
    let derived = class.replace("class Box:", "class Box(Base):");
    assert_eq!(written(&derived).0, "");
    let asked = report("return x.out.name", "");
    let among = from_main(&asked, "all = [Box('a')]\nbox = Box('b')");
    let object = failed(&among.replace("[1]", "all"), "_io.TextIOWrapper");
    assert!(!is_patched(&object));
    let kept = from_main(&class, "box = Box('a')\nother = Other()\nother.box = box");
    let object = failed(&kept, "_io.TextIOWrapper");
    assert!(!is_patched(&object));
}

/// What another attribute is made of goes with it: where a task uses that one, it uses this one too.
#[test]
fn what_a_used_attribute_is_made_of_stays() {
    let of = |job: &str| {
        let class =
            report(job, "").replace("'w')", "'w')\n        self.rows = csv.writer(self.out)");
        written(&format!("import csv\n{class}")).0
    };
    let code = of("return x");
    assert_has(&code, "self.rows = None");
    assert_eq!(of("self.rows.writerow(x)"), "");
    // What travels with what it has read does without.
    let read =
        report("return self.rows", "").replace("'w')", "'w')\n        self.rows = list(self.out)");
    assert!(written(&read).0.contains("self.out = None"));
}

/// What leads to it from the object that is sent is left out, if no task uses that.
#[test]
fn an_object_that_holds_it_is_left_out() {
    let of = |job: &str, made: &str| {
        let class = format!(
            "import csv\nclass Sheet:\n    def __init__(self, path):\n        self.file = open(path, 'w')\n    \
             def add(self, x):\n        self.file.write(x)\n\
             class Box:\n    def __init__(self, path):\n        self.sheet = {made}\n    \
             def get(self, x):\n        {job}"
        );
        written(&class).0
    };
    for made in ["Sheet(path)", "[Sheet(path)]"] {
        let code = of("return x", made);
        assert_has(&code, "del state[\"sheet\"]");
    }
    assert_eq!(of("return self.sheet.add(x)", "Sheet(path)"), "");
    assert_eq!(of("return self.sheet", "Sheet(path)"), "");
}

/// A path opens a file wherever it comes from.
#[test]
fn files_that_paths_open() {
    for path in [
        "Path(path)",
        "Path(path).with_suffix('.log')",
        "Path(path).resolve().with_name('a')",
        "(Path(path).parent / 'a')",
        "argparse.ArgumentParser().parse_args().out",
    ] {
        let class = report("return x", "").replace("open(path, 'w')", &format!("{path}.open('w')"));
        let class = format!("import argparse\nfrom pathlib import Path\n{class}");
        let (code, refusal) = written(&class);
        assert!(code.contains("del state[\"out\"]"), "{path}: {refusal:?}");
    }
}

/// No manager is started for what no task waits for.
#[test]
fn an_event_that_no_task_uses_is_left_out() {
    let class = "class Box:\n    def __init__(self, path):\n        self.stop = threading.Event()\n    \
                 def get(self, x):\n        return x\n    def beat(self):\n        self.stop.wait(1)";
    for (class, is_left) in [
        (class.to_owned(), true),
        (class.replace("return x", "return self.beat()"), false),
    ] {
        let object = failed(&from_main(&class, "box = Box('a')"), "_thread.lock");
        let code = object.change.map(|c| c.code).unwrap_or_default();
        assert_eq!(code.contains("self.stop = None"), is_left, "{code}");
    }
}
