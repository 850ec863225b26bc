"""The loop of a worker."""
import sys
import traceback

from .... import stack


class ExceptionWrapper:
    """An exception as text, as torch sends it."""

    def __init__(self, where):
        kind, value, trace = sys.exc_info()
        self.kind, self.where = kind, where
        self.text = "".join(traceback.format_exception(kind, value, trace))

    def reraise(self):
        raise self.kind("Caught %s %s.\nOriginal %s" % (self.kind.__name__, self.where, self.text))


def _worker_loop(dataset, indices, pipe, worker_id):
    try:
        data = stack([dataset[i] for i in indices])
    except Exception:
        data = ExceptionWrapper("in DataLoader worker process %d" % worker_id)
    pipe.send(data)
    pipe.close()
