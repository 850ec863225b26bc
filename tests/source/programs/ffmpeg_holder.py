import subprocess
import sys
from multiprocessing import Process, SimpleQueue, set_start_method


class Encoder:
    def __init__(self, command):
        self.command = command
        self.process = subprocess.Popen(  # object
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )

    def encode(self, frame):
        return len(frame)


class Camera:
    def __init__(self, index):
        self.index = index
        self.encoder = Encoder([sys.executable, "-c", "import sys; sys.stdin.read()"])

    def loop(self, out):
        for frame in (b"abc", b"d"):
            out.put(self.encoder.encode(frame))


def main():
    set_start_method("spawn")
    out = SimpleQueue()
    cameras = [Camera(i) for i in range(2)]
    processes = [Process(target=c.loop, args=(out,)) for c in cameras]
    for p in processes:
        p.start()
    sizes = sorted(out.get() for _ in range(4))
    for p in processes:
        p.join()
    assert sizes == [1, 1, 3, 3]
    for c in cameras:
        c.encoder.process.communicate()


if __name__ == "__main__":
    main()
