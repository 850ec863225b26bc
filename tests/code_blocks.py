"""Reads blocks of code (a JSON list of [place, code]) and prints what is wrong with them, a line each.

Arguments: the names that stand for the reader's own things. A block is Python or shell; Python
must compile, and a name that it uses must be bound in it, be a builtin, or be one of those names.
"""

import ast
import builtins
import json
import re
import sys

SHELL = re.compile(
    r"(\w+=\S+ )*"
    r"(accelerate|apt|celery|conda|dask|dmesg|docker|export|getent|gunicorn|ip|kubectl|ls|mkdir|nc|nvidia-smi|pip"
    r"|podman|ps|pytest|python3?|ray|rm|sbatch|setsid|squeue|srun|sudo|sysctl|systemctl|tail|torchrun|ulimit|uvicorn"
    r"|vllm)( |$)"
)


def undefined(tree):
    bound, used = {"__file__", "__name__"}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            used.setdefault(node.id, node.lineno)
        elif isinstance(node, ast.Name):
            bound.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return [name for name in used if name not in bound and not hasattr(builtins, name)]


def faults(code, own):
    if SHELL.match(code):
        return []
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        return [f"no Python: {error.msg}: {(error.text or '').strip()}"]
    return [
        f"{name} is not defined: import it, or define it"
        for name in undefined(tree)
        if name not in own
    ]


for place, code in json.load(sys.stdin):
    for fault in faults(code, set(sys.argv[1:])):
        print(f"{place}: {fault}")
