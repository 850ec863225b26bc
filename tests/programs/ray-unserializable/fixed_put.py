# needs: ray
"""The lock stays out of the pickle."""
import os
import threading

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import ray


class Table:
    def __init__(self):
        self.rows = [1, 2]
        self.lock = threading.Lock()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("lock", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()


if __name__ == "__main__":
    ray.init(num_cpus=1, include_dashboard=False)
    print(ray.get(ray.put(Table())).rows)
