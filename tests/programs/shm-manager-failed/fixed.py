# needs: torch
"""A short, writable folder."""
import os

os.environ["TMPDIR"] = "/tmp"

import torch
import torch.multiprocessing

if __name__ == "__main__":
    torch.multiprocessing.set_sharing_strategy("file_system")
    print(torch.ones(3).share_memory_())
