# needs: torch
"""The group is made where there is none."""
import os
import socket


import torch.distributed as dist


def start():
    with socket.socket() as s:
        s.bind(("", 0))
        os.environ["MASTER_PORT"] = str(s.getsockname()[1])
    os.environ.update(MASTER_ADDR="127.0.0.1", RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
    dist.init_process_group("gloo")


if __name__ == "__main__":
    start()
    if not dist.is_initialized():
        dist.init_process_group("gloo")
    print(dist.get_rank())
    dist.destroy_process_group()
