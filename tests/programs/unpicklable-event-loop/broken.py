# needs: python>=3.13, python<3.14
"""A task is a method of an object that keeps the running loop."""
import asyncio
from concurrent.futures import ProcessPoolExecutor


class Service:
    def __init__(self):
        self.loop = asyncio.get_event_loop()

    def crunch(self, n):
        return n * n

    async def run(self):
        with ProcessPoolExecutor(1) as pool:
            return await self.loop.run_in_executor(pool, self.crunch, 3)


async def main():
    print(await Service().run())


if __name__ == "__main__":
    asyncio.run(main())
