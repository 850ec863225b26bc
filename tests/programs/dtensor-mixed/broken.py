# needs: torch>=2.6
"""A DTensor and a plain tensor in one sum."""
import os
import socket

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def start():
    with socket.socket() as s:
        s.bind(("", 0))
        os.environ["MASTER_PORT"] = str(s.getsockname()[1])
    os.environ.update(MASTER_ADDR="127.0.0.1", RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
    dist.init_process_group("gloo")


if __name__ == "__main__":
    start()
    model = torch.nn.Linear(4, 4)
    fully_shard(model)
    print(model.weight + torch.ones(4, 4))
    dist.destroy_process_group()
