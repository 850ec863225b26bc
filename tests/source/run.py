#!/usr/bin/env python3
"""Run the programs here for real: pickfix names the object, and what it writes makes them run.

    python3 tests/source/run.py target/fast/pickfix [--python PYTHON]... [--method fork]... [NAME ...]

A program is programs/NAME.py, or a folder with main.py or run.py. The line that makes the object
ends in `# object`. It is run, what it prints goes through pickfix, and `pickfix fix --apply`
changes a copy of it, again while a traceback comes. It must then end with status 0: programs check
their own results. --method sets the default start method; a program may choose its own. --save
keeps the tracebacks in tracebacks/NAME.txt, which `cargo test` reads.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
# A torch with a GPU, for the programs that need one.
STAND_IN = os.path.join(HERE, "stand_in")
# The most changes of one program: it may have several faults.
MAX_PATCHES = 4
SECONDS = 60
# Python imports this at its start, in every process.
SET_METHOD = """
import os, multiprocessing.context as context
context._default_context._default_context = context._concrete_contexts[os.environ["START_METHOD"]]
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pickfix")
    parser.add_argument("--python", action="append")
    parser.add_argument("--method", action="append")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_intermixed_args()
    names = args.names or sorted(n for n in os.listdir(PROGRAMS) if not n.startswith(("_", ".")))
    is_bad = False
    for python in args.python or [sys.executable]:
        for method in args.method or [None]:
            total = {"programs": 0, "right": 0, "wrong": 0, "patched": 0, "runs": 0}
            for name in names:
                trial = Trial(os.path.abspath(args.pickfix), python, method, name)
                trial.run(args.save)
                for key in trial.counts:
                    total[key] += 1
                print("%-28s %s" % (name, trial.words), flush=True)
            print(python, method or "", total, flush=True)
            is_bad = is_bad or total["wrong"] or total["runs"] < total["patched"]
    return 1 if is_bad else 0


class Trial:
    """One program on one Python."""

    def __init__(self, tool, python, method, name):
        self.tool, self.python, self.method, self.name = tool, python, method, name
        self.arguments, self.counts, self.words = [], [], ""

    def run(self, save):
        with tempfile.TemporaryDirectory() as above:
            self.folder = os.path.realpath(os.path.join(above, "project"))
            self.site = os.path.join(above, "site")
            os.mkdir(self.site)
            if self.method:
                with open(os.path.join(self.site, "sitecustomize.py"), "w") as file:
                    file.write(SET_METHOD)
            self.script = self.copy()
            self.try_it(save)

    def try_it(self, save):
        code, text = self.program()
        if b"Traceback" not in text:
            self.words = "does not fail here"
            return
        if b"ModuleNotFoundError" in text:
            self.words = "needs what is not installed"
            return
        if save:
            self.keep(text)
        self.counts.append("programs")
        self.judge(text)
        patches = 0
        while b"Traceback" in text and patches < MAX_PATCHES and self.fix(text):
            patches += 1
            code, text = self.program()
        if patches:
            self.counts.append("patched")
            runs = code == 0 and b"Traceback" not in text
            self.counts += ["runs"] if runs else []
            last = text.decode(errors="replace").strip().split("\n")[-1]
            self.words += ", patched, " + ("runs" if runs else "DOES NOT RUN: " + last)

    def judge(self, text):
        found = self.objects(text)[:1]
        if not found:
            self.words = "not named"
        elif (found[0]["file"], found[0]["line"]) in self.marks():
            self.counts.append("right")
            self.words = "%s (%s)" % (found[0]["path"], found[0]["certainty"])
        else:
            self.counts.append("wrong")
            self.words = "WRONG: %s:%s" % (found[0]["file"], found[0]["line"])

    def copy(self):
        path = os.path.join(PROGRAMS, self.name)
        if os.path.isdir(path):
            shutil.copytree(path, self.folder, ignore=shutil.ignore_patterns("__pycache__"))
            return next(s for s in ("main.py", "run.py") if s in os.listdir(self.folder))
        os.mkdir(self.folder)
        shutil.copy(path, self.folder)
        return self.name

    def marks(self):
        found = set()
        for above, _, files in os.walk(self.folder):
            for file in (f for f in files if f.endswith(".py")):
                path = os.path.join(above, file)
                with open(path) as lines:
                    for number, line in enumerate(lines, 1):
                        if line.rstrip().endswith("# object"):
                            found.add((os.path.relpath(path, self.folder), number))
        return found

    def program(self):
        """Run it; whatever it leaves running ends with it."""
        paths = [self.site] + ([STAND_IN] if self.name.startswith("cuda_") else [])
        state = dict(os.environ, PYTHONPATH=os.pathsep.join(paths), START_METHOD=self.method or "")
        process = subprocess.Popen(
            [self.python, self.script, *self.arguments], cwd=self.folder, env=state, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )
        try:
            self.output, text = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.output, text = process.communicate()
        # pytest prints its tracebacks on the standard output.
        return process.returncode, text if b"Traceback" in text else text + self.output

    def pickfix(self, text, *args):
        return subprocess.run(
            [self.tool, *args], cwd=self.folder, input=text, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=dict(os.environ, XDG_STATE_HOME=self.site),
        )

    def objects(self, text):
        ended = self.pickfix(text, "check", "--format", "jsonl", "--source-root", ".", "-")
        incidents = [json.loads(line) for line in ended.stdout.decode().splitlines()]
        return [i["object"] for i in incidents if i["object"]]

    def fix(self, text):
        return self.pickfix(text, "fix", "--apply", "-").returncode == 0

    def keep(self, text):
        target = os.path.join(HERE, "tracebacks")
        os.makedirs(target, exist_ok=True)
        text = text.decode(errors="replace").replace(self.folder, "/project")
        text = text.replace(STAND_IN, "/home/user/python/lib/python3.11/site-packages")
        for prefix in {os.path.realpath(self.python), self.python}:
            text = text.replace(prefix.rsplit("/bin/", 1)[0], "/home/user/python")
        with open(os.path.join(target, self.name.replace(".py", "") + ".txt"), "w") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
