"""What `np.r_[...]` and `np.c_[...]` are: arrays of rank 1 and 2, joined of numbers, arrays and slices."""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.state import Interpreter
from tapeless.kinds import Array, Integer, Kind, Real, Size
from tapeless.ranks import dims_of, dtype_of
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.trees import Expr


def joined_by_brackets(interpreter: Interpreter, tree: Expr, env: Environment) -> Value | None:
    """Interpret a join by brackets; None for other items, and where the rank is not known."""
    found = interpreter.function.resolve(tree.value)
    if found is not np.r_ and found is not np.c_:
        return None
    parts = tree.slice.elts if type(tree.slice) is gast.Tuple else [tree.slice]
    values = [_part(interpreter, part, env) for part in parts]
    known = [dims_of(v.kind) for v in values]
    ranks = {None if dims is None else len(dims) for dims in known}
    codes = {dtype_of(v.kind) for v in values}
    of_rows = found is np.r_
    if not ranks <= ({0, 1} if of_rows else {1, 2}) or not codes <= {"f8", "i"}:
        return None
    point = interpreter.point(tree)
    sizes: Any = tuple(Size((point, "joined", axis)) for axis in range(1 if of_rows else 2))
    made = Array(sizes, "f8" if "f8" in codes else "i", interpreter.fresh(tree))
    return Value(made, any(map(interpreter.is_varied, values)))


def _part(interpreter: Interpreter, part: Expr, env: Environment) -> Value:
    """Interpret an item: a slice stands for whole numbers, or for floats where its step says so."""
    if type(part) is gast.Slice:
        ends = [interpreter.eval(p, env).kind for p in (part.lower, part.upper) if p is not None]
        step = getattr(part.step, "value", None)
        whole = all(isinstance(kind, Integer) for kind in ends) and not isinstance(step, complex)
        return Value(_row("i" if whole else "f8"))
    value = interpreter.eval(part, env)
    if type(part) not in DISPLAYS:
        return value
    items = [interpreter.eval(item, env).kind for item in part.elts]
    if not items or not all(isinstance(kind, (Real, Integer)) for kind in items):
        return value
    code = "f8" if any(isinstance(kind, Real) for kind in items) else "i"
    return Value(_row(code), interpreter.holds_varied(value))


def _row(code: str) -> Kind:
    return Array((Size(("joined", 0)),), code)
