"""Find the parts of an object that Python cannot pickle.

    from find_unpicklable import explain
    explain(dataset)

prints a line for each part that stops `pickle`: the path to it, what it is, where it comes from.

    dataset.transform.fns[2]: function main.<locals>.<lambda>, defined at train.py:12
    dataset.cache.lock: _thread.lock object, set at train.py:31

`find(dataset)` prints nothing and returns the same as a list of `(path, reason)`.

The search asks each object what the pickler would ask (`dispatch_table`, `__reduce_ex__`,
`__getstate__`) and goes on with what the object answers. So it runs the same methods of your
classes that pickling runs, but it writes nothing, and it never copies the data of arrays,
tensors, tables and images. It ends after 2 seconds or 200,000 objects and then says so. (What
the pickler itself can clear quickly, such as a long list of records, does not count; on 3.6 it
does.)

Both functions take `name="..."`, what to call the object in paths, and `pickler=`, the class
that does the pickling in your program, if it is not `pickle.Pickler`: for example
`multiprocessing.reduction.ForkingPickler` or `cloudpickle.CloudPickler`.

Locks and queues of `multiprocessing` are reported although they may be handed to a `Process`
that is being started: nothing else can pickle them. In a `Process` itself, given as `explain(p)`,
they are in place and are not reported.

Needs Python 3.6 or later and nothing else. Python 3.14 tells the path by itself: read the lines
"when serializing ..." at the end of its traceback, from the last to the first.
"""

import array
import ast
import collections
import copyreg
import dis
import functools
import io
import itertools
import linecache
import os
import pickle
import re
import sys
import sysconfig
import time
import types

__all__ = ["Finding", "explain", "find"]

MAX_SECONDS = 2.0
MAX_OBJECTS = 200000
MAX_FINDINGS = 30
MAX_ALIKE = 3  # findings told of those that differ in an index only
MAX_STEPS_SHOWN = 24  # of a path

Finding = collections.namedtuple("Finding", "path reason")
Finding.__doc__ = "An unpicklable part: the path to it, and what it is, as text."


def explain(obj, name=None, pickler=pickle.Pickler, file=None):
    """Print the path of every part of `obj` that cannot be pickled; return them as `find` does."""
    search = _Search(obj, name or _name_in_caller(obj, sys._getframe(1)), pickler)
    search.run()
    for finding in search.findings:
        print("%s: %s" % finding, file=file)
    if search.stopped:
        nothing = "" if search.findings else "nothing found, "
        print("%s: %s%s" % (search.name, nothing, search.stopped), file=file)
    elif not search.findings:
        print("%s: every part can be pickled" % search.name, file=file)
    return search.findings


def find(obj, name=None, pickler=pickle.Pickler):
    """Return a list of `(path, reason)`, one for every part of `obj` that cannot be pickled."""
    search = _Search(obj, name or _name_in_caller(obj, sys._getframe(1)), pickler)
    search.run()
    return search.findings


# The pickler writes these by itself, or their reducers do nothing but copy data.
_ATOMS = frozenset(
    [type(None), bool, int, float, complex, str, bytes, bytearray, range, slice]
    + [type(Ellipsis), type(NotImplemented), array.array, io.BytesIO, io.StringIO]
)
_CONTAINERS = (dict, list, tuple, set, frozenset)

# Classes that hold much data, as (package, class): never reduced, neither are their subclasses.
# With `None`, all classes of the package.
_DATA_CLASSES = frozenset(
    [("numpy", "ndarray"), ("torch", "TensorBase"), ("torch", "_TensorBase")]
    + [("torch", "StorageBase"), ("torch", "TypedStorage"), ("torch", "_TypedStorage")]
    + [(package, None) for package in ("PIL", "pyarrow", "polars", "cupy", "jaxlib", "tensorflow")]
)

# Reducers of multiprocessing that duplicate a handle and start a thread to hand it over.
_HANDLE_REDUCERS = frozenset(
    ["reduce_connection", "reduce_pipe_connection", "_reduce_socket", "rebuild_socket"]
)

