# needs: torch
"""Another program listens on the port that rank 0 wants."""
import os
import socket

import torch.distributed as dist

if __name__ == "__main__":
    other = socket.socket()
    other.bind(("", 0))
    other.listen()
    port = other.getsockname()[1]
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK="0", WORLD_SIZE="1")
    dist.init_process_group("gloo")
    dist.destroy_process_group()
