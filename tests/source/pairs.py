#!/usr/bin/env python3
"""What `pickfix fix` makes of the broken programs of tests/programs: named, patched, runs, per id.

    python3 tests/source/pairs.py target/fast/pickfix [--python PYTHON]... [--method spawn]... [ID ...]

A patched program must end with status 0, without a traceback, and print what the fixed one of the
same name prints. The programs take the start method as an argument.
"""

import argparse
import collections
import os
import shutil
import sys
import tempfile

import run

PROGRAMS = os.path.join(run.HERE, "..", "programs")
IDS = """unpicklable-lock unpicklable-local-object unpicklable-lambda unpicklable-file
unpicklable-database unpicklable-socket unpicklable-module unpicklable-generator unpicklable-weakref
unpicklable-mp-primitive unpicklable-view unpicklable-object unpicklable-event-loop
unpicklable-h5py missing-main-guard pickle-exception-args pickle-not-same-object
unpickle-missing-attribute sample-is-none joblib-unpicklable start-method-already-set
pool-result-encoding cuda-fork""".split()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pickfix")
    parser.add_argument("--python", action="append")
    parser.add_argument("--method", action="append")
    parser.add_argument("ids", nargs="*")
    args = parser.parse_intermixed_args()
    is_bad = False
    for python in args.python or [sys.executable]:
        for method in args.method or ["spawn", "fork"]:
            table = collections.defaultdict(collections.Counter)
            for id in args.ids or IDS:
                folder = os.path.join(PROGRAMS, id)
                for name in sorted(n for n in os.listdir(folder) if n.startswith("broken")):
                    pair = Pair(os.path.abspath(args.pickfix), python, method, id, name)
                    counts, words = pair.judged()
                    table[id].update(counts)
                    print("%-28s %-26s %s" % (id, name, words), flush=True)
            print("\n%s, %s" % (python, method))
            for id, counts in table.items():
                keys = ("fails", "named", "patched", "runs")
                print("%-28s %s" % (id, " / ".join(str(counts[k]) for k in keys)))
                is_bad = is_bad or counts["runs"] < counts["patched"]
            print(flush=True)
    return 1 if is_bad else 0


class Pair(run.Trial):
    """A broken program, with the folder that it is in."""

    def __init__(self, tool, python, method, id, name):
        super().__init__(tool, python, None, name)
        self.start, self.id = method, id

    def judged(self):
        with tempfile.TemporaryDirectory() as above:
            self.folder = os.path.realpath(os.path.join(above, "project"))
            self.site = os.path.join(above, "site")
            os.mkdir(self.site)
            shutil.copytree(os.path.join(PROGRAMS, self.id), self.folder)
            # A stand-in is a library: it is no source of the user.
            if os.path.isdir(os.path.join(self.folder, "torch")):
                shutil.move(os.path.join(self.folder, "torch"), self.site)
            self.arguments = [self.start]
            self.script = self.name
            code, text = self.program()
            if b"Traceback" not in text:
                return [], "does not fail here"
            if b"ModuleNotFoundError" in text and "module" not in self.id:
                return [], "needs what is not installed"
            found = self.objects(text)[:1]
            words = "%s (%s)" % (found[0]["path"], found[0]["certainty"]) if found else "not named"
            counts = ["fails"] + (["named"] if found else [])
            patches = 0
            while b"Traceback" in text and patches < run.MAX_PATCHES and self.fix(text):
                patches += 1
                code, text = self.program()
            if patches:
                counts.append("patched")
                output = self.output
                self.script = self.name.replace("broken", "fixed")
                self.program()
                is_same = output == self.output
                if code == 0 and b"Traceback" not in text and is_same:
                    counts.append("runs")
                    words += ", patched, runs"
                else:
                    last = text.decode(errors="replace").strip().split("\n")[-1]
                    words += ", patched, DOES NOT RUN: " + (last or "prints %r" % output)
            return counts, words


if __name__ == "__main__":
    sys.exit(main())
