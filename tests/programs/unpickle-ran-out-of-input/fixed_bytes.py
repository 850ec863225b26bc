"""Bytes are looked at before they are unpickled."""
import pickle


def receive():
    return b""


if __name__ == "__main__":
    data = receive()
    print(pickle.loads(data) if data else "nothing was sent")
