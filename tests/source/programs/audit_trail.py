from __future__ import annotations

import datetime as dt
import io
import os
import tempfile
from functools import partial
from multiprocessing import Pool


class AuditTrail:
    """Append-only log; use as a context manager."""

    def __init__(self, path: str | os.PathLike, *, encoding="utf-8"):
        self.path = os.fspath(path)
        self.encoding = encoding
        self._fh: io.TextIOBase | None = None

    def __enter__(self):
        self._fh = open(self.path, "a", encoding=self.encoding)  # object
        return self

    def __exit__(self, *exc):
        if self._fh is not None:
            self._fh.close()

    def note(self, text):
        if self._fh is None:
            self._fh = open(self.path, "a", encoding=self.encoding)
        self._fh.write(f"{dt.date(2024, 1, 1)} {text}\n")
        self._fh.flush()


def approve(trail, invoice):
    trail.note(f"approved {invoice}")
    return invoice


def main():
    with tempfile.TemporaryDirectory() as d:
        with AuditTrail(os.path.join(d, "audit.log")) as trail:
            with Pool(2) as pool:
                ok = pool.map(partial(approve, trail), ["A-1", "A-2", "A-3"])
        with open(os.path.join(d, "audit.log")) as f:
            lines = f.read().splitlines()
        assert len(lines) == 3 and ok == ["A-1", "A-2", "A-3"], lines
        print(len(lines), "entries")


if __name__ == "__main__":
    main()
