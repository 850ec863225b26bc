import json
import multiprocessing as mp
import random


def load_settings(text):
    settings = json.loads(text)
    settings.setdefault("rate", 0.1)
    return settings


def simulate(seed):
    rng = random.Random(seed)
    rate = SETTINGS["rate"]
    infected = 1
    for _ in range(SETTINGS["days"]):
        infected += sum(rng.random() < rate for _ in range(infected))
    return infected


if __name__ == "__main__":
    SETTINGS = load_settings('{"days": 5}')  # object
    ctx = mp.get_context("spawn")
    with ctx.Pool(2) as pool:
        outcomes = pool.map(simulate, range(4))
    assert len(outcomes) == 4
