# needs: torch
"""The one class that the message names is allowed, for this load alone."""
import io

import torch


class Config:
    lr = 0.1


if __name__ == "__main__":
    file = io.BytesIO()
    torch.save({"model": torch.zeros(2), "config": Config()}, file)
    file.seek(0)
    with torch.serialization.safe_globals([Config]):
        print(sorted(torch.load(file, weights_only=True)))
