"""pickfix says under each Python traceback why it happened and what to type.

The program is a binary that this package brings along; here are its doors from Python:

- ``python -m pickfix`` is the program itself; ``python -m pickfix script.py`` runs a script under it.
- ``%load_ext pickfix`` explains the failures of IPython and Jupyter (``pickfix.notebook``).
- ``pytest --pickfix`` explains failing tests (``pickfix.pytest_plugin``).
"""


def load_ipython_extension(shell):
    """Explain the failures of this shell: what ``%load_ext pickfix`` calls."""
    from . import notebook

    notebook.load(shell)


def unload_ipython_extension(shell):
    """Stop explaining: what ``%unload_ext pickfix`` calls."""
    from . import notebook

    notebook.unload(shell)
