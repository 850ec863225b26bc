"""A wrapper whose __getattr__ hands on every name is rebuilt in a process (argument: start method)."""
import multiprocessing
import sys


class Env:
    steps = 3


class Wrapper:
    def __init__(self, env):
        self.env = env

    def __getattr__(self, name):
        return getattr(self.env, name)


def worker(env):
    print(env.steps)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=worker, args=(Wrapper(Env()),))
    process.start()
    process.join()
    sys.exit(process.exitcode)
