# needs: torch
"""A reentrant checkpoint uses the same layer twice in one backward pass."""
import os
import sys

if "RANK" not in os.environ:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    os.environ["OMP_NUM_THREADS"] = "1"
    os.execv(sys.executable, launcher + sys.argv)

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        x = checkpoint(self.layer, x, use_reentrant=True)
        return checkpoint(self.layer, x, use_reentrant=True)


def main():
    dist.init_process_group("gloo")
    model = DistributedDataParallel(Net(), find_unused_parameters=True)
    model(torch.randn(2, 4, requires_grad=True)).sum().backward()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
