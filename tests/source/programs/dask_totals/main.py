import dask

from totals import Ledger


def main():
    ledger = Ledger("2024", rows=[1, 2, 3])
    tasks = [dask.delayed(ledger.total)(factor) for factor in (1, 2)]
    assert dask.compute(*tasks, scheduler="processes", num_workers=1) == (6, 12)


if __name__ == "__main__":
    main()
