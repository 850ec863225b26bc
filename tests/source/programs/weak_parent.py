import pickle
import weakref


class Node:
    def __init__(self, value, parent=None):
        self.value = value
        self.children = []
        self._parent = weakref.ref(parent) if parent else None  # object
        if parent:
            parent.children.append(self)


def main():
    root = Node(0)
    for i in range(3):
        Node(i, root)
    blob = pickle.dumps(root)
    print(len(blob))


if __name__ == "__main__":
    main()
