import multiprocessing


class Engine:
    def __init__(self, workers):
        self.pool = multiprocessing.Pool(workers)

    def run(self, function, items):
        try:
            return self.pool.map(function, items)
        finally:
            self.pool.terminate()
