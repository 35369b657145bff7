"""Powers and slopes for polynomials, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np


def powers_of(x: Any, n: int) -> Any:
    """Return the powers below `n` of each number, the highest first, in the dtype of `x`.

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


def vander_slope(x: Any, n: int, increasing: bool = False) -> Any:
    """Differentiate each row of ``np.vander(x, n, increasing)`` in its number.

    Examples
    --------
    >>> vander_slope(np.array([2.0, 3.0]), 3)
    array([[4., 1., 0.],
           [6., 1., 0.]])
    """
    exponents = np.arange(n) if increasing else np.arange(n - 1, -1, -1)
    lowered = np.expand_dims(x, 1) ** np.maximum(exponents - 1, 0)
    return (exponents * lowered).astype(np.result_type(x))


def derivative_factors(n: int, m: int) -> Any:
    """Return what differentiating `m` times multiplies `n` coefficients with, the last being left out.

    Examples
    --------
    >>> derivative_factors(4, 2)
    array([6., 2.])
    """
    factors = np.ones(max(n - m, 0))
    for i in range(m):
        factors = factors * (np.arange(len(factors) - 1, -1, -1) + (i + 1))
    return factors


def series_slope(vander: Any, der: Any) -> Any:
    """Differentiate the functions of a basis, given their values and a derivative of series.

    Examples
    --------
    >>> from numpy.polynomial import polynomial
    >>> series_slope(polynomial.polyvander(np.array([3.0]), 2), polynomial.polyder)
    array([[0., 1., 6.]])
    """
    series = der(np.eye(np.shape(vander)[-1], dtype=np.result_type(vander)))
    return vander[..., : len(series)] @ series


def fitted_bars(c_bar: Any, x: Any, y: Any, c: Any) -> tuple[Any, Any]:
    """Return the cotangents of `x` and `y` in the coefficients ``c = np.polyfit(x, y, deg)``."""
    matrix = np.vander(x, len(c))
    inverse = np.linalg.pinv(matrix)
    y_bar = inverse.T @ c_bar
    columns = (len(c), np.size(c) // len(c))
    rest = np.reshape(y - matrix @ c, (len(x), columns[1]))
    spread = np.reshape(inverse @ y_bar, columns)
    matrix_bar = rest @ spread.T - np.reshape(y_bar, np.shape(rest)) @ np.reshape(c, columns).T
    return np.sum(matrix_bar * vander_slope(x, len(c)), axis=1), y_bar


def fitted_dot(x_dot: Any, y_dot: Any, x: Any, y: Any, c: Any) -> Any:
    """Apply the derivative of ``c = np.polyfit(x, y, deg)``."""
    matrix = np.vander(x, len(c))
    inverse = np.linalg.pinv(matrix)
    matrix_dot = vander_slope(x, len(c)) * np.expand_dims(x_dot, 1)
    pulled = inverse @ (inverse.T @ (matrix_dot.T @ (y - matrix @ c)))
    return inverse @ (y_dot - matrix_dot @ c) + pulled
