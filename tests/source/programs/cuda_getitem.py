"""Images are brought onto the GPU by the dataset, in forked workers."""
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        image = torch.ones(3) * index
        image = image.to("cuda")
        return image, index % 2


class Model:
    def __init__(self):
        self.weight = torch.ones(2).cuda()  # object

    def __call__(self, images):
        return (images.sum() * self.weight).item()


def evaluate(model, loader):
    total = 0
    for images, _ in loader:
        total += model(images)
    return total


def main():
    model = Model()
    train = DataLoader(Images(4), batch_size=2, num_workers=1)
    seen = 0.0
    for step, (images, labels) in enumerate(train):
        # One step of training.
        seen += model(images)
    assert seen == 18.0, seen
    assert evaluate(model, DataLoader(Images(2), batch_size=2)) == 3.0
    print("done")


if __name__ == "__main__":
    main()
