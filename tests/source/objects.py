#!/usr/bin/env python3
"""Make each object of corpus/objects and pickle it: Python must name a type that the table lists.

    python3 tests/source/objects.py [TABLE ...]

An entry of a library that is not installed is skipped, and so is what this machine cannot make
(a database server, a camera); both are said. What some Python can pickle is in CAN.
"""

import importlib
import io
import multiprocessing
import os
import pickle
import re
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TABLES = os.path.join(ROOT, "corpus", "objects")

# How an object is made where the name with `()` behind each call does not do it.
MADE = {
    "threading.Thread": "threading.Thread(target=print)",
    "threading.Timer": "started(threading.Timer(0.1, print))",
    "threading.Barrier": "threading.Barrier(2)",
    "concurrent.futures.ProcessPoolExecutor": "used(concurrent.futures.ProcessPoolExecutor(1))",
    "concurrent.futures.ProcessPoolExecutor().submit": "used(concurrent.futures.ProcessPoolExecutor(1)).submit(abs, 1)",
    "concurrent.futures.ThreadPoolExecutor().submit": "concurrent.futures.ThreadPoolExecutor().submit(abs, 1)",
    "logging.FileHandler": "logging.FileHandler('log')",
    "logging.Logger": "unknown_logger()",
    "logging.handlers.RotatingFileHandler": "logging.handlers.RotatingFileHandler('log')",
    "logging.handlers.TimedRotatingFileHandler": "logging.handlers.TimedRotatingFileHandler('log')",
    "logging.handlers.QueueHandler": "logging.handlers.QueueHandler([])",
    "logging.handlers.QueueListener": "started(logging.handlers.QueueListener(queue.Queue()))",
    "logging.handlers.MemoryHandler": "logging.handlers.MemoryHandler(9)",
    "logging.handlers.SysLogHandler": "logging.handlers.SysLogHandler(('127.0.0.1', 9514))",
    "subprocess.Popen": "subprocess.Popen(['true'])",
    "multiprocessing.Barrier": "multiprocessing.Barrier(2)",
    "multiprocessing.Value": "multiprocessing.Value('i')",
    "multiprocessing.Array": "multiprocessing.Array('i', 1)",
    "multiprocessing.RawValue": "multiprocessing.RawValue('i')",
    "multiprocessing.RawArray": "multiprocessing.RawArray('i', 1)",
    "multiprocessing.Pool": "multiprocessing.Pool(1)",
    "multiprocessing.Process": "multiprocessing.Process(target=print)",
    "multiprocessing.Pool().apply_async": "multiprocessing.Pool(1).apply_async(abs, (1,))",
    "multiprocessing.Pool().map_async": "multiprocessing.Pool(1).map_async(abs, [1])",
    "multiprocessing.Pool().starmap_async": "multiprocessing.Pool(1).starmap_async(pow, [(1, 1)])",
    "contextlib.ExitStack": "called_back(contextlib.ExitStack())",
    "contextlib.AsyncExitStack": "called_back(contextlib.AsyncExitStack())",
    "mmap.mmap": "mmap.mmap(-1, 1)",
    "open": "open('text', 'w')",
    "io.open": "io.open('text', 'w')",
    "os.fdopen": "os.fdopen(os.dup(0))",
    "codecs.open": "codecs.open('text', 'w')",
    "pathlib.Path().open": "pathlib.Path('text').open('w')",
    "gzip.open": "gzip.open('data', 'w')",
    "lzma.open": "lzma.open('data', 'w')",
    "bz2.open": "bz2.open('data', 'w')",
    "gzip.GzipFile": "gzip.GzipFile('data', 'w')",
    "lzma.LZMAFile": "lzma.LZMAFile('data', 'w')",
    "bz2.BZ2File": "bz2.BZ2File('data', 'w')",
    "tarfile.open": "tarfile.open('data', 'w')",
    "zipfile.ZipFile": "zipfile.ZipFile('data', 'w')",
    "csv.reader": "csv.reader(['a'])",
    "csv.DictReader": "csv.DictReader(['a'])",
    "csv.writer": "csv.writer(open('text', 'w'))",
    "csv.DictWriter": "csv.DictWriter(open('text', 'w'), ['a'])",
    "os.popen": "os.popen('true')",
    "sys.stdout": "io.TextIOWrapper(io.FileIO('text', 'w'))",
    "sys.stderr": "io.TextIOWrapper(io.FileIO('text', 'w'))",
    "sys.stdin": "open('text', 'w')",
    "sys.stdout.buffer": "io.FileIO('text', 'w')",
    "os.environ": "os.environ",
    "socket.socket().makefile": "socket.socket().makefile('rb')",
    "socket.create_connection().makefile": "socket.create_connection(kept(socket.create_server(('127.0.0.1', 0))).getsockname()).makefile('r')",
    "unittest.TestCase": "running(unittest.TestCase)",
    "unittest.IsolatedAsyncioTestCase": "running(unittest.IsolatedAsyncioTestCase)",
    "socket.create_server": "socket.create_server(('127.0.0.1', 0))",
    "socket.create_connection": "socket.create_connection(kept(socket.create_server(('127.0.0.1', 0))).getsockname())",
    "ssl.SSLContext": "ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)",
    "http.client.HTTPSConnection": "http.client.HTTPSConnection('127.0.0.1')",
    "sqlite3.connect": "sqlite3.connect(':memory:')",
    "sqlite3.connect().cursor": "sqlite3.connect(':memory:').cursor()",
    "sqlite3.connect().execute": "sqlite3.connect(':memory:').execute('select 1')",
    "sqlite3.connect().executemany": "with_table(sqlite3.connect(':memory:')).executemany('insert into t values (?)', [(1,)])",
    "sqlite3.connect().cursor().execute": "sqlite3.connect(':memory:').cursor().execute('select 1')",
    "shelve.open": "shelve.open('shelf')",
    "dbm.open": "dbm.open('base', 'c')",
    "weakref.ref": "weakref.ref(set())",
    "re.match": "re.match('a', 'a')",
    "re.search": "re.search('a', 'a')",
    "re.fullmatch": "re.fullmatch('a', 'a')",
    "re.finditer": "re.finditer('a', 'a')",
    "re.compile().match": "re.compile('a').match('a')",
    "re.compile().search": "re.compile('a').search('a')",
    "re.compile().fullmatch": "re.compile('a').fullmatch('a')",
    "re.compile().finditer": "re.compile('a').finditer('a')",
    "hashlib.new": "hashlib.new('sha256')",
    "hmac.new": "hmac.new(b'', digestmod='sha256')",
    "itertools.cycle": "itertools.cycle('ab')",
    "itertools.repeat": "itertools.repeat(1)",
    "itertools.chain": "itertools.chain('ab')",
    "itertools.chain.from_iterable": "itertools.chain.from_iterable(['ab'])",
    "itertools.islice": "itertools.islice('ab', 1)",
    "itertools.product": "itertools.product('ab')",
    "ctypes.CDLL": "ctypes.CDLL(None)",
    "ctypes.pointer": "ctypes.pointer(ctypes.c_int())",
    "contextvars.ContextVar": "contextvars.ContextVar('v')",
    "memoryview": "memoryview(b'')",
    "types.MappingProxyType": "types.MappingProxyType({})",
    "struct.Struct": "struct.Struct('i')",
    "dict.keys": "{}.keys()",
    "dict.values": "{}.values()",
    "dict.items": "{}.items()",
    "asyncio.create_task": "in_loop(lambda: asyncio.create_task(asyncio.sleep(9)))",
    "asyncio.ensure_future": "in_loop(lambda: asyncio.ensure_future(asyncio.sleep(9)))",
    "asyncio.get_running_loop": "in_loop(asyncio.get_running_loop)",
    "asyncio.get_event_loop": "in_loop(asyncio.get_event_loop)",
    "asyncio.get_event_loop().create_future": "in_loop(lambda: asyncio.get_event_loop().create_future())",
    "asyncio.Lock": "in_loop(waited_for)",
    "asyncio.Event": "in_loop(waited_for)",
    "asyncio.Queue": "in_loop(waited_for)",
    "asyncio.Semaphore": "in_loop(waited_for)",
    "types.ModuleType": "types.ModuleType('m')",
    "importlib.import_module": "importlib.import_module('json')",
    "importlib.reload": "importlib.reload(importlib.import_module('colorsys'))",
    "__import__": "__import__('json')",
    "compile": "compile('1', 'f', 'eval')",
    "sys.exc_info": "raised().__traceback__",
    "traceback.walk_tb": "raised().__traceback__",
    "redis.from_url": "redis.from_url('redis://127.0.0.1')",
    "redis.Redis.from_url": "redis.Redis.from_url('redis://127.0.0.1')",
    "redis.Redis().lock": "redis.Redis().lock('name')",
    "boto3.client": "boto3.client('s3', region_name='eu-west-1')",
    "boto3.Session().client": "boto3.Session().client('s3', region_name='eu-west-1')",
    "boto3.session.Session().client": "boto3.session.Session().client('s3', region_name='eu-west-1')",
    "boto3.resource": "boto3.resource('s3', region_name='eu-west-1')",
    "boto3.Session().resource": "boto3.Session().resource('s3', region_name='eu-west-1')",
    "boto3.session.Session().resource": "boto3.session.Session().resource('s3', region_name='eu-west-1')",
    "openai.OpenAI": "openai.OpenAI(api_key='k')",
    "openai.AsyncOpenAI": "openai.AsyncOpenAI(api_key='k')",
    "anthropic.Anthropic": "anthropic.Anthropic(api_key='k')",
    "anthropic.AsyncAnthropic": "anthropic.AsyncAnthropic(api_key='k')",
    "urllib3.HTTPConnectionPool": "urllib3.HTTPConnectionPool('127.0.0.1')",
    "filelock.FileLock": "filelock.FileLock('lock')",
    "sqlalchemy.create_engine": "sqlalchemy.create_engine('sqlite://')",
    "sqlalchemy.create_engine().connect": "sqlalchemy.create_engine('sqlite://').connect()",
    "sqlalchemy.create_engine().raw_connection": "sqlalchemy.create_engine('sqlite://').raw_connection()",
    "sqlalchemy.orm.Session": "used_session(sqlalchemy.orm.Session(sqlalchemy.create_engine('sqlite://')))",
    "sqlalchemy.orm.sessionmaker()": "used_session(sqlalchemy.orm.sessionmaker(sqlalchemy.create_engine('sqlite://'))())",
    "tqdm.tqdm": "tqdm.tqdm([], file=open('text', 'w'))",
    "tqdm.trange": "tqdm.trange(1, file=open('text', 'w'))",
    "tqdm.auto.tqdm": "tqdm.auto.tqdm([], file=open('text', 'w'))",
    "tqdm.auto.trange": "tqdm.auto.trange(1, file=open('text', 'w'))",
    "loguru.logger": "loguru.logger",
    "h5py.File": "h5py.File('h5', 'w')",
    "h5py.Dataset": "h5py.File('h5-2', 'w').create_dataset('d', (1,))",
    "h5py.Group": "h5py.File('h5-3', 'w').create_group('g')",
    "lmdb.open": "lmdb.open('lmdb')",
    "lmdb.Environment": "lmdb.Environment('lmdb2')",
    "lmdb.open().begin": "lmdb.open('lmdb3').begin()",
    "lmdb.Environment().begin": "lmdb.Environment('lmdb4').begin()",
    "grpc.insecure_channel": "grpc.insecure_channel('127.0.0.1:1')",
    "grpc.secure_channel": "grpc.secure_channel('127.0.0.1:1', grpc.ssl_channel_credentials())",
    "zmq.Context().socket": "zmq.Context().socket(zmq.REQ)",
    "torch.utils.tensorboard.SummaryWriter": "torch.utils.tensorboard.SummaryWriter('runs')",
    "tensorboardX.SummaryWriter": "tensorboardX.SummaryWriter('runs')",
    "urllib.request.urlopen": "urllib.request.urlopen('file://' + os.path.abspath('text'))",
}

