"""A report that keeps the traceback of an error is put into a dump."""
import pickle
import sys


class Report:
    def __init__(self, name):
        self.name = name
        self.exc_info = None


def job(n):
    report = Report("job")
    try:
        1 / n
    except ZeroDivisionError:
        report.exc_info = sys.exc_info()
    return report


if __name__ == "__main__":
    print(len(pickle.dumps(job(0))))
