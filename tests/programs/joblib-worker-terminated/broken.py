# needs: joblib
"""A worker is killed as the kernel kills it when memory runs out."""
import os
import signal

from joblib import Parallel, delayed


def fit(fold):
    data = bytearray(16 << 20)
    if len(data) > 8 << 20:
        os.kill(os.getpid(), signal.SIGKILL)
    return fold


if __name__ == "__main__":
    print(Parallel(n_jobs=2)(delayed(fit)(fold) for fold in range(4)))
