# needs: torch
"""The launcher passes an argument that the parser does not know."""
import argparse
import os
import sys

if "RANK" not in os.environ:
    os.environ["OMP_NUM_THREADS"] = "1"
    launcher = [sys.executable, "-W", "ignore", "-m", "torch.distributed.launch", "--nproc_per_node", "1"]
    os.execv(sys.executable, launcher + sys.argv[:1])

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=1)
print(parser.parse_args())
