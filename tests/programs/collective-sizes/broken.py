# needs: torch
"""One output too many for all_gather."""
import os
import socket

import torch
import torch.distributed as dist


def start():
    with socket.socket() as s:
        s.bind(("", 0))
        os.environ["MASTER_PORT"] = str(s.getsockname()[1])
    os.environ.update(MASTER_ADDR="127.0.0.1", RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
    dist.init_process_group("gloo")


if __name__ == "__main__":
    start()
    x = torch.ones(3)
    dist.all_gather([torch.empty(3), torch.empty(3)], x)
    dist.destroy_process_group()
