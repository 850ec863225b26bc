# needs: python>=3.8
"""A slice of the buffer is alive when the block is closed."""
from multiprocessing import shared_memory

if __name__ == "__main__":
    block = shared_memory.SharedMemory(create=True, size=80)
    row = block.buf[:8]
    block.unlink()
    block.close()
