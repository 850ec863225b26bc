import torch
from torch.utils.data import DataLoader, Dataset


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, x):
        for t in self.transforms:
            x = t(x)
        return x


class Lambda:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self, x):
        return self.fn(x)


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, x):
        return (x - self.mean) / self.std


class Numbers(Dataset):
    def __init__(self, count, transform=None):
        self.data = torch.arange(count).float()
        self.transform = transform

    def __len__(self):
        return len(self.data)

    def __getitem__(self, idx):
        x = self.data[idx]
        return self.transform(x) if self.transform else x


def build_transforms(train=True):
    steps = [Normalize(0.0, 1.0)]
    if train:
        steps.append(Lambda(lambda x: x * 2))  # object
    return Compose(steps)


def main():
    train_set = Numbers(4, transform=build_transforms())
    val_set = Numbers(4, transform=build_transforms(train=False))
    loaders = {
        "train": DataLoader(train_set, batch_size=2, num_workers=1, multiprocessing_context="spawn"),
        "val": DataLoader(val_set, batch_size=2),
    }
    sums = {}
    for phase in ["train", "val"]:
        sums[phase] = sum(b.sum().item() for b in loaders[phase])
    assert sums == {"train": 12.0, "val": 6.0}, sums


if __name__ == "__main__":
    main()
