# needs: joblib
"""A task that has nothing to do returns."""
from joblib import Parallel, delayed


def fit(fold):
    return None


if __name__ == "__main__":
    print(Parallel(n_jobs=2)(delayed(fit)(fold) for fold in range(4)))
