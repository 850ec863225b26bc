from dataclasses import dataclass
from typing import Callable

SCHEDULES = {
    "flat": float,
    "cosine": lambda step: 0.5 + step,  # object
}


@dataclass
class TrainConfig:
    schedule: Callable[[int], float]
    fold: int = 0
