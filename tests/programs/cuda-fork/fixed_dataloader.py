"""The dataset stays on the CPU; the training loop moves the batch."""
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.ones(3)


if __name__ == "__main__":
    print("cuda:", torch.cuda.is_available())
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for batch in DataLoader(Images(), num_workers=1, multiprocessing_context="fork"):
        batch = [image.to(device, non_blocking=True) for image in batch]
        print(sum(image.sum() for image in batch))