# What this machine has nothing for: a server, a camera, a GPU, a notebook, an account.
CANNOT_BE_MADE = re.compile(
    r"^(psycopg|pymysql|MySQLdb|mysql|pyodbc|pymongo|motor|wandb|mlflow|kafka|pika|paramiko|elasticsearch"
    r"|torch\.cuda|cv2|tqdm\.notebook|keras|tensorflow)"
)


# What can be pickled before this version of Python.
CAN = {
    "urllib.request.build_opener": (3, 12),
    # The simplest kind of dbm, where Python was built without the others.
    "shelve.open": (3, 13),
    "dbm.open": (3, 13),
}


def called_back(stack):
    """Return a stack with a callback: an empty one can be pickled."""
    stack.callback(print)
    return stack


def used(executor):
    executor.submit(abs, 1).result()
    return executor


def started(listener):
    listener.start()
    return listener


def used_session(session):
    import sqlalchemy

    session.execute(sqlalchemy.text("select 1"))
    return session


def with_table(database):
    database.execute("create table t (i)")
    return database


def running(case):
    """Return a test case as its own test sees it."""
    import unittest

    found = []
    test = type("Case", (case,), {"test": lambda self: found.append(dict(vars(self)))})("test")
    unittest.TextTestRunner().run(test)
    return found[0]


