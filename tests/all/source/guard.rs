//! What stands under the main guard, and what has to.

use super::*;

/// Returns a script as it is changed, for the failure of a child that runs it as far as this line.
fn run_again(text: &str, line: &str, error: &str) -> (Option<String>, Option<String>) {
    let at = text.lines().position(|l| l.starts_with(line)).unwrap();
    let failure = format!(
        "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n  \
         File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 246, in prepare\n    \
         _fixup_main_from_path(data['init_main_from_path'])\n  \
         File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 297, in _fixup_main_from_path\n    \
         main_content = runpy.run_path(main_path,\n{}{error}",
        frame(text, at + 1, "<module>")
    );
    let object = named_of(text, &failure).unwrap();
    let new = patched(text, &object);
    (new, object.refusal)
}

const SET: &str = "  File \"/usr/lib/python3.11/multiprocessing/context.py\", line 247, in set_start_method\n    \
                   raise RuntimeError('context has already been set')\nRuntimeError: context has already been set\n";
const STARTED: &str = "  File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 140, in _check_not_importing_main\n    \
                       raise RuntimeError('''\nRuntimeError: \n        An attempt has been made to start a new process before the\n        \
                       current process has finished its bootstrapping phase.\n";

/// A start method that is set outside of the guard goes to its beginning.
#[test]
fn the_start_method_goes_under_the_guard() {
    let of = |between: &str, guarded: &str| {
        let text = format!(
            "import multiprocessing as mp\n\nmp.set_start_method('spawn')\n\n{between}def work(n):\n    return n\n\n\n\
             if __name__ == '__main__':{guarded}"
        );
        run_again(&text, "mp.set", SET)
    };
    let new = of("", "\n    mp.Pool(2).map(work, [1])\n").0.unwrap();
    assert_eq!(
        new,
        "import multiprocessing as mp\n\ndef work(n):\n    return n\n\n\nif __name__ == '__main__':\n    \
         mp.set_start_method('spawn')\n    mp.Pool(2).map(work, [1])\n"
    );
    let new = of("N = mp.cpu_count()\n", " main()\n").0.unwrap();
    assert!(
        new.ends_with(":\n    mp.set_start_method('spawn')\n    main()\n"),
        "{new}"
    );
    // A lock sets it as well.
    let (new, why) = of("lock = mp.Lock()\n", "\n    main()\n");
    assert_eq!(new, None);
    let set = "something else outside of the guard sets it too";
    assert_eq!(why.as_deref(), Some(set));
}

/// A module that a child imports for its task is not the script: a guard of its own would never be true.
#[test]
fn a_module_of_the_task_gets_no_guard() {
    let text = "import multiprocessing\n\nmanager = multiprocessing.Manager()\n\ndef work(n):\n    return n\n";
    for (function, load) in [
        ("_main", "self = reduction.pickle.load(from_parent)"),
        ("main", "process_obj = pickle.load(from_parent)"),
    ] {
        let failure = format!(
            "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n  \
             File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 132, in {function}\n    {load}\n  \
             File \"a.py\", line 3, in <module>\n    manager = multiprocessing.Manager()\n{STARTED}"
        );
        let object = named_of(text, &failure).unwrap();
        assert_eq!((object.line, object.change), (3, None));
        let why = "it is in a module that is imported";
        assert_eq!(object.refusal.as_deref(), Some(why));
    }
}

