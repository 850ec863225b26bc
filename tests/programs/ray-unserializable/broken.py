# needs: ray
"""A task uses a lock of the driver."""
import os
import threading

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import ray

lock = threading.Lock()


@ray.remote
def double(x):
    with lock:
        return 2 * x


if __name__ == "__main__":
    ray.init(num_cpus=1, include_dashboard=False)
    print(ray.get(double.remote(21)))
