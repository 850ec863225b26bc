"""Sockets are made below a short folder."""
import os
import sys
import tempfile

METHOD = sys.argv[1] if len(sys.argv) > 1 else "forkserver"


def work():
    print("worker done")


if __name__ == "__main__":
    os.environ["TMPDIR"] = "/tmp"
    tempfile.tempdir = None
    import multiprocessing

    process = multiprocessing.get_context(METHOD).Process(target=work)
    process.start()
    process.join()
    assert process.exitcode == 0
