# needs: torch
"""A checkpoint holds an object of the program's own class."""
import io

import torch


class Config:
    lr = 0.1


if __name__ == "__main__":
    file = io.BytesIO()
    torch.save({"model": torch.zeros(2), "config": Config()}, file)
    file.seek(0)
    print(sorted(torch.load(file, weights_only=True)))
