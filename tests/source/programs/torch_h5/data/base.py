import h5py
from torch.utils.data import Dataset


class H5Dataset(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = h5py.File(path, "r")  # object

    def __len__(self):
        return len(self.file["labels"])
