import multiprocessing as mp


def job(cfg, on_done, out):
    value = cfg["n"] * 2
    on_done(value)
    out.put(value)


def start_jobs(configs, prefix):
    def report(value):  # object
        print(prefix, value)

    ctx = mp.get_context("spawn")
    out = ctx.SimpleQueue()
    procs = []
    for cfg in configs:
        p = ctx.Process(target=job, kwargs={"cfg": cfg, "on_done": report, "out": out})
        p.start()
        procs.append(p)
    values = sorted(out.get() for _ in procs)
    [p.join() for p in procs]
    return values


if __name__ == "__main__":
    assert start_jobs([{"n": 1}, {"n": 2}], "done:") == [2, 4]
