# needs: torch
"""Another program listens on the port that torchrun was given."""
import os
import socket
import subprocess
import sys

if __name__ == "__main__" and "RANK" not in os.environ:
    other = socket.socket()
    other.bind(("", 0))
    other.listen()
    port = str(other.getsockname()[1])
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "1", "--master_port", port, __file__]
    sys.exit(subprocess.run(command).returncode)
