# needs: torch
"""A module that keeps its last output is copied."""
import copy

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def forward(self, x):
        self.last = self.layer(x)
        return self.last


if __name__ == "__main__":
    net = Net()
    net(torch.ones(1, 2))
    copy.deepcopy(net)
