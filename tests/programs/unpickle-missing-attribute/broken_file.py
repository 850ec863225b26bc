"""A pickle was written by another script, which defined the class itself."""
import pickle
import subprocess
import sys

WRITER = """
import pickle, sys

class Config:
    def __init__(self):
        self.rate = 0.1

sys.stdout.buffer.write(pickle.dumps(Config(), protocol=2))
"""

if __name__ == "__main__":
    data = subprocess.check_output([sys.executable, "-c", WRITER])
    print(pickle.loads(data).rate)
