# methods: fork
"""A worker asks for more memory than its limit."""
import multiprocessing
import resource


def work(n):
    resource.setrlimit(resource.RLIMIT_AS, (1024**3, 1024**3))
    return len([b"x"] * n)


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.map(work, [10**9]))
