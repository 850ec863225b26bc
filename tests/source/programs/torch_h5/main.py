import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader

from data.sets import ImageSet


def make_file(path):
    with h5py.File(path, "w") as f:
        f["images"] = np.arange(12).reshape(4, 3)
        f["labels"] = np.arange(4)


def main():
    path = os.path.join(tempfile.mkdtemp(), "train.h5")
    make_file(path)
    dataset = ImageSet(path)
    loader = DataLoader(dataset, batch_size=2, num_workers=1, multiprocessing_context="spawn")
    seen = []
    for images, labels in loader:
        seen += labels.tolist()
    assert seen == [0, 1, 2, 3]


if __name__ == "__main__":
    main()
