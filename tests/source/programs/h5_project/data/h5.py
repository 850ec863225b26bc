import h5py
import torch
from torch.utils.data import Dataset


class H5Dataset(Dataset):
    """Reads images from one HDF5 file."""

    def __init__(self, path, key="images", transform=None):
        super().__init__()
        self.path = path
        self.key = key
        self.transform = transform
        self.file = h5py.File(path, "r")  # object
        self.length = len(self.file[key])

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        image = torch.from_numpy(self.file[self.key][index])
        if self.transform is not None:
            image = self.transform(image)
        return image
