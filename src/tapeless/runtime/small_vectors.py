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


def dot_2(a_0: Any, a_1: Any, b_0: Any, b_1: Any) -> Any:
    """Return the inner product of two vectors of two numbers, as NumPy adds it up.

    Examples
    --------
    >>> float(dot_2(1.0, 2.0, 3.0, 4.0))
    11.0
    """
    return np.dot(vector_of((a_0, a_1)), vector_of((b_0, b_1)))


def dot_3(a_0: Any, a_1: Any, a_2: Any, b_0: Any, b_1: Any, b_2: Any) -> Any:
    """Return the inner product of two vectors of three numbers, as NumPy adds it up.

    Examples
    --------
    >>> float(dot_3(1.0, 2.0, 3.0, 1.0, 0.0, 1.0))
    4.0
    """
    return np.dot(vector_of((a_0, a_1, a_2)), vector_of((b_0, b_1, b_2)))


def norm_2(a_0: Any, a_1: Any) -> Any:
    """Return the Euclidean norm of a vector of two numbers, as NumPy adds it up.

    Examples
    --------
    >>> float(norm_2(3.0, 4.0))
    5.0
    """
    return np.linalg.norm(vector_of((a_0, a_1)))


def norm_3(a_0: Any, a_1: Any, a_2: Any) -> Any:
    """Return the Euclidean norm of a vector of three numbers, as NumPy adds it up.

    Examples
    --------
    >>> float(norm_3(2.0, 3.0, 6.0))
    7.0
    """
    return np.linalg.norm(vector_of((a_0, a_1, a_2)))


DOTS = {2: dot_2, 3: dot_3}
NORMS = {2: norm_2, 3: norm_3}
