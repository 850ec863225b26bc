"""Prints a traceback, takes the whole screen at once, and leaves it when a line is typed."""
import sys
import threading
import traceback
import pickle

try:
    pickle.dumps(threading.Lock())
except TypeError:
    sys.stderr.write(traceback.format_exc() + "\x1b[?1049h\x1b[H\x1b[2Jfull screen\r\n")
    sys.stderr.flush()
input()
print("\x1b[?1049lleft", flush=True)
