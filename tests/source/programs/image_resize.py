#!/usr/bin/env python
"""Resize all the images of a folder."""
import argparse
import logging
import os
from multiprocessing import Pool
from threading import Lock

logger = logging.getLogger(__name__)
PRINT_LOCK = Lock()


class Stats:
    def __init__(self):
        self.done = 0
        self.failed = 0
        self.lock = Lock()  # object

    def add(self, ok):
        with self.lock:
            if ok:
                self.done += 1
            else:
                self.failed += 1


class Resizer:

    SIZES = {"small": (64, 64), "large": (512, 512)}

    def __init__(self, target, size="small", verbose=False):
        self.target = target
        self.width, self.height = self.SIZES[size]
        self.verbose = verbose
        self.stats = Stats()

    def resize_one(self, name):
        ok = name.endswith(".png")
        self.stats.add(ok)
        if self.verbose:
            with PRINT_LOCK:
                print(name, ok)
        return os.path.join(self.target, name), self.width * self.height

    def run(self, names, jobs):
        results = []
        with Pool(processes=jobs) as pool:
            for path, area in pool.imap_unordered(self.resize_one, names):
                logger.info("%s: %d", path, area)
                results.append(path)
        return sorted(results)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--jobs", "-j", type=int, default=2)
    ap.add_argument("--size", choices=sorted(Resizer.SIZES), default="small")
    opts = ap.parse_args()
    resizer = Resizer("/tmp/out", size=opts.size)
    done = resizer.run(["b.png", "a.png"], opts.jobs)
    assert done == ["/tmp/out/a.png", "/tmp/out/b.png"], done


if __name__ == '__main__':
    main()