# What the contents of a container are, for the step of the path that leads to them.
_ITEMS, _ATTRIBUTES, _ELEMENTS = "items", "attributes", "elements"

_CHUNK = 512

# Python 3.6 keeps in memory all that it pickles, and looks at no clock.
_CHECKS_IN_BOUNDS = sys.version_info >= (3, 7)


class _Node:
    """An object that the pickler would save, and the step by which it was reached."""

    __slots__ = ("obj", "parent", "step", "contents")

    def __init__(self, obj, parent, step, contents=_ITEMS):
        self.obj = obj
        self.parent = parent
        self.step = step  # as in Python code: ".lock", "[2]"; "" for what a reader need not see
        self.contents = contents

    def line(self):
        """Return the nodes from the root to this one."""
        nodes = []
        node = self
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def path(self):
        """Return the steps from the root as text; the middle of a very long path is left out."""
        steps = [node.step for node in self.line() if node.step]
        left_out = len(steps) - MAX_STEPS_SHOWN
        if left_out > 0:
            half = MAX_STEPS_SHOWN // 2
            steps[half:-half] = ["<{:,} more>".format(left_out)]
        return "".join(steps)


def _is_for_start(obj, error):
    """Tell whether only the start of a Process may pickle an object: a lock, a queue, its key."""
    is_key = type(obj).__name__ == "AuthenticationString"
    return is_key or "between processes through inheritance" in str(error)


def _out_of_objects():
    return "stopped after {:,} objects, there may be more".format(MAX_OBJECTS)


class _TimeUp(Exception):
    """The search has taken as long as it may."""


