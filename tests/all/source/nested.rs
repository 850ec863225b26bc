//! What workers change in a manager's, and what they count.

use super::stayed::{missed, program};
use super::*;

/// What is taken out of a manager's dict or list is a copy.
#[test]
fn what_lies_in_a_manager_s_is_a_copy() {
    const APPENDS: &str = "def work(k, found):\n    found[k].append(k)";
    const START: &str = "Process(target=work, args=('a', found)).start()";
    const EMPTY: &str = "ValueError: max() arg is an empty sequence";
    let of = |work: &str, main: &str, read: &str, error: &str| {
        let text = program(work, &format!("manager = Manager()\n{main}\n{START}"));
        let object = missed(&text.replace("print(found[0])", read), error)?;
        let code = object.change?.code;
        Some(format!("{}, {}: {code}", object.path, object.type_name))
    };
    let dict = "found = manager.dict()\nfound['a'] = []";
    let read = "print(max(found['a']))";
    assert_eq!(
        of(APPENDS, dict, read, EMPTY).as_deref(),
        Some("found['a'], changed in work(): manager.list()  # was: []")
    );
    let sets = "def work(k, found):\n    found[0]['n'] = k";
    let list = "found = manager.list([{'id': i} for i in range(3)])";
    for read in [
        "print(sum(row['n'] for row in found))",
        "print(found[0]['n'])",
    ] {
        let of = of(sets, list, read, "KeyError: 'n'").expect(read);
        let code = ", changed in work(): manager.dict({'id': i})  # was: {'id': i}";
        assert!(of.ends_with(code), "{of}");
    }
    let back = format!("{APPENDS}\n    found[k] = [k]");
    let parent = format!("{dict}\nfound['a'].append(2)").replace("'a', found", "'a', []");
    let held = dict.replace("[]", "manager.list()");
    let own = dict.replace("manager.dict()", "{}");
    for (work, main) in [
        (&*back, dict),
        ("def work(k, found):\n    pass", &*parent),
        (APPENDS, &held),
        (APPENDS, &own),
    ] {
        assert_eq!(of(work, main, read, EMPTY), None, "{work} {main}");
    }
}

/// A task that takes its one argument apart is given it under another name, and a key that is written out is the
/// one that is missing.
#[test]
fn what_a_task_takes_apart_is_followed() {
    let of = |work: &str, sent: &str| {
        let text = program(
            &format!("def work(job):\n    {work}"),
            &format!(
                "found = Manager().dict({{'a': {{}}}})\nk = 'a'\nwith Pool() as pool:\n    pool.map(work, {sent})"
            ),
        );
        let read = "print(found[k]['n'] + found[k]['n'])";
        let object = missed(&text.replace("print(found[0])", read), "KeyError: 'n'")?;
        Some((object.path, object.line))
    };
    let (work, sent) = (
        "into, name = job\n    into[name]['n'] = 2",
        "[(found, 'a')]",
    );
    let named = Some(("found[k]".to_owned(), 7));
    assert_eq!(of(work, sent), named);
    assert_eq!(of(work, "[(found, k) for k in 'ab']"), named);
    for (work, sent) in [
        // Not all that it is given has a name.
        ("into = job[0]\n    into['a']['n'] = 2", sent),
        ("into, *rest = job\n    into['a']['n'] = 2", sent),
        // It fills what else it is given.
        (&*work.replace("into[name]", "{'a': name}[0]"), sent),
        (work, "[('a', found)]"),
    ] {
        assert_eq!(of(work, sent), None, "{work} {sent}");
    }
}

/// A list of a class that processes fill is the class's in each of them.
#[test]
fn what_processes_append_to_their_class_is_named() {
    let walker = "class Walker(Process):\n    steps = []\n    def run(self):\n        Walker.steps.append(1)";
    let of = |class: &str| {
        let text = program(class, "Walker().start()");
        missed(
            &text.replace("print(found[0])", "print(max(Walker.steps))"),
            "ValueError: max() arg is an empty sequence",
        )
    };
    let object = of(walker).unwrap();
    assert_eq!(said(&object), "Walker.steps, filled in Walker.run()");
    assert_eq!(object.change.unwrap().patch, None);
    assert_eq!(of(&walker.replace("append(1)", "clear()")), None);
    let reset = format!("{walker}\n    def begin(self):\n        self.steps = [2]");
    assert_eq!(of(&reset), None);
}

/// A count that tasks alone add to is 0 where the parent divides by it.
#[test]
fn what_tasks_count_up_is_named() {
    let of = |work: &str, main: &str| {
        let work = format!("found = 0\ndef work(n):\n    {work}");
        let text = program(
            &work,
            &format!("with Pool() as pool:\n    pool.map(work, [1])\n{main}"),
        );
        let text = text.replace("print(found[0])", "print(9 / found)");
        missed(&text, "ZeroDivisionError: division by zero")
    };
    let counts = "global found\n    found += n";
    let object = of(counts, "pass").unwrap();
    assert_eq!(said(&object), "found, set in work()");
    assert_eq!(of("return n", "pass"), None);
    assert_eq!(of(counts, "work(2)"), None);
    assert_eq!(of(&format!("{counts}\nfound += 1"), "pass"), None);
}

