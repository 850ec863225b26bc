# needs: torch
"""A program that was written for many ranks runs as one, without a process group."""
import torch.distributed as dist

if __name__ == "__main__":
    if dist.get_rank() == 0:
        print("saving")
