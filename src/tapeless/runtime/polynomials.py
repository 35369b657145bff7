"""Powers and slopes for polynomials, the highest power first; series, the lowest degree first."""

from __future__ import annotations

from typing import Any, NoReturn

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


def horner(p: Any, x: Any) -> Any:
    """Return ``np.polyval(p, x)`` of coefficients that are arrays themselves.

    Examples
    --------
    >>> horner([np.array([1.0, 2.0]), np.array([0.0, 5.0])], 3.0)
    array([ 3., 11.])
    """
    y = np.zeros_like(x) * x + p[0]
    for coefficient in p[1:]:
        y = y * x + coefficient
    return y


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


def basis_at(table: Any, x: Any, c: Any) -> Any:
    """Return the functions of a basis at each place, in the dtype of the values of a series.

    Examples
    --------
    >>> from numpy.polynomial import polynomial
    >>> basis_at(polynomial.polyvander, np.array([2.0, 3.0]), np.ones(3))
    array([[1., 2., 4.],
           [1., 3., 9.]])
    """
    return table(np.ravel(x), len(c) - 1).astype(np.result_type(x, c))


def filled_up(c: Any, n: int) -> Any:
    """Return the coefficients of a series with zeros behind, `n` in all.

    NumPy leaves out highest coefficients that are zero. Where one that varies is left out, what it
    would weigh is not known.

    Raises
    ------
    GradientError
        If one would have to be left out.

    Examples
    --------
    >>> filled_up(np.array([1.0, 2.0]), 3)
    array([1., 2., 0.])
    """
    given = np.ravel(c)
    if len(given) > n:
        _refuse_left_out()
    return np.concatenate([given, np.zeros(n - len(given), dtype=given.dtype)])


def lowest_of(y: Any, shape: tuple[int, ...]) -> Any:
    """Return the lowest coefficients of a series, in the shape of what was filled up: its transpose.

    Raises
    ------
    GradientError
        If there are fewer.

    Examples
    --------
    >>> lowest_of(np.array([1.0, 2.0, 3.0]), (2,))
    array([1., 2.])
    """
    if shape == ():
        return y[0]
    if len(y) < shape[0]:
        _refuse_left_out()
    return y[: shape[0]]


def product_bar(multiply: Any, y_bar: Any, c: Any, shape: tuple[int, ...]) -> Any:
    """Return the cotangent of a factor, given that of the product of series, and the other factor.

    Parameters
    ----------
    multiply
        The product of the coefficients of two series.
    y_bar, c
        The cotangent of a product, and the other factor.
    shape
        The shape of the factor.

    Examples
    --------
    >>> from numpy.polynomial import polynomial
    >>> y_bar = np.array([1.0, 10.0, 100.0])
    >>> product_bar(polynomial.polymul, y_bar, np.array([1.0, 2.0]), (2,))
    array([ 21., 210.])
    """
    n = shape[0] if shape else 1
    units = np.eye(n)
    rows = [filled_up(multiply(units[i, : i + 1], c), len(y_bar)) @ y_bar for i in range(n)]
    return np.reshape(np.stack(rows), shape).astype(np.result_type(y_bar))


def series_at(p: Any, x: Any) -> Any:
    """Return the values of a polynomial, an object of a class of NumPy.

    Examples
    --------
    >>> series_at(np.poly1d([1.0, 2.0]), 3.0).item()
    5.0
    """
    return p(x)


def from_first_that_counts(c: Any) -> Any:
    """Leave out the first coefficients of a polynomial that are zero, as `np.poly1d` does.

    Examples
    --------
    >>> from_first_that_counts(np.array([0.0, 1.0, 2.0]))
    array([1., 2.])
    """
    kept = np.trim_zeros(np.atleast_1d(c), "f")
    return np.array(kept) if len(kept) > 0 else np.zeros(1, dtype=np.result_type(c))


