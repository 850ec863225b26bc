# needs: torch
"""The tensor is detached from its graph before it is sent (argument: start method)."""
import sys

import torch
import torch.multiprocessing


def worker(x):
    print(x.sum().item())


if __name__ == "__main__":
    ctx = torch.multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    weight = torch.ones(3, requires_grad=True)
    scaled = (weight * 2).detach()
    process = ctx.Process(target=worker, args=(scaled,))
    process.start()
    process.join()
    sys.exit(process.exitcode)
