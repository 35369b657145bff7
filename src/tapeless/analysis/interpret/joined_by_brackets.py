"""What `np.r_[...]` and `np.c_[...]` are: arrays of rank 1 and 2, joined of numbers, arrays and slices."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value, any_slot
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.state import Interpreter
from tapeless.joins import any_item
from tapeless.kinds import (
    NOWHERE,
    RANGE,
    Array,
    Dim,
    Integer,
    Kind,
    List,
    Real,
    Regions,
    Size,
    is_listed,
    regions_of,
)
from tapeless.ranks import dims_of, dtype_of
from tapeless.tree.trees import Expr


def joined_by_brackets(interpreter: Interpreter, tree: Expr, env: Environment) -> Value | None:
    """Interpret a join by brackets; None for other items, and where the rank is not known."""
    found = interpreter.function.resolve(tree.value)
    if found is not np.r_ and found is not np.c_:
        return None
    parts = tree.slice.elts if type(tree.slice) is gast.Tuple else [tree.slice]
    values = [part_joined(interpreter, part, env) for part in parts]
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


def part_joined(interpreter: Interpreter, part: Expr, env: Environment) -> Value:
    """Interpret an item: a slice stands for whole numbers, or for floats where its step says so."""
    if type(part) is gast.Slice:
        ends = [interpreter.eval(p, env).kind for p in (part.lower, part.upper) if p is not None]
        step = getattr(part.step, "value", None)
        whole = all(isinstance(kind, Integer) for kind in ends) and not isinstance(step, complex)
        return Value(_row("i" if whole else "f8"))
    value = interpreter.eval(part, env)
    made = array_of_listed(interpreter, value.kind, interpreter.point(part))
    return value if made is None else Value(made, interpreter.holds_varied(value))


def array_of_listed(
    interpreter: Interpreter, kind: Kind, point: Hashable, within: Regions = NOWHERE
) -> Array | None:
    """Return the kind of the array for which a list or tuple of numbers stands, or of such rows."""
    if kind == RANGE:
        return _row("i")
    if not is_listed(kind) or regions_of(kind) & within:
        return None
    item = any_item(kind, point)
    if isinstance(kind, List):
        item = any_slot(interpreter.heap, kind.regions, point).kind
    if isinstance(item, (Real, Integer)):
        return _row(item.dtype if isinstance(item, Real) else "i")
    row = array_of_listed(interpreter, item, point, within | regions_of(kind))
    row = item if isinstance(item, Array) else row
    return None if row is None else _row(row.dtype, *row.dims)


def _row(code: str, *of: Dim) -> Array:
    return Array((Size(("joined", len(of))), *of), code)
