"""The program forks by itself after it has used the GPU."""
import os
import sys

import torch

if __name__ == "__main__":
    print("cuda:", torch.cuda.is_available(), flush=True)
    pid = os.fork()
    if pid == 0:
        print(torch.ones(2, device="cuda").sum())
        sys.exit(0)
    sys.exit(os.waitpid(pid, 0)[1] >> 8)
