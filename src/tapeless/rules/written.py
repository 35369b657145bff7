"""Functions of NumPy that call the user's functions, or are short algorithms: written out in Python.

What they do is differentiated in their place, as if the user had written it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.rules.declare import written_out


def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any) -> Any:
    """Call a function on each row along an axis, and put what it gives in the place of the row."""
    along = axis + np.ndim(arr) if axis < 0 else axis
    moved = np.moveaxis(arr, along, -1)
    rows = np.reshape(moved, (-1, np.shape(moved)[-1]))
    made = np.stack([func1d(row, *args) for row in rows])
    shaped = np.reshape(made, np.shape(moved)[:-1] + np.shape(made)[1:])
    added = np.ndim(made) - 1
    ends = tuple(range(np.ndim(shaped) - added, np.ndim(shaped)))
    return np.moveaxis(shaped, ends, tuple(range(along, along + added)))


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """Call a function along one axis after the other; an axis that it drops is put back."""
    for axis in axes:
        made = func(a, axis)
        a = made if np.ndim(made) == np.ndim(a) else np.expand_dims(made, axis)
    return a


def poly(seq_of_zeros: Any) -> Any:
    """Multiply the linear factors of a polynomial; of a matrix, those of its eigenvalues."""
    zeros = seq_of_zeros
    if np.ndim(seq_of_zeros) == 2:
        zeros = np.linalg.eigvals(seq_of_zeros)
    c = np.ones(1)
    for zero in zeros:
        c = np.convolve(c, np.stack([1.0, -zero]))
    if np.ndim(seq_of_zeros) == 2:
        return np.real(c)
    return c


def polydiv(u: Any, v: Any) -> Any:
    """Divide polynomials as by hand, the highest coefficients first."""
    count = len(u) - len(v) + 1
    rest = 1.0 * u
    quotients = []
    for k in range(count):
        factor = rest[k] / v[0]
        quotients.append(factor)
        rest[k : k + len(v)] -= factor * v
    if count < 1:
        return 0.0 * v[:1], rest
    first = count
    while first < len(rest) - 1 and abs(rest[first]) <= 1e-14:
        first += 1
    return np.stack(quotients), rest[min(first, len(rest) - 1) :]


written_out(np.apply_along_axis, apply_along_axis)
written_out(np.apply_over_axes, apply_over_axes)
written_out(np.poly, poly)
written_out(np.polydiv, polydiv)
