"""The wrapper hands on no special names, and asks for nothing that is not there yet (argument: start method)."""
import multiprocessing
import sys


class Env:
    steps = 3


class Wrapper:
    def __init__(self, env):
        self.env = env

    def __getattr__(self, name):
        if name.startswith("__") or "env" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.__dict__["env"], name)


def worker(env):
    print(env.steps)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=worker, args=(Wrapper(Env()),))
    process.start()
    process.join()
    sys.exit(process.exitcode)
