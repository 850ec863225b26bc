import weakref


class Node:
    def __init__(self, name, size=0, parent=None):
        self.name = name
        self.size = size
        self.children = []
        self._parent = weakref.ref(parent) if parent is not None else None  # object

    @property
    def parent(self):
        return self._parent() if self._parent is not None else None

    def add(self, name, size=0):
        child = Node(name, size, parent=self)
        self.children.append(child)
        return child


class Scene:
    def __init__(self):
        self.root = Node("root")


def bounding_box(scene):
    return sum(node.size for node in scene.root.children)
