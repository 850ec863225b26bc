"""Objects that cannot be pickled, each with the paths that a perfect finder reports.

`cases()` gives name -> (object, paths), the object being called `obj`. The paths are those on
all Python versions; where the standard library differs between versions, so does the list here.
"""

import collections
import functools
import logging
import multiprocessing
import queue
import socket
import sqlite3
import sys
import threading
import types
import weakref


class Box:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Slots:
    __slots__ = ("number", "lock")

    def __init__(self):
        self.number, self.lock = 1, threading.RLock()


class SlotsAndDict(Slots):
    def __init__(self):
        super().__init__()
        self.extra = lambda: 1


class LeavesLockOut:
    def __init__(self):
        self.lock = threading.Lock()

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["lock"]
        return state


class RaisesInGetState:
    def __getstate__(self):
        return {"x": self.missing}


class RenamesInGetState:
    def __init__(self):
        self.real = threading.Lock()

    def __getstate__(self):
        return {"packed": self.real}


class MakesInGetState:
    def __getstate__(self):
        return {"made": threading.Lock()}


class ListAsState:
    def __init__(self):
        self.lock = threading.Lock()

    def __getstate__(self):
        return [1, self.lock]


class Reduces:
    def __init__(self, value):
        self.value = value

    def __reduce__(self):
        return Reduces, (self.value,)


class ReducesToNonsense:
    def __reduce__(self):
        return 1


class NeverEndingGetAttr:
    def __getattr__(self, name):
        return getattr(self, name + "_")


class LiesAboutItself:
    def __init__(self):
        self.lock = threading.Lock()

    @property
    def __class__(self):
        return dict


class ErrorWithoutText(Exception):
    def __str__(self):
        raise KeyError("text")


class RaisesErrorWithoutText:
    helper = NeverEndingGetAttr()

    def __init__(self):
        self.lock = threading.Lock()

    def __reduce__(self):
        raise ErrorWithoutText


class SubDict(dict):
    pass


class SubList(list):
    pass


class SubTuple(tuple):
    pass


class SubSet(set):
    pass


class Method:
    def __init__(self):
        self.lock = threading.RLock()

    def run(self):
        pass


Pair = collections.namedtuple("Pair", "left right")


def shadowed():
    pass


first_shadowed = shadowed


def shadowed():  # noqa: F811
    pass


def local_things():
    def function():
        pass

    class Class:
        pass

    return function, Class


@functools.lru_cache()
def cached():
    pass


def many(count, make):
    return [make() for _ in range(count)]


