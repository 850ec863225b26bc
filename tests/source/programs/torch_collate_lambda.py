import torch
from torch.utils.data import DataLoader, TensorDataset


class Data:
    def __init__(self, pad):
        self.pad = pad
        self.train = TensorDataset(torch.arange(8.0))

    def loader(self):
        return DataLoader(
            self.train,
            batch_size=4,
            num_workers=1,
            multiprocessing_context="spawn",
            collate_fn=lambda rows: torch.stack([r[0] for r in rows]) + self.pad,  # object
        )


if __name__ == "__main__":
    data = Data(1.0)
    for batch in data.loader():
        print(batch)
