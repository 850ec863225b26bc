//! Functions and types that are looked up by another name than their variable's.

use super::*;

/// A function of the module that gives a type its name is given another one.
#[test]
fn a_type_that_a_function_makes() {
    let text = "import pickle\ndef make(name, fields):\n    return type(name, (), {'fields': fields})\nRow = make('PersonRow', 'x')\n\
                pickle.dumps(Row())\n";
    let error = "_pickle.PicklingError: Can't pickle <class '__main__.PersonRow'>: attribute lookup PersonRow on __main__ failed";
    let (object, new) = changed(text, 5, error);
    assert_eq!((object.path.as_str(), object.line), ("Row", 4));
    assert_has(&new.unwrap(), "Row = make('Row', 'x')\n");
    let other = text.replace("type(name", "type('Row'");
    let (_, new) = changed(&other.replace("'Row'", "'PersonRow'"), 5, error);
    // The call gives it no name: it is told the one under which it is kept.
    let told = "Row = make('PersonRow', 'x')\nRow.__qualname__ = \"Row\"\n";
    assert_has(&new.unwrap(), told);
}

/// A pool quotes the message, which from Python 3.14 on ends in the name.
#[test]
fn a_type_that_a_result_is_of() {
    let text = "from collections import namedtuple\nimport multiprocessing as mp\ndef measure(n):\n    \
                Result = namedtuple('Result', 'n')\n    return Result(n)\nif __name__ == '__main__':\n    \
                mp.Pool(2).map(measure, [1])\n";
    let error = "multiprocessing.pool.MaybeEncodingError: Error sending result: '[Result(n=1)]'. Reason: \
                 'PicklingError(\"Can't pickle <class '__mp_main__.Result'>: it's not found as __mp_main__.Result\")'";
    let (object, new) = changed(text, 7, error);
    assert_eq!((object.path.as_str(), object.line), ("Result", 4));
    assert_has(&new.unwrap(), "\nResult = namedtuple('Result', 'n')\n");
}

/// An enum that a call makes in a class is named, and stays there.
#[test]
fn a_type_that_is_made_in_a_class() {
    let text = "import enum, pickle\nclass Box:\n    Light = enum.Enum('Colour', 'RED GREEN')\npickle.dumps(Box.Light.RED)\n";
    let error = "_pickle.PicklingError: Can't pickle <enum 'Colour'>: attribute lookup Colour on __main__ failed";
    let (object, new) = changed(text, 4, error);
    assert_eq!(
        (object.type_name.as_str(), object.line, new),
        ("an enum made in the class Box", 3, None)
    );
}

/// A wrapper under another name that counts its calls is not bound to the name that it goes by.
#[test]
fn a_wrapper_of_another_name_that_counts() {
    let text = "import functools\nimport multiprocessing as mp\ndef timed(func):\n    @functools.wraps(func)\n    def wrapper(n):\n        \
                wrapper.calls += 1\n        return func(n)\n    wrapper.calls = 0\n    return wrapper\ndef double(n):\n    return 2 * n\n\
                fast = timed(double)\nif __name__ == '__main__':\n    mp.Pool(2).map(fast, [1])\n    print(fast.calls)\n";
    let error = "_pickle.PicklingError: Can't pickle <function double at 0x7f>: it's not the same object as __main__.double";
    let (object, new) = changed(text, 14, error);
    let why = "what `wrapper` changes in `calls` would stay in the worker";
    assert_eq!((object.refusal.as_deref(), new), (Some(why), None));
    let plain = text.replace("        wrapper.calls += 1\n", "");
    assert!(changed(&plain, 13, error).1.is_some());
}

/// What a class that decorates a function counts would stay in the worker.
#[test]
fn a_class_that_counts_calls() {
    let text = "import multiprocessing as mp\nclass Counted:\n    def __init__(self, func):\n        self.func = func\n        \
                self.calls = 0\n    def __call__(self, n):\n        self.calls += 1\n        return self.func(n)\n@Counted\n\
                def square(n):\n    return n * n\nif __name__ == '__main__':\n    mp.Pool(2).map(square, [1])\n    \
                print(square.calls)\n";
    let error = "_pickle.PicklingError: Can't pickle <function square at 0x7f>: it's not the same object as __main__.square";
    let (object, new) = changed(text, 13, error);
    let why = "what `__call__` changes in `calls` would stay in the worker";
    assert_eq!((object.refusal.as_deref(), new), (Some(why), None));
    // A cache that only calls use is no loss.
    let cache = text.replace("print(square.calls)", "pass");
    assert!(changed(&cache, 13, error).1.is_some());
}

