"""A loader that starts a worker for each pass."""
import multiprocessing

from ... import Tensor, stack, tensor
from ._utils.worker import ExceptionWrapper, _worker_loop


def default_collate(samples):
    first = samples[0]
    if isinstance(first, Tensor):
        return stack(samples)
    if isinstance(first, dict):
        return {key: default_collate([s[key] for s in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        return [default_collate(column) for column in zip(*samples)]
    return tensor(list(samples))


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=False, num_workers=0, collate_fn=None,
                 multiprocessing_context=None):
        self.dataset, self.batch_size = dataset, batch_size
        self.collate_fn = collate_fn or default_collate
        self.context = multiprocessing.get_context(multiprocessing_context)

    def __len__(self):
        return -(-len(self.dataset) // self.batch_size)

    def __iter__(self):
        here, there = self.context.Pipe()
        indices = list(range(len(self.dataset)))
        batches = [indices[i:i + self.batch_size] for i in range(0, len(indices), self.batch_size)]
        args = (self.dataset, batches, self.collate_fn, there, 0)
        worker = self.context.Process(target=_worker_loop, args=args)
        worker.start()
        there.close()
        for _ in batches:
            yield self._process_data(here.recv())
        worker.join()

    def _process_data(self, data):
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return data