class _Search:
    """A breadth-first walk over all that the pickler would save.

    The first path to an object is a shortest one, every object is asked once, and nothing
    recurses, so cycles and deep nesting do no harm.
    """

    def __init__(self, obj, name, pickler):
        self.root = obj
        self.name = name
        self.findings = []
        self.stopped = None  # why the search ended early, as text
        self.alike = {}  # what findings have in common -> (how many, index of the last one told)
        example = pickler(io.BytesIO())
        self.override = getattr(example, "reducer_override", None)  # Python 3.8
        self.table = getattr(example, "dispatch_table", copyreg.dispatch_table)
        self.shared_check = None
        self.failed_chunks = 0
        self.is_process = any(
            base.__name__ == "BaseProcess" and base.__module__.endswith("process")
            for base in type(obj).__mro__
        )

    def run(self):
        """Fill `findings` and `stopped`."""
        self.deadline = time.monotonic() + MAX_SECONDS
        try:
            self.walk()
            # A Process has parts that only its start can pickle.
            if not (self.findings or self.stopped or self.is_process) and _CHECKS_IN_BOUNDS:
                self.confirm()
        except _TimeUp:
            self.stopped = "stopped after %g seconds, there may be more" % MAX_SECONDS
        for count, last in self.alike.values():
            if count > MAX_ALIKE:
                path, reason = self.findings[last]
                reason += ", and {:,} more like it".format(count - MAX_ALIKE)
                self.findings[last] = Finding(path, reason)

    def walk(self):
        """Ask every object for its parts."""
        queue = collections.deque([_Node(self.root, None, self.name)])
        seen = {}  # id -> object; keeps short-lived objects alive, so that ids stay unique
        while queue:
            node = queue.popleft()
            if id(node.obj) in seen:
                continue
            if len(seen) == MAX_OBJECTS:
                self.stopped = _out_of_objects()
                return
            seen[id(node.obj)] = node.obj
            self.check_time()
            try:
                for part in self.parts(node):
                    if type(part.obj) in _ATOMS:
                        continue
                    if len(queue) == MAX_OBJECTS:
                        self.stopped = _out_of_objects()
                        break
                    queue.append(part)
            except _TimeUp:
                raise
            except Exception as error:
                if self.is_process and _is_for_start(node.obj, error):
                    continue
                self.report(node, error)
                if len(self.findings) == MAX_FINDINGS:
                    self.stopped = "stopped after %d findings, there may be more" % MAX_FINDINGS
                    return

    def confirm(self):
        """Let the pickler have its say on the whole, since the walk has found nothing."""
        try:
            self.new_check().dump(self.root)
        except _TimeUp:
            raise
        except RecursionError:
            self.findings.append(Finding(self.name, "nested too deeply for the pickler"))
        except Exception as error:
            reason = "some part of it: %s: %s" % (type(error).__name__, error)
            self.findings.append(Finding(self.name, reason))

    def check_time(self):
        if time.monotonic() > self.deadline:
            raise _TimeUp

    def report(self, node, error):
        """Add a finding; of many that differ in an index only, the first few."""
        path = node.path()
        kind = (type(node.obj), type(error), re.sub(r"\[\d+\]", "[]", path))
        count, last = self.alike.get(kind, (0, 0))
        if count < MAX_ALIKE:
            last = len(self.findings)
            try:
                reason = _reason(node, error)
            except Exception:  # from a class that does not answer as others do
                reason = "%s object: %s" % (_type_name(type(node.obj)), type(error).__name__)
            self.findings.append(Finding(path, reason))
        self.alike[kind] = (count + 1, last)

    # What the pickler saves next

    def parts(self, node):
        """Yield a node for each object that the pickler saves to save this one."""
        obj, cls = node.obj, type(node.obj)
        if cls is dict:
            return self.dict_parts(node)
        if cls is list or cls is tuple:
            step = "<element>" if node.contents is _ELEMENTS else None
            return self.sequence_parts(node, obj, step)
        if cls is set or cls is frozenset:
            return self.sequence_parts(node, obj, "<element>")
        if _holds_data(cls) and not issubclass(cls, type):
            return self.data_parts(node)
        reduced = self.reduce(obj)
        return () if reduced is None else self.reduced_parts(node, reduced)

    def reduce(self, obj):
        """Return the tuple that the pickler gets for `obj`, None where it saves but a name."""
        cls = type(obj)
        reduced = NotImplemented
        if self.override is not None:
            reduced = self.override(obj)
        if reduced is NotImplemented:
            reducer = self.reducer(cls)
            if cls is types.FunctionType or cls is type:
                return self.check_name(obj)
            if reducer is not None:
                if getattr(reducer, "__name__", "") in _HANDLE_REDUCERS:
                    return None
                reduced = reducer(obj)
            elif issubclass(cls, type):
                return self.check_name(obj)
            else:
                reduced = obj.__reduce_ex__(pickle.DEFAULT_PROTOCOL)
        if isinstance(reduced, str):
            return self.check_name(obj)
        if not isinstance(reduced, tuple) or not 2 <= len(reduced) <= 6:
            raise pickle.PicklingError("its __reduce__ must return a string or tuple")
        return reduced

    def reducer(self, cls):
        """Return the function that the dispatch table has for a class, or None."""
        try:
            return self.table[cls]
        except KeyError:
            return None

    def reduced_parts(self, node, reduced):
        """Yield the members of a reduce tuple: function, arguments, state, items, setter."""
        obj = node.obj
        function, arguments, state, items, pairs, setter = (reduced + (None,) * 4)[:6]
        called = getattr(function, "__name__", "")
        if called == "__newobj__" and arguments[0] is not obj.__class__:
            raise pickle.PicklingError("its __class__ is not its type")
        yield _Node(function, node, ".__class__" if function is type(obj) else "<reduce function>")
        if not (_is(obj, functools.partial) and isinstance(state, tuple)):
            for index, argument in enumerate(arguments):
                if type(argument) not in _ATOMS:
                    step, contents = _argument_step(obj, function, arguments, index)
                    yield _Node(argument, node, step, contents)
        if state is not None:
            yield from self.state_parts(node, state)
        if items is not None:
            yield from self.sequence_parts(node, items, None)
        if pairs is not None:
            yield from self.pair_parts(node, pairs, lambda key, value: "[%s]" % _short(key))
        if setter is not None:
            yield _Node(setter, node, "<state setter>")

    def state_parts(self, node, state):
        """Yield the parts of what `__getstate__` returned, or would have."""
        obj = node.obj
        if _is(obj, functools.partial) and type(state) is tuple and len(state) == 4:
            for value, step in zip(state, (".func", ".args", ".keywords")):
                yield _Node(value, node, step)
            yield _Node(state[3], node, "", _ATTRIBUTES)
        elif type(state) is dict:
            yield _Node(state, node, "", _ATTRIBUTES)
        elif (
            type(state) is tuple
            and len(state) == 2
            and all(half is None or type(half) is dict for half in state)
        ):
            for half in state:  # __dict__ and slots
                if half:
                    yield _Node(half, node, "", _ATTRIBUTES)
        else:
            yield _Node(state, node, _attribute_holding(obj, state) or ".__getstate__()")

    def dict_parts(self, node):
        """Yield the keys and values of a dict, which may be the attributes of the object above."""
        holder = node.parent.obj if node.contents is _ATTRIBUTES else None

        def step(key, value):
            if node.contents is not _ATTRIBUTES:
                return "[%s]" % _short(key)
            if type(key) is str and _has_attribute(holder, key, value):
                return _attribute(key)
            return _attribute_holding(holder, value) or ".__getstate__()[%s]" % _short(key)

        return self.pair_parts(node, node.obj.items(), step)

    def pair_parts(self, node, pairs, step):
        for _, (key, value) in self.suspects(pairs, itertools.chain.from_iterable):
            if type(key) not in _ATOMS:
                yield _Node(key, node, "<%s key>" % type(key).__name__)
            yield _Node(value, node, step(key, value))

    def sequence_parts(self, node, values, step):
        """Yield the members of a sequence or set; without `step`, by index."""
        for index, value in self.suspects(values):
            yield _Node(value, node, step or "[%d]" % index)

    def data_parts(self, node):
        """Yield what an array or tensor holds besides numbers."""
        objects, attributes = self.data_contents(node.obj)
        for index, value in self.suspects(objects):
            yield _Node(value, node, ("[%d]" if node.obj.ndim == 1 else ".flat[%d]") % index)
        if attributes:
            yield _Node(attributes, node, "", _ATTRIBUTES)

    def data_contents(self, obj):
        """Return the objects in an array, and the attributes of a tensor; raise as torch would."""
        dtype = getattr(obj, "dtype", None)
        is_array_of_objects = getattr(dtype, "hasobject", False) and dtype.names is None
        reducer = self.reducer(type(obj))
        if str(getattr(reducer, "__module__", "")).startswith("torch.multiprocessing"):
            if getattr(obj, "requires_grad", False) and not obj.is_leaf:
                raise RuntimeError("a tensor with a gradient history, which .detach() removes")
        attributes = _attributes(obj) if hasattr(obj, "requires_grad") else None
        return obj.flat if is_array_of_objects else (), attributes

    # Questions to the pickler itself

    def new_check(self):
        return _Check(self)

    def check_name(self, obj):
        """Raise what the pickler raises where `obj` is not found under its name; return None."""
        self.new_check().dump(obj)

    def suspects(self, values, members=iter):
        """Yield (index, value) of the values that may be, or hold, an unpicklable part.

        The pickler clears a big container a chunk at a time, many times as fast as the walk.
        `members` gives the objects in a chunk of values, which may be pairs of them.
        """
        values = iter(values)
        for start in itertools.count(0, _CHUNK):
            chunk = list(itertools.islice(values, _CHUNK))
            if not chunk:
                return
            self.check_time()
            if _ATOMS.issuperset(map(type, members(chunk))):
                continue
            if (start or len(chunk) == _CHUNK) and self.can_pickle(chunk):
                continue
            yield from enumerate(chunk, start)

    def can_pickle(self, chunk):
        """Tell whether the pickler takes a chunk; False also where asking does not pay."""
        if not _CHECKS_IN_BOUNDS or self.failed_chunks == 3:
            return False  # each item may lead to the same part, over and over
        if self.shared_check is None:
            self.shared_check = self.new_check()  # remembers what earlier chunks have cleared
        try:
            self.shared_check.dump(chunk)
        except _TimeUp:
            raise
        except Exception:
            self.failed_chunks += 1
            return False
        return True


