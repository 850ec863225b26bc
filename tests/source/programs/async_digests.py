import asyncio
import hashlib
from concurrent.futures import ProcessPoolExecutor


def digest(text: str, rounds: int) -> str:
    value = text.encode()
    for _ in range(rounds):
        value = hashlib.sha256(value).digest()
    return value.hex()


async def hash_all(texts: list, rounds: int) -> dict:
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(max_workers=2) as pool:
        tasks = [
            loop.run_in_executor(pool, lambda: digest(text, rounds))  # object
            for text in texts
        ]
        digests = await asyncio.gather(*tasks)
    return dict(zip(texts, digests))


async def main() -> None:
    texts = ["a", "b", "c"]
    result = await hash_all(texts, 100)
    assert result == {t: digest(t, 100) for t in texts}, result


if __name__ == "__main__":
    asyncio.run(main())
