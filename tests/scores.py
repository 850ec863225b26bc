#!/usr/bin/env python3
"""Holds a build against the labelled logs and the mutated ones that lie in ../shared.

usage: tests/scores.py [BINARY]

Fails on a wrong diagnosis, an alarm, a changed byte, an annotation too many or trouble of any kind,
and on fewer right ones than scores.toml tells. Where there is no ../shared, it says so and passes.
"""
import pathlib
import re
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared"
FORBIDDEN = ("wrong", "alarms", "bytes", "repeated", "trouble")
MUTATED = 1000
SEED = 1


def score(binary, name, want, mode):
    """Scores one table; returns the faults found."""
    command = [sys.executable, SHARED / "evaluate.py", binary, SHARED / want["table"], "--mode", mode]
    done = subprocess.run(command, capture_output=True, text=True)
    *details, summary = done.stdout.splitlines() or [done.stderr]
    right = re.search(r"right (\d+) of", summary)
    if done.returncode or not right:
        return [f"{name}, {mode}: evaluate.py failed: {done.stderr[-500:]}"]
    print(f"{name}, {mode}: {summary.split(': ', 1)[1]}", flush=True)
    counts = {word: int(n) for word, n in re.findall(r"(\w+) (\d+)", summary)}
    faults = [f"{name}, {mode}: {word} {counts[word]}" for word in FORBIDDEN if counts[word]]
    if int(right[1]) < want["right"]:
        faults.append(f"{name}, {mode}: right {right[1]}, fewer than the {want['right']} of scores.toml")
    if faults:
        print("\n".join(details))
    return faults


def mutate(binary):
    """Filters mutated captures; returns the faults found."""
    command = [sys.executable, SHARED / "mutate.py", binary, str(MUTATED), str(SEED), SHARED / "captures"]
    done = subprocess.run(command, capture_output=True, text=True)
    print(f"mutated: {(done.stdout + done.stderr).strip()}", flush=True)
    return [f"mutated logs: status {done.returncode}"] if done.returncode else []


def main():
    binary = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "target/release/pickfix").resolve()
    if not (SHARED / "evaluate.py").is_file():
        print("SKIPPED: no ../shared with labelled logs here")
        return 0
    tables = tomllib.loads((HERE / "scores.toml").read_text())
    faults = [f for name, want in tables.items() for mode in ("filter", "check") for f in score(binary, name, want, mode)]
    faults += mutate(binary)
    print("\n".join(faults) or "scores hold")
    return 1 if faults else 0


sys.exit(main())