class _Check(pickle.Pickler):
    """A pickler that throws away what it writes, and leaves data out."""

    def __init__(self, search):
        self.search = search
        super().__init__(self, max(4, pickle.DEFAULT_PROTOCOL))  # 4 writes in frames
        self.dispatch_table = _CheckTable(search)
        if search.override is not None:
            self.reducer_override = self.override

    def write(self, data):
        """Take a frame of 64 KiB or a large object; the place to look at the clock."""
        self.search.check_time()
        return len(data)

    def override(self, obj):
        if _holds_data(type(obj)):
            return NotImplemented
        return self.search.override(obj)


class _CheckTable:
    """The dispatch table of a search, but for data classes and handles."""

    def __init__(self, search):
        self.search = search

    def __getitem__(self, cls):
        if _holds_data(cls) and not issubclass(cls, type):
            return self.reduce_data
        if cls in _ATOMS:
            return _reduce_to_nothing
        reducer = self.search.table[cls]
        if getattr(reducer, "__name__", "") in _HANDLE_REDUCERS:
            return _reduce_to_nothing
        return reducer

    def reduce_data(self, obj):
        objects, attributes = self.search.data_contents(obj)
        return _nothing, (list(objects), attributes)


def _reduce_to_nothing(obj):
    return _nothing, ()


