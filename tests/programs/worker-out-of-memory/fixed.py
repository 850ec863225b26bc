# methods: fork
"""The worker goes through its data in chunks."""
import multiprocessing
import resource


def work(n):
    resource.setrlimit(resource.RLIMIT_AS, (1024**3, 1024**3))
    return sum(len([b"x"] * 10**6) for _ in range(n // 10**6))


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.map(work, [10**7]))
