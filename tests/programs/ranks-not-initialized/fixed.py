# needs: torch
"""The program asks whether there is a process group."""
import torch.distributed as dist

if __name__ == "__main__":
    rank = dist.get_rank() if dist.is_available() and dist.is_initialized() else 0
    if rank == 0:
        print("saving")
