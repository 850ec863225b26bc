# needs: torch
"""An interface that this machine does not have."""
import os
import socket

import torch.distributed as dist

if __name__ == "__main__":
    with socket.socket() as s:
        s.bind(("", 0))
        os.environ["MASTER_PORT"] = str(s.getsockname()[1])
    os.environ.update(MASTER_ADDR="127.0.0.1", RANK="0", WORLD_SIZE="1", GLOO_SOCKET_IFNAME="eth99")
    dist.init_process_group("gloo")
    dist.destroy_process_group()