def _nothing(*contents):
    """Stand for data in what a check writes."""


@functools.lru_cache(maxsize=1024)
def _holds_data(cls):
    """Tell whether a class is, or is made from, one whose reducer copies much data."""
    for base in cls.__mro__:
        package = str(base.__module__).partition(".")[0]
        if (package, None) in _DATA_CLASSES or (package, base.__name__) in _DATA_CLASSES:
            return True
    return False


# Steps of a path


def _argument_step(obj, function, arguments, index):
    """Return the step to an argument of a reduce function, and what its contents are."""
    argument = arguments[index]
    called = getattr(function, "__name__", "")
    made_new = called in ("__newobj__", "__newobj_ex__", "_reconstructor")
    if index == 0 and made_new:
        return ".__class__", _ITEMS
    if index == 0 and called == "getattr" and len(arguments) == 2:
        return ".__self__", _ITEMS  # a bound method
    if _is(obj, functools.partial) and called == "_rebuild_partial":  # of multiprocessing
        return (".func", ".args", ".keywords")[index], _ITEMS
    if _is(obj, types.FunctionType):
        return "", _ATTRIBUTES  # cloudpickle: code, globals, closure
    if type(obj).__name__ == "cell":  # of a closure
        return ".cell_contents", _ITEMS
    if _is(obj, BaseException) and function is type(obj):
        return ".args[%d]" % index, _ITEMS
    if _is(obj, collections.defaultdict):
        return ".default_factory", _ITEMS
    if _is(obj, (set, frozenset)) and type(argument) in (list, tuple):
        return "", _ELEMENTS
    if _is(obj, dict) and type(argument) is dict:
        return "", _ITEMS  # Counter
    if _is(obj, tuple) and made_new:
        if index == 1 and type(argument) is tuple and argument == tuple(obj):
            return "", _ITEMS
        fields = getattr(obj, "_fields", ())
        if 0 < index <= len(fields):
            return _attribute(fields[index - 1]), _ITEMS
    held = _attribute_holding(obj, argument)
    return held or "<argument %d of %s>" % (index + 1, called or "reduce"), _ITEMS


def _attribute(name):
    return "." + name if name.isidentifier() else ".__dict__[%r]" % name


def _has_attribute(obj, name, value):
    """Tell whether an attribute or slot of that name holds the value; runs no property."""
    attributes = _attributes(obj)
    if type(attributes) is dict and name in attributes:
        return attributes[name] is value
    if _is(obj, types.FunctionType):
        return True
    slots = (vars(cls).get(name) for cls in type(obj).__mro__)
    return any(isinstance(slot, types.MemberDescriptorType) for slot in slots)


