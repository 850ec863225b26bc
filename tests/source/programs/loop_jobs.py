"""A target made in a loop, which uses a queue that goes along."""
import multiprocessing as mp


def run_all(names, queue):
    processes = []
    for name in names:
        def job():  # object
            queue.put(name.upper())

        p = mp.Process(target=job)
        p.start()
        processes.append(p)
    found = sorted(queue.get(timeout=20) for _ in processes)
    for p in processes:
        p.join()
    return found


if __name__ == "__main__":
    mp.set_start_method("spawn")
    assert run_all(["a", "b"], mp.Queue()) == ["A", "B"]
