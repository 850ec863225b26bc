# needs: python>=3.7
"""The task is a function."""
import asyncio
from concurrent.futures import ProcessPoolExecutor


def crunch(n):
    return n * n


async def main():
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(1) as pool:
        print(await loop.run_in_executor(pool, crunch, 3))


if __name__ == "__main__":
    asyncio.run(main())
