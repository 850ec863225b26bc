#!/usr/bin/env python3
"""Counts the instructions that a build takes for six fixed inputs: noise-free, where times are not.

    cargo build --release && python3 benches/instructions.py [--update] [BINARY]

Compares with the counts kept in instructions.toml and fails where one is more than 5 % higher.
--update keeps the counts of this build. They depend on the compiler, the C library, the processor's
vector instructions and valgrind: where one of them is another, or valgrind is missing, nothing is
compared, and it says so.
"""
import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
KEPT = HERE / "instructions.toml"
TOLERANCE = 0.05
HEAD = "Traceback (most recent call last):\n"
FRAME = '  File "/home/user/project/pkg%d/train_%d.py", line %d, in step_%d\n    self.call_%d(batch, k=%d)\n'
DUMP = (
    '  File "/usr/lib/python3.11/multiprocessing/reduction.py", line 60, in dump\n'
    "    ForkingPickler(file, protocol).dump(obj)\n"
)
KNOWN = (
    "TypeError: cannot pickle '_thread.RLock' object",
    "AttributeError: Can't pickle local object 'main%d.<locals>.<lambda>'",
    "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, "
    "you must use the 'spawn' start method",
    "_pickle.PicklingError: Can't pickle <function <lambda> at 0x%x>: attribute lookup <lambda> on "
    "__main__ failed",
)
UNKNOWN = (
    "KeyError: 'wd%d'",
    "ValueError: bad batch %d",
    "FileNotFoundError: [Errno 2] No such file or directory: 'x%d'",
    "mypkg.errors.StepFailed: step %d failed at lr=0.1",
    "ZeroDivisionError: division by zero",
    "AssertionError: %d",
)


def traceback(number, ends):
    """A traceback like no other."""
    frames = "".join(FRAME % (i, number, 10 + number, number, i, number) for i in range(3 + number % 7))
    end = ends[number % len(ends)]
    return HEAD + frames + DUMP + (end % number if "%" in end else end) + "\n"


def ranks(lines):
    """64 writers that take turns, each with tracebacks among its steps."""
    for i in range(lines):
        rank, step = i % 64, i // 64
        script = (traceback(rank % 5, UNKNOWN) + f"step {step} loss 0.5\n" * 8).splitlines()
        yield f"[rank{rank}]: {script[(step + rank) % len(script)]}\n"


def clean(lines):
    line = "2026-01-02 10:%02d:%02d,%03d INFO train: epoch %d step %d loss %.5f lr 3.0e-4\n"
    for i in range(lines):
        yield line % (i // 60 % 60, i % 60, i % 1000, i // 1000, i, 1 / (i + 1))


INPUTS = {
    "start": "hello\n",
    "first annotation": traceback(4, KNOWN),
    "200 unknown": "".join(traceback(n, UNKNOWN) for n in range(200)),
    "200 known": "".join(traceback(n, KNOWN) for n in range(200)),
    "64 ranks": "".join(ranks(8_000)),
    "clean": "".join(clean(60_000)),
}


def count(command, text):
    """Runs a command on a text, which lies in a file, for a pipe may pause; returns its instructions."""
    counting = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        log.write_bytes(text)
        environment = {"PATH": os.environ["PATH"], "HOME": folder}
        with open(log) as stdin:
            done = subprocess.run(counting + command, stdin=stdin, capture_output=True, cwd=folder, env=environment)
    found = re.search(rb"I +refs: +([\d,]+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"{command} failed: {done.stderr.decode(errors='replace')[-500:]}")
    return int(found[1].replace(b",", b""))


def tools(binary):
    """What the counts depend on besides the program."""
    compiler = re.search(rb"rustc version [\d.]+[^\0]*", binary.read_bytes())
    valgrind = subprocess.run(["valgrind", "--version"], capture_output=True, text=True).stdout.strip()
    flags = re.search(r"^flags\s*:(.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    vectors = [flag for flag in ("avx2", "erms") if flags and flag in flags[1].split()]
    return {
        "compiler": compiler[0].decode() if compiler else "unknown",
        "libc": " ".join(platform.libc_ver()),
        "processor": " ".join([platform.machine(), *vectors]),
        "valgrind": valgrind,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--update", action="store_true", help="keep the counts of this build")
    parser.add_argument("binary", nargs="?", default=HERE.parent / "target/release/pickfix")
    typed = parser.parse_args()
    if not shutil.which("valgrind"):
        print("SKIPPED: no valgrind here, instructions are not counted (on Debian: apt-get install valgrind)")
        return 0
    binary = pathlib.Path(typed.binary).resolve()
    own = tools(binary)
    file = tomllib.loads(KEPT.read_text()) if KEPT.exists() else {}
    others = [f"{name}: {was}, here {own[name]}" for name, was in file.get("made by", {}).items() if was != own.get(name)]
    if others and not typed.update:
        print(f"SKIPPED: the counts kept are of other tools ({'; '.join(others)}); --update keeps these")
    kept = file.get("instructions", {}) if not others else {}
    counts, has_grown = {}, False
    for name, text in INPUTS.items():
        counts[name] = count([binary, "--no-state", "--no-source"], text.encode())
        told = ""
        if name in kept:
            change = counts[name] / kept[name] - 1
            has_grown |= change > TOLERANCE
            word = "MORE" if change > TOLERANCE else "fewer: --update keeps them" if change < -TOLERANCE else ""
            told = f", {change:+.1%} {word}"
        print(f"{name:18}{counts[name]:>14,} instructions{told}".rstrip(), flush=True)
    if typed.update:
        rows = "".join(f'"{name}" = {number:_}\n' for name, number in counts.items())
        by = "".join(f'{name} = "{value}"\n' for name, value in own.items())
        head = "# Instructions of the filter, release build; see instructions.py.\n"
        KEPT.write_text(f'{head}\n["made by"]\n{by}\n[instructions]\n{rows}')
        return 0
    return int(has_grown)


if __name__ == "__main__":
    sys.exit(main())
