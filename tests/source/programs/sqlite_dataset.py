import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset, Subset, random_split


def open_db(path):
    connection = sqlite3.connect(path)  # object
    connection.row_factory = sqlite3.Row
    return connection


class RowDataset(Dataset):
    def __init__(self, db_path):
        self.db_path = db_path
        self.db = open_db(db_path)
        self.ids = [r["id"] for r in self.db.execute("select id from rows")]

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        row = self.db.execute("select value from rows where id=?", (self.ids[i],)).fetchone()
        return torch.tensor(row["value"])


def prepare(path):
    db = sqlite3.connect(path)
    db.execute("create table rows (id integer, value real)")
    db.executemany("insert into rows values (?, ?)", [(i, i * 1.0) for i in range(10)])
    db.commit()
    db.close()


class Experiment:
    def __init__(self, path, batch=2):
        self.dataset = RowDataset(path)
        self.train_set, self.val_set = random_split(self.dataset, [8, 2])
        self.train_loader = DataLoader(self.train_set, batch_size=batch, num_workers=1, multiprocessing_context="spawn")
        self.val_loader = DataLoader(self.val_set, batch_size=batch)

    def run(self):
        total = 0.0
        for batch in self.train_loader:
            total += batch.sum().item()
        for batch in self.val_loader:
            total += batch.sum().item()
        return total


def main():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "rows.db")
    prepare(path)
    assert Experiment(path).run() == 45.0


if __name__ == "__main__":
    main()
