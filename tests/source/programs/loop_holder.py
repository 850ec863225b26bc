import asyncio
import multiprocessing as mp


class AsyncBatcher:
    def __init__(self, size):
        self.size = size
        self.loop = asyncio.new_event_loop()  # object

    async def _one(self, x):
        await asyncio.sleep(0)
        return x + self.size

    def process(self, xs):
        return [self.loop.run_until_complete(self._one(x)) for x in xs]


def work(batcher, xs):
    return batcher.process(xs)


def main():
    batcher = AsyncBatcher(10)
    ctx = mp.get_context("spawn")
    with ctx.Pool(2) as pool:
        out = pool.starmap(work, [(batcher, [1]), (batcher, [2])])
    assert out == [[11], [12]]


if __name__ == "__main__":
    main()
