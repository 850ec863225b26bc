"""The way from an object to the part that cannot be pickled, as Python 3.14 writes it.

The search is that of `pickfix finder`; here it ends at the part that the pickler complained of.
"""

import os
import sys

import _pickfix_probe

finder = _pickfix_probe.load("_pickfix_find")
finder.MAX_SECONDS = 1.0
MAX_FRAMES = 40
MAX_KEY = 200


class Node(finder._Node):
    reduced = None  # what the pickler got for the object above, where this is a part of that


finder._Node = Node


class Found(BaseException):
    """The part was found."""


class Search(finder._Search):
    """A search for the part that stopped the pickler with this error."""

    def __init__(self, error, obj, pickler):
        super().__init__(obj, "", pickler)
        self.wanted = type(error), str(error)
        self.line = None

    def reduced_parts(self, node, reduced):
        for part in super().reduced_parts(node, reduced):
            part.reduced = reduced
            yield part

    def report(self, node, error):
        if (type(error), str(error)) == self.wanted:
            self.line = node.line()
            raise Found
        self.findings.append(None)

    def find(self):
        """Return the nodes from the object to the part, or None."""
        import time

        self.deadline = time.monotonic() + finder.MAX_SECONDS
        try:
            self.walk()
        except (Found, finder._TimeUp):
            pass
        return self.line


def record(error, obj, pickler, frame):
    """Return lines for pickfix: the error, where it was raised, innermost first, and the notes."""
    line = Search(error, obj, pickler).find()
    if not line or len(line) < 2:
        return None
    notes = []
    for above, part in zip(line, line[1:]):
        notes[:0] = between(above.obj, part)
    lines = ["error " + "%s: %s" % (type(error).__name__, error)]
    lines += ["at %s:%d" % (os.path.basename(file), number) for file, number in places(error, frame)]
    lines += ["note " + note for note in notes]
    return "".join(escaped(line) + "\n" for line in lines + ["end"])


def places(error, frame):
    """Return file and line of each frame of an error and of those that called, innermost first."""
    found, trace = [], error.__traceback__
    while trace is not None:
        found.insert(0, (trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    frame = frame.f_back
    while frame is not None:
        found.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found[:MAX_FRAMES]


def between(obj, part):
    """Return the notes of Python 3.14 for the step from an object to a part of it, innermost first."""
    name = finder._type_name(type(obj))
    if part.reduced is not None:
        return inside(part, name) + [name + " object"]
    if type(obj) is dict:
        for key, value in obj.items():
            if value is part.obj:
                return ["dict item " + repr_of(key)]
        return ["dict item " + repr_of(None)]
    if type(obj) in (list, tuple):
        return ["%s item %d" % (name, [held is part.obj for held in obj].index(True))]
    if type(obj) in (set, frozenset):
        return [name + " element"]
    raise LookupError  # an array of objects: the path would not be what 3.14 writes


def inside(part, name):
    """Return the notes for a part of what `__reduce_ex__` gave."""
    function, arguments, state = (part.reduced + (None,))[:3]
    if part.obj is state:
        return [name + " state"]
    if part.obj is function:
        return [name + (" class" if isinstance(function, type) else " reconstructor")]
    for index, argument in enumerate(arguments):
        if argument is part.obj:
            if getattr(function, "__name__", "") == "__newobj__":
                return ["tuple item %d" % (index - 1), name + " __new__ arguments"]
            return ["tuple item %d" % index, name + " reconstructor arguments"]
    if type(state) is tuple:
        for index, held in enumerate(state):
            if held is part.obj:
                return ["tuple item %d" % index, name + " state"]
    if part.step.startswith("[") and part.step.endswith("]"):
        return ["%s item %s" % (name, part.step[1:-1])]
    raise LookupError


def repr_of(key):
    text = repr(key) if type(key) in (str, int, bytes, float, bool) else ""
    if not 0 < len(text) <= MAX_KEY:
        raise LookupError
    return text


def escaped(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
