"""Gradients of sums over rows that lie in chunks, on any scheduler of Dask.

The gradient of a sum is the sum of the gradients. So each chunk gives the value and the gradient of its
rows, and these are added in a tree; no chunk is needed together with another, and what is added has the
size of the parameters. What is sent is a standalone derivative: workers need Dask and NumPy. A chunk
that is lost is computed again, as Dask does with every task that depends on its arguments alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import dask
import dask.array
import dask.bag
import numpy as np
from dask.delayed import Delayed

from tapeless.errors import GradientError
from tapeless.operators.grad import value_and_grad as value_and_grad_of
from tapeless.operators.gradients import Gradients
from tapeless.operators.target import Wrt
from tapeless.shipped import OverRows, Standalone, Total, kind_of
from tapeless.shipping import standalone_for

PARTS_ADDED_AT_ONCE = 8


def value_and_grad(
    loss: Callable[..., Any], wrt: Wrt = 0, *, over: str | tuple[str, ...], mean: bool = False
) -> RowwiseGradient:
    """Return the function that computes a sum over rows, and its gradient, chunk by chunk.

    Parameters
    ----------
    loss
        A function with a scalar result that is a sum over the rows of some of its parameters, or a
        mean over them. Of a chunk it gets a NumPy array or, from a bag, a list of items.
    wrt
        The independents, as in `tapeless.grad`; none of those in `over`.
    over
        The parameters that come in chunks: Dask arrays, whose rows are the items of the first
        axis, Dask bags, or lists of `dask.delayed` values that are arrays or lists. Chunks with
        the same number belong together.
    mean
        Whether `loss` is a mean over the rows: chunks then count by the number of their rows.

    Returns
    -------
    RowwiseGradient
        A function of the arguments of `loss` that computes ``(value, gradient)``. Its method
        `delayed` returns them as a `dask.delayed` value that is not computed yet.

    Raises
    ------
    GradientError
        If the parameters do not fit together; what `tapeless.grad` raises.

    Examples
    --------
    >>> def squares(w, x, y):
    ...     return np.sum((x @ w - y) ** 2)
    >>> x, y = dask.array.ones((6, 2), chunks=(4, 2)), dask.array.zeros(6, chunks=4)
    >>> value_and_grad(squares, over=("x", "y"))(np.array([1.0, 2.0]), x, y)
    (np.float64(54.0), array([36., 36.]))
    """
    gradient: Any = value_and_grad_of(loss, wrt)
    names = list(gradient.target.signature.parameters)[len(gradient.target.bound) :]
    rows = (over,) if isinstance(over, str) else tuple(over)
    _check_rows(gradient, rows, names)
    return RowwiseGradient(gradient, rows, mean)


def _check_rows(gradient: Any, rows: tuple[str, ...], names: list[str]) -> None:
    """Refuse what is said to come in chunks and cannot, or where nothing does."""
    for key in rows:
        if key not in names:
            raise GradientError(
                f"'{key}' in over= is not a parameter of '{gradient.target.label}'",
                fix=f"its parameters are ({', '.join(names)})",
            )
        if key in gradient.names:
            raise GradientError(
                f"'{key}' comes in chunks, and a gradient with respect to it is asked for",
                fix="choose wrt= among the other parameters",
            )
    if not rows:
        raise GradientError("over= names no parameter", fix="name those that come in chunks")


@dataclass(eq=False)
class RowwiseGradient:
    """Computes a function that is a sum or mean over rows, and its gradient, chunk by chunk."""

    gradient: Gradients
    over: tuple[str, ...]
    mean: bool
    _seen: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Compute the value and the gradient, on the scheduler that Dask uses."""
        found: tuple[Any, Any] = self.delayed(*args, **kwargs).compute()
        return found

    def delayed(self, *args: Any, **kwargs: Any) -> Any:
        """Return the value and the gradient as a delayed pair."""
        target = self.gradient.target
        names = list(target.signature.parameters)
        arguments = dict(zip(names, target.arguments(args, kwargs), strict=True))
        tables = _aligned({key: arguments.pop(key) for key in self.over})
        _check_whole(arguments)
        chunks = {key: _chunks_of(key, table) for key, table in tables.items()}
        _check_paired(chunks)
        samples = self._samples(tables, chunks)
        derivative = standalone_for(
            self.gradient, [[(arguments | like)[key] for key in names] for like in samples]
        )
        whole = {key: dask.delayed(x, traverse=False) for key, x in arguments.items()}
        positions = [names.index(key) for key in self.over]
        rows = dask.delayed(derivative.beside(OverRows, derivative, positions, self.mean))
        parts = [
            rows(*[(whole | dict(zip(chunks, each, strict=True)))[key] for key in names])
            for each in zip(*chunks.values(), strict=True)
        ]
        return self._total(derivative, parts)

    def _total(self, derivative: Standalone, parts: list[Any]) -> Any:
        """Add the parts in a tree."""
        add = dask.delayed(derivative.beside(Total, self.mean, False))
        while len(parts) > PARTS_ADDED_AT_ONCE:
            starts = range(0, len(parts), PARTS_ADDED_AT_ONCE)
            parts = [add(parts[i : i + PARTS_ADDED_AT_ONCE]) for i in starts]
        return dask.delayed(derivative.beside(Total, self.mean, True))(parts)

    def _samples(
        self, tables: dict[str, Any], chunks: dict[str, list[Any]]
    ) -> list[dict[str, Any]]:
        """Return chunks of all kinds that there may be: those with one row are a kind of their own."""
        rows = [n for x in tables.values() if _has_shape(x) for n in x.chunks[0] if n > 0]
        seen = {
            key: np.empty((0, *x.shape[1:]), x.dtype)
            if _has_shape(x)
            else self._seen_in(chunks[key])
            for key, x in tables.items()
        }
        if not rows and all(isinstance(x, list) for x in seen.values()):
            return [seen]
        counts = {1 if n == 1 else 2 for n in rows} or {1, 2}
        return [{key: _like(x, count) for key, x in seen.items()} for count in sorted(counts)]

    def _seen_in(self, chunks: list[Any]) -> Any:
        """Look at the first chunk that has rows, and keep what tells its kind."""
        key = chunks[0].key
        if key not in self._seen:
            computed = (chunk.compute() for chunk in chunks)
            found: Any = next((x for x in computed if not hasattr(x, "__len__") or len(x)), [])
            if isinstance(found, np.ndarray):
                self._seen[key] = found[:0]
            else:
                self._seen[key] = list({kind_of(item): item for item in found}.values())
        return self._seen[key]


