"""The class stands in a module, and is given its old place before the old pickle is read."""
import pickle
import subprocess
import sys

import __main__
from models import Config

WRITER = """
import pickle, sys

class Config:
    def __init__(self):
        self.rate = 0.1

sys.stdout.buffer.write(pickle.dumps(Config(), protocol=2))
"""

if __name__ == "__main__":
    __main__.Config = Config
    data = subprocess.check_output([sys.executable, "-c", WRITER])
    print(pickle.loads(data).rate)
