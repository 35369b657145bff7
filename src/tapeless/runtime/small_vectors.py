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
