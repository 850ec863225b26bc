import multiprocessing
import queue


def deliver(inbox, sender):
    while True:
        message = inbox.get(timeout=10)
        if message is None:
            return
        print(sender, "->", message)


class Mailer:
    def __init__(self, sender):
        self.sender = sender
        self.inbox = queue.Queue(maxsize=100)  # object

    def send(self, message):
        self.inbox.put(message)

    def start(self):
        self.proc = multiprocessing.Process(
            target=deliver, args=(self.inbox, self.sender), daemon=True
        )
        self.proc.start()


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn", force=True)
    mailer = Mailer("robot")
    mailer.start()
    mailer.send("hello")
    mailer.send(None)
    mailer.proc.join()
    assert mailer.proc.exitcode == 0
