from .base import H5Dataset


class ImageSet(H5Dataset):
    def __init__(self, path, scale=1.0):
        super().__init__(path)
        self.scale = scale
        self.images = self.file["images"]
        self.labels = self.file["labels"]

    def __getitem__(self, i):
        return self.images[i] * self.scale, int(self.labels[i])
