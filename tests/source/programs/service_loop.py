import asyncio
from concurrent.futures import ProcessPoolExecutor


class Service:
    def __init__(self, loop):
        self.loop = loop
        self.cache = {}

    def crunch(self, n):
        return sum(i * i for i in range(n))

    async def handle(self, n):
        if n not in self.cache:
            with ProcessPoolExecutor(1) as pool:
                self.cache[n] = await self.loop.run_in_executor(pool, self.crunch, n)
        return self.cache[n]


async def main():
    service = Service(asyncio.get_running_loop())  # object
    assert await service.handle(4) == 14


if __name__ == "__main__":
    asyncio.run(main())
