from __future__ import annotations

import dataclasses
import threading
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field


@dataclass
class Limits:
    rate: float = 2.0
    burst: int = 4
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)  # object


@dataclass
class Job:
    name: str
    limits: Limits = field(default_factory=Limits)
    tags: list[str] = field(default_factory=list)


def run(job: Job) -> str:
    return job.name.upper()


def main():
    jobs = [Job("a"), Job("b", tags=["x"])]
    with ProcessPoolExecutor(max_workers=2) as executor:
        futures = [executor.submit(run, job) for job in jobs]
        for future in futures:
            print(future.result())


if __name__ == "__main__":
    main()
