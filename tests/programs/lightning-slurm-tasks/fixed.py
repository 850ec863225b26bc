# needs: lightning
"""Tasks are given by node."""
import os

os.environ.update(SLURM_NTASKS="4", SLURM_NTASKS_PER_NODE="4", SLURM_JOB_NAME="train", SLURM_JOB_ID="1",
                  SLURM_PROCID="0", SLURM_LOCALID="0", SLURM_NODELIST="node1", SLURM_NODEID="0")

import lightning as L

if __name__ == "__main__":
    L.Trainer(accelerator="cpu", devices=4, strategy="ddp", logger=False)
