"""A script's program ends."""
import os
import subprocess
import sys

if __name__ == "__main__":
    if sys.argv[-1] == "now":
        sys.exit("done")
    command = "%s %s now; true" % (sys.executable, os.path.abspath(__file__))
    subprocess.call(["bash", "-c", command])
