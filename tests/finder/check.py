"""Runs find_unpicklable over the zoo: `python check.py`, any Python from 3.6 on.

Prints each case that is wrong, and the score; exits with 1 if there is a wrong one.
"""

import contextlib
import io
import multiprocessing.reduction
import os
import pickle
import re
import socket
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", "..", "corpus", "finder", "find_unpicklable.py")
sys.path[:0] = [HERE, os.path.dirname(PROGRAM)]
sys.dont_write_bytecode = True

import zoo
import find_unpicklable
from find_unpicklable import explain, find

MOST_SECONDS = 6  # for a case: the limit of 2 s, and a machine with other work

# The cases with one part, and with nothing but attributes, dicts, lists and tuples on the way.
NOTED = ["lock in attribute", "dict", "list of tuples", "lambda", "local function", "generator",
         "open file", "socket", "sqlite3", "module", "weakref", "shadowed function"]


class Score:
    def __init__(self):
        self.right, self.wrong = 0, 0

    def expect(self, case, got, want):
        if got == want:
            self.right += 1
        else:
            self.wrong += 1
            print("%s:\n    got  %s\n    want %s" % (case, got, want))


def paths(score):
    """Every case of the zoo fails to pickle, and all its paths are found in time."""
    for case, (obj, want) in zoo.cases().items():
        start = time.time()
        got = [path for path, reason in find(obj, name="obj")]
        seconds = time.time() - start
        if seconds > MOST_SECONDS:
            got = ["%.1f s" % seconds]
        score.expect(case, sorted(got), sorted(want))
        error = error_of(obj)
        if error is None:
            score.expect(case, "pickles", "does not pickle")
        elif case in NOTED and hasattr(error, "__notes__"):
            compare_notes(score, case, error, want[0])
    for case, obj in zoo.picklable().items():
        pickle.dumps(obj)
        score.expect(case, find(obj), [])


def error_of(obj):
    try:
        pickle.dumps(obj)
    except Exception as error:
        return error


def compare_notes(score, case, error, path):
    """Python 3.14 and later: its own notes lead along the same keys, indices and attributes."""
    steps = re.findall(r"\w+", path)[1:]
    score.expect(case + ", notes", steps_of_notes(error.__notes__), steps)


def steps_of_notes(notes):
    """Return the keys and indices in the notes of an error, from the root on."""
    item = re.compile(r"when serializing (?:dict|list|tuple) item '?(\w+)'?$")
    return [m.group(1) for m in map(item.match, reversed(notes)) if m]


def reasons(score):
    """A reason says what the part is and where it comes from."""

    class Trainer:
        def __init__(self):
            self.lock = threading.Lock()
            self.event = threading.Event()

        def __reduce__(self):
            return zoo.Box, (), self.__dict__

    def shown(function):
        path, folder = function.__code__.co_filename, os.path.join(os.getcwd(), "")
        return path[len(folder):] if path.startswith(folder) else path

    here = shown(reasons)
    line = Trainer.__init__.__code__.co_firstlineno
    trainer = Trainer()
    found = dict(find(trainer))
    score.expect("reason of a lock", found["trainer.lock"],
                 "_thread.lock object, set at %s:%d" % (here, line + 1))
    score.expect("reason of a part of a library object", found["trainer.event._cond._lock"],
                 "_thread.lock object, inside trainer.event (threading.Event), set at %s:%d"
                 % (here, line + 2))
    made = lambda: 0  # noqa: E731
    score.expect("reason of a lambda", find([made]), [
        ("list[0]", "function reasons.<locals>.<lambda>, defined at %s:%d"
         % (here, made.__code__.co_firstlineno))])
    (path, reason), = find(zoo.RaisesInGetState(), name="x")
    raises = zoo.RaisesInGetState.__getstate__
    score.expect("reason of an error in __getstate__", reason,
                 "zoo.RaisesInGetState object: AttributeError: 'RaisesInGetState' object has no "
                 "attribute 'missing' (at %s:%d)"
                 % (shown(raises), raises.__code__.co_firstlineno + 1))
    (path, reason), = find(zoo.first_shadowed, name="x")
    same = "not the same object as zoo.shadowed" in reason
    score.expect("reason of a shadowed function", same, True)
    last = find(zoo.many(1000, lambda: lambda: 0))[-1]
    score.expect("how many alike", last.reason.endswith(", and 997 more like it"), True)


