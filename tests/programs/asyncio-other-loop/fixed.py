# needs: python>=3.10
"""What asyncio needs is made inside the worker's own loop."""
import asyncio
import multiprocessing


async def work(n):
    ready = asyncio.get_running_loop().create_future()
    ready.set_result(n)
    return await asyncio.wait_for(ready, 1)


def run(n):
    return asyncio.run(work(n))


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(run, range(2)))
