# needs: python>=3.10
# methods: fork
"""A future made at import is awaited in a worker."""
import asyncio
import multiprocessing

loop = asyncio.new_event_loop()
ready = loop.create_future()


async def work(n):
    await asyncio.wait_for(ready, 1)
    return n


def run(n):
    return asyncio.run(work(n))


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.map(run, range(2)))