KEPT = []


def kept(thing):
    KEPT.append(thing)
    return thing


def raised():
    try:
        raise ValueError
    except ValueError as error:
        return error


def unknown_logger():
    import logging

    return logging.Logger("not_registered")


def in_loop(make):
    """Make it in a running loop, and pickle it there: afterwards it may have let go of the loop."""
    import asyncio

    async def main():
        made = make()
        made = await made if asyncio.iscoroutine(made) else made
        return pickled(made)

    return Message(asyncio.run(main()))


async def waited_for():
    import asyncio

    lock = asyncio.Lock()
    await lock.acquire()
    waiter = asyncio.ensure_future(lock.acquire())
    await asyncio.sleep(0)
    lock.waiter = waiter
    return lock


class Message:
    """What Python said already."""

    def __init__(self, text):
        self.text = text


def pickled(value):
    """Return what Python says of an object; None if it can be pickled."""
    try:
        pickle.dumps(value)
    except Exception as error:
        return "%s: %s" % (type(error).__name__, error)
    return None


def names(message):
    """Return whether a message names a type of the table, as the search in the source reads it."""
    message = message.replace("an't ", "annot ")
    quoted = re.findall(r"'([^']+)'|\"([^\"]+)\"", message)
    words = [a or b for a, b in quoted] + re.findall(r"pickle ([\w.<>]+)", message)
    words += re.findall(r"^\w+: (\w+) objects", message)
    # Python 3.14 shows the object, a class with its module.
    words += re.findall(r"pickle local object <function ([\w.<>]+) at ", message)
    words += re.findall(r"pickle local object <class '\w+\.([\w.<>]+)'>", message)
    for lead, name in [
        ("pool objects cannot be passed", "pool"),
        ("AuthenticationString", "AuthenticationString"),
        ("h5py objects cannot be pickled", "h5py"),
        ("logger cannot be pickled", "logger"),
        ("ctypes objects containing pointers", "ctypes objects containing pointers"),
    ]:
        if lead in message:
            words.append(name)

    def fits(listed):
        if listed.endswith("*"):
            return any(w.startswith(listed[:-1]) for w in words)
        last = listed.rsplit(".", 1)[-1]
        return any(w == listed or "<" not in listed and w.rsplit(".", 1)[-1] == last for w in words)

    return fits


