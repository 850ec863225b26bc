"""Tells the size of the window whenever it changes."""
import os
import signal
import time


def tell(*_):
    size = os.get_terminal_size()
    print("%dx%d" % (size.columns, size.lines), flush=True)


signal.signal(signal.SIGWINCH, tell)
tell()
try:
    while True:
        time.sleep(0.1)
except KeyboardInterrupt:
    print("over")
