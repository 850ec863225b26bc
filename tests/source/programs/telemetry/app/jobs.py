import multiprocessing as mp

from app import tracing


class JobRunner:
    def __init__(self, workers=2, tracer=None):
        self.workers = workers
        self.tracer = tracer or tracing.get_tracer()

    def execute(self, job):
        self.tracer.span(job)
        return job[::-1]

    def run(self, jobs):
        pool = mp.Pool(self.workers)
        try:
            handles = [pool.apply_async(self.execute, (job,)) for job in jobs]
            return [h.get() for h in handles]
        finally:
            pool.terminate()
