# needs: torch
"""A script for torchrun is started with python."""
import torch.distributed as dist

if __name__ == "__main__":
    dist.init_process_group("gloo")
    print("rank", dist.get_rank())
    dist.destroy_process_group()