def _attribute_holding(obj, value):
    """Return the step to the attribute or slot that holds the value, or None."""
    attributes = _attributes(obj)
    if type(attributes) is dict:
        for name, held in list(attributes.items()):
            if held is value and type(name) is str:
                return _attribute(name)
    for cls in type(obj).__mro__:
        for name, slot in list(vars(cls).items()):
            if isinstance(slot, types.MemberDescriptorType) and _slot_value(slot, obj) is value:
                return _attribute(name)
    return None


def _is(obj, cls):
    """Tell whether an object is made from a class, or one of several; trusts no `__class__`."""
    return issubclass(type(obj), cls)


def _attributes(obj):
    """Return the `__dict__` of an object, or None; runs no `__getattr__` of its class."""
    try:
        return object.__getattribute__(obj, "__dict__")
    except Exception:
        return None


def _slot_value(slot, obj):
    try:
        return slot.__get__(obj)
    except AttributeError:  # not set
        return None


def _short(key):
    """Return a key as it stands in brackets: by its type where it would be long."""
    text = repr(key) if type(key) in _ATOMS else ""
    return text if 0 < len(text) < 60 else "<%s>" % type(key).__name__


# The reason of a finding


def _reason(node, error):
    """Return what the object of a node is, where it comes from, and what the pickler said."""
    obj = node.obj
    words = [_kind_and_name(obj)]
    path, line = _definition(obj)
    if path:
        words.append("defined at " + _place(path, line))
    if path is None or _is_library_file(path):
        words.extend(_origin(node))
    reason = ", ".join(words)
    said = _worth_telling(obj, error)
    return reason + ": " + said if said else reason


_NAMED_KINDS = (
    (type, "class"),
    (types.FunctionType, "function"),
    (types.MethodType, "method"),
    (types.GeneratorType, "generator"),
    (types.CoroutineType, "coroutine"),
)


def _kind_and_name(obj):
    if _is(obj, types.ModuleType):
        return "module " + obj.__name__
    for cls, kind in _NAMED_KINDS:
        if _is(obj, cls):
            return "%s %s" % (kind, getattr(obj, "__qualname__", "without a name"))
    return _type_name(type(obj)) + " object"


def _type_name(cls):
    if cls.__module__ in ("builtins", "__main__"):
        return cls.__qualname__
    return "%s.%s" % (cls.__module__, cls.__qualname__)


def _definition(obj):
    """Return file and line of the `def`, `lambda` or `class` that made an object, or Nones."""
    code = None
    if _is(obj, (types.FunctionType, types.MethodType)):
        code = getattr(obj, "__code__", None)
    elif _is(obj, types.GeneratorType):
        code = obj.gi_code
    elif _is(obj, types.CoroutineType):
        code = obj.cr_code
    if code is not None:
        return code.co_filename, code.co_firstlineno
    codes = [code for _, code in _codes(obj)] if _is(obj, type) else []
    if not codes:
        return None, None
    first = min(code.co_firstlineno for code in codes)
    return codes[0].co_filename, vars(obj).get("__firstlineno__", first)  # Python 3.13


def _origin(node):
    """Return in words which object of a library the part is in, and where that was set."""
    line = node.line()
    for index in range(len(line) - 2, -1, -1):
        holder = line[index]
        if _is(holder.obj, _CONTAINERS) or _is_library(type(holder.obj)):
            continue
        held = next((below for below in line[index + 1 :] if below.step), node)
        words = []
        if held is not node and type(held.obj) not in _CONTAINERS:
            words.append("inside %s (%s)" % (held.path(), _type_name(type(held.obj))))
        assigned = _assignment(type(holder.obj), held.step[1:])
        if assigned:
            words.append("set at " + assigned)
        return words
    return []


def _is_library(cls):
    """Tell whether a class comes with Python or with a package that is installed."""
    path = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if path is None:
        return cls.__module__ not in ("__main__", "__mp_main__")
    return _is_library_file(path)


