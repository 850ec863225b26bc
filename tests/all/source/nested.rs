//! What workers change in a manager's, and what they count.

use pickfix::object::Edit;

use super::stayed::{missed, program};

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
    assert_eq!(
        (object.path.as_str(), object.type_name.as_str()),
        ("Walker.steps", "filled in Walker.run()")
    );
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
    let named = (object.path.as_str(), object.type_name.as_str());
    assert_eq!(named, ("found", "set in work()"));
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
    let named = (object.path.as_str(), object.type_name.as_str());
    assert_eq!(named, ("jobs.found", "set in Jobs.add()"));
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
        let code = object.change.map(|c| c.code);
        Some((format!("{}, {}", object.path, object.type_name), code))
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
        let patch = object.change.and_then(|c| c.patch)?;
        Edit::all(&text, &patch.edits)
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
    assert!(new.contains(each), "{new}");
    let new = changed("set()", "add(line)", maps, "print(list(found)[0])").unwrap();
    assert!(
        new.contains("        found.update(pool.map(work, 'ab'))\n"),
        "{new}"
    );
    for adds in ["update(map(len, line))", "update(a=line)", "subtract(line)"] {
        assert_eq!(changed("Counter()", adds, maps, read), None, "{adds}");
    }
}
