import multiprocessing
import threading


class Message:
    def __init__(self, body):
        self.body = body
        self._lock = threading.Lock()  # object


def child(conn):
    print(conn.recv().body)


def main():
    here, there = multiprocessing.Pipe()
    p = multiprocessing.Process(target=child, args=(there,), daemon=True)
    p.start()
    here.send(Message("x"))
    p.join(5)


if __name__ == "__main__":
    main()
