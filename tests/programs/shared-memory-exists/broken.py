# needs: python>=3.8
"""Two blocks of one name."""
import os
from multiprocessing import shared_memory

NAME = "frames-%d" % os.getpid()

if __name__ == "__main__":
    first = shared_memory.SharedMemory(NAME, create=True, size=16)
    try:
        shared_memory.SharedMemory(NAME, create=True, size=16)
    finally:
        first.close()
        first.unlink()
