# needs: torch
"""The folder may exist."""
import os
import sys
import tempfile

if "RANK" not in os.environ:
    os.environ.update(OMP_NUM_THREADS="1", FOLDER=tempfile.mkdtemp())
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    os.execv(sys.executable, launcher + sys.argv[:1])

import torch.distributed as dist

if __name__ == "__main__":
    dist.init_process_group("gloo")
    os.makedirs(os.path.join(os.environ["FOLDER"], "run"), exist_ok=True)
    dist.destroy_process_group()
