"""A stand-in for PyTorch on a machine with one GPU: what a forked worker needs in order to fail."""
from . import cuda


class Tensor:
    """Numbers on a device."""

    def __init__(self, values, device="cpu"):
        self.values, self.device = values, device

    def to(self, device, non_blocking=False):
        if device == "cuda":
            cuda._lazy_init()
        return Tensor(self.values, device)

    def sum(self):
        return sum(self.values)

    def __iter__(self):
        return (Tensor(row, self.device) for row in self.values)


def ones(size, device="cpu"):
    return Tensor([1.0] * size).to(device)


def stack(tensors):
    return Tensor([t.values for t in tensors], tensors[0].device)
