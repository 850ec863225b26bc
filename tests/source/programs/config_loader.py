import argparse
import json
import multiprocessing as mp
from dataclasses import dataclass, field
from typing import Any, Callable, Dict


@dataclass
class ModelConfig:
    hidden: int = 8
    activation: Callable = None


@dataclass
class Config:
    model: ModelConfig = field(default_factory=ModelConfig)
    extras: Dict[str, Any] = field(default_factory=dict)


ACTIVATIONS = {
    "relu": lambda x: max(x, 0),  # object
    "id": lambda x: x,
}


def load(path=None, activation="relu"):
    config = Config()
    config.model.activation = ACTIVATIONS[activation]
    return config


def evaluate(config, x):
    return config.model.activation(x) * config.model.hidden


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--activation", default="relu")
    args = parser.parse_args()
    config = load(activation=args.activation)
    with mp.Pool(2) as pool:
        out = pool.starmap(evaluate, [(config, x) for x in (-1, 2)])
    assert out == [0, 16]


if __name__ == "__main__":
    main()
