import time
from multiprocessing import Pool

TASKS = {}


def register(name):
    def decorator(func):
        def wrapper(*args, **kwargs):  # object
            start = time.perf_counter()
            value = func(*args, **kwargs)
            return value, time.perf_counter() - start >= 0
        TASKS[name] = wrapper
        return wrapper
    return decorator


@register("square")
def square(x):
    return x * x


@register("cube")
def cube(x):
    return x ** 3


def run(name, items):
    task = TASKS[name]
    with Pool(2) as pool:
        return pool.map(task, items)


if __name__ == "__main__":
    assert run("square", [1, 2, 3]) == [(1, True), (4, True), (9, True)]
