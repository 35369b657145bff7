"""Scales of cosine transforms, and the parts of convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np


def scaled_for_cosines(x: Any, axis: int, first: float) -> Any:
    """Multiply what an orthogonal cosine transform gives by the scale of one without norm.

    The scale is ``sqrt(2 * n)``, and ``sqrt(first * n)`` of the first entry along the axis.

    Examples
    --------
    >>> scaled_for_cosines(np.ones(2), -1, 4.0)
    array([2.82842712, 2.        ])
    """
    size = np.shape(x)[axis]
    scale = np.sqrt(np.where(np.arange(size) == 0, first, 2.0) * size).astype(np.result_type(x))
    return np.moveaxis(np.moveaxis(x, axis, -1) * scale, -1, axis)


def part_of_full(a: Any, b: Any, mode: str) -> tuple[slice, ...]:
    """Return which part of the full convolution of `a` and `b` a mode keeps.

    Examples
    --------
    >>> part_of_full(np.ones(5), np.ones(3), "valid")
    (slice(2, 5, None),)
    """
    found = []
    for n, m in zip(np.shape(a), np.shape(b), strict=True):
        start, size = 0, n + m - 1
        if mode == "same":
            start, size = (m - 1) // 2, n
        elif mode == "valid":
            start, size = min(n, m) - 1, abs(n - m) + 1
        found.append(slice(start, start + size))
    return tuple(found)


def in_full(y_bar: Any, a: Any, b: Any, mode: str) -> Any:
    """Put the cotangent of a part of a full convolution at its place among zeros.

    Examples
    --------
    >>> in_full(np.ones(3), np.ones(5), np.ones(3), "valid")
    array([0., 0., 1., 1., 1., 0., 0.])
    """
    if mode == "full":
        return y_bar
    part = part_of_full(a, b, mode)
    widths = [
        (s.start, n + m - 1 - s.stop)
        for s, n, m in zip(part, np.shape(a), np.shape(b), strict=True)
    ]
    return np.pad(y_bar, widths)
