//! Globals that a `Process` is given as arguments.

use super::*;

const PROGRAM: &str = "\
import multiprocessing as mp
def work(n):
    q.put(n)
if __name__ == '__main__':
    mp.set_start_method('spawn')
    q = mp.Queue()
    p = mp.Process(target=work, args=(1,))
    p.start()
    print(q.get())
";

/// Returns the program as it becomes, or why it stays.
fn passed(program: &str) -> Result<String, String> {
    let failure = "Process SpawnProcess-1:\nTraceback (most recent call last):\n  \
        File \"/usr/lib/python3.11/multiprocessing/process.py\", line 314, in _bootstrap\n    self.run()\n  \
        File \"/usr/lib/python3.11/multiprocessing/process.py\", line 108, in run\n    \
        self._target(*self._args, **self._kwargs)\n  \
        File \"a.py\", line 3, in work\n    q.put(n)\nNameError: name 'q' is not defined\n";
    let object = named_of(program, failure).unwrap();
    rewritten(program, object)
}

#[test]
fn a_process_is_given_the_globals_of_its_function() {
    let new = PROGRAM.replace("work(n)", "work(n, q)");
    assert_eq!(passed(PROGRAM), Ok(new.replace("(1,)", "(1, q)")));
    for (old, new) in [
        ("work, args=(1,)", "work, args=(1, q)"),
        ("work, args=[1]", "work, args=[1, q]"),
        (
            "work, args=(\n        1,\n    )",
            "work, args=(\n        1, q,\n    )",
        ),
    ] {
        let program = PROGRAM.replace("work, args=(1,)", old);
        assert!(passed(&program).unwrap().contains(new), "{old}");
    }
    let bare = PROGRAM
        .replace("work(n)", "work()")
        .replace(", args=(1,)", "");
    let new = passed(&bare).unwrap();
    assert!(
        new.contains("def work(q):") && new.contains("(target=work, args=(q,))"),
        "{new}"
    );
    // A text may have the function's name.
    let told = PROGRAM.replace(
        "    p.start()",
        "    p.start()  # work\n    print(f'work {p}')",
    );
    assert!(passed(&told).unwrap().contains("def work(n, q):"));
    // What it misses next goes along.
    let more = PROGRAM
        .replace("q.put(n)\n", "q.put(n)\n    lock.acquire()\n")
        .replace("    p =", "    lock = mp.Lock()\n    p =");
    let new = passed(&more).unwrap();
    assert!(
        new.contains("def work(n, q, lock):") && new.contains("args=(1, q, lock))"),
        "{new}"
    );
}

#[test]
fn a_function_that_is_more_than_a_process_keeps_its_parameters() {
    for (old, new, why) in [
        (
            "    p.start()\n",
            "    p.start()\n    work(2)\n",
            "`work` is used for more than processes",
        ),
        (
            "if __name__",
            "def more():\n    q.put(2)\nif __name__",
            "it is used in other functions than the process's own",
        ),
        (
            "work(n)",
            "work(n, m=1)",
            "`work` cannot be given more parameters as it is",
        ),
        (
            "work(n)",
            "work(*n)",
            "`work` cannot be given more parameters as it is",
        ),
        (
            "print(q.get())",
            "print(1)",
            "the script does not wait for the process",
        ),
        (
            "print(q.get())",
            "print(', '.join(['a']), {}.get('b'))",
            "the script does not wait for the process",
        ),
        (
            "args=(1,)",
            "args=ARGS",
            "its arguments are given in another way",
        ),
        (
            "args=(1,)",
            "args=(1,), kwargs={}",
            "its arguments are given in another way",
        ),
    ] {
        let program = PROGRAM.replace(old, new);
        assert_eq!(passed(&program), Err(why.to_owned()), "{new}");
    }
}

/// What goes by the global's name where the process is made is something else.
#[test]
fn another_thing_of_the_name_is_not_passed() {
    let makes = "p = mp.Process(target=work, args=(1,))";
    let of = |head: &str, call: &str| {
        let program = PROGRAM.replace(makes, call);
        passed(&program.replace("if __name__", &format!("{head}if __name__")))
    };
    assert!(
        of(
            &format!("def run():\n    {makes}\n    return p\n"),
            "p = run()"
        )
        .is_ok()
    );
    for head in [
        format!("def run(q):\n    {makes}\n    return p\n"),
        format!(
            "def run(q):\n    def one():\n        {makes}\n        return p\n    return one()\n"
        ),
    ] {
        assert!(of(&head, "p = run('a')").is_err(), "{head}");
    }
    for call in [
        "p, = [mp.Process(target=work, args=(1,)) for q in 'a']",
        "p, = {n: mp.Process(target=work, args=(1,)) for n, q in ['ab']}.values()",
    ] {
        assert!(of("", call).is_err(), "{call}");
    }
}

#[test]
fn a_copy_that_the_process_would_change_is_not_passed() {
    for change in ["q.count = n", "q.count += n", "q.sizes['n'] = n"] {
        let program = PROGRAM
            .replace("mp.Queue()", "load()")
            .replace("import mp", "def load():\n    return Config()\nimport mp")
            .replace("    q.put(n)\n", &format!("    q.put(n)\n    {change}\n"));
        let why = "each worker would change a `q` of its own";
        assert_eq!(passed(&program), Err(why.to_owned()), "{change}");
    }
}
