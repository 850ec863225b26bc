//! Functions and lambdas that get a name at the top of the module.

use super::*;

#[test]
fn lambdas_in_a_comprehension() {
    let text = |lambda: &str| {
        format!(
            "import pickle\ndef main():\n    return [{lambda} for n in range(2)]\npickle.dumps(main())\n"
        )
    };
    let error = "AttributeError: Can't pickle local object 'main.<locals>.<listcomp>.<lambda>'";
    let (object, new) = changed(&text("lambda x: x + n"), 4, error);
    assert_eq!(new, None);
    assert_has(&object.refusal.unwrap(), "comprehension around it changes");
    // Python 3.14 shows the object, and has no scope for the comprehension.
    let newer = "_pickle.PicklingError: Can't pickle local object <function main.<locals>.<lambda> at 0x7f>";
    for error in [error, newer] {
        let (_, new) = changed(&text("lambda x, n=n: x + n"), 4, error);
        let new = new.unwrap();
        assert_has(&new, "def _task(x, n):\n    return x + n\n");
        assert_has(&new, "[functools.partial(_task, n=n) for n in range(2)]");
    }
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
    let (object, new) = changed(text, 8, error);
    assert_eq!((object.path.as_str(), object.line), ("Net.loss", 6));
    assert_has(&new.unwrap(), "        self.loss = _loss\n");
    let text = text.replace(
        "self.loss = lambda x: -x",
        "self.loss = act or (lambda x: -x)",
    );
    let (_, new) = changed(&text, 8, error);
    assert_has(&new.unwrap(), "= act or _task\n");
}

#[test]
fn a_lambda_of_two_names_keeps_both() {
    let text = "import pickle\nf = g = lambda x: x\npickle.dumps(f)\nprint(g(1))\n";
    let error = "_pickle.PicklingError: Can't pickle <function <lambda> at 0x7f>: attribute lookup <lambda> on __main__ failed";
    let (_, new) = changed(text, 3, error);
    assert_has(&new.unwrap(), "\nf = g = _");
}

/// The guard's imports are not run in another process, and those for a checker of types in none.
#[test]
fn what_is_imported_under_a_test_is_imported_again() {
    let text = "def main(k):\n    return [lambda x: x + k]\nif __name__ == '__main__':\n    import pickle\n    pickle.dumps(main(1))\n";
    let error = "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'";
    let checked = "import typing\nif typing.TYPE_CHECKING:\n    import functools\n";
    for text in [text.to_owned(), format!("{checked}{text}")] {
        let line = text.lines().count();
        let (_, new) = changed(&text, line, error);
        assert!(new.unwrap().starts_with("import functools\n"));
    }
}

/// A file that is opened to write is not opened again in a worker, wherever its mode stands.
#[test]
fn a_file_to_write_is_not_opened_there() {
    let error = "TypeError: cannot pickle '_io.TextIOWrapper' object";
    let text = "from pathlib import Path\nfrom multiprocessing import Pool\ndef main(k):\n    f = Path(k).open('w')\n    Pool(1).map(len, [f])\nmain('a')\n";
    let told = |opened: &str| {
        let text = text.replace("Path(k).open('w')", opened);
        let change = changed(&text, 5, error).0.change;
        change.is_some_and(|c| {
            c.text
                .starts_with("Do not send `f`: send what it is opened with")
        })
    };
    assert!(told("Path(k).open()") && told("open(max(k, 'w'), 'r')"));
    assert!(!told("Path(k).open('w')") && !told("open(max(k, 'r'), 'w')"));
}

/// What goes to the top of a script goes below what has to be first.
#[test]
fn a_script_begins_as_before() {
    let error = "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'";
    for head in [
        "\u{feff}",
        "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n",
    ] {
        let text = format!(
            "{head}def main(k):\n    return [lambda x: x + k]\nif __name__ == '__main__':\n    import pickle\n    pickle.dumps(main(1))\n"
        );
        let (_, new) = changed(&text, text.lines().count(), error);
        let new = new.unwrap();
        assert!(
            new.starts_with(&format!("{head}import functools\n\n\ndef _")),
            "{new}"
        );
    }
}