/// What is printed is printed once, and a text of several lines stays as it is.
#[test]
fn what_goes_under_a_new_guard() {
    let text = "import multiprocessing as mp\nprint('start')\ndef work(n):\n    return n\n\
                pool = mp.Pool(2)\nprint('''a\nb''')\n";
    let new = run_again(text, "pool", STARTED).0.unwrap();
    assert!(
        new.ends_with(
            "\n\nif __name__ == \"__main__\":\n    print('start')\n    pool = mp.Pool(2)\n    print('''a\nb''')\n"
        ),
        "{new}"
    );
    // What a function needs stays, and the print above it.
    let needed = text.replace("print('start')", "print('start')\nK = len('a')");
    let needed = needed.replace("return n", "return n + K");
    let new = run_again(&needed, "pool", STARTED).0.unwrap();
    assert_has(&new, "print('start')\nK = len('a')\n");
    let counted = text.replace(
        "def work",
        "calls = 0\ndef count():\n    global calls\n    calls += 1\ndef work",
    );
    let new = run_again(&counted, "pool", STARTED).0.unwrap();
    assert_has(&new, "\ncalls = 0\n");
}

/// What another process needs to run its task stays above the guard, and the print above it.
#[test]
fn what_a_new_guard_must_not_hold() {
    for needed in [
        "k, m = len('a'), 2",
        "try:\n    import math as k\nexcept ImportError:\n    import cmath as k",
        "if mp:\n    def task(n):\n        return n",
        "sys.path.append('lib')\nimport k",
    ] {
        let text = format!(
            "import multiprocessing as mp, sys\nprint('start')\n{needed}\ndef work(n):\n    return k\npool = mp.Pool(2)\n"
        );
        let new = run_again(&text, "pool", STARTED).0.unwrap();
        let above = format!("print('start')\n{needed}\n");
        assert_has(&new, &above);
    }
    for (set, why) in [
        (
            "k = 2; pool = mp.Pool(k)",
            "what stays and what has to go under the guard are on one line",
        ),
        (
            "k = mp.Value('i', 0)\npool = mp.Pool(2)",
            "functions use `k`, which would be missing in the other process",
        ),
    ] {
        let text =
            format!("import multiprocessing as mp\ndef work(n):\n    return k\n{set}\nprint(1)\n");
        let found = run_again(&text, "k = ", STARTED);
        assert_eq!(found, (None, Some(why.to_owned())));
    }
    let text = "import multiprocessing as mp\npool = mp.Pool(2); pool.close()\n";
    let new = run_again(text, "pool", STARTED).0.unwrap();
    assert!(
        new.ends_with(":\n    pool = mp.Pool(2); pool.close()\n"),
        "{new}"
    );
}

/// What a worker lacks because the guard imports or defines it goes above the guard.
#[test]
fn imports_and_definitions_go_above_the_guard() {
    let of = |guarded: &str| {
        let guarded = guarded.replace('\n', "\n    ");
        let text = format!(
            "import multiprocessing as mp\ndef work(n):\n    return tool(n)\n\n\nif __name__ == '__main__':\n    {guarded}\n    \
             print(mp.get_context('spawn').Pool(2).map(work, [1]))\n"
        );
        let folder = Folder::new("above");
        folder.write("root/a.py", &text);
        folder.write(
            "root/starts.py",
            "import multiprocessing\nmultiprocessing.Pool(2)\n",
        );
        let error = "NameError: name 'tool' is not defined";
        let failure = format!(
            "multiprocessing.pool.RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n  \
             File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 125, in worker\n    \
             result = (True, func(*args, **kwds))\n  \
             File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 48, in mapstar\n    \
             return list(map(*args))\n  File \"a.py\", line 3, in work\n    return tool(n)\n{error}\n\"\"\"\n\n\
             The above exception was the direct cause of the following exception:\n\n\
             Traceback (most recent call last):\n{}{error}\n",
            last_frame(&text, "<module>")
        );
        let object = named(&folder.sources("root"), &failure).unwrap();
        (patched(&text, &object), object.refusal)
    };
    for (guarded, above) in [
        ("import tool", "import tool\n"),
        (
            "mp.freeze_support()\nfrom shed import tool",
            "from shed import tool\n",
        ),
        (
            "import os\nimport shed as tool, sys",
            "import shed as tool, sys\n",
        ),
        ("def tool(n):\n    return n", "def tool(n):\n    return n\n"),
    ] {
        let new = of(guarded).0.expect(guarded);
        let above = format!("\n\n{above}\n\nif __name__");
        assert_has(&new, &above);
    }
    for (guarded, why) in [
        (
            "sys.path.insert(0, 'lib')\nimport tool",
            "what the guard does before may be what the import needs",
        ),
        (
            "from starts import tool",
            "the module that it imports starts processes",
        ),
        (
            "if n:\n    import tool",
            "its line cannot be moved as it is",
        ),
        (
            "k = 1\ndef tool(n):\n    return k",
            "it uses `k`, which is made under the guard",
        ),
    ] {
        assert_eq!(of(guarded), (None, Some(why.to_owned())), "{guarded}");
    }
}

