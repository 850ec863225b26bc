"""A script's program is killed, and the shell says so."""
import os
import subprocess
import sys

if __name__ == "__main__":
    if sys.argv[-1] == "now":
        os.kill(os.getpid(), 9)
    command = "%s %s now; true" % (sys.executable, os.path.abspath(__file__))
    subprocess.call(["bash", "-c", command])
