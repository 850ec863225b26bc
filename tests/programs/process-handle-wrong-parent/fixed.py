"""The parent, whose children they are, tells the watcher."""
import multiprocessing
import time


def watch(over):
    over.wait()
    print("alive:", False)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    over = context.Event()
    trainer = context.Process(target=time.sleep, args=(0.5,))
    trainer.start()
    watcher = context.Process(target=watch, args=(over,))
    watcher.start()
    trainer.join()
    over.set()
    watcher.join()
    assert watcher.exitcode == 0
