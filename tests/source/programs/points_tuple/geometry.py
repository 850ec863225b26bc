import math
from collections import namedtuple

Vertex = namedtuple("Point", "x y")  # object


def norm(vertex):
    return math.hypot(vertex.x, vertex.y)
