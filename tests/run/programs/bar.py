"""Fails twice while a bar goes on, as workers do."""
import pickle
import sys
import threading
import time
import traceback


def bar(n):
    sys.stderr.write("\r%3d%%|%-50s|" % (n, "#" * (n // 2)))
    sys.stderr.flush()


for n in range(0, 101, 5):
    if n in (20, 40):
        try:
            pickle.dumps(threading.Lock())
        except TypeError:
            sys.stderr.write("\r" + " " * 60 + "\r" + traceback.format_exc())
            sys.stderr.flush()
    bar(n)
    time.sleep(0.15 if n in (20, 40) else 0.05)
sys.stderr.write("\n")
