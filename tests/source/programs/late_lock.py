import multiprocessing
import threading


class Device:
    def __init__(self, port):
        self.port = port
        self.lock = None

    def connect(self):
        self.lock = threading.Lock()  # object
        return self


def poll(device):
    return device.port


def main():
    devices = [Device(p).connect() for p in (1, 2)]
    with multiprocessing.Pool(2) as pool:
        print(pool.map(poll, devices))


if __name__ == "__main__":
    main()
