# needs: ray
"""The task returns plain data."""
import os

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import ray


@ray.remote
def state():
    return {"count": 3}


if __name__ == "__main__":
    ray.init(num_cpus=1, include_dashboard=False)
    print(ray.get(state.remote())["count"])
