# needs: torch
"""One process for each GPU, and there is none."""
import os
import sys

if "RANK" not in os.environ:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "gpu"]
    os.execv(sys.executable, launcher + sys.argv)

print("rank", os.environ["RANK"])
