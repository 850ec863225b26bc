# needs: torch
"""The device is chosen by what is there."""
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # as in broken.py
import torch


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(2, 2)
    model.to(device)
    print(model(torch.zeros(1, 2, device=device)))


if __name__ == "__main__":
    main()
