# needs: lightning
"""What is there is taken."""
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""

import lightning as L

if __name__ == "__main__":
    L.Trainer(accelerator="auto", devices="auto", logger=False)
