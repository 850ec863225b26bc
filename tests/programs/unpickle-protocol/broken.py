"""A pickle of a protocol that this Python does not know: it comes from a newer one."""
import io
import pickle

if __name__ == "__main__":
    newer = pickle.HIGHEST_PROTOCOL + 1
    data = b"\x80" + bytes(bytearray([newer])) + b"N."
    print(pickle.load(io.BytesIO(data)))
