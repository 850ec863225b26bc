#!/usr/bin/env python3
"""Times pickfix against cat and rg: whole processes, one after the other in pairs.

    cargo build --release && python3 benches/against.py [--size MIB] [--pairs N] [BINARY]

Prints for each pair the median ratio of the wall clock times, with the least and the greatest, and that
of the processor times, which other work on the machine disturbs less; then starts and peaks of memory.
The logs are made from the tests' own, in a temporary folder.
"""
import argparse
import itertools
import os
import pathlib
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = b"Traceback (most recent call last):"
# Logs of nothing but tracebacks: one, those of all rules one after the other, some dozen of several
# writers at random, and such of which each has other numbers.
TRACEBACKS = ("same", "samples", "mixed", "new")


def tracebacks():
    """The inputs of the goldens that are plain tracebacks and nothing else."""
    found = []
    for path in sorted((ROOT / "tests/golden").glob("*/*.in")):
        text = path.read_bytes()
        if text.startswith(HEAD) and text.endswith(b"\n") and len(text) < 20_000:
            found.append(text)
    return found


def samples():
    """The inputs of the rules' own samples that are plain tracebacks."""
    found = []
    for path in sorted((ROOT / "corpus").glob("*/*.toml")):
        for example in tomllib.loads(path.read_text()).get("example", []):
            text = example["input"].encode()
            if text.startswith(HEAD):
                found.append(text)
    return found


def clean_lines(count):
    dice = random.Random(1)
    line = "2026-01-02 10:%02d:%02d,%03d INFO train: epoch %d step %d loss %.5f lr 3.0e-4 %.1f samples/s\n"
    for i in range(count):
        yield (line % (i // 60 % 60, i % 60, i % 1000, i // 1000, i, dice.random(), dice.random() * 1000)).encode()


def write(path, size, parts):
    """Fills a file with the parts, again and again if need be."""
    with open(path, "wb") as file:
        for part in itertools.cycle(parts) if isinstance(parts, list) else parts:
            file.write(part)
            size -= len(part)
            if size <= 0:
                break


def logs(folder, size):
    lines = list(clean_lines(100_000))
    known = tracebacks()
    one = next(t for t in known if b"cannot pickle" in t)
    dice = random.Random(2)
    sparse = []
    for start in range(0, len(lines), 10_000):
        sparse += lines[start : start + 10_000] + [one]
    every = samples()

    def new(text):
        """The same with other numbers."""
        return re.sub(rb"\d{2,}", lambda n: b"%0*d" % (len(n[0]), dice.randrange(10 ** len(n[0]))), text)

    ranks = []
    for step in range(20_000):
        rank, at = step % 64, step // 64
        script = one.splitlines(True) + [b"step %d loss 0.5\n" % at] * 12
        ranks.append(b"[rank%d]: " % rank + script[(at + rank) % len(script)])
    bars = [b"\r%3d%%|%-40s| %d/1000 [00:%02d<00:59, 81.2it/s]" % (i // 10, b"#" * (i // 25), i, i % 60) for i in range(1000)]
    bars.append(b"\nepoch done\n")

    names = ("clean", "sparse", "bars", "ranks", "line", *TRACEBACKS)
    paths = {name: folder / (name + ".log") for name in names}
    write(paths["clean"], size, lines)
    write(paths["bars"], size, bars)
    write(paths["ranks"], size // 16, ranks)
    write(paths["line"], size, [line.rstrip(b"\n") for line in lines])
    write(paths["sparse"], size, sparse)
    write(paths["same"], size // 4, [one] * 100)
    write(paths["samples"], size // 4, every)
    write(paths["mixed"], size // 4, [dice.choice(known) for _ in range(10_000)])
    write(paths["new"], size // 4, (new(dice.choice(every)) for _ in itertools.count()))
    small = folder / "small"
    small.mkdir()
    for number in range(10_000):
        (small / ("job-%05d.log" % number)).write_bytes(b"".join(lines[number : number + 20]))
    return paths, small


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command):
    """Returns wall clock and processor time."""
    start, before = time.perf_counter(), processor_time()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, shell=isinstance(command, str))
    if done.returncode not in (0, 1):
        sys.exit("%s: status %d: %s" % (command, done.returncode, done.stderr.decode("utf-8", "replace")))
    return time.perf_counter() - start, processor_time() - before


def peak(command, log):
    """Returns the most memory that a command has while it reads a log, in MB."""
    with open(log) as stdin:
        running = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, used = os.wait4(running.pid, 0)
    return used.ru_maxrss / 1024


def compare(name, ours, other, pairs, size):
    timed(ours), timed(other)
    took = [(timed(ours), timed(other)) for _ in range(pairs)]
    wall, processor = ([a[i] / max(b[i], 1e-3) for a, b in took] for i in (0, 1))
    rate = size / max(min(a[1] for a, _ in took), 1e-3) / 1e6
    print(
        "%-36s %6.2f  (%.2f to %.2f)   processor %6.2f, %5.0f MB a second"
        % (name, statistics.median(wall), min(wall), max(wall), statistics.median(processor), rate),
        flush=True,
    )


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("binary", nargs="?", default=str(ROOT / "target/release/pickfix"))
    options.add_argument("--size", type=int, default=1024, metavar="MIB")
    options.add_argument("--pairs", type=int, default=9)
    given = options.parse_args()
    binary, size = given.binary, given.size << 20
    check = [binary, "check", "--summary", "--exit-zero"]
    count = ["rg", "-c", "-F", HEAD.decode()]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pickfix-bench-"))
    try:
        paths, small = logs(folder, size)
        print("%d processors; ratio of wall clock times, median (least to greatest)" % (os.cpu_count() or 0))
        lengths = {name: path.stat().st_size for name, path in paths.items()}
        for name in ("clean", "sparse", "bars", "line", "ranks", "samples", "new"):
            through = "cat %s | %s | cat > /dev/null"
            log = str(paths[name])
            ours = through % (log, binary + " --no-state --no-source")
            compare("filter / cat, " + name, ours, through % (log, "cat"), given.pairs, lengths[name])
        if shutil.which("rg"):
            for name in ("clean", "sparse", "bars", "line"):
                log = str(paths[name])
                compare("check / rg -c -F, " + name, check + [log], count + [log], given.pairs, lengths[name])
            for name in ("ranks", *TRACEBACKS):
                log = str(paths[name])
                compare("check / rg -c ., " + name, check + [log], ["rg", "-c", ".", log], given.pairs, lengths[name])
            files = sum(p.stat().st_size for p in small.iterdir())
            compare("check / rg -c -F, 10,000 files", check + [str(small)], count + [str(small)], given.pairs, files)
            start = [binary, "--no-state", "--no-source", os.devnull]
            compare("filter of nothing / rg --version", start, ["rg", "--version"], 10 * given.pairs, 0)
        else:
            print("SKIPPED: no rg here, to which check is compared")
        print("peak memory in MB: filter, check")
        for name, log in paths.items():
            print("%-36s %6.1f  %6.1f" % (name, peak([binary, "--no-state", "--no-source"], log), peak(check + ["-"], log)))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
