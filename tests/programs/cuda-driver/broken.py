# needs: torch
"""A model is sent to a GPU where no GPU is to be seen."""
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # so that it fails on a machine with a GPU too
import torch


def main():
    model = torch.nn.Linear(2, 2)
    model.to("cuda")
    print(model(torch.zeros(1, 2, device="cuda")))


if __name__ == "__main__":
    main()