/// A worker that imports the script lacks it wherever the pool is made under the guard.
#[test]
fn a_function_below_the_pool_under_the_guard() {
    let text = "import multiprocessing as mp\n\n\nif __name__ == '__main__':\n    pool = mp.Pool(2)\n\n    \
                def triple(n):\n        return 3 * n\n\n    print(pool.map(triple, [1]))\n";
    let log = "\
Process ForkServerPoolWorker-1:
Traceback (most recent call last):
  File \"/usr/lib/python3.14/multiprocessing/pool.py\", line 114, in worker
    task = get()
  File \"/usr/lib/python3.14/multiprocessing/queues.py\", line 387, in get
    return _ForkingPickler.loads(res)
AttributeError: module '__main__' has no attribute 'triple'
";
    let object = named_of(text, log).unwrap();
    assert_eq!(object.type_name, "a function under the main guard");
    let new = patched(text, &object).unwrap();
    assert_has(
        &new,
        "\n\ndef triple(n):\n    return 3 * n\n\n\nif __name__",
    );
}

/// What fills a table that functions use does not go under the guard, out of the workers' sight.
#[test]
fn what_fills_a_global_is_not_put_under_the_guard() {
    let found = |fill: &str, start: &str| {
        let text = format!(
            "import multiprocessing as mp\n{start}\ntable = {{}}\n{fill}\ndef get(x):\n    return table.get(x)\npool = mp.Pool(1)\n"
        );
        let frame = last_frame(&text, "<module>");
        let failure = format!(
            "Traceback (most recent call last):\n{frame}  \
             File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 164, in get_preparation_data\n    \
             _check_not_importing_main()\nRuntimeError: \n        An attempt has been made to start a new process before the\n        \
             current process has finished its bootstrapping phase.\n"
        );
        let object = named_of(&text, &failure).unwrap();
        is_patched(&object)
    };
    let early = "mp.set_start_method('spawn')";
    assert!(found("n = 1", early));
    assert!(found("table[1] = 2", "early = 1"));
    assert!(!found("table[1] = 2", early));
    assert!(!found("for i in range(3): table.update({i: i})", early));
}

/// A pool above the guard that is there is made in it; what else is above is moved by its author.
#[test]
fn what_is_above_a_guard_belongs_in_it() {
    let text = "import multiprocessing as mp\ndef work(n):\n    return n\npool = mp.Pool(2)\n\
                if __name__ == '__main__':\n    print(pool.map(work, [1]))\n";
    let (new, _) = run_again(text, "pool", STARTED);
    let end = "    return n\nif __name__ == '__main__':\n    pool = mp.Pool(2)\n    print(pool.map(work, [1]))\n";
    assert!(new.unwrap().ends_with(end));
    let above = "what the script does above its main guard belongs in it";
    let method = "    mp.set_start_method('spawn')\n    print(";
    for other in [
        text.replace("\nif", "\nprint(pool.map(work, [2]))\nif"),
        text.replace("\nif", "\nother = mp.Pool(2)\nif"),
        text.replace("    print(", method),
    ] {
        let (new, why) = run_again(&other, "pool", STARTED);
        assert_eq!((new, why.as_deref()), (None, Some(above)), "{other}");
    }
}
