import logging
import tempfile
import os
from multiprocessing import Pool

from billing.service import InvoiceService


def main():
    with tempfile.TemporaryDirectory() as folder:
        service = InvoiceService("acme", os.path.join(folder, "audit.log"))
        with Pool(2) as pool:
            totals = pool.map(service.total, [[1, 2], [3, 4]])
    assert totals == [3.6, 8.4], totals
    logging.info("done")


if __name__ == "__main__":
    main()
