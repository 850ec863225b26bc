"""The collate function of a loader makes its batches on the GPU."""
import torch
from torch.utils import data

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # object


class Texts(data.Dataset):
    def __init__(self, texts):
        self.texts = texts

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        return [ord(c) for c in self.texts[index]], self.texts[index]


def pad(batch):
    width = max(len(codes) for codes, _ in batch)
    ids = torch.stack([torch.tensor(codes + [0] * (width - len(codes))) for codes, _ in batch])
    return {"ids": ids.to(DEVICE, non_blocking=True), "text": [text for _, text in batch]}


class Runner:
    def __init__(self, texts):
        self.loader = data.DataLoader(Texts(texts), batch_size=2, collate_fn=pad, num_workers=2)

    def run(self):
        scale = torch.tensor([1], device=DEVICE)
        sums = []
        for batch in self.loader:
            sums.append((batch["ids"].sum() * scale).item())
        return sums


if __name__ == "__main__":
    sums = Runner(["ab", "a", "b"]).run()
    assert sums == [97 + 98 + 97, 98], sums
    print(sums)
