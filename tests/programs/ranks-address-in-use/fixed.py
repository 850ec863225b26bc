# needs: torch
"""The system picks a port that is free."""
import os
import socket

import torch.distributed as dist

if __name__ == "__main__":
    other = socket.socket()
    other.bind(("", 0))
    other.listen()
    with socket.socket() as s:
        s.bind(("", 0))
        os.environ["MASTER_PORT"] = str(s.getsockname()[1])
    os.environ.update(MASTER_ADDR="127.0.0.1", RANK="0", WORLD_SIZE="1")
    dist.init_process_group("gloo")
    dist.destroy_process_group()
