# needs: pytest-xdist
"""Each worker makes random parameters of its own."""
import os
import subprocess
import sys
import tempfile

TEST = """
import random
import pytest

@pytest.mark.parametrize("n", [random.random() for _ in range(3)])
def test_good(n):
    assert n < 1
"""

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "test_job.py"), "w") as file:
            file.write(TEST)
        subprocess.call([sys.executable, "-m", "pytest", "-q", "-n2", "-p", "no:cacheprovider"], cwd=folder)
