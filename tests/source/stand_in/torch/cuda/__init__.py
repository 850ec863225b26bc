"""The part of `torch.cuda` that refuses to work in a forked process, in torch's own words."""
import os

_initialized = False
_fork_is_watched = False
_in_bad_fork = False


def _after_fork():
    global _in_bad_fork
    _in_bad_fork = True


def _watch_fork():
    """What torch does at its first call of the CUDA runtime."""
    global _fork_is_watched
    if not _fork_is_watched:
        os.register_at_fork(after_in_child=_after_fork)
        _fork_is_watched = True


def is_available():
    _watch_fork()
    return True


def _lazy_init():
    global _initialized
    if _initialized and not _in_bad_fork:
        return
    if _in_bad_fork:
        raise RuntimeError(
            "Cannot re-initialize CUDA in forked subprocess. To use CUDA with "
            "multiprocessing, you must use the 'spawn' start method"
        )
    _watch_fork()
    _initialized = True
