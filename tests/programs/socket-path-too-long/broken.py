"""The temporary folder's name is so long that no socket below it can have an address."""
import atexit
import shutil
import sys
import tempfile

METHOD = sys.argv[1] if len(sys.argv) > 1 else "forkserver"


def work():
    print("worker done")


if __name__ == "__main__":
    tempfile.tempdir = tempfile.mkdtemp(prefix="scratch-of-the-job-" + "0" * 80)
    atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)
    import multiprocessing

    process = multiprocessing.get_context(METHOD).Process(target=work)
    process.start()
    process.join()
