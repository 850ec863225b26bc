"""The binary: where it is, and what it says about a text."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig

#: What each line of an annotation begins with, perhaps behind its colour.
MARK = re.compile("(\x1b\\[[0-9;]*m)*▎")
#: How long the program may take over one text, in seconds.
TIMEOUT = 30


def find():
    """Return the path of the binary that was installed with this package."""
    name = "pickfix" + (sysconfig.get_config_var("EXE") or "")
    package = os.path.dirname(os.path.abspath(__file__))
    scripts = os.path.basename(sysconfig.get_path("scripts"))
    user = "nt_user" if os.name == "nt" else "posix_user"
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", user),
        # pip install --target FOLDER: FOLDER/pickfix and FOLDER/bin
        os.path.join(os.path.dirname(package), scripts),
        # pip install --prefix FOLDER: FOLDER/lib/python3.11/site-packages/pickfix and FOLDER/bin
        os.path.join(package, *[os.pardir] * 4, scripts),
    ]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return os.path.normpath(path)
    found = shutil.which("pickfix")
    if found is None:
        raise FileNotFoundError(
            "the pickfix program is in none of {}, nor in PATH; install it with "
            "`{} -m pip install --force-reinstall pickfix`".format(", ".join(folders), sys.executable)
        )
    return found


def call(words, text=""):
    """Run the program with these words and this input; return its output and its messages."""
    done = subprocess.run(
        [find()] + words,
        input=text.encode("utf-8", "surrogateescape"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ, LC_ALL="C.UTF-8"),
        timeout=TIMEOUT,
    )
    return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def annotations(text, words):
    """Return what the program writes under the tracebacks of a text; nothing if it knows none."""
    width = min(max(shutil.get_terminal_size((88, 24)).columns, 40), 100)
    output, message = call(["--width", str(width)] + words, text)
    if not output and message:
        raise RuntimeError(message.strip())
    return "\n".join(line for line in output.splitlines() if MARK.match(line))
