# needs: ray
"""An actor's process is killed while a call runs."""
import os
import signal

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import ray


@ray.remote
class Trainer:
    def step(self, size):
        if size > 8:
            os.kill(os.getpid(), signal.SIGKILL)
        return size


if __name__ == "__main__":
    ray.init(num_cpus=1, include_dashboard=False)
    trainer = Trainer.remote()
    print(ray.get(trainer.step.remote(16)))
