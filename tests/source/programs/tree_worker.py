import multiprocessing as mp
import weakref


class Node:
    def __init__(self, value, parent=None):
        self.value = value
        self.children = []
        self._parent = weakref.ref(parent) if parent is not None else None  # object
        if parent is not None:
            parent.children.append(self)

    @property
    def parent(self):
        return self._parent() if self._parent is not None else None


def total(node):
    return node.value + sum(total(c) for c in node.children)


if __name__ == "__main__":
    root = Node(1)
    Node(2, root)
    Node(3, root)
    with mp.Pool(1) as pool:
        assert pool.map(total, [root]) == [6]
