import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader

from data.h5 import H5Dataset


def scale(image):
    return image / 255.0


def make_file(folder):
    path = os.path.join(folder, "train.h5")
    with h5py.File(path, "w") as f:
        f["images"] = np.full((6, 2, 2), 255.0, dtype="float32")
    return path


def get_loader(path, batch_size, workers):
    dataset = H5Dataset(path, transform=scale)
    return DataLoader(
        dataset,
        batch_size=batch_size,
        shuffle=True,
        num_workers=workers,
        multiprocessing_context="spawn",
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        loader = get_loader(make_file(folder), 2, 2)
        total = 0.0
        for batch in loader:
            total += float(batch.sum())
        assert total == 24.0, total
