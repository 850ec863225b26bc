# needs: torch
"""The module keeps its last output without the graph."""
import copy

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def forward(self, x):
        out = self.layer(x)
        self.last = out.detach()
        return out


if __name__ == "__main__":
    net = Net()
    net(torch.ones(1, 2))
    assert torch.equal(copy.deepcopy(net).last, net.last)
