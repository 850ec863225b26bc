import multiprocessing
import threading


class Monitor(threading.Thread):  # object
    def __init__(self, name):
        super().__init__(daemon=True)
        self.title = name

    def run(self):
        pass


def show(monitor):
    print(monitor.title)


if __name__ == "__main__":
    p = multiprocessing.get_context("spawn").Process(target=show, args=(Monitor("m"),))
    p.start()
    p.join()
