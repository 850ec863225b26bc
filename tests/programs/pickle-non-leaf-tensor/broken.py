# needs: torch
"""A tensor that was computed is sent to a process (argument: start method)."""
import sys

import torch
import torch.multiprocessing


def worker(x):
    print(x.sum().item())


if __name__ == "__main__":
    ctx = torch.multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    weight = torch.ones(3, requires_grad=True)
    process = ctx.Process(target=worker, args=(weight * 2,))
    process.start()
    process.join()
    sys.exit(process.exitcode)
