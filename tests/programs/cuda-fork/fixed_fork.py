"""The program forks first; then each process may use the GPU."""
import os
import sys

import torch

if __name__ == "__main__":
    pid = os.fork()
    if pid == 0:
        print(torch.ones(2, device="cuda").sum())
        sys.exit(0)
    print("cuda:", torch.cuda.is_available())
    sys.exit(os.waitpid(pid, 0)[1] >> 8)
