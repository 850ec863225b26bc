import concurrent.futures
import threading

OPTS = dict(retries=3, gate=threading.BoundedSemaphore(2), verbose=False)  # object


class Client:
    def __init__(self, **opts):
        self.__dict__.update(opts)

    def call(self, n):
        with self.gate:
            return n * n


def main():
    client = Client(**OPTS)
    with concurrent.futures.ProcessPoolExecutor(2) as ex:
        print(list(ex.map(client.call, [1, 2])))


if __name__ == "__main__":
    main()
