"""``python -m pickfix``: the program; before a script or ``-m MODULE``, ``pickfix run``."""

import os
import subprocess
import sys

from .program import find


def main():
    """Become the program, with what was typed."""
    try:
        binary = find()
    except FileNotFoundError as error:
        sys.exit("pickfix: {}".format(error))
    words = sys.argv[1:]
    if is_program(words):
        python = [sys.executable] + subprocess._args_from_interpreter_flags()
        words = ["run", "--"] + python + words
        if not has_run(binary):
            sys.exit(
                "pickfix: this build has no `run`; {} 2>&1 | pickfix does it".format(
                    " ".join(["python"] + sys.argv[1:])
                )
            )
    if os.name == "nt":
        # There, exec would leave the shell with a program that has ended.
        sys.exit(subprocess.call([binary] + words))
    os.execv(binary, [binary] + words)


def is_program(words):
    """Return whether these words are what Python runs: a script, or a module."""
    if words[:1] == ["-m"]:
        return len(words) > 1
    return bool(words) and words[0].endswith((".py", ".pyw")) and os.path.isfile(words[0])


def has_run(binary):
    """Return whether the program has the command ``run``."""
    asked = [binary, "run", "--help"]
    help = subprocess.run(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return b"Usage: pickfix run" in help


if __name__ == "__main__":
    main()
