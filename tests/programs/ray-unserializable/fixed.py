# needs: ray
"""An actor makes the lock in its own process, once."""
import os
import threading

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import ray


@ray.remote
class Doubler:
    def __init__(self):
        self.lock = threading.Lock()

    def double(self, x):
        with self.lock:
            return 2 * x


if __name__ == "__main__":
    ray.init(num_cpus=1, include_dashboard=False)
    doubler = Doubler.remote()
    print(ray.get(doubler.double.remote(21)))
