import multiprocessing
import threading


class Plan:
    def __init__(self, name, steps):
        self.name = name
        self.steps = steps

    @classmethod
    def from_dict(cls, config):
        plan = cls(config["name"], config.get("steps", 1))
        plan.tags = config.get("tags", [])
        plan.ready = threading.Event()  # object
        return plan

    def go(self, n):
        self.ready.set()
        return self.name * (n + self.steps)


CONFIG = {"name": "x", "steps": 2}


def main():
    plan = Plan.from_dict(CONFIG)
    pool = multiprocessing.Pool(2)
    try:
        res = pool.map(plan.go, range(2))
    finally:
        pool.close()
    assert res == ["xx", "xxx"]


if __name__ == "__main__":
    main()
