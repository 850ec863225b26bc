import multiprocessing
import threading


class Heartbeat:
    def __init__(self, interval):
        self.interval = interval
        self.thread = threading.Thread(target=self.beat, daemon=True)  # object

    def beat(self):
        pass


def child(heartbeat):
    print(heartbeat.interval)


def main():
    hb = Heartbeat(0.5)
    procs = [multiprocessing.get_context("spawn").Process(target=child, args=(hb,)) for _ in range(2)]
    for p in procs:
        p.start()
    for p in procs:
        p.join()


if __name__ == "__main__":
    main()