/// A type that a function makes for the top of a module is told by which name it is kept there.
#[test]
fn a_type_of_a_factory_is_told_its_name() {
    let of = |body: &str, main: &str, error: &str| {
        let text = format!(
            "import multiprocessing as mp\nfrom enum import Enum\ndef made(fields):\n    {body}\n{main}\n\
             def work(n):\n    return Point(n)\nif __name__ == '__main__':\n    print(mp.Pool(2).map(work, [1]))\n"
        );
        let frame = last_frame(&text, "<module>");
        let failure = format!(
            "Traceback (most recent call last):\n{frame}  \
             File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 367, in map\n    \
             return self._map_async(func, iterable, mapstar, chunksize).get()\n\
             multiprocessing.pool.MaybeEncodingError: Error sending result: '[<made>]'. Reason: '{error}'\n"
        );
        patched(&text, &named_of(&text, &failure)?)
    };
    let class = "class Point:\n        __slots__ = fields\n        def __init__(self, n):\n            \
                 self.n = n\n    return Point";
    let local = "AttributeError(\"Can't pickle local object 'made.<locals>.Point'\")";
    let two = "Point = made(('n',))\nOther = made(('m',))";
    let new = of(class, two, local).unwrap();
    let told = "Point = made(('n',))\nPoint.__qualname__ = \"Point\"\nOther = made(('m',))\n\
                Other.__qualname__ = \"Other\"\n";
    assert_has(&new, told);
    // It gives an object of it, or is called under the guard or in a function.
    let object = class.replace("return Point", "return Point(1)");
    assert_eq!(of(&object, two, local), None);
    let guarded = "if __name__ == '__main__':\n    Point = made(('n',))";
    assert_eq!(of(class, guarded, local), None);
    let within = "def get():\n    Point = made(('n',))";
    assert_eq!(of(class, within, local), None);
    let lookup = "PicklingError(\"Can't pickle <enum 'Kind'>: attribute lookup Kind on a failed\")";
    let new = of("return Enum('Kind', fields)", "Point = made('AB')", lookup).unwrap();
    assert_has(&new, "Point.__qualname__ = \"Point\"\n");
}

/// A type whose name is known only when it is made: the one call that makes such types.
#[test]
fn a_type_whose_name_is_not_written() {
    let text = "import dataclasses, pickle\ndef model(table):\n    return dataclasses.make_dataclass(table.title(), ['n'])\n\
                MODELS = {t: model(t) for t in ('users', 'orders')}\npickle.dumps(MODELS['orders'](1))\n";
    let error = "_pickle.PicklingError: Can't pickle <class '__main__.Orders'>: attribute lookup Orders on __main__ failed";
    let (object, new) = changed(text, 5, error);
    let made = "a dataclass made in model()";
    assert_eq!(
        (object.type_name.as_str(), object.line, new),
        (made, 3, None)
    );
    let folder = Folder::new("unwritten");
    for (from, to) in [
        // There are two such calls, or another thing of that name.
        ("MODELS =", "Row = type(MODELS, (), {})\nMODELS ="),
        ("MODELS =", "class Orders: pass\ndel Orders; MODELS ="),
        ("table.title()", "'Users'"),
        ("MODELS =", "exec('class Orders: pass')\nMODELS ="),
        (
            "dataclasses.make_dataclass(table.title(), ['n'])",
            "type(table)",
        ),
    ] {
        let text = text.replace(from, to);
        folder.write("root/a.py", &text);
        let line = text.lines().count();
        let source = text.lines().last().unwrap();
        let failure = format!(
            "Traceback (most recent call last):\n  File \"a.py\", line {line}, in <module>\n    {source}\n{error}\n"
        );
        let found = named(&folder.sources("root"), &failure);
        assert!(found.is_none(), "{to}");
    }
}
