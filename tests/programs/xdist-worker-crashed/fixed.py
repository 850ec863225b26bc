# needs: pytest-xdist
"""The test says what it found."""
import os
import subprocess
import sys
import tempfile

TEST = "def test_crash():\n    assert 3 == 3\n"

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "test_job.py"), "w") as file:
            file.write(TEST)
        subprocess.call([sys.executable, "-m", "pytest", "-q", "-n1", "-p", "no:cacheprovider"], cwd=folder)
