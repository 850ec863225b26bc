import multiprocessing
import socket


class Agent:
    def __init__(self, name):
        self.name = name


def build():
    agent = Agent("x")
    agent.sock = socket.socket()  # object
    return agent


def serve(agent):
    print(agent.name)


def main():
    agent = build()
    ctx = multiprocessing.get_context("spawn")
    worker = ctx.Process(target=serve, kwargs={"agent": agent})
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()
