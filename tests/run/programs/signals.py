"""Tells which signal has come, and ends."""
import os
import signal
import sys
import time


def tell(number, _):
    print("got", signal.Signals(number).name[3:], flush=True)
    sys.exit(5)


for name in ("TERM", "HUP", "USR1", "INT"):
    signal.signal(getattr(signal, "SIG" + name), tell)
print("own", os.getpid(), "parent", os.getppid())
print("ready", flush=True)
time.sleep(60)
