"""A pointer to something."""
import ctypes
import faulthandler

if __name__ == "__main__":
    faulthandler.enable()
    print(ctypes.string_at(ctypes.create_string_buffer(b"data")))
