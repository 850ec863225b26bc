import multiprocessing as mp
import time


class Task:
    def __init__(self, name, action):
        self.name = name
        self.action = action


class Result:
    def __init__(self, name, value):
        self.name = name
        self.value = value


def worker(tasks, results):
    while True:
        task = tasks.get()
        if task is None:
            break
        results.put(Result(task.name, task.action(3)))


def main():
    tasks = mp.Queue()
    results = mp.Queue()
    process = mp.Process(target=worker, args=(tasks, results), daemon=True)
    process.start()
    tasks.put(Task("double", lambda x: x * 2))  # object
    tasks.put(None)
    process.join(5)
    result = results.get(timeout=2)
    assert result.value == 6


if __name__ == "__main__":
    main()
