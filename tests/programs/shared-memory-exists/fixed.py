# needs: python>=3.8
"""Python chooses free names."""
from multiprocessing import shared_memory

if __name__ == "__main__":
    for block in [shared_memory.SharedMemory(create=True, size=16) for _ in range(2)]:
        block.close()
        block.unlink()
