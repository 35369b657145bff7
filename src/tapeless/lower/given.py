"""What a function is given: its arguments, and the arrays outside of it that it reads.

An array outside, such as the data that a closure captured, may be another one at the next call, and its
entries may change in between. So it is a parameter of the loops as well, after those of the function, and
what calls them looks up what it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from tapeless.kinds import NONE, Array, Integer, Kind, Real
from tapeless.lower.affine import Affine, symbol
from tapeless.lower.extents import Extents
from tapeless.lower.loops import Var
from tapeless.lower.refused import NotLowered
from tapeless.lower.state import State
from tapeless.lower.values import Known as Constant
from tapeless.lower.values import Label, Number, Sort, Value, variable, whole_block
from tapeless.tree.function import CoreFunction

DTYPES = {np.float64: "f8", np.float32: "f4", np.int64: "i", np.bool_: "b"}
SORTS: dict[type, Sort] = {float: "py", np.float64: "np", np.float32: "f4"}
LARGEST = 2**31  # of integers that are given: products of two do not wrap around


@dataclass(frozen=True, eq=False)
class Outside:
    """An array outside of the function, which the loops are given.

    Attributes
    ----------
    read
        Returns what it is now.
    expression
        How the function spells it.
    dtype, ndim
        What it was when the loops were written.
    """

    read: Callable[[], object]
    expression: str
    dtype: str
    ndim: int

    def now(self) -> np.ndarray[Any, Any] | None:
        """Return the array; None where it is not one for which the loops were written."""
        x = self.read()
        serves = type(x) is np.ndarray and x.ndim == self.ndim and x.dtype.str == self.dtype
        return x if serves else None  # type: ignore[return-value]


def check_given(x: Any) -> None:
    """Refuse arguments of which no loops are written."""
    if isinstance(x, np.ndarray):
        if type(x) is not np.ndarray or x.dtype not in (np.float64, np.float32, np.int64, np.bool_):
            raise NotLowered(
                "an argument that is an array of another dtype than float64 or float32"
            )
        if not x.ndim:
            raise NotLowered("an argument that is an array without axes")
    elif not isinstance(x, (bool, int, float, np.float32, str, type(None))):
        raise NotLowered(f"an argument of class {type(x).__name__}")


def parameter(state: State, key: str, kind: Kind, x: Any) -> Value:
    """Return what a parameter is."""
    extents, program = state.extents, state.program
    if isinstance(kind, Array):
        return _array(state, key, x)
    if isinstance(kind, Real) and type(x) in SORTS:
        return variable(key, SORTS[type(x)])
    if isinstance(kind, Integer) and type(x) is int:
        extents.least[key], extents.sample[key] = -LARGEST, x
        program.integers.append(key)
        return variable(key, "int")
    if type(x) is bool:
        return Number(Var(key), "bool")
    if kind == NONE or x is None:
        return Constant(None)
    if type(x) is str:
        return Label(x)
    raise NotLowered(f"`{key}`, which is no number and no array", unread=frozenset((key,)))


def array_outside(
    state: State, function: CoreFunction, tree: Any, x: np.ndarray[Any, Any]
) -> Value:
    """Return an array outside of a function as what the loops are given."""
    program = state.program
    place = _place(function, tree)
    for key, (other, spelled, _) in state.outside.items():
        if _place(other, spelled) == place:
            return whole_block(key, program.arrays[key], program.dtypes[key])
    check_given(x)
    key = state.names.fresh(tree.attr if isinstance(tree, gast.Attribute) else tree.id)
    state.outside[key] = function, tree, x
    program.parameters.append(key)
    state.named.add(key)
    state.lasting.add(key)
    return _array(state, key, x)


def _place(function: CoreFunction, tree: Any) -> Hashable:
    """Return what tells a place outside from another: two may hold one array now, and others later."""
    if isinstance(tree, gast.Attribute):
        return _place(function, tree.value), tree.attr
    return function.externals[tree.id].identity


def _array(state: State, key: str, x: np.ndarray[Any, Any]) -> Value:
    program = state.program
    dims = tuple(_size(state.extents, key, k, n) for k, n in enumerate(x.shape))
    program.given.append(key)
    program.arrays[key], program.dtypes[key] = dims, DTYPES[x.dtype.type]
    return whole_block(key, dims, program.dtypes[key])


def _size(extents: Extents, key: str, k: int, n: int) -> Affine:
    if n == 1:
        return Affine(1)
    label = f"{key}.shape[{k}]"
    extents.least[label], extents.sample[label] = 2, n
    return symbol(label)