/// The same of an attribute.
#[test]
fn what_tasks_count_on_their_object_is_named() {
    let of = |more: &str, main: &str| {
        let work = format!(
            "class Jobs:\n    def __init__(self):\n        self.found = 0\n    def add(self, n):\n        \
             self.found += n\n{more}def work(jobs, n):\n    jobs.add(n)"
        );
        let main =
            format!("jobs = Jobs()\np = Process(target=work, args=(jobs, 1))\np.start()\n{main}");
        let text = program(&work, &main).replace("print(found[0])", "print(9 / jobs.found)");
        missed(&text, "ZeroDivisionError: division by zero")
    };
    let object = of("", "p.join()").unwrap();
    assert_eq!(said(&object), "jobs.found, set in Jobs.add()");
    assert_eq!(of("", "jobs.add(2)"), None);
    assert_eq!(of("", "jobs.found += 2"), None);
    assert_eq!(
        of("    def clear(self):\n        self.found = 0\n", "p.join()"),
        None
    );
}

/// The same of an attribute of a class, divided by with another, and of a dataset that a loader's workers read.
#[test]
fn what_a_class_and_a_dataset_count_is_named() {
    let of = |work: &str, main: &str, read: &str| {
        let text = program(work, main).replace("print(found[0])", &format!("print({read})"));
        let object = missed(&text, "ZeroDivisionError: division by zero")?;
        Some((said(&object), object.change.map(|c| c.code)))
    };
    let class = "class Count:\n    found = 0\ndef work(n):\n    Count.found += n";
    let main = "with Pool() as pool:\n    pool.map(work, [1])";
    let named = Some(("Count.found, set in work()".to_owned(), None));
    assert_eq!(of(class, main, "9 / (Count.found + 0)"), named);
    let reset = format!("{main}\nCount.found = 2");
    assert_eq!(of(class, &reset, "9 / Count.found"), None);
    assert_eq!(
        of(
            &class.replace("found = 0", "found = 1"),
            main,
            "9 / Count.found"
        ),
        None
    );
    let set = "from torch.utils.data import DataLoader, Dataset\nclass Rows(Dataset):\n    def __init__(self):\n        \
               self.found = 0\n    def __getitem__(self, n):\n        self.found += n\n        return n";
    let loops = |workers: &str| {
        format!("rows = Rows()\nfor row in DataLoader(rows{workers}):\n    row.cpu()")
    };
    let (path, code) = of(set, &loops(", num_workers=2"), "9 / rows.found").unwrap();
    assert_eq!(path, "rows.found, set in Rows.__getitem__()");
    assert!(
        code.unwrap()
            .starts_with("return sample, found  # in `__getitem__`")
    );
    for workers in ["", ", num_workers=0"] {
        assert_eq!(of(set, &loops(workers), "9 / rows.found"), None);
    }
}

/// What a task adds to a counter, a list or a set in one go, the parent adds for each of them.
#[test]
fn what_tasks_count_is_brought_back() {
    let changed = |made: &str, adds: &str, sent: &str, read: &str| {
        let work = format!(
            "from collections import Counter\nfound = {made}\ndef work(line):\n    found.{adds}"
        );
        let main = format!("with Pool() as pool:\n    {sent}");
        let text = program(&work, &main).replace("print(found[0])", read);
        let object = missed(&text, "IndexError: list index out of range")?;
        patched(&text, &object)
    };
    let (maps, read) = ("pool.map(work, 'ab')", "print(found.most_common(1)[0])");
    let new = changed("Counter()", "update(line.split())", maps, read).unwrap();
    let each = "        for part in pool.map(work, 'ab'):\n            found.update(part)\n";
    assert!(
        new.contains("    return line.split()\n") && new.contains(each),
        "{new}"
    );
    let rounds = "for line in 'ab':\n        pool.apply_async(work, (line,))";
    let new = changed("[]", "extend([line])", rounds, "print(found[0])").unwrap();
    let each = "        for task in tasks:\n            found.extend(task.get())\n";
    assert_has(&new, each);
    let new = changed("set()", "add(line)", maps, "print(list(found)[0])").unwrap();
    assert_has(&new, "        found.update(pool.map(work, 'ab'))\n");
    for adds in ["update(map(len, line))", "update(a=line)", "subtract(line)"] {
        assert_eq!(changed("Counter()", adds, maps, read), None, "{adds}");
    }
}