/// Returns why a function or lambda that a pool is sent stays where it is; the last line sends it.
fn stays(text: &str, error: &str) -> String {
    let frame = last_frame(text, "main");
    let failure = format!(
        "Traceback (most recent call last):\n{frame}  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 367, in map\n    \
         return self._map_async(func, iterable, mapstar, chunksize).get()\n  \
         File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 206, in send\n    \
         self._send_bytes(_ForkingPickler.dumps(obj))\n{error}\n"
    );
    let object = named_of(text, &failure).unwrap();
    assert!(!is_patched(&object), "{text}");
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
            "    rows = {}\n    task = lambda x: rows[x].append(x)\n",
            "it changes `rows`, of which each process would have a copy of its own",
        ),
        (
            "    match box:\n        case {'k': k} if k > 1:\n            pass\n    k = 2\n    task = lambda x: x * k\n",
            "it uses `k`, which may change or is made beside it",
        ),
        (
            "    rng = random.Random(1)\n    task = lambda x: rng.random()\n",
            "each task would get a copy of `rng` in the same state",
        ),
        (
            "    of = Dice()\n    task = lambda x: of.rng.random()\n",
            "each task would get a copy of `of.rng` in the same state",
        ),
        (
            "    ids = iter(box)\n    task = lambda x: next(ids)\n",
            "each task would get a copy of `ids` in the same state",
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
            "    task = lambda x, k=box.k: x * k\n    mp.Pool(2).starmap(task, [(1, 2)])\n",
            "a call may give it what its default stands for",
        ),
        (
            "    task = lambda x, k=box.k: x * k\n    mp.Pool(2).apply(task, (1, 2))\n",
            "a call may give it what its default stands for",
        ),
        (
            "    task = re.Scanner([('a', lambda s, t: t)])\n",
            "a `re.Scanner` cannot be sent, with named functions either",
        ),
    ] {
        let text = format!(
            "import multiprocessing as mp\nimport jax, random, re\nclass Dice:\n    def __init__(self):\n        \
             self.rng = random.Random(1)\ndef main(box):\n{body}    mp.Pool(2).map(task, [1])\n"
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

/// `op = None` above makes `op` a name of the function around it, on every way through it.
#[test]
fn a_name_that_is_set_in_another_way_too_is_set_to_what_moved() {
    let error = "AttributeError: Can't pickle local object 'main.<locals>.op'";
    for (head, body, line) in [
        (
            "fast",
            "    op = None\n    if fast:\n        def op(x):\n            return x\n",
            7,
        ),
        (
            "op=None",
            "    if op is None:\n        def op(x):\n            return x\n",
            6,
        ),
        (
            "k",
            "    def op(x, k):\n        return x\n    op = functools.partial(op, k=k)\n",
            6,
        ),
    ] {
        let text = format!(
            "import functools, pickle\ndef main({head}):\n{body}    pickle.dumps(op)\nmain(1)\n"
        );
        let (_, new) = changed(&text, line, error);
        let new = new.expect(body);
        assert_has(&new, "\ndef _op(x");
        assert_has(&new, "    op = _op\n");
    }
}

#[test]
fn a_function_that_keeps_something_between_its_calls_stays() {
    let error = "AttributeError: Can't pickle local object 'main.<locals>.op'";
    for (body, name) in [
        ("    def op(x, seen=[]):\n        seen.append(x)\n", "seen"),
        (
            "    def op(x):\n        return x * op.scale\n    op.scale = 2\n",
            "scale",
        ),
    ] {
        let text = format!(
            "import multiprocessing as mp\ndef main():\n{body}    mp.Pool(2).map(op, [1])\n"
        );
        let why = format!("each call makes a function with a `{name}` of its own");
        assert_eq!(stays(&text, error), why);
    }
}

/// What runs a test goes along with its `self`, a stream among it.
#[test]
fn a_test_is_not_sent_with_a_lambda() {
    let text = "import multiprocessing as mp, unittest\nclass T(unittest.TestCase):\n    def setUp(self):\n        \
                self.k = 2\n    def test(self):\n        mp.Pool(2).map(lambda x: x * self.k, [1])\n";
    let error = "AttributeError: Can't pickle local object 'T.test.<locals>.<lambda>'";
    let (_, new) = changed(text, 6, error);
    assert_eq!(new, None);
}

/// What the function around it imports it imports itself.
#[test]
fn a_local_import_goes_along() {
    let text = "import pickle\ndef main(k):\n    import math as m\n    def root(x):\n        'Roots.'\n        return m.sqrt(x) * k\n    \
                pickle.dumps(root)\nmain(1)\n";
    let error = "AttributeError: Can't pickle local object 'main.<locals>.root'";
    let (_, new) = changed(text, 7, error);
    let new = new.unwrap();
    let moved = "def _root(k, x):\n    'Roots.'\n    import math as m\n    return m.sqrt(x) * k\n";
    assert_has(&new, moved);
    let text = "import pickle\ndef main():\n    import math\n    pickle.dumps(lambda x: math.sqrt(x))\nmain()\n";
    let error = "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'";
    let (_, new) = changed(text, 4, error);
    let new = new.unwrap();
    assert_has(&new, "(x):\n    import math\n    return math.sqrt(x)\n");
    let one = text.replace(
        "    pickle.dumps(lambda x: math.sqrt(x))",
        "    def root(x): return math.sqrt(x)\n    pickle.dumps(root)",
    );
    let (object, _) = changed(
        &one,
        5,
        "AttributeError: Can't pickle local object 'main.<locals>.root'",
    );
    assert_eq!(
        object.refusal.unwrap(),
        "it is one line, and uses what is imported there"
    );
}

/// A worker's own global is changed, not a copy of the parent's that comes along.
#[test]
fn a_lambda_that_changes_a_global_becomes_a_function() {
    let text = "import pickle\nSTATE = {}\ndef main(cfg):\n    pickle.dumps(lambda: STATE.update(cfg))\nmain({})\n";
    let error = "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'";
    let (_, new) = changed(text, 4, error);
    let new = new.unwrap();
    assert_has(&new, "(cfg):\n    return STATE.update(cfg)\n");
}

/// The width within a format is a value like any other.
#[test]
fn what_a_nested_format_uses_goes_along() {
    let text = "import multiprocessing as mp\ndef main(width):\n    \
                print(mp.Pool(2).map(lambda x: f'{x:>{width}}', [1]))\n";
    let error = "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'";
    let failure = format!(
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in main\n    \
         print(mp.Pool(2).map(lambda x: f'{{x:>{{width}}}}', [1]))\n  \
         File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 367, in map\n    \
         return self._map_async(func, iterable, mapstar, chunksize).get()\n  \
         File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 206, in send\n    \
         self._send_bytes(_ForkingPickler.dumps(obj))\n{error}\n"
    );
    let object = named_of(text, &failure).unwrap();
    let code = object.change.unwrap().code;
    assert_has(&code, "(width, x):");
}

/// A function that is sent a view of a dict may use it as a set under its own name.
#[test]
fn a_view_that_a_task_uses_as_a_set_is_no_list() {
    for (body, is_changed) in [("sorted(names)", true), ("names - {1}", false)] {
        let text = format!(
            "import multiprocessing as mp\nPRICES = {{1: 2}}\ndef missing(names):\n    return {body}\n\
             mp.Pool(2).apply(missing, (PRICES.keys(),))\n"
        );
        let object = pooled(&text, "dict_keys").expect(body);
        assert_eq!(is_patched(&object), is_changed, "{body}");
    }
}

/// `if "__main__":` looks like a guard and is none.
#[test]
fn a_guard_that_is_always_true_is_compared_with_the_name() {
    let program = "import multiprocessing as mp\ndef work(n):\n    return n\nif \"__main__\":\n    pool = mp.get_context('spawn').Pool(2)\n";
    let failure = "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n  \
        File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 122, in spawn_main\n    exitcode = _main(fd, parent_sentinel)\n  \
        File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 131, in _main\n    prepare(preparation_data)\n  \
        File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 246, in prepare\n    _fixup_main_from_path(data['init_main_from_path'])\n  \
        File \"a.py\", line 5, in <module>\n    pool = mp.get_context('spawn').Pool(2)\n  \
        File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 164, in get_preparation_data\n    _check_not_importing_main()\n  \
        File \"/usr/lib/python3.11/multiprocessing/spawn.py\", line 140, in _check_not_importing_main\n    raise RuntimeError('''\n\
        RuntimeError: \n        An attempt has been made to start a new process before the\n        current process has finished its bootstrapping phase.\n";
    let object = named_of(program, failure).unwrap();
    let new = patched(program, &object).unwrap();
    assert_eq!(
        new,
        program.replace("\"__main__\"", "__name__ == \"__main__\"")
    );
}

/// A class that began a function leaves no blank line at its start.
#[test]
fn what_moves_up_leaves_no_gap() {
    let text = "import multiprocessing as mp\ndef check(row):\n    class RowError(Exception):\n        pass\n\n    \
                raise RowError(row)\nprint(mp.Pool(2).map(check, [1]))\n";
    let failure = "Traceback (most recent call last):\n  File \"a.py\", line 7, in <module>\n    \
                   print(mp.Pool(2).map(check, [1]))\n  \
                   File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 774, in get\n    raise self._value\n\
                   multiprocessing.pool.MaybeEncodingError: Error sending result: '<multiprocessing.pool.ExceptionWithTraceback \
                   object at 0x7f>'. Reason: 'AttributeError(\"Can't pickle local object 'check.<locals>.RowError'\")'\n";
    let object = named_of(text, failure).unwrap();
    let new = patched(text, &object).unwrap();
    assert_has(&new, "def check(row):\n    raise RowError(row)");
}

/// What a wrapper counts on itself would stay in the worker.
#[test]
fn a_wrapper_that_counts_its_calls() {
    let text = "from multiprocessing import Pool\ndef counted(func):\n    def wrapper(n):\n        wrapper.calls += 1\n        \
                return func(n)\n    wrapper.calls = 0\n    return wrapper\n@counted\ndef square(n):\n    return n * n\n\
                if __name__ == '__main__':\n    Pool(2).map(square, [1])\n    print(square.calls)\n";
    let error = "AttributeError: Can't pickle local object 'counted.<locals>.wrapper'";
    let (object, new) = changed(text, 12, error);
    let why = "what `wrapper` changes in `calls` would stay in the worker";
    assert_eq!((object.refusal.as_deref(), new), (Some(why), None));
    let plain = text
        .replace("        wrapper.calls += 1\n", "")
        .replace("    wrapper.calls = 0\n", "");
    let (_, new) = changed(&plain, 10, error);
    assert!(new.is_some());
}

/// Returns a program whose `main` sends `task` to a pool, as it is changed.
fn moved(before: &str, body: &str) -> Option<String> {
    let text = format!(
        "import multiprocessing as mp, threading\n{before}def main(k=1):\n{body}    mp.Pool(2).map(task, [1])\nmain()\n"
    );
    let at = text.lines().count() - 1;
    let kind = if body.contains("lambda") {
        "<lambda>"
    } else {
        "task"
    };
    let error = format!("AttributeError: Can't pickle local object 'main.<locals>.{kind}'");
    let (_, new) = changed(&text, at, &error);
    new
}

/// What a function calls beside it goes to the top with it.
#[test]
fn helpers_go_along() {
    let scale = "    def scale(n):\n        return n * k\n";
    let task = "    def task(n):\n        return scale(n)\n";
    let new = moved("", &format!("{scale}{task}")).unwrap();
    for line in [
        "def _scale(k, n):\n    return n * k\n",
        "def _task(scale, n):\n    return scale(n)\n",
        "    scale = functools.partial(_scale, k)\n    task = functools.partial(_task, scale)\n",
    ] {
        assert_has(&new, line);
    }
    let plain = "    def scale(n):\n        return n\n";
    let new = moved("", &format!("{plain}{task}")).unwrap();
    assert_has(&new, "\ndef scale(n):\n    return n\n\n\ndef task(n):");
    // What it is called would be taken by the lambda's own function.
    let named = scale.replace("scale", "task_2").replace("task_2", "job");
    let new = moved("", &format!("{named}    task = lambda n: job(n) + 1\n")).unwrap();
    assert_has(&new, "task = functools.partial(_task, job)");
    for helper in [
        "    seen = []\n    def scale(n):\n        seen.append(n)\n",
        "    def scale(n):\n        return n\n    scale = abs\n",
        "    def scale(n):\n        nonlocal k\n        k += n\n",
        "    lock = threading.Lock()\n    def scale(n):\n        with lock:\n            return n\n",
    ] {
        assert_eq!(moved("", &format!("{helper}{task}")), None, "{helper}");
    }
    let after = format!("{task}{scale}");
    assert_eq!(moved("", &after), None);
}

/// At the top its own name leads to itself, if it needs nothing else.
#[test]
fn what_calls_itself_keeps_its_name() {
    let task = "    def task(n):\n        return n and task(n - 1)\n";
    let new = moved("", task).unwrap();
    assert_has(&new, "\ndef task(n):\n    return n and task(n - 1)\n");
    assert_eq!(moved("", &task.replace("n - 1", "n - k")), None);
    assert_eq!(moved("task = abs\n", task), None);
}

/// A text of several lines keeps them, but for a docstring.
#[test]
fn texts_of_several_lines_stay_as_they_are() {
    let task = "    def task(n):\n        \"\"\"Says.\n\n        More.\n        \"\"\"\n        return '''a\n        b'''\n";
    let new = moved("", task).unwrap();
    let docstring = "    \"\"\"Says.\n\n    More.\n    \"\"\"\n";
    assert_has(&new, docstring);
    assert_has(&new, "    return '''a\n        b'''\n");
}

/// A decorator that completes a class does so anywhere.
#[test]
fn a_local_dataclass_takes_its_decorator_along() {
    let of = |decorator: &str, field: &str| {
        let text = format!(
            "from dataclasses import dataclass\nimport multiprocessing as mp\ndef main(k=1):\n    {decorator}\n    \
             class Point:\n        x: int = {field}\n    mp.Pool(2).map(print, [Point()])\nmain()\n"
        );
        let error = "AttributeError: Can't pickle local object 'main.<locals>.Point'";
        changed(&text, 7, error).1
    };
    for decorator in ["@dataclass", "@dataclass(frozen=True)"] {
        let new = of(decorator, "1").unwrap();
        let top = format!("\n{decorator}\nclass Point:\n    x: int = 1\n");
        assert_has(&new, &top);
    }
    assert_eq!(of("@dataclass", "k"), None);
    assert_eq!(of("@register", "1"), None);
    assert_eq!(of("@dataclass(eq=k)", "1"), None);
}

/// Instead of an object that cannot be sent, a function gets what it reads of it.
#[test]
fn what_is_read_of_an_object_goes_in_its_place() {
    let of = |more: &str, task: &str| {
        let text = format!(
            "import multiprocessing as mp, threading\nclass Box:\n    def __init__(self, rate):\n        \
             self.rate, self.rows = rate, []\n        self.lock = threading.Lock()\n    \
             def scaled(self, n):\n        return n\n{more}    def run(self):\n        \
             mp.Pool(2).map({task}, [1])\nBox(2).run()\n"
        );
        let at = text.lines().count() - 1;
        let error = "AttributeError: Can't pickle local object 'Box.run.<locals>.<lambda>'";
        changed(&text, at, error).1
    };
    let new = of("", "lambda n: n * self.rate").unwrap();
    assert_has(&new, "(rate, n):\n    return n * rate\n");
    assert!(
        new.contains("functools.partial(_rate, self.rate)") || new.contains(", self.rate)"),
        "{new}"
    );
    for (more, task) in [
        ("", "lambda n: self.scaled(n)"),
        ("", "lambda n: self.rate * self.lock"),
        ("", "lambda n, rate=1: self.rate * rate"),
        ("", "lambda n: (self, self.rate)"),
        ("", "lambda n: self.rows.append(n)"),
        (
            "    def grow(self):\n        self.rate += 1\n",
            "lambda n: n * self.rate",
        ),
    ] {
        assert_eq!(of(more, task), None, "{task}");
    }
}

/// A module that the change would import has another meaning in the program.
#[test]
fn a_name_that_is_taken_is_not_imported() {
    let text = "from multiprocessing import Pool\nfunctools = None\ndef main(f=3):\n    Pool(1).map(lambda x: x * f, [1])\nmain()\n";
    let error = "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'";
    let (object, new) = changed(text, 4, error);
    let why = "the program has another `functools`";
    assert_eq!((object.refusal.as_deref(), new), (Some(why), None));
    let (_, new) = changed(&text.replace("functools =", "other ="), 4, error);
    assert!(new.unwrap().starts_with("import functools\n"));
}

/// A logger comes to a new process without what the function around has set.
#[test]
fn a_logger_is_not_bound_where_processes_are_new() {
    let uses = "    logging.basicConfig()\n    log = logging.getLogger()\n    def task(n):\n        log.info(n)\n";
    let of = |before: &str, body: &str| moved(&format!("import logging\n{before}"), body);
    let spawn = "mp.set_start_method('spawn')\n";
    assert!(of("", uses).is_some());
    assert_eq!(of(spawn, uses), None);
    // The new process does it, too.
    let top = format!("{spawn}logging.basicConfig()\n");
    let uses = uses.replace("    logging.basicConfig()\n", "");
    assert!(of(&top, &uses).is_some());
}

/// What `functools.partial` makes has no name, and a text of its own.
#[test]
fn what_is_asked_of_a_function_is_kept() {
    let task = "    def task(n):\n        return n * k\n";
    assert!(moved("", task).is_some());
    for asked in [
        "task.__name__",
        "task.__doc__",
        "task.__code__",
        "[task][0].__name__",
        "getattr(task, '__name__')",
        "inspect.getdoc(task)",
    ] {
        assert_eq!(moved("", &format!("{task}    print({asked})\n")), None);
    }
    for other in ["__doc__", "type(1).__name__"] {
        let other = format!("def other():\n    print({other})\n");
        assert!(moved(&other, task).is_some());
    }
}

/// What main sets again is another thing in a new process, which does not run main.
#[test]
fn what_uses_a_global_that_main_sets_again_stays() {
    let error = "AttributeError: Can't pickle local object 'run.<locals>.<lambda>'";
    let why = "it uses `RATE`, which a new process has as the module's top sets it";
    let guard = "if __name__ == '__main__':\n    RATE = 3\n    run(mp.get_context('spawn'))\n";
    let global =
        "def main():\n    global RATE\n    RATE = 3\n    run(mp.get_context('spawn'))\nmain()\n";
    for (rate, main, is_moved) in [
        ("2", guard.to_owned(), false),
        ("2", global.to_owned(), false),
        ("2", guard.replace("spawn", "fork"), true),
        ("2", guard.replace("    RATE = 3\n", ""), true),
        // What is missing there is told next.
        ("None", guard.to_owned(), true),
    ] {
        let text = format!(
            "import multiprocessing as mp\nRATE = {rate}\ndef run(ctx):\n    \
             return ctx.Pool(2).map(lambda x: x * RATE, [1])\n{main}"
        );
        let (object, new) = changed(&text, 4, error);
        assert_eq!(new.is_some(), is_moved, "{text}");
        let why = (!is_moved).then_some(why);
        assert_eq!(object.refusal.as_deref(), why, "{text}");
        assert_eq!(object.why_by_hand(), why);
    }
}
