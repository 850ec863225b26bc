"""A loader with one worker and one batch."""
import multiprocessing

from ._utils.worker import ExceptionWrapper, _worker_loop


class DataLoader:
    def __init__(self, dataset, num_workers=1, multiprocessing_context=None):
        self.dataset = dataset
        self.context = multiprocessing.get_context(multiprocessing_context)

    def __iter__(self):
        here, there = self.context.Pipe()
        indices = range(len(self.dataset))
        worker = self.context.Process(target=_worker_loop, args=(self.dataset, indices, there, 0))
        worker.start()
        there.close()
        data = here.recv()
        worker.join()
        yield self._process_data(data)

    def _process_data(self, data):
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return data
