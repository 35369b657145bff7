"""Short vectors as numbers side by side: taken apart, and put together again.

Python computes with its own floats ten times as fast as NumPy does with arrays of two or three entries, and
the bits are the same: both add, subtract and multiply as IEEE 754 says.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def floats_of(y: Any) -> tuple[float, ...]:
    """Return the entries of a vector as Python's floats.

    Examples
    --------
    >>> floats_of(np.array([1.0, 2.0]))
    (1.0, 2.0)
    """
    return tuple(np.asarray(y, np.float64).tolist())


def vector_of(numbers: Any) -> Any:
    """Return the array of some numbers.

    Examples
    --------
    >>> vector_of((1.0, 2))
    array([1., 2.])
    """
    return np.array(numbers, np.float64)


def divisor(m: Any) -> Any:
    """Return a number by which Python divides as NumPy does: a zero is NumPy's, and raises nothing.

    Examples
    --------
    >>> divisor(np.float64(2.0))
    2.0
    >>> with np.errstate(divide="ignore"):
    ...     print(1.0 / divisor(-0.0))
    -inf
    """
    return float(m) or np.float64(m)
