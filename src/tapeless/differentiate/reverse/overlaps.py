"""Stores of a view into the array that it is a view of.

The mirror of a store takes what was stored for a copy. NumPy makes none in one axis
(`runtime/overlaps.py`), so where the strides may differ the store is checked when it runs.

    y[1:] = y[:-1]          equal strides: nothing to check
    y[:] = y[::-1]          NumPy copies what runs in the other direction: nothing either
    m[:, -1] = m[1]         m[1, -1] is overwritten, and stored then: an error when it runs
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.indexing import index_items, is_copying_index
from tapeless.differentiate.reverse.state import Sweep
from tapeless.kinds import Array, Integer, Kind, Number, regions_of
from tapeless.ranks import dims_of
from tapeless.tree.build import quote_expression
from tapeless.tree.trees import Expr, Stmt


def check_of_overlap(sweep: Sweep, s: Stmt, place: Expr, kind: Kind) -> list[Any]:
    """Write the check of a store whose value may overlap its place with other strides."""
    if not isinstance(kind, (Array, Number)) or type(s.value) is not gast.Name:
        return []
    stored = sweep.operand_kind(s, s.value)
    if not isinstance(stored, (Array, Number)) or dims_of(stored) == ():
        return []
    rank = _rank_of_place(sweep, s, place)
    if (
        not regions_of(stored) & regions_of(kind)
        or rank != 1
        or _is_copied_rightly(sweep, s, place)
    ):
        return []
    checker = sweep.runtime("check_overlap")
    return [gast.Expr(quote_expression("f(x, v)", f=checker, x=place, v=s.value))]


def _rank_of_place(sweep: Sweep, s: Stmt, place: Expr) -> int | None:
    """Return how many axes a view has that is stored into; 1 if that is not known, None for a copy."""
    if is_copying_index(place.slice, lambda tree: sweep.operand_kind(s, tree)):
        return None
    dims = dims_of(sweep.operand_kind(s, place))
    return 1 if dims is None else len(dims)


def _is_copied_rightly(sweep: Sweep, s: Stmt, place: Expr) -> bool:
    """Whether what is stored is surely a slice of the same array, along the same axis in equal steps.

    Or in steps of the other direction.
    """
    defined = sweep.definitions.get(s.value.id, [])
    source: Any = getattr(defined[0], "value", None) if len(defined) == 1 else None
    if type(source) is not gast.Subscript or gast.unparse(source.value) != place.value.id:
        return False
    if not _is_bound_once(sweep, place.value.id):
        return False
    read = _steps(sweep, defined[0], source.slice)
    stored = _steps(sweep, s, place.slice)
    return read is not None and stored is not None and (read == stored or _run_apart(read, stored))


def _is_bound_once(sweep: Sweep, key: str) -> bool:
    """Whether a name stands for one array throughout: an update in place binds it to nothing else."""
    anew = [
        s
        for s in sweep.definitions.get(key, [])
        if type(s) is not gast.AugAssign or not isinstance(sweep.value(s, key).kind, Array)
    ]
    return len(anew) == 1


def _run_apart(read: list[str], stored: list[str]) -> bool:
    """Whether two views run along one axis in opposite directions: NumPy makes a copy then."""
    unlike = [pair for pair in zip(read, stored, strict=False) if pair[0] != pair[1]]
    if len(read) != len(stored) or len(unlike) != 1 or {"number", "..."} & set(unlike[0]):
        return False
    a, b = map(int, unlike[0])
    return a * b < 0


def _steps(sweep: Sweep, s: Stmt, index: Expr) -> list[str] | None:
    """Return what decides the strides of a view: the step of each slice, and where numbers stand."""
    steps = [_step(sweep, s, part) for part in index_items(index)]
    return None if "" in steps else steps


def _step(sweep: Sweep, s: Stmt, part: Expr) -> str:
    if type(part) is gast.Slice:
        return "1" if part.step is None else _written(part.step)
    if type(part) is gast.Constant and part.value is ...:
        return "..."
    return "number" if isinstance(sweep.operand_kind(s, part), Integer) else ""


def _written(step: Expr) -> str:
    """Return a step that is written out; one that is computed may be another at the next place."""
    number = step.operand if type(step) is gast.UnaryOp else step
    if type(number) is not gast.Constant:
        return ""
    return "1" if number.value is None else gast.unparse(step)
