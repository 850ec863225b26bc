"""Programs that say nothing: those that hang are told, those that work or wait of their own are not.

    python3 tests/run/silence.py target/debug/pickfix

Linux. Standard library only; where py-spy is installed, its stacks are looked at too.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

SECONDS = 3

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

HANGS = {
    "a child at a lock that a thread of its parent held": FORKED_LOCK,
    "join before get": JOIN_BEFORE_GET,
    "two locks in two orders": LOCK_ORDER,
    "an item that nobody puts": LOST_ITEM,
}

FINE = {
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


def start(pickfix, code):
    command = [pickfix, "run", "--no-state", "--stall", str(SECONDS), sys.executable, "-c", code]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            start_new_session=True)


def end(process):
    """Ends what was started, all of it, and returns what it had printed."""
    os.killpg(process.pid, signal.SIGTERM)
    time.sleep(0.2)
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return process.communicate()[0].decode("utf-8", "replace")


def main():
    pickfix = os.path.abspath(sys.argv[1])
    has_stacks = shutil.which("py-spy") is not None
    running = [(name, True, start(pickfix, code)) for name, code in HANGS.items()]
    running += [(name, False, start(pickfix, code)) for name, code in FINE.items()]
    time.sleep(SECONDS * 3 + (8 if has_stacks else 2))
    failed = 0
    for name, hangs, process in running:
        text = end(process)
        told = text.count("and no process is working")
        # With stacks, another rule may say it better.
        told += text.count("[join-before-get]") + text.count("[queue-get-waits]") if has_stacks else 0
        is_right = told >= 1 if hangs else told == 0
        failed += not is_right
        print("ok     " if is_right else "FAILED ", name, "" if is_right else "\n" + text, flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
