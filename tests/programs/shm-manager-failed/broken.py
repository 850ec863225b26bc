# needs: torch<2.15
"""The folder for temporary files does not exist."""
import os

os.environ["TMPDIR"] = "/nonexistent"

import torch
import torch.multiprocessing

if __name__ == "__main__":
    torch.multiprocessing.set_sharing_strategy("file_system")
    torch.ones(3).share_memory_()
