#!/usr/bin/env python3
"""Plant a failure in the classes of installed modules: tests/installed.rs looks for it.

    python3 tests/source/plant.py plant FOLDER SECONDS    # prints what was written, a line for each
    python3 tests/source/plant.py check FOLDER            # compiles each *.new.py there

A class at the top of a module gets a lock as an attribute, in the form that its `__init__` has, and
the last line of the module pickles one. Nothing of the modules is run. The modules come in an order
of chance that is always the same.
"""

import ast
import os
import random
import sys
import sysconfig
import time

# The most classes of one module.
MAX_CLASSES = 2


def modules():
    """Return every file of installed modules, and of the standard library."""
    found = set()
    for key in ("purelib", "platlib", "stdlib"):
        for above, folders, files in os.walk(sysconfig.get_paths()[key]):
            folders[:] = [f for f in folders if f != "__pycache__"]
            found.update(os.path.join(above, f) for f in files if f.endswith(".py"))
    found = sorted(found)
    random.Random(42).shuffle(found)
    return found


def classes(tree):
    """Return the classes at the top with the first statement of an `__init__` that can have one more."""
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        for item in node.body:
            if isinstance(item, ast.FunctionDef) and item.name == "__init__" and item.args.args:
                first = item.body[0]
                if first.lineno > item.lineno:
                    yield node.name, item.args.args[0].arg, first


def planted(text, name, own, first):
    """Return the module with the lock, and with a line at its end that pickles such an object."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(newline)
    at = first.lineno - 1
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines.insert(at, "%s%s.planted_lock = threading.Lock()" % (indent, own))
    last = "pickle.dumps(%s())" % name
    lines += ["import pickle", "import threading", last, ""]
    new = newline.join(lines)
    ast.parse(new)
    return new, len(lines) - 1, last


def plant(folder, seconds):
    end = time.monotonic() + seconds
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    for n, path in enumerate(modules()):
        if time.monotonic() > end:
            break
        print("module", path, sep="\t")
        try:
            with open(path, encoding="utf-8", newline="") as file:
                text = file.read()
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
            continue
        for c, (name, own, first) in enumerate(classes(tree)):
            if c == MAX_CLASSES:
                break
            try:
                new, line, last = planted(text, name, own, first)
            except (SyntaxError, RecursionError, MemoryError):
                continue
            target = "m%d_%d.py" % (n, c)
            with open(os.path.join(folder, target), "w", encoding="utf-8", newline="") as file:
                file.write(new)
            print("planted", target, line, last, sep="\t", flush=True)


def check(folder):
    status = 0
    for name in sorted(n for n in os.listdir(folder) if n.endswith(".new.py")):
        with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
            try:
                ast.parse(file.read())
            except SyntaxError as error:
                print("%s:%s: %s" % (name, error.lineno, error.msg))
                status = 1
    return status


if __name__ == "__main__":
    if sys.argv[1] == "plant":
        plant(sys.argv[2], float(sys.argv[3]))
    else:
        sys.exit(check(sys.argv[2]))
