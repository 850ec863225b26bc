# needs: torch
"""torchrun picks a port that is free."""
import os
import socket
import subprocess
import sys

if __name__ == "__main__" and "RANK" not in os.environ:
    other = socket.socket()
    other.bind(("", 0))
    other.listen()
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "1", __file__]
    sys.exit(subprocess.run(command).returncode)
