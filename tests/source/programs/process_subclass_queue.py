import logging
import multiprocessing as mp
import queue
import threading


class StoppableProcess(mp.Process):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self._stop_event = threading.Event()  # object

    def stop(self):
        self._stop_event.set()


class Consumer(StoppableProcess):
    def __init__(self, inbox, outbox):
        super().__init__(daemon=True)
        self.inbox = inbox
        self.outbox = outbox
        self.log = logging.getLogger("consumer")

    def run(self):
        while not self._stop_event.is_set():
            item = self.inbox.get()
            if item is None:
                break
            self.outbox.put(item + 1)


def main():
    mp.set_start_method("spawn")
    inbox, outbox = mp.Queue(), mp.Queue()
    consumers = [Consumer(inbox, outbox) for _ in range(2)]
    for consumer in consumers:
        consumer.start()
    for i in range(4):
        inbox.put(i)
    got = sorted(outbox.get(timeout=20) for _ in range(4))
    for _ in consumers:
        inbox.put(None)
    for consumer in consumers:
        consumer.join()
    assert got == [1, 2, 3, 4]


if __name__ == "__main__":
    main()
