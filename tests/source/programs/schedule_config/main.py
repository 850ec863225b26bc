import argparse
import multiprocessing as mp
from dataclasses import replace

from config import SCHEDULES, TrainConfig
from worker import train_fold


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--schedule", choices=sorted(SCHEDULES), default="cosine")
    parser.add_argument("--folds", type=int, default=2)
    return parser.parse_args(argv)


def main():
    args = parse_args()
    config = TrainConfig(schedule=SCHEDULES[args.schedule])
    jobs = [replace(config, fold=n) for n in range(args.folds)]
    with mp.get_context("spawn").Pool(2) as pool:
        losses = list(pool.imap(train_fold, jobs))
    assert losses == [0.5, 1.5], losses


if __name__ == "__main__":
    main()
