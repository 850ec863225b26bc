"""Programs that say nothing: those that hang are told, those that work or wait of their own are not.

    python3 tests/run/silence.py target/debug/pickfix

Linux. Standard library only; where py-spy is installed, its stacks are looked at too.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SECONDS = 3
# How much longer a busy machine may take.
PATIENCE = 120

FORKED_LOCK = """
import multiprocessing, threading, time
lock = threading.Lock()
def hold():
    with lock:
        time.sleep(1)
def child():
    with lock:
        pass
multiprocessing.set_start_method("fork")
threading.Thread(target=hold).start()
time.sleep(0.2)
process = multiprocessing.Process(target=child)
process.start()
process.join()
"""

JOIN_BEFORE_GET = """
import multiprocessing
def work(queue):
    queue.put("x" * 10_000_000)
multiprocessing.set_start_method("fork")
queue = multiprocessing.Queue()
process = multiprocessing.Process(target=work, args=(queue,))
process.start()
process.join()
"""

LOCK_ORDER = """
import threading, time
a, b = threading.Lock(), threading.Lock()
def one():
    with a:
        time.sleep(0.2)
        with b:
            pass
def other():
    with b:
        time.sleep(0.2)
        with a:
            pass
threads = [threading.Thread(target=one), threading.Thread(target=other)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

LOST_ITEM = """
import multiprocessing
def work(queue):
    pass
multiprocessing.set_start_method("fork")
queue = multiprocessing.Queue()
process = multiprocessing.Process(target=work, args=(queue,))
process.start()
queue.get()
"""

LOST_WORKER = """
import multiprocessing, os, signal
def work(n):
    os.kill(os.getpid(), signal.SIGKILL)
if __name__ == "__main__":
    with multiprocessing.get_context("METHOD").Pool(2) as pool:
        pool.map(work, [1])
"""

# A socket that is open, but that nobody waits for.
SOCKET = """
import socket
server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen()
client = socket.create_connection(server.getsockname())
"""

# What tqdm does for its bars.
MONITOR = """
import os, sys, tempfile
folder = tempfile.mkdtemp(); os.mkdir(folder + "/tqdm")
with open(folder + "/tqdm/_monitor.py", "w") as file:
    file.write("def run(event):\\n    while not event.wait(10):\\n        pass\\n")
sys.path.insert(0, folder + "/tqdm")
import threading, _monitor
threading.Thread(target=_monitor.run, args=(threading.Event(),), daemon=True).start()
"""

# Each with what the advice is about.
HANGS = {
    "a child at a lock that a thread of its parent held": (FORKED_LOCK, "A forked child waits"),
    "join before get": (JOIN_BEFORE_GET, "before `join()`"),
    "two locks in two orders": (LOCK_ORDER, "in one order"),
    "an item that nobody puts": (LOST_ITEM, "No other process"),
    "a pool that lost its worker": (LOST_WORKER.replace("METHOD", "fork"), "killed"),
    "a pool that lost its worker, forkserver": (LOST_WORKER.replace("METHOD", "forkserver"), "killed"),
    "join before get beside a socket": (SOCKET + JOIN_BEFORE_GET, "before `join()`"),
}

# What only the stacks tell: `--probe`.
HANGS_WITH_STACKS = {
    "two locks in two orders": LOCK_ORDER,
    "a child at a lock, beside a bar": MONITOR + FORKED_LOCK,
}

FINE = {
    "a bar beside a main thread that sleeps": MONITOR + "import time; time.sleep(60)",
    "waits for a thread that looks for a file now and then": """
import os, threading, time
def look():
    while not os.path.exists("/nowhere"):
        threading.Event().wait(0.5)
thread = threading.Thread(target=look); thread.start(); thread.join()
""",
    "an item that may come through a socket": SOCKET + """
import multiprocessing.connection as c, os, threading
reader, writer = c.Pipe(duplex=False)
threading.Thread(target=threading.Lock().acquire).start()
c.wait([reader, client])
""",
    "a server of asyncio with a pool": """
import asyncio, concurrent.futures, multiprocessing
async def main():
    pool = concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork"))
    await asyncio.get_running_loop().run_in_executor(pool, abs, 1)
    await (await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)).serve_forever()
asyncio.run(main())
""",
    "sleeps": "import time; time.sleep(60)",
    "computes": "while True: pass",
    "computes in a child": """
import multiprocessing
def work():
    while True: pass
multiprocessing.set_start_method("fork")
process = multiprocessing.Process(target=work); process.start(); process.join()
""",
    "a child sleeps": """
import multiprocessing, time
multiprocessing.set_start_method("fork")
process = multiprocessing.Process(target=time.sleep, args=(60,)); process.start(); process.join()
""",
    "a thread sleeps": """
import threading, time
thread = threading.Thread(target=time.sleep, args=(60,)); thread.start(); thread.join()
""",
    "an idle pool beside a main thread that sleeps": """
import multiprocessing, time
multiprocessing.set_start_method("fork")
pool = multiprocessing.Pool(3)
time.sleep(60)
""",
    "waits with a time limit": "import threading; threading.Event().wait(60)",
    "waits for a signal": "import signal; signal.pause()",
    "waits for its input": "input()",
    "a server with idle threads": """
import concurrent.futures, socket
pool = concurrent.futures.ThreadPoolExecutor(2); list(pool.map(str, range(9)))
server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen(); server.accept()
""",
    "asyncio that sleeps": "import asyncio; asyncio.run(asyncio.sleep(60))",
    "asyncio with an idle executor": """
import asyncio
async def main():
    await asyncio.to_thread(print, end="")
    await asyncio.sleep(60)
asyncio.run(main())
""",
    "waits for a program that sleeps": "import subprocess; subprocess.run(['sleep', '60'])",
    "has a program's output to wait for": "import subprocess; subprocess.check_output(['sleep', '60'])",
}


def start(pickfix, code, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as script:
        script.write(code)
    command = [pickfix, "run", "--no-state", "--stall", str(SECONDS), *options, sys.executable, script.name]
    output = tempfile.TemporaryFile()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT,
                               start_new_session=True)
    return process, output


def printed(output):
    """Returns what has been printed so far, without moving where the program writes."""
    return os.pread(output.fileno(), 1 << 24, 0).decode("utf-8", "replace")


def end(process, output):
    """Ends what was started, all of it, and returns what it had printed."""
    os.killpg(process.pid, signal.SIGTERM)
    time.sleep(0.2)
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return printed(output)


def is_right(name, hangs, text, has_stacks):
    """Says whether a hang was told, with its advice, and nothing else was."""
    told = text.count("and no process is working")
    # With stacks, another rule may say it better.
    if has_stacks or "--probe" in name:
        told += sum(text.count(f"[{rule}]") for rule in ("join-before-get", "queue-get-waits", "pool-waits-for-result"))
        # Which line of the script it is.
        told = told if "--probe" not in name or not hangs else text.count(".py:")
    if not hangs:
        return told == 0
    if name in HANGS and not has_stacks:
        return told >= 1 and HANGS[name][1] in " ".join(text.replace("▎", " ").split())
    return told >= 1


def main():
    pickfix = os.path.abspath(sys.argv[1])
    has_stacks = shutil.which("py-spy") is not None
    running = [(name, True, *start(pickfix, code)) for name, (code, _) in HANGS.items()]
    running += [(name, False, *start(pickfix, code)) for name, code in FINE.items()]
    running += [(name + " (--probe)", True, *start(pickfix, code, "--probe")) for name, code in HANGS_WITH_STACKS.items()]
    probed = [name for name in FINE if "bar" in name or "asyncio" in name or "thread" in name]
    running += [(name + " (--probe)", False, *start(pickfix, FINE[name], "--probe")) for name in probed]
    time.sleep(SECONDS * 3 + (8 if has_stacks else 4))
    failed = 0
    late = time.time() + PATIENCE
    for name, hangs, process, output in running:
        while hangs and not is_right(name, hangs, printed(output), has_stacks) and time.time() < late:
            time.sleep(0.5)
        text = end(process, output)
        right = is_right(name, hangs, text, has_stacks)
        failed += not right
        print("ok     " if right else "FAILED ", name, "" if right else "\n" + text, flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
