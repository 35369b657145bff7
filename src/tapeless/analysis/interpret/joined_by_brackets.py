"""What brackets make that are no index: joined arrays, and grids.

`np.r_[...]` and `np.c_[...]` are arrays of rank 1 and 2, joined of numbers, arrays and slices.
`np.mgrid[...]` is an array of the coordinates of the points of a grid, `np.ogrid[...]` a tuple of them,
one along each axis.
"""

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
    Tuple,
    is_listed,
    regions_of,
)
from tapeless.ranks import dims_of, dtype_of
from tapeless.tree.trees import Expr


def joined_by_brackets(interpreter: Interpreter, tree: Expr, env: Environment) -> Value | None:
    """Interpret a join by brackets; None for other items, and where the rank is not known."""
    found = interpreter.function.resolve(tree.value)
    parts = tree.slice.elts if type(tree.slice) is gast.Tuple else [tree.slice]
    if found is np.mgrid or found is np.ogrid:
        return _grid(interpreter, found, tree, [part_joined(interpreter, p, env) for p in parts])
    if found is not np.r_ and found is not np.c_:
        return None
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


def _grid(interpreter: Interpreter, found: Any, tree: Expr, along: list[Value]) -> Value | None:
    """Return the coordinates of a grid that does not vary; None for one that may."""
    if any(map(interpreter.is_varied, along)):
        return None
    point, region = interpreter.point(tree), interpreter.fresh(tree)
    whole = all(dtype_of(v.kind) == "i" for v in along)
    sizes = tuple(Size((point, "grid", axis)) for axis in range(len(along)))
    code = "i" if whole else "f8"
    if type(tree.slice) is not gast.Tuple:
        return Value(Array(sizes, code, region))
    if found is np.mgrid:
        return Value(Array((len(sizes), *sizes), code, region))
    each = [tuple(d if k == axis else 1 for k, d in enumerate(sizes)) for axis in range(len(sizes))]
    return Value(Tuple(tuple(Array(dims, code, region) for dims in each)))


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
