"""Sparse arrays made of a diagonal, and constant ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, register_gradient, written_out
from tapeless.rules.results import sparse_creation as kinds
from tapeless.runtime.sparse import of_diagonal, with_entries

for _name in ("eye", "identity", "random", "rand"):
    built_in_zero(getattr(sparse, _name), kind=kinds.constant(is_matrix=True))
for _name in ("eye_array", "random_array"):
    built_in_zero(getattr(sparse, _name), kind=kinds.constant(is_matrix=False))


@register_gradient(of_diagonal, kind=kinds.of_diagonal, says_more=True)
def of_diagonal_rule(cls: Any, d: Any, k: Any) -> Any:
    a = of_diagonal(cls, d, k)

    def grad(a_bar: Any) -> Any:
        return None, with_entries(a, a_bar).diagonal(k), None

    def jvp(d_dot: Any) -> Any:
        return of_diagonal(cls, d_dot, k).data

    return a, grad, jvp


def of_one_diagonal(cls: Any, d: Any, k: Any, shape: Any, dtype: Any) -> Any:
    """Return a sparse array of its diagonal, where there is one, which sets the size."""
    if dtype not in (None, float, np.float64):
        raise GradientError(
            "diagonals are differentiated in the dtype that they have", fix="convert them before"
        )
    if (
        isinstance(d, (list, tuple))
        or np.ndim(d) != 1
        or not isinstance(k, int)
        or shape is not None
    ):
        raise GradientError(
            "one diagonal is differentiated, whose length sets the size",
            fix="make it of its entries: dia_array((np.stack(rows), offsets), shape=(m, n)), "
            "where row i has the entry of column j at j",
        )
    return of_diagonal(cls, d, k)


def sparse_diags(
    diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
) -> Any:
    made = of_one_diagonal(sparse.dia_matrix, diagonals, offsets, shape, dtype)
    return made if format is None else made.asformat(format)


def sparse_diags_array(
    diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
) -> Any:
    made = of_one_diagonal(sparse.dia_array, diagonals, offsets, shape, dtype)
    return made if format is None else made.asformat(format)


written_out(sparse.diags, sparse_diags)
written_out(sparse.diags_array, sparse_diags_array)