/// A count that is asserted is as it began in the parent, whatever `__init__` begins with.
#[test]
fn what_tasks_count_is_asserted() {
    let of = |begin: &str, main: &str, claim: &str| {
        let work = format!(
            "class Jobs:\n    def __init__(self, found=0):\n        self.found = {begin}\n    def add(self, n):\n        \
             self.found += n"
        );
        let main =
            format!("jobs = Jobs()\nwith Pool() as pool:\n    pool.map(jobs.add, [1])\n{main}");
        let text = program(&work, &main).replace("print(found[0])", claim);
        missed(&text, "AssertionError").map(|o| format!("{}, {}", o.path, o.type_name))
    };
    let claim = "assert jobs.found == 1, print(jobs.found)";
    let named = Some("jobs.found, set in Jobs.add()".to_owned());
    assert_eq!(of("found", "pass", claim), named);
    assert_eq!(of("0", "pass", claim), named);
    assert_eq!(of("found", "jobs.add(1)", claim), None);
    assert_eq!(of("found", "jobs.found = 2", claim), None);
    assert_eq!(of("found", "pass", "assert print(2) == 1"), None);
    // The worker's object is another one.
    let makes = "pool.map(make, [1])\ndef make(n):\n    Jobs().add(n)";
    assert_eq!(of("found", makes, claim), None);
}

/// An item of a dict that is 0, and an array of zeros.
#[test]
fn what_tasks_count_in_an_item_is_named() {
    let of = |made: &str, work: &str, read: &str, error: &str| {
        let work = format!("import numpy as np\nfound = {made}\ndef work(n):\n    {work}");
        let text = program(&work, "with Pool() as pool:\n    pool.map(work, [1])");
        let object = missed(&text.replace("print(found[0])", read), error)?;
        Some((object.path, object.type_name))
    };
    let named = Some(("found".to_owned(), "filled in work()".to_owned()));
    let (dict, adds, zero) = (
        "{'n': 0}",
        "found['n'] += n",
        "ZeroDivisionError: division by zero",
    );
    assert_eq!(of(dict, adds, "print(9 / found['n'])", zero), named);
    assert_eq!(of("{'n': 1}", adds, "print(9 / found['n'])", zero), None);
    assert_eq!(of(dict, adds, "print(found['n'] / 9)", zero), None);
    assert_eq!(
        of(
            dict,
            adds,
            "assert found['n'] == 1, print(9)",
            "AssertionError"
        ),
        named
    );
    let (zeros, sets) = ("np.zeros(9)", "found[n] = 1");
    for read in ["found.sum() > 0", "np.any(found)"] {
        let read = format!("assert {read}, print(9)");
        assert_eq!(of(zeros, sets, &read, "AssertionError"), named);
        assert_eq!(of("np.ones(9)", sets, &read, "AssertionError"), None);
    }
}

/// A key that a task sets in what it is given, and that the parent misses.
#[test]
fn a_key_that_a_task_sets_is_named() {
    let of = |work: &str, main: &str| {
        let main = format!("rows = [{{'a': 1}}]\nwith Pool() as pool:\n    {main}");
        let text = program(work, &main).replace("print(found[0])", "print(rows[0]['b'])");
        missed(&text, "KeyError: 'b'")
    };
    let work = "def work(row):\n    row['b'] = row['a']";
    let object = of(work, "pool.map(work, rows)").unwrap();
    assert_eq!(said(&object), "rows[0]['b'], set in work()");
    let code = object.change.unwrap().code;
    assert_eq!(
        code,
        "return row  # at the end of `work`\n\nfound = pool.map(work, rows)"
    );
    for (work, main) in [
        (&*format!("{work}\n    return row"), "pool.map(work, rows)"),
        (work, "pool.map(work, rows); work(rows[0])"),
        (work, "pool.map(print, rows)"),
        (work, "pool.map(work, rows); rows[0]['b'] = 2"),
        (work, "pool.map(work, rows); rows.append({'b': 2})"),
    ] {
        assert!(of(work, main).is_none(), "{work}\n{main}");
    }
}

/// What a worker fills may be an object that it makes itself: the parent's is another one.
#[test]
fn what_a_worker_makes_itself_is_another_object() {
    let of = |task: &str, make: &str| {
        let work = format!(
            "class Jobs:\n    def __init__(self):\n        self.rows = []\n    def add(self, n):\n        \
             self.rows.append(n)\n{make}"
        );
        let main = format!("jobs = Jobs()\nwith Pool() as pool:\n    pool.map({task}, [1])");
        let text = program(&work, &main).replace("print(found[0])", "print(jobs.rows[0])");
        missed(&text, "IndexError: list index out of range").map(|o| o.path)
    };
    assert_eq!(of("jobs.add", "").as_deref(), Some("jobs.rows"));
    let make = "def make(n):\n    jobs = Jobs()\n    jobs.add(n)";
    assert_eq!(of("make", make), None);
}
