#!/usr/bin/env python3
"""Run the programs here for real: pickfix names the object, and what it writes makes them run.

    python3 tests/source/run.py target/fast/pickfix [--python PYTHON] [--save] [NAME ...]

A program is programs/NAME.py, or a folder with main.py or run.py. The line that makes the object
ends in `# object`. It is run, what it prints goes through pickfix, and `pickfix fix --apply`
changes a copy of it, again while a traceback comes. --save keeps the tracebacks in
tracebacks/NAME.txt, which `cargo test` reads.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pickfix")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    tool = os.path.abspath(args.pickfix)
    names = args.names or sorted(n for n in os.listdir(PROGRAMS) if not n.startswith(("_", ".")))
    total = {"programs": 0, "right": 0, "wrong": 0, "patched": 0, "runs": 0}
    for name in names:
        result = try_program(tool, args.python, name, args.save)
        for key in result["counts"]:
            total[key] += 1
        print("%-28s %s" % (name, result["words"]))
    print(total)
    return 1 if total["wrong"] or total["runs"] < total["patched"] else 0


def try_program(tool, python, name, save):
    with tempfile.TemporaryDirectory() as folder:
        script = copy(name, folder)
        marked = [place for place in marks(folder)]
        code, text = run(python, script, folder)
        if b"Traceback" not in text:
            return {"counts": [], "words": "does not fail here"}
        if save:
            keep(name, text, folder)
        counts = ["programs"]
        found = objects(tool, text, folder)
        places = [(o["file"], o["line"]) for o in found[:1]]
        if not found:
            words = "not named"
        elif places[0] in marked:
            counts.append("right")
            words = "%s (%s)" % (found[0]["path"], found[0]["certainty"])
        else:
            counts.append("wrong")
            words = "WRONG: %s:%s" % places[0]
        patches = 0
        while b"Traceback" in text and patches < 4:
            if not apply(tool, text, folder):
                break
            patches += 1
            code, text = run(python, script, folder)
        if patches:
            counts.append("patched")
            runs = code == 0 and b"Traceback" not in text
            counts += ["runs"] if runs else []
            last = text.decode(errors="replace").strip().split("\n")[-1]
            words += ", patched, " + ("runs" if runs else "DOES NOT RUN: " + last)
        return {"counts": counts, "words": words}


def copy(name, folder):
    path = os.path.join(PROGRAMS, name)
    if os.path.isdir(path):
        shutil.copytree(path, folder, dirs_exist_ok=True)
        return next(s for s in ("main.py", "run.py") if os.path.exists(os.path.join(folder, s)))
    shutil.copy(path, folder)
    return name


def marks(folder):
    for above, _, files in os.walk(folder):
        for file in files:
            if file.endswith(".py"):
                path = os.path.join(above, file)
                with open(path) as lines:
                    for number, line in enumerate(lines, 1):
                        if line.rstrip().endswith("# object"):
                            yield os.path.relpath(path, folder), number


def run(python, script, folder):
    try:
        ended = subprocess.run(
            [python, script], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
        )
        return ended.returncode, ended.stderr
    except subprocess.TimeoutExpired as error:
        return None, error.stderr or b""


def environment(folder):
    return dict(os.environ, XDG_STATE_HOME=os.path.join(folder, ".state"))


def objects(tool, text, folder):
    ended = subprocess.run(
        [tool, "check", "--format", "jsonl", "--source-root", ".", "-"],
        cwd=folder, input=text, stdout=subprocess.PIPE, env=environment(folder),
    )
    incidents = [json.loads(line) for line in ended.stdout.decode().splitlines()]
    return [i["object"] for i in incidents if i["object"]]


def apply(tool, text, folder):
    ended = subprocess.run(
        [tool, "fix", "--apply", "-"], cwd=folder, input=text,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(folder),
    )
    return ended.returncode == 0


def keep(name, text, folder):
    target = os.path.join(HERE, "tracebacks")
    os.makedirs(target, exist_ok=True)
    text = text.decode(errors="replace").replace(os.path.realpath(folder), "/project")
    version = "/home/user/.pyenv/versions/"
    text = text.replace(sys.prefix, "/home/user/venv") if sys.prefix != sys.base_prefix else text
    parts = text.split(os.path.expanduser("~/.pyenv/versions/"))
    with open(os.path.join(target, name.replace(".py", "") + ".txt"), "w") as file:
        file.write(version.join(parts))


if __name__ == "__main__":
    sys.exit(main())
