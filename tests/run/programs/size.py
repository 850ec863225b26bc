"""Tells the size of the window whenever it changes."""
import os
import signal
import time


def tell(*_):
    size = os.get_terminal_size()
    # One write: the next change of the window may come in the middle of a print.
    os.write(1, b"%dx%d\n" % (size.columns, size.lines))


signal.signal(signal.SIGWINCH, tell)
tell()
try:
    while True:
        time.sleep(0.1)
except KeyboardInterrupt:
    print("over")