def _refuse_left_out() -> NoReturn:
    from tapeless.errors import GradientError

    raise GradientError(
        "the highest coefficients of a series are zero, and NumPy leaves them out: what they would "
        "weigh is not known",
        fix="start from coefficients that are not zero, or add values in the place of series",
    )


def fitted_bars(c_bar: Any, x: Any, y: Any, c: Any, w: Any = 1.0) -> tuple[Any, Any, Any]:
    """Return the cotangents of `x`, `y` and `w` in ``c = np.polyfit(x, y, deg, w=w)``."""
    powers, weights = np.vander(x, len(c)), np.reshape(w, (-1, 1))
    inverse = np.linalg.pinv(weights * powers)
    rows, columns = (len(x), np.size(c) // len(c)), (len(c), np.size(c) // len(c))
    values_bar = np.reshape(inverse.T @ c_bar, rows)
    rest = weights * np.reshape(y - powers @ c, rows)
    matrix_bar = rest @ (inverse @ values_bar).T - values_bar @ np.reshape(c, columns).T
    x_bar = np.sum(weights * matrix_bar * vander_slope(x, len(c)), axis=1)
    w_bar = np.sum(matrix_bar * powers, axis=1) + np.sum(values_bar * np.reshape(y, rows), axis=1)
    return x_bar, np.reshape(weights * values_bar, np.shape(y)), w_bar


def fitted_dot(
    x_dot: Any, y_dot: Any, x: Any, y: Any, c: Any, w: Any = 1.0, w_dot: Any = 0.0
) -> Any:
    """Apply the derivative of ``c = np.polyfit(x, y, deg, w=w)``."""
    powers, weights = np.vander(x, len(c)), np.reshape(w, (-1, 1))
    inverse = np.linalg.pinv(weights * powers)
    rows = (len(x), np.size(c) // len(c))
    powers_dot = vander_slope(x, len(c)) * np.expand_dims(x_dot, 1)
    error = np.reshape(y - powers @ c, rows)
    turned = weights * powers_dot + np.reshape(w_dot, (-1, 1)) * powers
    moved = weights * np.reshape(y_dot - powers_dot @ c, rows) + np.reshape(w_dot, (-1, 1)) * error
    c_dot = inverse @ (moved + inverse.T @ (turned.T @ (weights * error)))
    return np.reshape(c_dot, np.shape(c))


def dividend_bar(q_bar: Any, r_bar: Any, u: Any, v: Any) -> Any:
    """Return the cotangent of `u` in ``q, r = np.polydiv(u, v)``.

    The quotient solves a triangular system with the highest coefficients of `u`, whose matrix has those
    of `v` on its diagonals: its transpose is another division.

    Examples
    --------
    >>> dividend_bar(np.array([1.0]), np.array([0.0]), np.array([2.0, 1.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    lowest = np.pad(r_bar, (len(u) - len(r_bar), 0))
    if len(u) < len(v):
        return lowest
    taken = q_bar - np.convolve(lowest, v[::-1], "valid")
    highest = np.polydiv(np.pad(taken[::-1], (0, len(v) - 1)), v)[0][::-1]
    return lowest + np.pad(highest, (0, len(v) - 1))


def divisor_bar(u_bar: Any, q: Any, v: Any) -> Any:
    """Return the cotangent of `v` in ``q, r = np.polydiv(u, v)``, given that of `u`."""
    if len(u_bar) < len(v):
        return 0.0 * v
    return -np.convolve(u_bar, q[::-1], "valid")


def division_dots(u_dot: Any, v_dot: Any, q: Any, r: Any, v: Any) -> tuple[Any, Any]:
    """Return the tangents of ``q, r = np.polydiv(u, v)``: those of u = q v + r, divided."""
    if len(u_dot) < len(v):
        return 0.0 * q, u_dot[len(u_dot) - len(r) :]
    moved = u_dot - np.convolve(q, v_dot)
    q_dot = np.polydiv(moved, v)[0]
    r_dot = moved - np.convolve(q_dot, v)
    return q_dot, r_dot[len(r_dot) - len(r) :]
