"""The folder of the module is still on the path when the process starts, so the child gets it too."""
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

        process = multiprocessing.get_context(METHOD).Process(target=print, args=(steps.Step().size,))
        process.start()
        process.join()
        assert process.exitcode == 0
