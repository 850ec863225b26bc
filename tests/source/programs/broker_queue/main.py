from multiprocessing import get_context

from broker import Broker
from tasks import produce


def main():
    broker = Broker(maxsize=10)
    ctx = get_context("spawn")
    done = ctx.Event()
    worker = ctx.Process(target=produce, kwargs={"broker": broker, "done": done})
    worker.start()
    worker.join(30)
    assert done.is_set()


if __name__ == "__main__":
    main()
