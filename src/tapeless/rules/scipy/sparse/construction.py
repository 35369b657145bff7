"""Sparse arrays made of diagonals, and constant ones."""

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


def of_diagonals(cls: Any, diagonals: Any, offsets: Any, shape: Any, dtype: Any) -> Any:
    """Return a sparse array of its diagonals; the first sets the size where no shape is given.

    A single entry stands for a whole diagonal.
    """
    if dtype not in (None, float, np.float64):
        raise GradientError(
            "diagonals are differentiated in the dtype that they have", fix="convert them before"
        )
    alone = isinstance(diagonals, np.ndarray) and isinstance(offsets, int)
    if alone and shape is None and np.ndim(diagonals) == 1:
        return of_diagonal(cls, diagonals, offsets)
    whole = isinstance(offsets, int) and np.ndim(diagonals[0]) == 0
    entries = [np.atleast_1d(d) for d in ([diagonals] if whole else diagonals)]
    places = [offsets] if isinstance(offsets, int) else offsets
    if shape is None:
        m = n = len(entries[0]) + abs(int(places[0]))
    else:
        m, n = shape
    width = max([min(m, n - k) + k if k > 0 else min(m + k, n) for k in places])
    rows = []
    for d, k in zip(entries, places, strict=True):
        length = min(m + k, n - k, min(m, n))
        if length < 0 or len(d) not in (1, length):
            raise ValueError(
                f"a diagonal of {len(d)} entries does not fit at offset {k} of a {m} x {n} array"
            )
        row = np.zeros(width, dtype=d.dtype)
        row[max(k, 0) : max(k, 0) + length] = d
        rows.append(row)
    return cls((np.stack(rows), places), shape=(m, n))


def sparse_diags(
    diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
) -> Any:
    made = of_diagonals(sparse.dia_matrix, diagonals, offsets, shape, dtype)
    return made if format is None else made.asformat(format)


def sparse_diags_array(
    diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
) -> Any:
    made = of_diagonals(sparse.dia_array, diagonals, offsets, shape, dtype)
    return made if format is None else made.asformat(format)


def sparse_spdiags(data: Any, diags: Any, m: Any = None, n: Any = None, format: Any = None) -> Any:
    rows = data if isinstance(data, np.ndarray) else np.stack([np.asarray(row) for row in data])
    if n is None:
        m, n = (np.shape(rows)[1], np.shape(rows)[1]) if m is None else m
    made = sparse.dia_matrix((rows, diags), shape=(m, n))
    return made if format is None else made.asformat(format)


written_out(sparse.diags, sparse_diags, of_constants=kinds.constant(is_matrix=True))
written_out(sparse.diags_array, sparse_diags_array, of_constants=kinds.constant(is_matrix=False))
written_out(sparse.spdiags, sparse_spdiags, of_constants=kinds.constant(is_matrix=True))