def is_in(versions):
    """Return whether this Python is one of those of an entry, `">=3.8,<3.12"`."""
    bounds = re.findall(r"(<|>=)(\d+)\.(\d+)", versions)
    assert bounds, versions
    here = sys.version_info[:2]
    return all((here < (int(a), int(b))) == (sign == "<") for sign, a, b in bounds)


def tables(paths):
    """Read the tables: a Python before 3.11 has no parser of TOML."""
    holds = {}
    for path in paths:
        of, here = [], True
        with open(path) as lines:
            for line in lines:
                key, _, rest = line.partition(" = ")
                strings = re.findall(r'"([^"]+)"', rest)
                if key == "of":
                    of, here = strings, True
                elif key == "python":
                    here = is_in(rest)
                elif key == "holds" and here:
                    for name in of:
                        holds.setdefault(name, []).extend(strings)
    return holds


def importable(name):
    """Import what a name needs; return the top module's name, or None."""
    parts = name.replace("()", "").split(".")
    top = parts[0]
    try:
        importlib.import_module(top)
    except ImportError:
        return None
    for n in range(2, len(parts)):
        try:
            importlib.import_module(".".join(parts[:n]))
        except ImportError:
            break
    return top


def main(paths):
    os.chdir(tempfile.mkdtemp())
    open("text", "w").close()
    paths = paths or [os.path.join(TABLES, name) for name in ("standard.toml", "libraries.toml")]
    count = {"right": 0, "can be pickled": 0, "skipped": 0, "WRONG": 0}
    skipped = set()
    scope = dict(globals())
    for name in "asyncio codecs concurrent.futures contextvars csv ctypes io pathlib queue types".split():
        scope[name.split(".")[0]] = importlib.import_module(name) and sys.modules[name.split(".")[0]]
    for name, holds in tables(paths).items():
        builtin = name.split(".")[0] in ("open", "memoryview", "compile", "dict", "__import__")
        top = None if builtin else importable(name)
        if not builtin and top is None or CANNOT_BE_MADE.match(name):
            count["skipped"] += 1
            skipped.add(name.split(".")[0])
            continue
        if top:
            scope[top] = sys.modules[top]
        try:
            made = eval(MADE.get(name) or name + "()", scope)
        except Exception as error:
            print("cannot be made: %s: %s: %s" % (name, type(error).__name__, error))
            count["skipped"] += 1
            continue
        said = made.text if isinstance(made, Message) else pickled(made)
        if said is None and sys.version_info < CAN.get(name, ()):
            count["can be pickled"] += 1
        elif said is None:
            count["WRONG"] += 1
            print("WRONG: %s can be pickled" % name)
        elif "for pickling" in said:
            # A class made by Cython: it speaks of its parts.
            count["skipped"] += 1
        elif any(map(names(said), holds)):
            count["right"] += 1
        else:
            count["WRONG"] += 1
            print("WRONG: %s: %s; listed: %s" % (name, said, holds))
    if skipped:
        print("SKIPPED, as not installed or without a server here: " + ", ".join(sorted(skipped)))
    print("Python %d.%d: %s" % (sys.version_info[:2] + (count,)))
    return count["WRONG"]


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    # Threads and loops are left as they are.
    for child in multiprocessing.active_children():
        child.terminate()
    os._exit(1 if status else 0)
