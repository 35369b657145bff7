"""Powers and slopes for polynomials, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np


def powers_of(x: Any, n: int) -> Any:
    """Give the powers below `n` of each number, the highest first, in the dtype of `x`.

    Examples
    --------
    >>> powers_of(np.array([2.0, 3.0]), 3)
    array([[4., 2., 1.],
           [9., 3., 1.]])
    """
    powers = np.expand_dims(np.ravel(x), 1) ** np.arange(n - 1, -1, -1)
    return powers.astype(np.result_type(x))


def polynomial_slope(p: Any) -> Any:
    """Differentiate the polynomial with coefficients `p`, the highest power first.

    Examples
    --------
    >>> polynomial_slope(np.array([1.0, 5.0, 7.0]))
    array([2., 5.])
    """
    coefficients = np.asarray(p)
    return coefficients[:-1] * np.arange(len(p) - 1, 0, -1).astype(coefficients.dtype)
