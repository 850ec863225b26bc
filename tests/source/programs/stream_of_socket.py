"""The file that a socket makes."""
import socket
from multiprocessing import Pool


class Line:
    def __init__(self, sock):
        self.reader = sock.makefile("rb")  # object

    def size(self, text):
        return len(text)


if __name__ == "__main__":
    line = Line(socket.socket())
    with Pool(1) as pool:
        assert pool.map(line.size, ["ab"]) == [2]