def cases():
    lock = threading.RLock
    function, Class = local_things()

    def pickles():
        return Box(a=1)

    zoo = {}
    # Attributes, containers, slots
    zoo["lock itself"] = (lock(), ["obj"])
    zoo["lock in attribute"] = (Box(a=1, b=Box(lock=lock())), ["obj.b.lock"])
    zoo["odd attribute name"] = (Box(**{"a b": lock()}), ["obj.__dict__['a b']"])
    zoo["dict"] = ({"a": {"k": lock()}}, ["obj['a']['k']"])
    zoo["two keys"] = ({"a": lock(), "b": lock()}, ["obj['a']", "obj['b']"])
    zoo["dict key"] = ({(1, shadowed, lambda: 0): 1}, ["obj<tuple key>[2]"])
    zoo["list of tuples"] = ([1, (2, [3, lock()])], ["obj[1][1][1]"])
    zoo["set of functions"] = ({shadowed, len, lambda: 0}, ["obj<element>"])
    zoo["slots"] = (Slots(), ["obj.lock"])
    zoo["slots and dict"] = (SlotsAndDict(), ["obj.extra", "obj.lock"])
    zoo["namedtuple"] = (Pair(1, [lock()]), ["obj.right[0]"])
    zoo["SubDict"] = (SubDict(a=lock()), ["obj['a']"])
    zoo["SubList"] = (SubList([1, lock()]), ["obj[1]"])
    zoo["SubTuple"] = (SubTuple([1, lock()]), ["obj[1]"])
    zoo["SubSet"] = (SubSet([lock()]), ["obj<element>"])
    zoo["Counter"] = (collections.Counter({lock(): 2}), ["obj<RLock key>"])
    zoo["defaultdict"] = (collections.defaultdict(lambda: 0), ["obj.default_factory"])
    zoo["deque"] = (collections.deque([1, lock()]), ["obj[1]"])
    zoo["OrderedDict"] = (collections.OrderedDict(a=lock()), ["obj['a']"])
    zoo["SimpleNamespace"] = (types.SimpleNamespace(a=lock()), ["obj.a"])
    # Functions and classes
    zoo["lambda"] = (Box(fns=[len, lambda x: x]), ["obj.fns[1]"])
    zoo["lambda with closure"] = (Box(f=(lambda x: lambda: x)(lock())), ["obj.f"])
    zoo["local function"] = (Box(f=function), ["obj.f"])
    zoo["local class"] = (Box(c=Class), ["obj.c"])
    zoo["object of local class"] = (Box(o=Class()), ["obj.o.__class__"])
    zoo["shadowed function"] = (Box(f=first_shadowed), ["obj.f"])
    zoo["cached local function"] = (functools.lru_cache()(function), ["obj"])
    partial = functools.partial(shadowed, 1, lambda: 0, key=lock())
    zoo["partial"] = (partial, ["obj.args[1]", "obj.keywords['key']"])
    zoo["partial of lambda"] = (functools.partial(lambda: 0), ["obj.func"])
    zoo["bound method"] = (Method().run, ["obj.__self__.lock"])
    zoo["generator"] = (Box(g=(i for i in [])), ["obj.g"])
    zoo["map"] = (Box(g=map(lambda x: x, [])), ["obj.g<argument 1 of map>"])
    zoo["exception"] = (ValueError("x", lambda: 0), ["obj.args[1]"])
    # What the class says about itself
    zoo["__getstate__ leaves the lock out"] = (Box(g=LeavesLockOut(), z=lambda: 0), ["obj.z"])
    zoo["__getstate__ raises"] = (Box(g=RaisesInGetState()), ["obj.g"])
    zoo["__getstate__ renames"] = (Box(g=RenamesInGetState()), ["obj.g.real"])
    zoo["__getstate__ makes"] = (Box(g=MakesInGetState()), ["obj.g.__getstate__()['made']"])
    zoo["__getstate__ gives a list"] = (Box(g=ListAsState()), ["obj.g.__getstate__()[1]"])
    zoo["__reduce__"] = (Box(g=Reduces(lock())), ["obj.g.value"])
    zoo["__reduce__ gives nonsense"] = (Box(g=ReducesToNonsense()), ["obj.g"])
    if sys.version_info < (3, 11):  # from then on, object has a __getstate__
        zoo["__getattr__ never ends"] = (Box(g=NeverEndingGetAttr()), ["obj.g"])
    zoo["__class__ lies"] = (Box(g=LiesAboutItself(), h=lambda: 0), ["obj.h", "obj.g"])
    zoo["error without text"] = (Box(g=RaisesErrorWithoutText()), ["obj.g"])
    helped = RaisesErrorWithoutText()
    zoo["helper in class"] = (functools.partial(helped.__init__), ["obj.func.__self__"])
    # The standard library
    zoo["open file"] = (Box(f=open(__file__)), ["obj.f"])
    zoo["log handler"] = (Box(h=logging.StreamHandler()), ["obj.h.lock", "obj.h.stream"])
    zoo["queue.Queue"] = (Box(q=queue.Queue()), ["obj.q.mutex"])
    zoo["threading.Event"] = (Box(e=threading.Event()), ["obj.e._cond._lock"])
    zoo["socket"] = (Box(s=socket.socket()), ["obj.s"])
    zoo["sqlite3"] = (Box(db=sqlite3.connect(":memory:")), ["obj.db"])
    zoo["module"] = (Box(m=sys), ["obj.m"])
    zoo["weakref"] = (Box(w=weakref.ref(Box)), ["obj.w"])
    zoo["dict view"] = (Box(k={1: 2}.keys()), ["obj.k"])
    zoo["mappingproxy"] = (Box(k=types.MappingProxyType({})), ["obj.k"])
    zoo["multiprocessing.Lock"] = (Box(l=multiprocessing.Lock()), ["obj.l"])
    zoo["multiprocessing.Queue"] = (Box(l=multiprocessing.Queue()), ["obj.l"])
    process = multiprocessing.Process()
    process.handle, process.queue = lock(), multiprocessing.Queue()
    zoo["Process"] = (process, ["obj.handle"])
    # Shapes
    cycle = Box(lock=lock())
    cycle.me, cycle.list = cycle, [cycle]
    zoo["cycle"] = (cycle, ["obj.lock"])
    zoo["two parts"] = (Box(a=lock(), b=Box(f=lambda: 0), c=1), ["obj.a", "obj.b.f"])
    shared = lock()
    zoo["shared part"] = (Box(a=shared, b=[shared]), ["obj.a"])
    lambdas = Box(x=many(10000, lambda: lambda: 0))
    zoo["10,000 lambdas"] = (lambdas, ["obj.x[0]", "obj.x[1]", "obj.x[2]"])
    keys = {i: pickles() for i in range(2000)}
    keys[1999] = Box(f=lambda: 0)
    zoo["one in 2,000 keys"] = (keys, ["obj[1999].f"])
    deep = lock()
    for _ in range(3000):
        deep = [deep]
    zoo["3,000 levels"] = (deep, ["obj" + "[0]" * 11 + "<2,977 more>" + "[0]" * 12])
    chain = Box()
    for _ in range(30000):
        chain = Box(next=chain)
    if sys.version_info >= (3, 7):  # where the pickler helps to clear big containers
        needle = many(100000, pickles)
        needle[77777] = Box(f=lambda: 0)
        zoo["one in 100,000"] = (Box(x=needle), ["obj.x[77777].f"])
        zoo["30,000 levels and no offender"] = (chain, ["obj"])
    return zoo


def picklable():
    """Name -> object, of which there is nothing to report."""
    zoo = {"number": 1, "box": Box(a=[1, 2, {3: "x"}]), "cached": cached, "function": many}
    zoo["lock left out"] = LeavesLockOut()
    zoo["partial"] = functools.partial(many, 3)
    zoo["a million numbers"] = list(range(1000000))
    zoo["class"] = Box
    zoo["method"] = "x".join
    return zoo
