# needs: joblib
"""The task's function comes from a module that was made in the parent alone."""
import sys
import types

from joblib import Parallel, delayed

SOURCE = "def double(x):\n    return 2 * x\n"

if __name__ == "__main__":
    helpers = types.ModuleType("helpers")
    exec(SOURCE, helpers.__dict__)
    sys.modules["helpers"] = helpers
    print(Parallel(n_jobs=2)(delayed(helpers.double)(x) for x in range(4)))
