# needs: python>=3.8
"""The block is removed before the child attaches to it."""
import multiprocessing
import sys
from multiprocessing import shared_memory

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(name):
    block = shared_memory.SharedMemory(name)
    block.close()


if __name__ == "__main__":
    block = shared_memory.SharedMemory(create=True, size=16)
    block.close()
    block.unlink()
    process = multiprocessing.get_context(METHOD).Process(target=work, args=(block.name,))
    process.start()
    process.join()
