# needs: torch
"""The file came from a plain pickle.dump, not from torch.save."""
import io
import pickle

import torch

if __name__ == "__main__":
    file = io.BytesIO(pickle.dumps({"epoch": 3}, protocol=2))
    print(torch.load(file))