def names(score):
    """The root has the name that the caller has for it."""
    dataset = zoo.Box(f=lambda: 0)
    holder = zoo.Box(data=dataset)

    def root(findings):
        return findings[0][0].rsplit(".", 1)[0]

    score.expect("variable", root(find(dataset)), "dataset")
    score.expect("attribute", root(find(holder.data)), "holder.data")
    score.expect("over several lines", root(find(
        dataset
    )), "dataset")
    score.expect("expression", root(find([holder][0].data)), "Box")
    score.expect("given", root(find(dataset, name="it")), "it")
    score.expect("two on a line", [root(find(holder.data)), root(find(zoo.Box(f=lambda: 0)))],
                 ["holder.data", "Box"])
    score.expect("as an attribute", root(find_unpicklable.find(dataset)), "dataset")
    scope = {"find": find, "data": dataset}
    exec("found = find(data)", scope)
    score.expect("no source", root(scope["found"]), "Box")


def output(score):
    """`explain` prints a line for each finding, and one where there is none."""
    def printed(obj):
        text = io.StringIO()
        found = explain(obj, file=text)
        return found, text.getvalue()

    with contextlib.closing(socket.socket()) as sock:
        found, text = printed({"s": sock})
        score.expect("explain", (len(found), text), (1, "%s: %s\n" % found[0]))
        forking = multiprocessing.reduction.ForkingPickler
        score.expect("another pickler", find({"s": sock}, pickler=forking), [])
    score.expect("nothing found", printed([1]), ([], "obj: every part can be pickled\n"))
    run = subprocess.Popen([sys.executable, PROGRAM], stdout=subprocess.PIPE)
    score.expect("run as a program", b"explain(dataset)" in run.communicate()[0], True)


def bounds(score):
    """A search ends, and says that it ended early."""
    huge = [[[i] for i in range(50)] + [lambda: 0] for _ in range(40000)]
    text = io.StringIO()
    start = time.time()
    explain(huge, file=text)
    seconds = time.time() - start
    score.expect("time of a huge object", seconds if seconds > MOST_SECONDS else 0, 0)
    score.expect("stopped", "stopped after" in text.getvalue(), True)


def data(score):
    """Arrays, tensors and images are never reduced, by the walk or by the pickler."""
    asked = []

    def reduce(obj, protocol):
        asked.append(type(obj).__name__)
        return zoo.Box, ()

    image = type("Image", (), {"__module__": "PIL.Image", "__reduce_ex__": reduce})
    objects = [image(), type("Photo", (image,), {})()]
    for package, make in (("numpy", lambda m: m.zeros(3).view(watched(m.ndarray))),
                          ("torch", lambda m: m.zeros(3).as_subclass(watched(m.Tensor)))):
        def watched(base):
            return type("Watched", (base,), {"__reduce_ex__": reduce})
        try:
            objects.append(make(__import__(package)))
        except ImportError:
            print("SKIPPED: no", package)
    score.expect("data in a list", find(objects + [objects] * 1000), [])
    score.expect("data reduced", asked, [])
    if "numpy" in sys.modules:
        numpy = sys.modules["numpy"]
        array = numpy.array([[1, None], [{"k": lambda: 0}, 2]], dtype=object)
        score.expect("array of objects", find(array, "a")[0][0], "a.flat[2]['k']")
        arrays = [array[1:, 0].copy() if i == 900 else array[:1] for i in range(1000)]
        score.expect("arrays in a long list", find(arrays, "a")[0][0], "a[900][0]['k']")
    if "torch" in sys.modules:
        tensor = sys.modules["torch"].zeros(3)
        tensor.note = lambda: 0
        score.expect("attribute of a tensor", find([tensor], "t")[0][0], "t[0].note")


def main():
    # The notes of a real error on Python 3.14, so that the reading of notes is tested everywhere.
    score = Score()
    notes = ["when serializing dict item '_lock'", "when serializing Trainer state",
             "when serializing Trainer object", "when serializing tuple item 0",
             "when serializing method reconstructor arguments", "when serializing method object"]
    score.expect("notes", steps_of_notes(notes), ["0", "_lock"])
    for check in (paths, reasons, names, output, data, bounds):
        check(score)
    print("Python %d.%d.%d:" % sys.version_info[:3],
          "%d of %d right" % (score.right, score.right + score.wrong))
    sys.exit(score.wrong > 0)


if __name__ == "__main__":
    main()
