import multiprocessing as mp
import os
import sys
import tempfile
from dataclasses import dataclass
from typing import IO, Optional


@dataclass
class JobConfig:
    name: str
    steps: int = 3
    log: Optional[IO] = None


def run_job(config, results):
    for step in range(config.steps):
        print(config.name, step, file=config.log)
    results.put(config.steps)


def start(config):
    ctx = mp.get_context("spawn")
    results = ctx.Queue()
    process = ctx.Process(target=run_job, args=(config, results))
    process.start()
    steps = results.get()
    process.join()
    return steps


def main():
    path = os.path.join(tempfile.gettempdir(), "job-%d.log" % os.getpid())
    config = JobConfig("nightly", steps=2)
    config.log = open(path, "w")  # object
    assert start(config) == 2


if __name__ == "__main__":
    main()
