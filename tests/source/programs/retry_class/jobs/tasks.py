from concurrent.futures import ProcessPoolExecutor

from jobs.retrying import retry


@retry(times=2)
def download(n):
    return "ok:%d" % n


def run_all(ns):
    with ProcessPoolExecutor(2) as ex:
        return list(ex.map(download, ns))
