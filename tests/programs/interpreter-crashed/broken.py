"""A pointer that leads nowhere, with faulthandler."""
import ctypes
import faulthandler

if __name__ == "__main__":
    faulthandler.enable()
    ctypes.string_at(0)
