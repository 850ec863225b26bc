# needs: torch>=2.6
"""Frozen and trained parameters in one unit."""
import os
import socket

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel


def start():
    with socket.socket() as s:
        s.bind(("", 0))
        os.environ["MASTER_PORT"] = str(s.getsockname()[1])
    os.environ.update(MASTER_ADDR="127.0.0.1", RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
    dist.init_process_group("gloo")


if __name__ == "__main__":
    start()
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    model[0].requires_grad_(False)
    FullyShardedDataParallel(model, device_id=torch.device("cpu"))
    dist.destroy_process_group()
