# needs: torch
"""DistributedDataParallel before init_process_group."""
import torch
from torch.nn.parallel import DistributedDataParallel

if __name__ == "__main__":
    model = DistributedDataParallel(torch.nn.Linear(2, 2))
    print(sum(p.numel() for p in model.parameters()))
