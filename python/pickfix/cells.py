"""The cells of a session as one module, so that the program can read what they define."""

import ast
import os
import re

#: What the module's folder begins with: the program takes it for a notebook's, as ``ipykernel`` names its own.
FOLDER = "ipykernel_"
FILE = "In.py"


class Cells:
    """What was run in a shell: each cell once for each time, in order, as Python ran them."""

    def __init__(self, shell):
        self.shell = shell
        self.reached = {}  # of cells that failed: the line of the statement that did

    def failed(self, error):
        """Note how far the cell came that ended with this exception."""
        step = error.__traceback__
        while step is not None:
            number = self.number(step.tb_frame.f_code.co_filename)
            if number is not None:
                self.reached[number] = step.tb_lineno
                return
            step = step.tb_next

    def number(self, file):
        """Return the number of the cell whose code has this file name; none if it is no cell's."""
        name = getattr(self.shell.compile, "format_code_name", lambda file: None)(file)
        found = re.match(r"In\[(\d+)\]$", name[1]) if name else None
        return int(found.group(1)) if found else None

    def written(self, folder, text):
        """Write the module into a folder; return the traceback with its places."""
        path = os.path.join(folder, FILE)
        self.starts, lines = [], []
        for number, cell in enumerate(self.shell.history_manager.input_hist_parsed):
            self.starts.append(len(lines))
            lines += executed(cell, self.reached.get(number))
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write("\n".join(lines) + "\n")

        def place(match):
            number = self.number(match.group(1))
            if number is None or number >= len(self.starts):
                return match.group()
            return 'File "{}", line {}'.format(path, self.starts[number] + int(match.group(2)))

        return re.sub(r'File "([^"\n]+)", line (\d+)', place, text)

    def shown(self, text):
        """Write places in the module as IPython does: ``Cell In[3]:14``."""

        def place(match):
            line = int(match.group(1))
            number = max(n for n, start in enumerate(self.starts) if start < line)
            return "Cell In[{}]:{}".format(number, line - self.starts[number])

        found = re.sub(r"[^\s>]*{}\w+[/\\]{}:(\d+)".format(FOLDER, re.escape(FILE)), place, text)
        # Of a narrow screen, the line number is cut off.
        found = re.sub(r"\S*{}\w+[/\\]\S*".format(FOLDER), "a cell", found)
        # What is in a cell cannot be changed by it.
        return found.replace("pickfix fix · ", "") if found != text else found


def executed(cell, last):
    """Return the lines of a cell; empty ones for what was not run."""
    lines = cell.split("\n")
    try:
        body = compile(cell, FILE, "exec", ast.PyCF_ONLY_AST | getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0)).body
    except (SyntaxError, ValueError):
        return [""] * len(lines)
    if last is None or not body or not hasattr(body[0], "end_lineno"):
        return lines
    end = max([statement.end_lineno for statement in body if statement.lineno <= last], default=0)
    return lines[:end] + [""] * (len(lines) - end)

