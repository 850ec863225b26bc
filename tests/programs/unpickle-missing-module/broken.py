"""The class's module is known to the parent alone: it was found through a path that is gone."""
import multiprocessing
import os
import sys
import tempfile

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"

if __name__ == "__main__":
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "steps.py"), "w") as file:
            file.write("class Step:\n    size = 3\n")
        sys.path.insert(0, folder)
        import steps

        sys.path.remove(folder)
        process = multiprocessing.get_context(METHOD).Process(target=print, args=(steps.Step(),))
        process.start()
        process.join()
