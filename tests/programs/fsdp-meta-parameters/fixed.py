# needs: torch>=2.6
"""They get memory and values first."""
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
    with torch.device("meta"):
        model = torch.nn.Linear(4, 4)
    fully_shard(model)
    model.to_empty(device="cpu")
    for module in model.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()
    print(model(torch.ones(2, 4)).shape)
    dist.destroy_process_group()
