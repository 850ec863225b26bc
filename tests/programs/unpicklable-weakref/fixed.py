"""The weak links are left out of what is sent, and tied again on the other side (argument: start method)."""
import multiprocessing
import sys
import weakref


class Node:
    def __init__(self, name, parent=None):
        self.name = name
        self.children = []
        self.parent = None
        if parent is not None:
            self.parent = weakref.ref(parent)
            parent.children.append(self)

    def __getstate__(self):
        return dict(self.__dict__, parent=None)

    def __setstate__(self, state):
        self.__dict__.update(state)
        for child in self.children:
            child.parent = weakref.ref(self)


def leaf_path(root):
    leaf = root.children[0]
    return leaf.parent().name + "/" + leaf.name


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None)
    root = Node("root")
    Node("leaf", root)
    with ctx.Pool(1) as pool:
        print(pool.map(leaf_path, [root]))
