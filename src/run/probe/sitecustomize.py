# Loaded by each Python of a program that `pickfix run --probe` runs, of any version, and gone again
# before the program begins: it leaves the path, loads the probe, and makes room for the sitecustomize
# that would have been found without it. Where there is none, the ImportError is what `site` expects.
import sys


def _load():
    try:
        import os
        here = os.path.dirname(os.path.abspath(__file__))
        sys.path[:] = [folder for folder in sys.path if folder != here]
        if sys.version_info < (3, 6):
            return
        sys.path.insert(0, here)
        try:
            import _pickfix_probe
            _pickfix_probe.install(here)
        finally:
            if here in sys.path:
                sys.path.remove(here)
            sys.path_importer_cache.pop(here, None)
    except Exception:
        pass


_load()
del _load
sys.modules.pop("sitecustomize", None)
import sitecustomize  # noqa: E402
