"""Cosine and sine transforms, transposed, and the parts of convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np


def scaled_at(x: Any, axis: int, places: Any, factor: float) -> Any:
    """Multiply the entries at some places along an axis.

    Examples
    --------
    >>> scaled_at(np.ones(3), -1, [0, -1], 0.5)
    array([0.5, 1. , 0.5])
    """
    weights = np.ones(np.shape(x)[axis], np.real(x).dtype)
    weights[places] = factor
    return np.moveaxis(np.moveaxis(x, axis, -1) * weights, -1, axis)


def cosines_bar(y_bar: Any, kind: int, axis: int, norm: Any, orthogonalize: Any) -> Any:
    """Return the cotangent of a signal from that of its cosine transform of a kind, 1 to 4.

    The second and the third are each other's transposes, and the others their own, but for the first
    entry, and of the first kind the last one, which count half: unless they are made orthogonal.
    """
    from scipy import fft

    orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
    other = (1, 3, 2, 4)[kind - 1]
    if not orthogonal and kind == 1:
        y_bar = scaled_at(y_bar, axis, [0, -1], 2.0)
    if not orthogonal and kind == 2:
        y_bar = scaled_at(y_bar, axis, 0, 2.0)
    x_bar = fft.dct(y_bar, other, axis=axis, norm=norm, orthogonalize=orthogonal)
    if not orthogonal and kind == 1:
        return scaled_at(x_bar, axis, [0, -1], 0.5)
    if not orthogonal and kind == 3:
        return scaled_at(x_bar, axis, 0, 0.5)
    return x_bar


def sines_bar(y_bar: Any, kind: int, axis: int, norm: Any, orthogonalize: Any) -> Any:
    """Return the cotangent of a signal from that of its sine transform: here the last entry counts half."""
    from scipy import fft

    orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
    other = (1, 3, 2, 4)[kind - 1]
    if not orthogonal and kind == 2:
        y_bar = scaled_at(y_bar, axis, -1, 2.0)
    x_bar = fft.dst(y_bar, other, axis=axis, norm=norm, orthogonalize=orthogonal)
    if not orthogonal and kind == 3:
        return scaled_at(x_bar, axis, -1, 0.5)
    return x_bar


def part_of_full(whole: int, n: int, m: int, mode: str) -> slice:
    """Return which part of a full convolution of lengths `n` and `m` a mode keeps.

    Examples
    --------
    >>> part_of_full(7, 5, 3, "valid")
    slice(2, 5, None)
    """
    start, size = 0, whole
    if mode == "same":
        start, size = (whole - n) // 2, n
    elif mode == "valid" and whole > max(n, m):  # else one of them is 1 long, or broadcast
        start, size = min(n, m) - 1, abs(n - m) + 1
    return slice(start, start + size)


def in_full(y_bar: Any, a: Any, b: Any, mode: str, axes: Any = None) -> Any:
    """Put the cotangent of a part of a full convolution at its place among zeros.

    Along axes that are not given the factors were broadcast; there "same" keeps a part, too.

    Examples
    --------
    >>> in_full(np.ones(3), np.ones(5), np.ones(3), "valid")
    array([0., 0., 1., 1., 1., 0., 0.])
    """
    if mode == "full":
        return y_bar
    rank = np.ndim(a)
    along = range(rank) if axes is None else [axis % rank for axis in np.atleast_1d(axes)]
    widths = []
    for i, (n, m) in enumerate(zip(np.shape(a), np.shape(b), strict=True)):
        whole = n + m - 1 if i in along else max(n, m)
        part = part_of_full(whole, n, m, mode)
        widths.append((part.start, whole - part.stop))
    return np.pad(y_bar, widths)
