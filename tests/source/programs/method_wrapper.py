from multiprocessing import Pool


def counted(method):
    def wrapper(self, *args):  # object
        self.calls += 1
        return method(self, *args)

    return wrapper


class Job:
    def __init__(self, step):
        self.step = step
        self.calls = 0

    @counted
    def run(self, n):
        return n + self.step


def main():
    job = Job(1)
    pool = Pool(1)
    try:
        assert pool.map_async(job.run, [1, 2]).get(timeout=5) == [2, 3]
    finally:
        pool.terminate()


if __name__ == "__main__":
    main()
