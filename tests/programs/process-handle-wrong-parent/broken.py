"""A forked process asks after its sibling, which is no child of its own."""
import multiprocessing
import time


def watch(sibling):
    print("alive:", sibling.is_alive())


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    trainer = context.Process(target=time.sleep, args=(0.5,))
    trainer.start()
    watcher = context.Process(target=watch, args=(trainer,))
    watcher.start()
    watcher.join()
    trainer.join()
