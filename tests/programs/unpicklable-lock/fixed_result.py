"""The task returns plain data."""
import threading
from concurrent.futures import ProcessPoolExecutor


class Report:
    def __init__(self, score):
        self.score = score
        self._lock = threading.Lock()


def evaluate(n):
    return {"score": Report(n * 0.5).score}


if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        print(pool.submit(evaluate, 3).result()["score"])
