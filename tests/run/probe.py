"""`pickfix run --probe`: the object is named, and the program does not notice.

    python3 tests/run/probe.py target/debug/pickfix [PYTHON...]

Each program runs bare and with the probe, with every Python at hand: what it prints and how it ends is
the same. Of those that fail to pickle, the report names the object. Standard library only; the programs
that need torch or joblib are skipped, aloud, where a Python has none.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PREPARE = """
import multiprocessing as mp, threading, sys
class Rec:
    def __init__(self):
        self.lock = threading.Lock()
class Slots:
    __slots__ = ("a", "b")
    def __init__(self):
        self.a, self.b = 1, threading.Lock()
class Trainer:
    def __init__(self):
        self.parts = [1, Rec()]
    def run(self):
        pass
def work(*args, **kwargs):
    pass
if __name__ != "__main__":
    raise SystemExit
"""

# What fails, and the way to the object.
FAILURES = {
    "a bound method as target": ('mp.get_context("spawn").Process(target=Trainer().run).start()', "Trainer.parts[1].lock"),
    "an argument, forkserver": (
        'mp.get_context("forkserver").Process(target=work, args=(1, {"x": Rec()})).start()', "args[1]['x'].lock"),
    "a keyword argument": ('mp.get_context("spawn").Process(target=work, kwargs={"k": Slots()}).start()', "kwargs['k'].b"),
    "a task of a pool": ('mp.get_context("fork").Pool(1).apply(work, (1,), {"k": Rec()})', "kwds['k'].lock"),
    "an item of a pool's map": ('mp.get_context("fork").Pool(1).map(work, [1, Rec()])', "item.lock"),
    "a task of an executor": (
        "import concurrent.futures as cf\ncf.ProcessPoolExecutor(1).submit(work, 1, Rec()).result()", "args[1].lock"),
    "an item of a queue": (
        'q = mp.get_context("fork").Queue(); q.put([Rec()]); q.close(); q.join_thread()', "list[0].lock"),
    "a message through a pipe": ("mp.Pipe()[0].send(Slots())", "Slots.b"),
    "a lambda": ('mp.get_context("spawn").Process(target=work, args=([lambda: 0],)).start()', "args[0][0]"),
}
LIBRARIES = {
    "the dataset of a DataLoader": ("torch", """
import torch.utils.data
class Data(torch.utils.data.Dataset):
    def __init__(self):
        self.cache = {"x": Rec()}
    def __len__(self):
        return 2
for batch in torch.utils.data.DataLoader(Data(), num_workers=1, multiprocessing_context="spawn"):
    pass
