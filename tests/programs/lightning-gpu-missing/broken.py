# needs: lightning
"""GPUs are asked for, and there is none."""
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""

import lightning as L

if __name__ == "__main__":
    L.Trainer(accelerator="gpu", devices=2, logger=False)
