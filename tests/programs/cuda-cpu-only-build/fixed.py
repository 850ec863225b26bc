# needs: torch
"""The checkpoint is loaded into main memory, and moved where the model is."""
import os
import tempfile

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # as in broken.py
import torch


def main():
    path = os.path.join(tempfile.mkdtemp(), "model.pt")
    torch.save({"w": torch.zeros(2)}, path)
    print(torch.load(path, map_location="cpu"))


if __name__ == "__main__":
    main()
