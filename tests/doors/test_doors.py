"""The Python package: the program through `python -m`, IPython, Jupyter and pytest.

`python test_doors.py` tests the package of that Python, installed or on PYTHONPATH with the program
in PATH. What is not installed is skipped, and said.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

#: A Pool that is given a lock; pickfix names it, whatever the Python.
TRAINER = """
import multiprocessing, threading

class Trainer:
    def __init__(self):
        self.cache_lock = threading.Lock()

    def evaluate(self, item):
        return item

def run():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.map(Trainer().evaluate, range(4))
"""


def has(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


def needs(*modules):
    return unittest.skipUnless(has(*modules), "needs " + ", ".join(modules))


#: What runs a Pool that forks.
forks = unittest.skipUnless(hasattr(os, "fork"), "needs fork")


class Doors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.write("trainer.py", TRAINER)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def environment(self):
        environment = dict(
            os.environ,
            XDG_STATE_HOME=os.path.join(self.folder, "state"),
            IPYTHONDIR=os.path.join(self.folder, "ipython"),
            PYTHONIOENCODING="utf-8",
            PY_COLORS="0",
        )
        # Those of a test that runs inside pytest or a terminal of another width.
        for name in ("PYTEST_ADDOPTS", "COLUMNS", "FORCE_COLOR"):
            environment.pop(name, None)
        return environment

    def python(self, *words, **more):
        return subprocess.run(
            [sys.executable] + list(words),
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=300,
            **more
        )

    def test_the_module_is_the_program(self):
        done = self.python("-m", "pickfix", "--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^pickfix \d+\.\d+\.\d+ \(\d+ rules, ")
        done = self.python("-m", "pickfix", "check", "none.log")
        self.assertEqual(done.returncode, 2)
        done = self.python("-m", "pickfix", input="as it is\n")
        self.assertEqual((done.returncode, done.stdout), (0, "as it is\n"))

    def test_a_script_behind_the_module_is_run(self):
        self.write("job.py", "import sys; print(sys.argv[1:], __name__); sys.exit(7)")
        from pickfix.__main__ import has_run
        from pickfix.program import find

        for words in (["job.py", "--width", "9"], ["-m", "job", "--width", "9"]):
            done = self.python("-m", "pickfix", *words)
            if has_run(find()):
                self.assertEqual(done.returncode, 7, done)
                self.assertIn("['--width', '9'] __main__", done.stdout)
            else:
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("python {} 2>&1 | pickfix".format(" ".join(words)), done.stderr)

    def test_a_program_that_is_not_there_is_told(self):
        code = """
            import os, sysconfig
            from pickfix import program
            sysconfig.get_path = lambda *words: os.path.join(os.getcwd(), "bin")
            program.__file__ = os.path.join(os.getcwd(), "none", "pickfix", "program.py")
            os.environ["PATH"] = ""
            try:
                program.find()
            except FileNotFoundError as error:
                print(error)
        """
        done = self.python("-c", textwrap.dedent(code))
        self.assertIn("install it with", done.stdout, done.stderr)

    @forks
    @needs("IPython")
    def test_ipython_explains_below_the_traceback_in_colour(self):
        import pty

        self.write("cells", "%load_ext pickfix\nimport trainer\ntrainer.run()\n1 / 0\n%pickfix explain cuda-fork\n")
        words = ["-m", "IPython", "--simple-prompt", "--quick", "--no-confirm-exit"]
        terminal, ours = pty.openpty()
        with open(os.path.join(self.folder, "cells")) as cells:
            child = subprocess.Popen(
                [sys.executable] + words, cwd=self.folder, env=self.environment(), stdin=cells, stdout=ours, stderr=ours
            )
        os.close(ours)
        parts = []
        while True:
            try:
                parts.append(os.read(terminal, 65536))
            except OSError:  # the end of a terminal whose writer has gone
                break
        os.close(terminal)
        self.assertEqual(child.wait(), 0)
        shown = b"".join(parts).decode()
        self.assertEqual(shown.count("[unpicklable-lock]"), 1, shown)
        self.assertRegex(shown, "\x1b\\[[0-9;]*m▎")
        self.assertLess(shown.index("cannot pickle '_thread.lock' object"), shown.index("[unpicklable-lock]"))
        self.assertIn('del state["cache_lock"]', shown)
        self.assertIn("cuda-fork: ", shown)
        self.assertIn("WHAT TO DO", shown)

    @forks
    @needs("nbclient", "ipykernel")
    def test_a_notebook_gets_text_and_a_page(self):
        cells = [
            "%load_ext pickfix",
            "%load_ext pickfix\n%reload_ext pickfix",
            "import trainer\ntrainer.run()",
            TRAINER + "\nrun()",
            "1 / 0",
            "%pickfix explain unpicklable-lock",
            "%pickfix explain no-such-rule",
            "class Trainer:\n    pass\n0 / 0\nclass Trainer:\n    second = None",
            "run()",
            "%unload_ext pickfix",
            "trainer.run()",
        ]
        outputs = self.notebook(cells)
        for number in (2, 3):
            kinds = [output["output_type"] for output in outputs[number]]
            self.assertEqual(kinds, ["error", "display_data"])
            data = outputs[number][1]["data"]
            self.assertIn("[unpicklable-lock]", data["text/plain"])
            self.assertIn("<code>[unpicklable-lock]</code>", data["text/html"])
            self.assertIn("<pre>def __getstate__(self):\n    state", data["text/html"])
        self.assertIn("<code>Trainer.cache_lock</code> trainer.py:6", outputs[2][1]["data"]["text/html"])
        self.assertIn(">trainer.py:13 <code>return pool.map", outputs[2][1]["data"]["text/html"])
        self.assertIn("Cell In[4]:12 in run()", outputs[3][1]["data"]["text/plain"])
        self.assertIn("<code>Trainer.cache_lock</code> Cell In[4]:5 <code>self", outputs[3][1]["data"]["text/html"])
        self.assertNotIn("In.py", str(outputs[3][1]))
        self.assertEqual([output["output_type"] for output in outputs[4]], ["error"])
        self.assertIn("# unpicklable-lock", outputs[5][0]["data"]["text/markdown"])
        self.assertIn("unknown rule", outputs[6][0]["text"])
        self.assertEqual([output["output_type"] for output in outputs[7]], ["error"])
        self.assertIn("has no attribute 'evaluate'", outputs[8][0]["evalue"])
        self.assertEqual([output["output_type"] for output in outputs[10]], ["error"])

    @unittest.skipIf(sys.version_info < (3, 8), "needs the ends of statements")
    def test_only_what_was_run_of_a_cell_is_read(self):
        from pickfix.cells import executed

        cell = "a = 1\nfor n in a:\n    f(\n        n)\nclass B:\n    pass\n"
        self.assertEqual(executed(cell, None), cell.split("\n"))
        self.assertEqual(executed(cell, 3), ["a = 1", "for n in a:", "    f(", "        n)", "", "", ""])
        self.assertEqual(executed(cell, 1), ["a = 1"] + [""] * 6)
        self.assertEqual(executed("a = (\n", None), ["", ""])
        self.assertEqual(executed("await f()\n", None), ["await f()", ""])

    def notebook(self, cells):
        """Run cells in a kernel of this Python; return the outputs of each."""
        import json

        source = """
            import json, sys
            import nbformat
            from nbclient import NotebookClient
            cells = [nbformat.v4.new_code_cell(cell) for cell in json.load(sys.stdin)]
            notebook = nbformat.v4.new_notebook(cells=cells)
            NotebookClient(notebook, timeout=200, allow_errors=True).execute()
            print(json.dumps([cell.outputs for cell in notebook.cells]))
        """
        kernel = os.path.join(self.folder, "data/kernels/python3")
        os.makedirs(kernel)
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        with open(os.path.join(kernel, "kernel.json"), "w") as file:
            json.dump({"argv": argv, "display_name": "this", "language": "python"}, file)
        os.environ["JUPYTER_DATA_DIR"] = os.path.join(self.folder, "data")
        done = self.python("-c", textwrap.dedent(source), input=json.dumps(cells))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def pytest(self, *words):
        """Run pytest on a failure of each kind; return what it prints."""
        self.write(
            "test_jobs.py",
            """
            import multiprocessing, pickle, threading
            import trainer

            def test_pool():
                trainer.run()

            def test_child():
                child = multiprocessing.get_context("fork").Process(target=pickle.dumps, args=(lambda: 1,))
                child.start()
                child.join()
                assert child.exitcode == 0

            def test_sum():
                assert 1 + 1 == 3

            def test_well():
                pass
            """,
        )
        import importlib.metadata

        distributions = list(importlib.metadata.distributions(name="pickfix"))
        is_installed = any(distribution.entry_points for distribution in distributions)
        plugin = [] if is_installed else ["-p", "pickfix.pytest_plugin"]
        done = self.python("-m", "pytest", "-p", "no:cacheprovider", *plugin, *words)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("3 failed, 1 passed", done.stdout)
        return done.stdout

    def explained(self, shown):
        """Return the tests of a run that have an annotation."""
        parts = shown.split("\n____")[1:]
        names = [part.split()[1] for part in parts if "▎ pickfix: " in part]
        return sorted(names)

    @forks
    @needs("pytest")
    @unittest.skipIf(sys.version_info < (3, 8), "needs importlib.metadata")
    def test_pytest_explains_where_it_is_asked_to(self):
        self.assertNotIn("▎", self.pytest())
        for words in (["--pickfix"], ["--pickfix", "--tb=short"], ["--pickfix", "--show-capture=no"]):
            shown = self.pytest(*words)
            self.assertEqual(self.explained(shown), ["test_child", "test_pool"], shown)
            self.assertIn("--- pickfix ---", shown)
            self.assertIn("[unpicklable-lock]", shown)
            self.assertIn("[unpicklable-lambda]", shown)
        self.assertIn("▎", self.pytest("--pickfix", "--tb=native"))
        self.assertNotIn("▎", self.pytest("--pickfix", "--tb=no"))

    @forks
    @needs("pytest", "xdist")
    @unittest.skipIf(sys.version_info < (3, 8), "needs importlib.metadata")
    def test_pytest_explains_in_the_workers_of_xdist_too(self):
        shown = self.pytest("--pickfix", "-n2")
        self.assertEqual(self.explained(shown), ["test_child", "test_pool"], shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
