# needs: python>=3.8
"""The maker removes the block when the child is done."""
import multiprocessing
import sys
from multiprocessing import shared_memory

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(name):
    block = shared_memory.SharedMemory(name)
    print(block.size >= 16, flush=True)
    block.close()


if __name__ == "__main__":
    block = shared_memory.SharedMemory(create=True, size=16)
    process = multiprocessing.get_context(METHOD).Process(target=work, args=(block.name,))
    process.start()
    process.join()
    block.close()
    block.unlink()
