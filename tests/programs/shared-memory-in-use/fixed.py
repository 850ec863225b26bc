# needs: python>=3.8
"""The slice is gone when the block is closed."""
from multiprocessing import shared_memory

if __name__ == "__main__":
    block = shared_memory.SharedMemory(create=True, size=80)
    row = block.buf[:8]
    first = bytes(row)
    del row
    block.close()
    block.unlink()
    print(first)
