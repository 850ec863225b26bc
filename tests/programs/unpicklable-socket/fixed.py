"""The process gets what the client is made from, and makes its own (argument: start method)."""
import multiprocessing
import ssl
import sys


class Client:
    def __init__(self, host):
        self.host = host
        self.context = ssl.create_default_context()


def fetch(host):
    client = Client(host)
    print(client.host, type(client.context).__name__)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=fetch, args=("localhost",))
    process.start()
    process.join()
    sys.exit(process.exitcode)
