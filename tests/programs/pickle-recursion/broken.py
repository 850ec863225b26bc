"""A long chain of linked objects is sent to a process (argument: start method)."""
import multiprocessing
import sys


class Node:
    def __init__(self, value, next):
        self.value = value
        self.next = next


def worker(node):
    print(node.value)


if __name__ == "__main__":
    head = None
    for value in range(200000):
        head = Node(value, head)
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=worker, args=(head,))
    process.start()
    process.join()
    sys.exit(process.exitcode)
