# needs: ray
"""A task's worker is killed."""
import os
import signal

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import ray


@ray.remote(max_retries=0)
def load(size):
    if size > 8:
        os.kill(os.getpid(), signal.SIGKILL)
    return size


if __name__ == "__main__":
    ray.init(num_cpus=1, include_dashboard=False)
    print(ray.get(load.remote(16)))
