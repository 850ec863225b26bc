"""A stand-in for PyTorch on a machine with one GPU: what a program needs in order to fail in a fork."""
from . import cuda


class device:
    """The name of a device."""

    def __init__(self, name):
        self.type = str(name).split(":")[0]

    def __str__(self):
        return self.type


class Tensor:
    """Numbers on a device."""

    def __init__(self, values, on="cpu"):
        self.values, self.device = list(values), on

    def to(self, where, non_blocking=False):
        if str(where).startswith("cuda"):
            cuda._lazy_init()
        return Tensor(self.values, str(where).split(":")[0])

    def cuda(self, non_blocking=False):
        return self.to("cuda")

    def cpu(self):
        return Tensor(self.values)

    def __mul__(self, other):
        if isinstance(other, Tensor):
            if other.device != self.device:
                raise RuntimeError("Expected all tensors to be on the same device")
            return Tensor([a * b for a, b in zip(self.values, other.values)], self.device)
        return Tensor([a * other for a in self.values], self.device)

    def sum(self):
        return Tensor([sum(_flat(self.values))], self.device)

    def item(self):
        return self.values[0]


def _flat(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value


def ones(size, device="cpu"):
    return Tensor([1.0] * size).to(device)


def tensor(values, device="cpu"):
    return Tensor(values if isinstance(values, (list, tuple)) else [values]).to(device)


def stack(tensors):
    if len({t.device for t in tensors}) > 1:
        raise RuntimeError("Expected all tensors to be on the same device")
    return Tensor([t.values for t in tensors], tensors[0].device)