""", "dataset[0].cache['x'].lock"),
    "a task of joblib": (
        "joblib", "import joblib\njoblib.Parallel(2)(joblib.delayed(work)(Rec()) for _ in range(2))", "args[0].lock"),
}

# What must not notice anything.
FINE = {
    "the path and the arguments": "import sys; print(sys.path, sys.argv, sys.flags)",
    "modules by name": "import sys; print(sorted(n for n in sys.modules if 'customize' in n))",
    "an exit status": "import sys; sys.exit(3)",
    "an early end": "import os; os._exit(4)",
    "an abort": "import os; os.abort()",
    "a traceback": "def f(): 1 / 0\nf()",
    "a warning": "import warnings; warnings.warn('x')",
    "signals": "import signal; print({n: signal.getsignal(n) for n in (2, 13, 15)})",
    "threads": "import threading; print(threading.active_count())",
    "numbers of files": "import os; print(os.open(os.devnull, 0), os.open(os.devnull, 0))",
    "all files closed": "import os; os.closerange(3, 300); os.fork() or os._exit(0); os.wait(); print('still here')",
    "a pool": "import multiprocessing as mp\nwith mp.get_context('fork').Pool(2) as p: print(p.map(abs, [-1, -2]))",
    "spawn": "import multiprocessing as mp\nif __name__ == '__main__':\n with mp.get_context('spawn').Pool(1) as p: print(p.map(abs, [-1]))",
    "what it pickles": "from multiprocessing.reduction import *; print(bytes(ForkingPickler.dumps([1, 'x'], 2)))",
    "functions by name": "from multiprocessing import reduction as r; import pickle, inspect\n"
                         "print(pickle.loads(pickle.dumps(r.dump)) is r.dump, r.dump.__doc__, inspect.signature(r.dump),"
                         " r.ForkingPickler.dumps.__qualname__)",
    "an error of pickling that is caught": "import multiprocessing as mp, threading\n"
                                           "try: mp.Pipe()[0].send(threading.Lock())\n"
                                           "except TypeError as e: print(e, e.__context__, e.__cause__)",
    "an error in __reduce__": "import multiprocessing as mp\nclass R:\n def __reduce__(self): raise ValueError('mine')\n"
                              "mp.Pipe()[0].send([R()])",
    "a recursion": "import multiprocessing as mp\nx = []\nfor _ in range(100000): x = [x]\n"
                   "try: mp.Pipe()[0].send(x)\nexcept RecursionError as e: print(type(e))",
}


def run(command, folder, pickfix=None, options=(), env=()):
    report = os.path.join(folder, "report.jsonl")
    if os.path.exists(report):
        os.remove(report)
    if pickfix:
        command = [pickfix, "run", "--no-state", "--no-source", "--ascii=false", f"--report={report}", *options, "--", *command]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "PYTHONHASHSEED": "0", **dict(env)}, timeout=120)
    texts = [re.sub(rb"0x[0-9a-f]+", b"0x", text) for text in (done.stdout, done.stderr)]
    texts = [b"".join(line for line in text.splitlines(True) if not line.startswith("▎".encode())) for text in texts]
    incidents = []
    if pickfix:
        with open(report, encoding="utf-8") as lines:
            incidents = [json.loads(line) for line in lines]
    return (done.returncode, *texts), incidents


class Checks:
    def __init__(self, pickfix):
        self.pickfix = pickfix
        self.failed = 0

    def tell(self, python, name, is_right, *what):
        self.failed += not is_right
        print("ok     " if is_right else "FAILED ", python, name, *(what if not is_right else ()), flush=True)

    def same(self, python, name, command, folder, options=(), env=()):
        """Runs a program bare and with the probe, and compares; returns what was reported.

        What a pool prints at its end depends on which of its threads comes first, so once is not enough
        to call two outputs different.
        """
        for _ in range(4):
            bare, _ = run(command, folder, env=env)
            probed, incidents = run(command, folder, self.pickfix, ["--probe", *options], env)
            if bare == probed:
                break
        self.tell(python, name, bare == probed, "\n", bare, "\n", probed)
        return incidents

    def all_of(self, python, folder):
        version = subprocess.run([python, "-c", "import sys; print(sys.version_info[:2] >= (3, 14))"], stdout=subprocess.PIPE)
        names_itself = version.stdout.strip() == b"True"
        wanted = dict(FAILURES)
        for name, (module, code, path) in LIBRARIES.items():
            if subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode:
                print("SKIPPED", python, name, "no", module, flush=True)
            else:
                wanted[name] = code, path
        script = os.path.join(folder, "script.py")
        for name, (code, path) in wanted.items():
            with open(script, "w") as file:
                file.write(PREPARE + code)
            incidents = self.same(python, name, [python, script], folder)
            steps = [step for incident in incidents for step in incident["object_path"] or ()]
            last = re.findall(r"\w+|\[.*?\]", path)[-1]
            is_named = bool(steps) and steps[-1] == last
            self.tell(python, name + ": the object", is_named or names_itself, path, incidents)
        for name, code in FINE.items():
            with open(script, "w") as file:
                file.write(code + "\n")
            self.same(python, name, [python, script], folder, ["--stall", "60"])
        os.mkdir(os.path.join(folder, "own"))
        with open(os.path.join(folder, "own", "sitecustomize.py"), "w") as file:
            file.write("import sys; print('own', sys.modules[__name__].__file__, flush=True)")
        env = [("PYTHONPATH", "own")]
        code = "import sitecustomize, sys; print(sitecustomize.__file__, sys.path)"
        self.same(python, "a sitecustomize of its own", [python, "-c", code], folder, env=env)
        with open(os.path.join(folder, "own", "sitecustomize.py"), "w") as file:
            file.write("1 / 0")
        self.same(python, "a sitecustomize that fails", [python, "-c", "print(1)"], folder, env=env)


def folders():
    names = os.listdir(tempfile.gettempdir())
    return {name for name in names if name.startswith("pickfix-probe-")}


def main():
    checks = Checks(os.path.abspath(sys.argv[1]))
    names = sys.argv[2:] or ["python3"] + [f"python3.{minor}" for minor in range(6, 16)]
    before = folders()
    for name in names:
        works = shutil.which(name) and subprocess.run([name, "-c", ""], stderr=subprocess.DEVNULL).returncode == 0
        if not works:
            print("SKIPPED", name, "is not here", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            checks.all_of(name, folder)
    checks.tell("all", "the folders are gone", folders() <= before, folders())
    with tempfile.TemporaryDirectory() as folder:
        (_, _, said), _ = run([sys.executable, "-I", "-c", ""], folder, checks.pickfix, ["--probe"])
        checks.tell("python -I", "is told that nothing was loaded", b"no Python loaded it" in said, said)
    return min(checks.failed, 1)


if __name__ == "__main__":
    sys.exit(main())
