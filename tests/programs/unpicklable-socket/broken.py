"""A client with its TLS context is sent to a process (argument: start method)."""
import multiprocessing
import ssl
import sys


class Client:
    def __init__(self, host):
        self.host = host
        self.context = ssl.create_default_context()


def fetch(client):
    print(client.host, type(client.context).__name__)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=fetch, args=(Client("localhost"),))
    process.start()
    process.join()
    sys.exit(process.exitcode)
