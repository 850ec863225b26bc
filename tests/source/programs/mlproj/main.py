import argparse
import os
import tempfile

from mlproj.callbacks import Best, LogScores
from mlproj.log import make_logger
from mlproj.trainer import Trainer, cross_validate


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    folder = tempfile.mkdtemp()
    logger = make_logger("run", os.path.join(folder, "run.log"))
    trainer = Trainer(args.seed, callbacks=[Best(), LogScores(logger)])
    scores = cross_validate(trainer, [0.5, 1.0])
    assert scores == [1.0, 2.0]


if __name__ == "__main__":
    main()
