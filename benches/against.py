#!/usr/bin/env python3
"""Times pickfix against cat and rg: whole processes, one after the other in pairs.

    cargo build --release && python3 benches/against.py [--size MIB] [--pairs N] [--only ROW ...] [BINARY]

Prints for each pair the median ratio of the wall clock times, with the least and the greatest, and that
of the processor times, which other work on the machine disturbs less; then what a traceback, a bare
head, a rule and a start cost in instructions, where valgrind is there to count them, and the peaks of
memory. The logs are made from the tests' own, in a temporary folder.
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

from instructions import KNOWN, UNKNOWN, traceback
from instructions import count as instructions

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = b"Traceback (most recent call last):"
# Logs of nothing but tracebacks: one, those of all rules one after the other, some dozen of several
# writers at random, such of which each has other numbers, and such as nobody has seen: all of them known
# to a rule, or none.
TRACEBACKS = ("same", "samples", "mixed", "new", "new known", "new unknown")
LOCK = "TypeError: cannot pickle '_thread.lock' object\n"
LINES = HEAD.decode() + "\n"
AT = '  File "/home/u/p%d.py", line %d, in f%d\n    g(%d)\n'
# Inputs that try to be slow or large, each so many of a kind.
ADVERSARIAL = {
    "lanes that are open at once": lambda n: (
        "[rank%d]: %s\n" % (i, line)
        for line in (LINES + '  File "x.py", line 3, in f\n    g()\n' + LOCK).splitlines()
        for i in range(n)
    ),
    "prefixes": lambda n: (
        "".join("[job-%d]: %s\n" % (i, line) for line in (LINES + AT % (i, i, i, i) + LOCK).splitlines())
        for i in range(n)
    ),
    "known failures, all distinct": lambda n: (
        LINES + AT % (i, i, i, i) + "TypeError: cannot pickle 'T%d' object\n" % i for i in range(n)
    ),
    "unknown failures, all distinct": lambda n: (
        LINES + AT % (i, i, i, i) + "my.Error%d: no %d\n" % (i, i) for i in range(n)
    ),
    "frames of one traceback": lambda n: itertools.chain(
        [LINES], ('  File "/home/u/p%d.py", line %d, in f%d\n    g(%d)\n' % (i, i, i, i) for i in range(n)), [LOCK]
    ),
    "heads without a body": lambda n: itertools.repeat(LINES, n),
    "notes": lambda n: itertools.chain(
        [LINES, AT % (1, 1, 1, 1), LOCK], ("when serializing dict item 'k%d'\n" % i for i in range(n))
    ),
    "lines of one message": lambda n: itertools.chain(
        [LINES, AT % (1, 1, 1, 1), "RuntimeError: Error(s) in loading state_dict for Net:\n"],
        ('\tMissing key(s) in state_dict: "layer%d.weight".\n' % i for i in range(n)),
    ),
}


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


def unseen(ends):
    """Tracebacks of 0.8 KB without end, no two alike."""
    return (traceback(number, ends).encode() for number in itertools.count(1))


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
    write(paths["new known"], size // 16, unseen(KNOWN))
    write(paths["new unknown"], size // 16, unseen(UNKNOWN))
    small = folder / "small"
    small.mkdir()
    for number in range(10_000):
        (small / ("job-%05d.log" % number)).write_bytes(b"".join(lines[number : number + 20]))
    return paths, small


def write_rules(folder, copies):
    """Copies each rule, with another id and another word in each template."""
    template = re.compile(r"""(?m)^(\s*(?:(?:message|log_line)\s*=\s*)?)(["'])(.*?)(\2,?\s*(?:#.*)?)$""")
    dropped = re.compile(r"(?m)^(?:beats|consequence_of|formerly)\s*=.*(?:\n[^\[\n=]*\])?")

    def changed(found, copy):
        words = re.findall(r"(?<![{\w])[A-Za-z]{5,}(?![\w}|])", found[3])
        word = max(words, key=len, default="")
        text = found[3].replace(word, word + "q%dz" % copy) if word else found[3]
        return found[1] + found[2] + text + found[4]

    for path in sorted((ROOT / "corpus").glob("*/*.toml")):
        head = dropped.sub("", path.read_text().partition("[[example]]")[0])
        family = folder / path.parent.name
        family.mkdir(parents=True, exist_ok=True)
        for copy in range(copies):
            text = template.sub(lambda found: changed(found, copy), head)
            (family / ("%s-copy%d.toml" % (path.stem, copy))).write_text(text)
    return sum(1 for _ in folder.glob("*/*.toml"))


def costs(binary, folder):
    """What one of each costs: instructions for many of them less those for fewer, by their number."""
    run = [binary, "--no-state", "--no-source"]

    def each(name, make, few, many, goal):
        cost = (instructions(run, make(many)) - instructions(run, make(few))) / (many - few)
        print("%-36s %9.0f instructions each (goal %s)" % (name, cost, goal), flush=True)

    def some(parts):
        return lambda count: b"".join(itertools.islice(parts(), count))

    start = instructions(run, b"hello\n")
    print("%-36s %9.2f million instructions; rg --version %.2f" % ("start", start / 1e6, instructions(["rg", "--version"], b"") / 1e6))
    # The fourth: many rules know its message.
    first = instructions(run, next(itertools.islice(unseen(KNOWN), 3, None))) - start
    print("%-36s %9.2f million instructions (goal 8)" % ("first annotation over none", first / 1e6))
    each("new unknown traceback", some(lambda: unseen(UNKNOWN)), 200, 2200, "90,000")
    each("new known traceback, drawn", some(lambda: unseen(KNOWN)), 200, 2200, "200,000")
    for name in ("heads without a body", "notes", "lines of one message"):
        made = ADVERSARIAL[name]
        each(name, lambda count, made=made: "".join(made(count)).encode(), 2000, 12_000, "3 microseconds: 10,000 or so")
    rules = folder / "rules"
    count = write_rules(rules, 4)
    own = instructions([*run, "--rules", str(rules)], b"hello\n") - start
    print("%-36s %9.0f instructions each of %d (goal 30 ms: 100,000 or so)" % ("a user's rule at the start", own / count, count))


# Parts of the names of the rows that are wanted; all if there are none.
ONLY = []


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
    most = 0
    # What `wait` tells counts what this program had when it forked.
    while running.poll() is None:
        status = pathlib.Path("/proc/%d/status" % running.pid).read_text()
        found = re.search(r"VmHWM:\s*(\d+)", status)
        most = max(most, int(found[1]) if found else 0)
        time.sleep(0.001)
    return most / 1024


def compare(name, ours, other, pairs, size):
    if ONLY and not any(part in name for part in ONLY):
        return
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
    options.add_argument("--only", nargs="+", default=[], metavar="ROW", help="rows whose names hold one of these")
    options.add_argument("--many", type=int, default=100_000, help="how many of what tries to be slow or large")
    given = options.parse_args()
    ONLY.extend(given.only)
    binary, size = os.path.abspath(given.binary), given.size << 20
    start = [binary, "--no-state", "--no-source"]
    check = [binary, "check", "--summary", "--exit-zero"]
    head = ["-c", "-F", HEAD.decode()]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pickfix-bench-"))
    try:
        paths, small = logs(folder, size)
        print("%d processors; ratio of wall clock times, median (least to greatest)" % (os.cpu_count() or 0))
        lengths = {name: path.stat().st_size for name, path in paths.items()}
        for name in ("clean", "sparse", "bars", "line", "ranks", "samples", *TRACEBACKS[3:]):
            through = "cat '%s' | %s | cat > /dev/null"
            log = str(paths[name])
            ours = through % (log, " ".join(start))
            compare("filter / cat, " + name, ours, through % (log, "cat"), given.pairs, lengths[name])
        rules = folder / "rules of ten"
        write_rules(rules, 9)
        for name, log in (("clean", paths["clean"]), ("samples", paths["samples"])):
            ten = check + ["--rules", str(rules), str(log)]
            compare("ten times the rules, " + name, ten, check + [str(log)], given.pairs, lengths[name])
        ten = start + ["--rules", str(rules), os.devnull]
        compare("ten times the rules, start", ten, start + [os.devnull], given.pairs, 0)
        if shutil.which("rg"):
            files = sum(p.stat().st_size for p in small.iterdir())
            for how in (["--no-mmap"], []):
                by = " ".join(["check / rg", *how])
                for name in ("clean", "sparse", "bars", "line"):
                    log = str(paths[name])
                    compare(f"{by} -c -F, {name}", check + [log], ["rg", *how, *head, log], given.pairs, lengths[name])
                compare(f"{by} -c -F, 10,000 files", check + [str(small)], ["rg", *how, *head, str(small)], given.pairs, files)
            for name in ("ranks", *TRACEBACKS):
                log = str(paths[name])
                compare("check / rg -c ., " + name, check + [log], ["rg", "-c", ".", log], given.pairs, lengths[name])
            compare("filter of nothing / rg --version", start + [os.devnull], ["rg", "--version"], 10 * given.pairs, 0)
        else:
            print("SKIPPED: no rg here, to which check is compared")
        if ONLY:
            return
        if shutil.which("valgrind"):
            costs(binary, folder)
        else:
            print("SKIPPED: no valgrind here, which counts instructions")
        print("peak memory in MB: filter (goal 12), check (goal 64)")
        for name, made in ADVERSARIAL.items():
            paths[name] = folder / "adversarial.log"
            with open(paths[name], "w") as file:
                file.writelines(made(given.many))
            print_peaks(f"{given.many:,} {name}", paths.pop(name), start, check)
        for name, log in paths.items():
            print_peaks(name, log, start, check)
    finally:
        shutil.rmtree(folder)


def print_peaks(name, log, start, check):
    print("%-44s %6.1f  %6.1f" % (name, peak(start, log), peak(check + ["-"], log)), flush=True)


if __name__ == "__main__":
    main()