def _is_library_file(path):
    path = os.path.abspath(path)
    if any(name in path.split(os.sep) for name in ("site-packages", "dist-packages")):
        return True
    paths = sysconfig.get_paths()
    return path.startswith((paths["stdlib"] + os.sep, paths["platstdlib"] + os.sep))


def _codes(cls):
    """Return (name, code) of the functions in the body of a class."""
    found = []
    for value in list(vars(cls).values()):
        if _is(value, (staticmethod, classmethod)):
            value = value.__func__
        elif _is(value, property):
            value = value.fget
        if _is(value, types.FunctionType) and value.__module__ == cls.__module__:
            found.append((value.__name__, value.__code__))
    return found


def _assignment(cls, name):
    """Return file and line of the first `self.<name> = ...` in the methods of a class, or None."""
    for base in cls.__mro__:
        for _, code in sorted(_codes(base), key=lambda pair: pair[0] != "__init__"):
            if code.co_filename == "<string>":
                continue  # generated, as for a dataclass
            line = code.co_firstlineno
            for instruction in dis.get_instructions(code) if name in code.co_names else ():
                starts = getattr(instruction, "line_number", instruction.starts_line)  # 3.13
                line = starts or line
                if instruction.opname == "STORE_ATTR" and instruction.argval == name:
                    return _place(code.co_filename, line)
    return None


def _place(path, line):
    """Return `file:line`, from the working directory if the file is below it."""
    if os.path.isabs(path):
        folder = os.path.join(os.getcwd(), "")
        if path.startswith(folder):
            path = path[len(folder) :]
    return "%s:%d" % (path, line)


def _worth_telling(obj, error):
    """Return the error as text where it says more than that the object cannot be pickled."""
    text = str(error)
    if _is(obj, (type, types.FunctionType)) and "<" in obj.__qualname__:
        return None  # <lambda>, <locals>: its name says it all
    raised = None
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if trace.tb_frame.f_globals is not globals() and not _is_library_file(code.co_filename):
            raised = " (at %s)" % _place(code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    if raised is None and re.match(r"(cannot|can't) (pickle|serialize) \S+ objects?$", text):
        return None
    return "%s: %s%s" % (type(error).__name__, text[:300], raised or "")


# The name of the root


def _name_in_caller(obj, frame):
    """Return what the caller calls `obj`: `explain(self.data)` gives "self.data"; else its type."""
    path, line = frame.f_code.co_filename, frame.f_lineno
    lines = linecache.getlines(path, frame.f_globals)
    if 0 < line <= len(lines):
        # The line alone first: a notebook's cell need not be all Python.
        for source, offset in ((lines[line - 1].strip(), line - 1), ("".join(lines), 0)):
            try:
                tree = ast.parse(source)
            except (SyntaxError, ValueError, RecursionError):
                continue
            names = [_dotted_name(argument) for argument in _arguments(tree, line - offset, frame)]
            if len(names) > 1:  # on one line
                names = [name for name in names if name and _value(name, frame) is obj]
            if names:
                return names[0] or type(obj).__name__
    return type(obj).__name__


def _arguments(tree, line, frame):
    """Yield the first arguments of all calls of this module on a line."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not call.args:
            continue
        last = max(getattr(part, "lineno", 0) for part in ast.walk(call))
        if not call.lineno <= line <= last:
            continue
        function = _value(_dotted_name(call.func) or "", frame)
        if function is explain or function is find:
            yield call.args[0]


def _dotted_name(tree):
    """Return `a.b.c` for the tree of such an expression, None for any other."""
    if isinstance(tree, ast.Name):
        return tree.id
    if isinstance(tree, ast.Attribute):
        holder = _dotted_name(tree.value)
        return holder and "%s.%s" % (holder, tree.attr)
    return None


def _value(dotted_name, frame):
    """Return what a name stands for in a frame, None where that would take running code."""
    first, *attributes = dotted_name.split(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first))
    for attribute in attributes:
        value = (_attributes(value) or {}).get(attribute)
    return value


if __name__ == "__main__":
    print(__doc__.rstrip())
