# needs: ray
"""An object with a lock goes into the object store."""
import os
import threading

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import ray


class Table:
    def __init__(self):
        self.rows = [1, 2]
        self.lock = threading.Lock()


if __name__ == "__main__":
    ray.init(num_cpus=1, include_dashboard=False)
    print(ray.get(ray.put(Table())).rows)
