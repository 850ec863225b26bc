"""The dataset moves its samples to the GPU, in a forked worker."""
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.ones(3).to("cuda")


if __name__ == "__main__":
    print("cuda:", torch.cuda.is_available())
    for batch in DataLoader(Images(), num_workers=1, multiprocessing_context="fork"):
        print(sum(image.sum() for image in batch))
