"""Calls what the standard library offers with arguments that do not fit, and prints the tracebacks.

errors.py plain|thread|pool|executor   (where the calls are made)
"""

import importlib
import inspect
import multiprocessing
import os
import random
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.pool import ThreadPool

# None of them opens a connection, starts a process, or writes outside the folder it runs in.
MODULES = """
argparse array ast base64 binascii bisect bz2 calendar codecs collections configparser contextlib copy csv
dataclasses datetime decimal difflib email.message email.parser email.utils enum fractions functools gzip
hashlib heapq hmac html inspect io ipaddress itertools json lzma math operator pathlib pprint random re
shlex sqlite3 statistics string struct tarfile textwrap tokenize types typing unicodedata urllib.parse uuid
weakref xml.dom.minidom xml.etree.ElementTree zipfile zlib
""".split()
ARGUMENTS = [
    (), (None,), ("x",), (-1,), ([],), ({"a": 1},), (3.5, "b"), (b"\x80", None), ("x", "y"), (1, 2, 3), (len, object()),
]  # fmt: skip
UNWANTED = ("exit", "input", "write", "mkdir", "rmdir", "unlink", "rename", "touch", "chmod", "link", "kill", "wait", "main")


def callables():
    """Names of functions, classes and their methods, the same in each process."""
    for module in MODULES:
        for name, value in sorted(vars(importlib.import_module(module)).items()):
            if name.startswith("_") or not callable(value) or any(word in name for word in UNWANTED):
                continue
            yield module, name, None
            if inspect.isclass(value):
                for method in dir(value):
                    if not method.startswith("_") and not any(word in method for word in UNWANTED):
                        yield module, name, method


def call(task):
    (module, name, method), arguments = task
    function = getattr(importlib.import_module(module), name)
    if method is not None:
        function = getattr(function, method)
    result = function(*arguments)
    if inspect.isgenerator(result):
        next(result, None)


def tasks():
    dice = random.Random(1)
    return [(named, arguments) for named in callables() for arguments in dice.sample(ARGUMENTS, 2)]


def run(how):
    printed = 0
    seen = set()
    for task in tasks():
        try:
            how(task)
        except Exception as error:
            text = traceback.format_exc()
            last = type(error).__name__ + "".join(filter(str.isalpha, str(error)))
            if last not in seen and len(text) < 20_000:
                seen.add(last)
                printed += 1
                print("INFO call", printed, "of", ".".join(filter(None, task[0])))
                print(text, end="")
    print("INFO", printed, "errors")


def main():
    where = sys.argv[1]
    # The error message of a broken call may hold any character; what else is printed is of no interest.
    output = os.fdopen(os.dup(1), "w", errors="backslashreplace")
    silent = os.open(os.devnull, os.O_RDWR)
    os.dup2(silent, 0)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    sys.stdout = output
    if where == "plain":
        run(call)
    elif where == "thread":
        with ThreadPool(1) as pool:
            run(lambda task: pool.map(call, [task]))
    elif where == "pool":
        with multiprocessing.Pool(1) as pool:
            run(lambda task: pool.apply_async(call, (task,)).get(60))
    elif where == "executor":
        with ProcessPoolExecutor(1) as pool:
            run(lambda task: pool.submit(call, task).result(60))


if __name__ == "__main__":
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
        os.chdir(here)
