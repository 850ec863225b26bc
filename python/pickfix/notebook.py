"""IPython and Jupyter: an annotation under a cell's traceback, and ``%pickfix``."""

import html
import json
import os
import re
import shlex
import sys
import tempfile
import traceback

from . import cells, program


def load(shell):
    """Explain what fails in this shell from now on."""
    watcher = Watcher(shell)
    unload(shell)
    shell.events.register("post_run_cell", watcher.after)
    shell.pickfix_watcher = watcher
    shell.register_magic_function(watcher.magic, "line", "pickfix")


def unload(shell):
    """Stop explaining."""
    watcher = getattr(shell, "pickfix_watcher", None)
    if watcher is not None:
        shell.events.unregister("post_run_cell", watcher.after)
        shell.pickfix_watcher = None


class Watcher:
    """What looks at each cell that was run in a shell."""

    def __init__(self, shell):
        self.is_page = hasattr(shell, "kernel")
        self.cells = cells.Cells(shell)

    def after(self, result):
        """Explain the failure of a cell, below its traceback."""
        error = result.error_in_exec
        if error is None:
            return
        try:
            self.cells.failed(error)
            self.explain("".join(traceback.format_exception(type(error), error, error.__traceback__)))
        except Exception as fault:  # the cell's own failure is what counts
            print("pickfix: {}".format(fault), file=sys.stderr)

    def explain(self, text):
        """Show what the program says about a traceback."""
        is_coloured = not self.is_page and sys.stdout.isatty()
        with tempfile.TemporaryDirectory(prefix=cells.FOLDER) as folder:
            text = self.cells.written(folder, text)
            source = ["--source-root", ".", "--source-root", folder]
            shown = program.annotations(text, ["--color", "always" if is_coloured else "never"] + source)
            shown = self.cells.shown(shown)
            if not shown:
                return
            if not self.is_page:
                print(shown)
                return
            form = ["check", "--format", "json", "--exit-zero", "-"]
            failures = json.loads(program.call(form + source, text)[0])
        self.display(shown, "text/html", self.cells.shown("".join(map(page, failures))))

    def display(self, text, kind, rich):
        """Show a text, and what it is on a page."""
        from IPython.display import display

        display({"text/plain": text, kind: rich}, raw=True)

    def magic(self, line):
        """Call pickfix: ``%pickfix explain ID``, ``%pickfix last``, ``%pickfix fix``."""
        words = shlex.split(line)
        output, message = program.call(words)
        if message:
            print(message, end="", file=sys.stderr)
        if self.is_page and words[:1] == ["explain"] and "--format" not in words:
            self.display(output, "text/markdown", program.call(words + ["--format", "markdown"])[0])
        elif output:
            print(output, end="")


def page(failure):
    """Write a failure as HTML."""
    fix = next((fix for fix in failure["fixes"] if fix["chosen"]), {})
    frame, found = failure["user_frame"], failure["object"]
    rows = [
        ("where", frame and place(frame)),
        ("object", found and "<code>{}</code> {}".format(html.escape(found["path"]), place(found))),
        ("why", words(failure["cause"])),
        ("fix", words(fix.get("text") or "")),
    ]
    code = "<pre>{}</pre>".format(html.escape(fix["code"])) if fix.get("code") else ""
    return (
        "<div style='border-left:4px solid #c60;padding-left:1em'><b>{}</b> <code>[{}]</code>"
        "<div style='display:grid;grid-template-columns:4em auto'>{}</div>{}</div>"
    ).format(
        words(failure["title"]),
        html.escape(failure["id"]),
        "".join("<span>{}</span><span>{}</span>".format(*row) for row in rows if row[1]),
        code,
    )


def place(of):
    """Write a place in the program, with its line."""
    below = os.path.join(os.getcwd(), "")
    file = of["file"][len(below) :] if of["file"].startswith(below) else of["file"]
    text = "{}:{}".format(file, of["line"])
    return "{} <code>{}</code>".format(html.escape(text), html.escape(of["source"] or ""))


def words(text):
    """Write prose; what is between back quotes is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text))
