import asyncio
from concurrent.futures import ProcessPoolExecutor
import threading


class Service:
    def __init__(self):
        self.pool = None
        self.guard = threading.Lock()  # object

    def crunch(self, n):
        return n * n

    async def handle(self, n):
        loop = asyncio.get_running_loop()
        with ProcessPoolExecutor(1) as pool:
            return await loop.run_in_executor(pool, self.crunch, n)


async def main():
    print(await Service().handle(3))


if __name__ == "__main__":
    asyncio.run(main())
