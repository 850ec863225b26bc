"""The chain travels as a flat list, and is linked again on the other side (argument: start method)."""
import multiprocessing
import sys


class Node:
    def __init__(self, value, next):
        self.value = value
        self.next = next


class Chain:
    def __init__(self, head=None):
        self.head = head

    def __getstate__(self):
        values, node = [], self.head
        while node is not None:
            values.append(node.value)
            node = node.next
        return values

    def __setstate__(self, values):
        self.head = None
        for value in reversed(values):
            self.head = Node(value, self.head)


def worker(chain):
    print(chain.head.value)


if __name__ == "__main__":
    head = None
    for value in range(200000):
        head = Node(value, head)
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=worker, args=(Chain(head),))
    process.start()
    process.join()
    code = process.exitcode
    while head is not None:    # a chain of this length is taken apart link by link, too
        head = head.next
    sys.exit(code)
