# needs: torch
"""A number of processes."""
import os
import sys

if "RANK" not in os.environ:
    os.environ["OMP_NUM_THREADS"] = "1"
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    os.execv(sys.executable, launcher + sys.argv)

print("rank", os.environ["RANK"])
