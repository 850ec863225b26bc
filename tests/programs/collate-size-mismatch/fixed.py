# needs: torch
"""The samples are padded to the longest of their batch."""
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.arange(2 + i), i % 2


def pad(batch):
    x, y = zip(*batch)
    return pad_sequence(x, batch_first=True), torch.as_tensor(y)


def main():
    for x, y in DataLoader(Sentences(), batch_size=4, num_workers=1, collate_fn=pad):
        print(x.shape, y.shape)


if __name__ == "__main__":
    main()
