# needs: accelerate
"""An Accelerator exists before the launcher is called, as in a notebook."""
import os

import torch

torch.cuda.is_available = lambda: True          # as on a machine with a GPU
os.environ["KAGGLE_URL_BASE"] = "a notebook"

from accelerate import Accelerator, notebook_launcher


def train():
    print("training")


if __name__ == "__main__":
    Accelerator(cpu=True)
    notebook_launcher(train, num_processes=2)
