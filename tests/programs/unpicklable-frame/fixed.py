"""The report keeps the traceback's text."""
import pickle
import traceback


class Report:
    def __init__(self, name):
        self.name = name
        self.error = None


def job(n):
    report = Report("job")
    try:
        1 / n
    except ZeroDivisionError:
        report.error = traceback.format_exc()
    return report


if __name__ == "__main__":
    assert "ZeroDivisionError" in pickle.loads(pickle.dumps(job(0))).error
