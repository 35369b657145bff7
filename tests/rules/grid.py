"""The calls of `grid.txt`, and the arrays that they are run on."""

import ast
import linecache
import math
import warnings
from pathlib import Path

import numpy as np

M = np.array([[0.3, -1.2, 2.5], [1.7, 0.4, -0.6]])
SAMPLES = {
    "np": np,
    "math": math,
    "m": M,
    "v": np.array([0.3, 1.2, -0.7, 2.1, 0.9, -1.4]),
    "s": np.array([[2.5, 0.3, 0.1], [0.4, 1.5, 0.2], [0.15, 0.25, 3.5]]),
    "t": np.arange(24.0).reshape(2, 3, 4) * 0.37 % 1.9 + 0.1,
    "k": np.array([[True, False, True], [False, True, True]]),
    "a": 0.7,
}
VARIED = {key: SAMPLES[key] for key in ("m", "v", "s", "t", "a")}
GRID_FILE = Path(__file__).with_name("grid.txt")
GRID = GRID_FILE.read_text(encoding="utf-8").splitlines()
LINES = [line for line in GRID if line and not line.startswith("#")]


def call_of(line):
    """Return the function that a line calls, with its arguments."""
    tree = ast.parse(line, mode="eval").body
    func, args = tree.func, tree.args
    if isinstance(func, ast.Attribute) and getattr(func.value, "id", "np") not in ("np", "math"):
        args = [func.value, *args]
        primal = getattr(np.ndarray, func.attr)
    else:
        primal = eval(ast.unparse(func), SAMPLES)
    given = [eval(ast.unparse(arg), SAMPLES) for arg in args]
    return primal, given, {k.arg: eval(ast.unparse(k.value), SAMPLES) for k in tree.keywords}


def is_there(line):
    """Whether this version of NumPy has the function and the keywords of a line."""
    try:
        primal, args, keywords = call_of(line)
        run(primal, args, keywords)
    except (AttributeError, TypeError):
        return False
    return True


def run(primal, args, keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return primal(*args, **keywords)


def names_in(line):
    """List the samples that vary in a line."""
    found = {x.id for x in ast.walk(ast.parse(line)) if isinstance(x, ast.Name)}
    return [key for key in VARIED if key in found]


def compiled(body, parameters, **known):
    """Write a function of some samples; the others are known to it."""
    text = f"def f({', '.join(parameters)}):\n    {body}\n"
    filename = f"<{body}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    scope = SAMPLES | known
    exec(compile(text, filename, "exec"), scope)
    return scope["f"]