def _like(x: Any, count: int) -> Any:
    """Return an array of some rows for an array without rows; a list as it is."""
    if isinstance(x, list):
        return x
    return np.ones((count, *(min(n, 2) for n in x.shape[1:])), x.dtype)


def _has_shape(x: Any) -> bool:
    """Whether a table is a Dask array whose chunks are known to have certain sizes."""
    return isinstance(x, dask.array.Array) and not any(map(math.isnan, x.shape))


def _aligned(tables: dict[str, Any]) -> dict[str, Any]:
    """Cut all arrays into the same rows, and nowhere else."""
    rows = next((x.chunks[0] for x in tables.values() if _has_shape(x) and x.ndim), None)
    found: dict[str, Any] = {}
    for key, x in tables.items():
        if isinstance(x, dask.array.Array):
            if not x.ndim or not isinstance(x._meta, np.ndarray):
                raise GradientError(
                    f"'{key}' holds {type(x._meta).__name__}s of {x.ndim} dimensions",
                    fix="give arrays of NumPy with at least one dimension",
                )
            x = x.rechunk({i: -1 for i in range(1, x.ndim)})
            if _has_shape(x) and rows is not None and sum(x.chunks[0]) == sum(rows):
                x = x.rechunk({0: rows})
        found[key] = x
    return found


def _chunks_of(key: str, table: Any) -> list[Any]:
    """Return the chunks of a table as delayed values."""
    if isinstance(table, dask.array.Array):
        return list(table.to_delayed().ravel())
    if isinstance(table, dask.bag.Bag):
        return list(table.to_delayed())
    if isinstance(table, (list, tuple)) and table and all(isinstance(x, Delayed) for x in table):
        return list(table)
    raise GradientError(
        f"'{key}' comes in chunks, and {type(table).__name__} is none of the forms that they have",
        fix="give a Dask array, a Dask bag or a list of delayed chunks",
    )


def _check_whole(arguments: dict[str, Any]) -> None:
    """Refuse tables of Dask where a plain value is expected."""
    for key, x in arguments.items():
        if dask.is_dask_collection(x):
            raise GradientError(
                f"'{key}' is in Dask ({type(x).__name__}), and not in over=",
                fix=f"name '{key}' in over=, or compute it before",
            )


def _check_paired(chunks: dict[str, list[Any]]) -> None:
    """Refuse tables with different numbers of chunks."""
    counts = {key: len(found) for key, found in chunks.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"'{key}' has {n}" for key, n in counts.items())
        raise GradientError(
            f"chunks with the same number belong together, and {told}",
            fix="cut them alike: x.rechunk(y.chunks), bag.repartition(n)",
        )
