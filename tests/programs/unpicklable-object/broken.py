"""An object that keeps a running checksum is sent to a process (argument: start method)."""
import hashlib
import multiprocessing
import sys


class Upload:
    def __init__(self, data):
        self.data = data
        self.digest = hashlib.sha256(data)


def worker(upload):
    print(upload.digest.hexdigest()[:8])


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=worker, args=(Upload(b"x"),))
    process.start()
    process.join()
    sys.exit(process.exitcode)
