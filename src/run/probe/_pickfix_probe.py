"""What `pickfix run --probe` loads into a program's Pythons. It must not be noticed.

Runs at the start of each Python process, so it is small and imports nothing that a bare Python has
not loaded. Where an object that goes to another process cannot be pickled, `_pickfix_path` finds out
which part of it is at fault, and writes that into a file below the probe's folder. Python 3.14 tells
it by itself. With `--stall`, each process writes its stacks there when it gets SIGURG, which nobody
sends but pickfix, and which is ignored where there is no handler.

What it does goes wrong in silence: the program's own error is what counts.
"""

import os
import sys

FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
MAX_SEARCHES = 20
MAX_SECONDS = 6.0

# Functions of libraries that pickle what goes to another process, as (class, name, line that pickles,
# code). The code is the function's own, with a look at the error; the pickling statement has its own
# line and column, so that no traceback tells the difference.
DUMP = """\
def make(tell):
 def dump(obj, file, protocol=None):
  try:
    ForkingPickler(file, protocol).dump(obj)
  except Exception as error:
    tell(error, obj, ForkingPickler)
    raise
 return dump
"""
DUMPS = """\
def make(tell):
 def dumps(cls, obj, protocol=None):
  buf = io.BytesIO()
  try:
        cls(buf, protocol).dump(obj)
  except Exception as error:
        tell(error, obj, cls)
        raise
  return buf.getbuffer()
 return dumps
"""
LOKY_DUMP = """\
def make(tell):
 def dump(obj, file, reducers=None, protocol=None):
  try:
    _LokyPickler(file, reducers=reducers, protocol=protocol).dump(obj)
  except Exception as error:
    tell(error, obj, _LokyPickler)
    raise
 return dump
"""
FUNCTIONS = {
    "multiprocessing.reduction": (
        (None, "dump", ("ForkingPickler", "dump"), DUMP),
        ("ForkingPickler", "dumps", ("io", "BytesIO", "dump", "getbuffer"), DUMPS),
    ),
    "joblib.externals.loky.backend.reduction": ((None, "dump", ("_LokyPickler", "dump"), LOKY_DUMP),),
    "loky.backend.reduction": ((None, "dump", ("_LokyPickler", "dump"), LOKY_DUMP),),
}

here = None
searches, spent = 0, 0.0
one_at_a_time = None


def install(folder):
    """Begin, in the process that this is."""
    global here, one_at_a_time
    here = folder
    os.close(os.open(os.path.join(here, "loaded"), FLAGS, 0o600))
    if sys.version_info < (3, 14):
        import _thread

        one_at_a_time = _thread.allocate_lock()
        sys.meta_path.insert(0, AfterImport)
    if os.path.isdir(os.path.join(here, "stacks")) and hasattr(os, "register_at_fork"):
        take_stacks()
        os.register_at_fork(after_in_child=take_stacks)


class AfterImport(object):
    """A finder that finds nothing itself, but sees to a module right after it was imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in FUNCTIONS:
            return None
        for finder in sys.meta_path:
            find = None if finder is AfterImport else getattr(finder, "find_spec", None)
            spec = find and find(name, path, target)
            if spec is not None:
                break
        else:
            return None
        try:
            loader, execute = spec.loader, spec.loader.exec_module

            def exec_module(module):
                execute(module)
                if module.__name__ == name:
                    loader.__dict__.pop("exec_module", None)
                    look_after(module)

            loader.exec_module = exec_module
        except Exception:
            pass
        return spec


def look_after(module):
    """Put our functions in the place of a module's own, if these are as they are known to be."""
    for owner, name, names, code in FUNCTIONS[module.__name__]:
        try:
            holder = getattr(module, owner) if owner else module
            own = vars(holder)[name]
            function = getattr(own, "__func__", own)
            if function.__code__.co_names == names:
                made = remake(function, code, module)
                setattr(holder, name, classmethod(made) if owner else made)
        except Exception:
            pass


def remake(function, code, module):
    """Return our form of a function, which is in the same file and pickles in the same line."""
    import functools

    lines = sorted(lines_of(function.__code__))
    # The line that pickles is the last but for one that returns.
    pickles = lines[-2] if "return buf" in code else lines[-1]
    above = [".dump(obj)" in line for line in code.split("\n")].index(True)
    text = "\n" * (pickles - 1 - above) + code
    names = {}
    exec(compile(text, function.__code__.co_filename, "exec"), module.__dict__, names)
    made = names["make"](tell)
    functools.update_wrapper(made, function)
    del made.__wrapped__
    return made


def lines_of(code):
    """Return the lines of a function that have code. `dis` knows them too, but takes long to import."""
    if hasattr(code, "co_lines"):
        return {line for _, _, line in code.co_lines() if line}
    line, lines = code.co_firstlineno, set()
    steps = bytearray(code.co_lnotab)
    for count, step in zip(steps[0::2], steps[1::2]):
        if count:
            lines.add(line)
        line += step - 256 if step >= 128 else step
    lines.add(line)
    return lines


def tell(error, obj, pickler):
    """Write down which part of an object stopped the pickler."""
    global searches, spent
    if isinstance(error, (RecursionError, MemoryError, OSError)):
        return
    # Not again while it runs: it asks a pickler itself. After a fork the lock may never be released.
    if searches >= MAX_SEARCHES or spent >= MAX_SECONDS or not one_at_a_time.acquire(False):
        return
    try:
        import time

        start = time.monotonic()
        searches += 1
        record = load("_pickfix_path").record(error, obj, pickler, sys._getframe(1))
        spent += time.monotonic() - start
        if record:
            fd = os.open(os.path.join(here, "found", str(os.getpid())), FLAGS, 0o600)
            try:
                os.write(fd, record.encode("utf-8", "backslashreplace"))
            finally:
                os.close(fd)
    except Exception:
        pass
    finally:
        one_at_a_time.release()


def load(name):
    """Import a file beside this one, which is not on the path."""
    if name not in sys.modules:
        import importlib.util

        spec = importlib.util.spec_from_file_location(name, os.path.join(here, name + ".py"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


stacks = None


def take_stacks():
    """Write this process's stacks into a file of its own when it gets SIGURG.

    Python's handler is one in C, which works in a process that waits for a lock, too. The file has a
    high number, so that those of the program's own files stay what they are.
    """
    global stacks
    try:
        import _signal
        import faulthandler

        fd = os.open(os.path.join(here, "stacks", str(os.getpid())), FLAGS, 0o600)
        try:
            for high in range(249, 200, -1):
                if stacks == (high, id_of(high)) or id_of(high) is None:
                    os.dup2(fd, high, False)
                    stacks = high, id_of(high)
                    faulthandler.register(_signal.SIGURG, high, all_threads=True, chain=False)
                    break
        finally:
            os.close(fd)
    except Exception:
        pass


def id_of(fd):
    try:
        status = os.fstat(fd)
        return status.st_dev, status.st_ino
    except OSError:
        return None
