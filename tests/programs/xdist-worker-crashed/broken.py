# needs: pytest-xdist
"""A test takes its worker down."""
import os
import subprocess
import sys
import tempfile

TEST = "import os\n\n\ndef test_crash():\n    os._exit(3)\n"

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "test_job.py"), "w") as file:
            file.write(TEST)
        subprocess.call([sys.executable, "-m", "pytest", "-q", "-n1", "-p", "no:cacheprovider"], cwd=folder)
