# needs: torch
"""A checkpoint whose tensors are mapped to a GPU is loaded where there is none."""
import os
import tempfile

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # so that it fails on a machine with a GPU too
import torch


def main():
    path = os.path.join(tempfile.mkdtemp(), "model.pt")
    torch.save({"w": torch.zeros(2)}, path)
    print(torch.load(path, map_location="cuda:0"))


if __name__ == "__main__":
    main()
