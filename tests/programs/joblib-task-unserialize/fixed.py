# needs: joblib
"""The module lies on a path that the worker searches too."""
import os
import sys
import tempfile

from joblib import Parallel, delayed

SOURCE = "def double(x):\n    return 2 * x\n"

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "helpers.py"), "w") as file:
            file.write(SOURCE)
        os.environ["PYTHONPATH"] = folder
        sys.path.insert(0, folder)
        import helpers

        print(Parallel(n_jobs=2)(delayed(helpers.double)(x) for x in range(4)))
