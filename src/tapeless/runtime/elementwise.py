"""Partials of functions that act on each entry alone, with their guards.

Where a derivative is infinite or undefined at isolated points, the partial says which value stands in
for it; a zero cotangent stays zero there, whatever the partial is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def times_partial(g: Any, partial: Any, over: Any = None) -> Any:
    """Multiply a cotangent by the partial ``partial / over``, with 0 where it is 0 times infinity.

    Where nothing depends on a value its cotangent is 0, and stays 0 at a pole of the function that
    computed the value. Elsewhere a pole gives infinity, as it should.

    Examples
    --------
    >>> root = np.array([0.0, 0.0, 2.0])
    >>> times_partial(np.array([0.0, 1.0, 1.0]), 0.5, over=root)
    array([0.  ,  inf, 0.25])
    """
    if isinstance(g, (float, np.floating)) and isinstance(partial, (float, np.floating)):
        if over is None:
            return g * partial if g else g
        if isinstance(over, (float, np.floating)) and over != 0.0:
            return g * partial / over if g else g
    if isinstance(g, float) and g == 0.0 and np.ndim(partial) == np.ndim(over) == 0:
        return g
    if over is None and _sums_to_a_number(g, partial):
        return g * partial
    if isinstance(over, float) and over != 0.0:
        product = g * partial / over
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            if isinstance(over, np.ndarray):
                product = g * partial / over  # in the memory of the first product
            else:
                product = g * partial if over is None else np.divide(g * partial, over)
    squares = np.vdot(product, product)
    if squares == squares:  # without a NaN: cheaper than to look for each
        return product
    return np.where(np.isnan(product) & (g == 0), 0.0, product)[()]


def dot_partial(g: Any, partial: Any) -> Any:
    """Sum ``times_partial(g, partial)``, the products themselves not made unless one of them is NaN.

    Examples
    --------
    >>> float(dot_partial(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    11.0
    >>> float(dot_partial(np.array([0.0, 2.0]), np.array([np.inf, 4.0])))
    8.0
    """
    total = np.vdot(g, partial)
    if total == total:
        return total
    return np.sum(times_partial(g, partial))


def _sums_to_a_number(a: Any, b: Any) -> bool:
    """Whether the sum of the products of two arrays is no NaN; it is cheap, and warns of nothing."""
    if type(a) is not np.ndarray or type(b) is not np.ndarray or a.shape != b.shape:
        return False
    total = np.vdot(a, b)
    return bool(total == total)


def partial_or_zero(g: Any, partial: Any, over: Any = None) -> Any:
    """Return the partial by which `times_partial` multiplies: 0 where `g` is 0 at a pole.

    Examples
    --------
    >>> partial_or_zero(np.array([0.0, 0.0]), 0.5, over=np.array([0.0, 2.0]))
    array([0.  , 0.25])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = partial if over is None else np.divide(partial, over)
    return np.where((g == 0) & ~np.isfinite(ratio), 0.0, ratio)[()]


def divide_or_zero(a: Any, b: Any) -> Any:
    """Divide, with 0 wherever `b` is 0.

    Examples
    --------
    >>> divide_or_zero(np.array([1.0, 2.0]), np.array([0.0, 4.0]))
    array([0. , 0.5])
    """
    if np.ndim(a) == 0 and np.ndim(b) == 0:
        return a / b if b != 0 else 0.0
    return np.where(b == 0, 0.0, a / np.where(b == 0, 1.0, b))


def divide_by_spread(g: Any, spread: Any, mean: Any) -> Any:
    """Divide by a standard deviation, with 0 where it is no more than the rounding of the mean.

    Examples
    --------
    >>> divide_by_spread(np.ones(2), np.array([1e-17, 0.5]), np.array([0.1, 0.1]))
    array([0., 2.])
    """
    flat = spread <= 4 * np.finfo(np.result_type(spread)).eps * np.abs(mean)
    return np.where(flat, 0.0, g / np.where(flat, 1.0, spread))


def conjugate(x: Any) -> Any:
    """Conjugate what is complex; what is real is returned as it is."""
    if np.iscomplexobj(x):
        return np.conj(x)
    return x


def real_for_real(g: Any, x: Any) -> Any:
    """Return the cotangent of a number that may be real: then its real part. Integers may have none.

    Examples
    --------
    >>> real_for_real(1.0 + 2.0j, 3.0), real_for_real(1.0 + 2.0j, 3.0j), real_for_real(None, 3)
    (1.0, (1+2j), None)
    """
    return g if g is None or np.iscomplexobj(x) else np.real(g)


def is_double(x: Any) -> bool:
    """Whether a number or an array is real and in double precision."""
    return np.result_type(x) == np.float64


def real_part(x: Any) -> Any:
    """Return the real part of what is complex; what is real is returned as it is."""
    if np.iscomplexobj(x):
        return np.real(x)
    return x


def imaginary_part(val: Any) -> Any:
    """Return the imaginary part in memory of its own: `np.imag` of an array is a view.

    Examples
    --------
    >>> imaginary_part(np.array([1.0 + 2.0j]))
    array([2.])
    """
    return np.array(np.imag(val)) if isinstance(val, np.ndarray) else np.imag(val)


def as_in_place(t: Any, value: Any) -> Any:
    """Return what `t` is after ``t op= v``, given ``value = t op v``: an array keeps its shape and dtype.

    Parameters
    ----------
    t : number or array
        What it was before.
    value : number or array
        What the operator gives.

    Raises
    ------
    ValueError
        If `t` is an array, and the value has another shape.
    TypeError
        If `t` is an array, and its dtype cannot hold the value.

    Examples
    --------
    >>> as_in_place(2.0, np.array([3.0])), as_in_place(np.float32([2.0]), np.array([3.0]))
    (array([3.]), array([3.], dtype=float32))
    """
    if not isinstance(t, np.ndarray):
        return value
    if np.shape(value) != t.shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {t.shape} "
            f"doesn't match the broadcast shape {np.shape(value)}"
        )
    return np.asarray(value).astype(t.dtype, casting="same_kind", copy=False)


def direction(x: Any, size: Any) -> Any:
    """Return the partial of ``size = np.abs(x)``: the conjugate of ``x / size``, 0 where `x` is 0.

    Examples
    --------
    >>> direction(np.array([-2.0, 0.0]), np.array([2.0, 0.0]))
    array([-1.,  0.])
    """
    if np.iscomplexobj(x):
        return np.conj(x) / np.where(size == 0.0, 1.0, size)
    return np.sign(x)


def complex_sign(z: Any) -> Any:
    """Return ``np.sign(z)`` of a complex number, which is ``z / np.abs(z)`` and has a derivative.

    Examples
    --------
    >>> complex(complex_sign(3.0 + 4.0j))
    (0.6+0.8j)
    """
    return np.sign(z)


def complex_below_zero(x: Any) -> Any:
    """Make numbers complex where one of them is real and negative, and has no real logarithm.

    Examples
    --------
    >>> complex_below_zero(np.array([1.0, 4.0])), complex_below_zero(np.array([1.0, -4.0]))
    (array([1., 4.]), array([ 1.+0.j, -4.+0.j]))
    """
    z = np.asarray(x)
    return z + 0j if np.any(np.isreal(z) & (z < 0)) else z


def complex_beyond_one(x: Any) -> Any:
    """Make numbers complex where one of them is real and no cosine of a real number.

    Examples
    --------
    >>> complex_beyond_one(np.array([0.5])), complex_beyond_one(np.array([0.5, 2.0]))
    (array([0.5]), array([0.5+0.j, 2. +0.j]))
    """
    z = np.asarray(x)
    return z + 0j if np.any(np.isreal(z) & (np.abs(z) > 1)) else z


def finite_parts(g: Any, x: Any) -> Any:
    """Keep the real part of `g` where that of `x` is finite, and the imaginary part likewise.

    Examples
    --------
    >>> complex(finite_parts(3.0 + 4.0j, complex(1.0, np.inf)))
    (3+0j)
    """
    return np.real(g) * np.isfinite(np.real(x)) + 1j * (np.imag(g) * np.isfinite(np.imag(x)))


def hypot_bars(y_bar: Any, y: Any, coordinates: Any) -> tuple[Any, ...]:
    """Return the cotangents of the coordinates in ``y = math.hypot(*coordinates)``.

    Examples
    --------
    >>> [float(g) for g in hypot_bars(2.0, 5.0, (3.0, 4.0))]
    [1.2, 1.6]
    """
    return tuple([y_bar * divide_or_zero(x, y) for x in coordinates])


def hypot_of(coordinates: Any) -> float:
    """Return ``math.hypot(*coordinates)``.

    Examples
    --------
    >>> hypot_of([3.0, 4.0])
    5.0
    """
    return math.hypot(*coordinates)


def dist_bars(y_bar: Any, y: Any, p: Any, q: Any) -> tuple[Any, Any]:
    """Return the cotangents of both points in ``y = math.dist(p, q)``.

    Examples
    --------
    >>> p_bar, q_bar = dist_bars(2.0, 5.0, [3.0, 4.0], [0.0, 0.0])
    >>> [float(g) for g in p_bar], [float(g) for g in q_bar]
    ([1.2, 1.6], [-1.2, -1.6])
    """
    p_bar = [y_bar * divide_or_zero(a - b, y) for a, b in zip(p, q, strict=True)]
    return p_bar, [-g for g in p_bar]


def share_of_logaddexp(x1: Any, x2: Any) -> Any:
    """Return the partial of ``logaddexp(x1, x2)`` in `x1`: the part of ``exp(x1)`` in the sum.

    Examples
    --------
    >>> share_of_logaddexp(np.array([0.0, 1e4]), 0.0)
    array([0.5, 1. ])
    """
    return 1.0 / (1.0 + np.exp(x2 - x1))


def share_of_extremum(y: Any, x1: Any, x2: Any) -> Any:
    """Tell which part of `y`, the greater or lesser of `x1` and `x2`, is that of `x1`.

    Returns
    -------
    1 where `y` is `x1` alone, 0.5 where the two are equal, 0 elsewhere; in the dtype of `y`.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> share_of_extremum(np.maximum(x, 2.0), x, 2.0)
    array([0. , 0.5, 1. ])
    """
    if is_double(y):
        return np.where(x1 == x2, 0.5, y == x1)
    return np.divide(y == x1, 1 + (x1 == x2), dtype=np.result_type(y))


def share_of_maximum(y: Any, x1: Any, x2: Any) -> Any:
    """Tell which part of ``y = maximum(x1, x2)`` is that of `x1`; a step function for ``x2 = 0``.

    Examples
    --------
    >>> share_of_maximum(np.array([0.0, 1.0]), np.array([-1.0, 1.0]), 0.0)
    array([0., 1.])
    """
    if isinstance(x2, (int, float)) and x2 == 0:
        return np.heaviside(x1, 0.5)
    return share_of_extremum(y, x1, x2)


def rest_of_extremum(y: Any, x1: Any, x2: Any) -> Any:
    """Tell which part of `y` is that of `x2`: the rest, which a reverse sweep need not compare for.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> rest_of_extremum(np.maximum(x, 2.0), x, 2.0)
    array([1. , 0.5, 0. ])
    """
    if isinstance(x1, (int, float)):  # `x2` alone is asked for, most often
        return share_of_extremum(y, x2, x1)
    return 1.0 - share_of_extremum(y, x1, x2)


def rest_of_maximum(y: Any, x1: Any, x2: Any) -> Any:
    """Tell which part of ``y = maximum(x1, x2)`` is that of `x2`; a step function for ``x1 = 0``.

    Examples
    --------
    >>> rest_of_maximum(np.array([0.0, 1.0]), 0.0, np.array([-1.0, 1.0]))
    array([0., 1.])
    """
    if isinstance(x1, (int, float)):
        return share_of_maximum(y, x2, x1)
    return rest_of_extremum(y, x1, x2)


def clip_interior(x: Any, lower: Any, upper: Any) -> Any:
    """Tell where `clip` returns `x` itself, strictly between the limits.

    Examples
    --------
    >>> clip_interior(np.array([0.0, 1.0, 2.0]), 0.0, 2.0)
    array([False,  True, False])
    """
    if lower is None and upper is None:
        return 1.0
    if lower is None:
        return x < upper
    if upper is None:
        return x > lower
    return (x > lower) & (x < upper)


def clip_at_lower(x: Any, lower: Any, upper: Any) -> Any:
    """Tell where `clip` returns its lower limit.

    Examples
    --------
    >>> clip_at_lower(np.array([0.0, 1.0, 2.0]), 1.0, None)
    array([ True,  True, False])
    """
    if lower is None:
        return 0.0
    if upper is None:
        return x <= lower
    return (x <= lower) & (lower < upper)


def clip_at_upper(x: Any, lower: Any, upper: Any) -> Any:
    """Tell where `clip` returns its upper limit, which wins where the limits cross.

    Examples
    --------
    >>> clip_at_upper(np.array([0.0, 1.0, 2.0]), None, 1.0)
    array([False,  True,  True])
    """
    if upper is None:
        return 0.0
    if lower is None:
        return x >= upper
    return (x >= upper) | (lower >= upper)


def sinc_slope(y: Any, x: Any) -> Any:
    """Differentiate ``y = np.sinc(x)``; by its power series near 0, where the quotient cancels.

    Examples
    --------
    >>> float(sinc_slope(np.sinc(1.0), 1.0))
    -1.0
    """
    near = np.abs(x) < 0.1
    s = np.where(near, x, 0.0)
    u = (np.pi * s) ** 2
    series = -1 / 3 + u * (
        1 / 30 + u * (-1 / 840 + u * (1 / 45360 + u * (-1 / 3991680 + u / 518918400)))
    )
    quotient = (np.cos(np.pi * x) - y) / np.where(near, 1.0, x)
    return np.where(near, np.pi**2 * s * series, quotient)


def bessel_i1(x: Any) -> Any:
    """Compute the modified Bessel function of order one, the derivative of `np.i0`.

    The mean of ``sinh(x * cos(t)) * cos(t)`` over a quarter period is taken at equally spaced
    points, which for a periodic analytic function is exact up to rounding.

    Examples
    --------
    >>> round(float(bessel_i1(1.0)), 12)
    0.565159103992
    """
    angles = (np.arange(64) + 0.5) * (math.pi / 128)
    cosines = np.cos(angles).astype(np.result_type(x, 0.0))
    return np.mean(np.sinh(np.expand_dims(x, -1) * cosines) * cosines, axis=-1)


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def polygamma(n: int, x: float) -> float:
    """Compute the derivative of order ``n + 1`` of the logarithm of the gamma function.

    Examples
    --------
    >>> round(polygamma(0, 1.0), 12)
    -0.577215664902
    >>> round(polygamma(1, 1.0), 12)
    1.644934066848
    """
    if n == 0 and x < 0:
        return polygamma(0, 1.0 - x) - math.pi / math.tan(math.pi * x)
    sign = -1.0 if n % 2 == 0 else 1.0
    shifted = 0.0
    while x < 20 + n:
        shifted += sign * math.factorial(n) / x ** (n + 1)
        x += 1.0
    if n == 0:
        tail = math.log(x) - 0.5 / x
    else:
        tail = sign * (math.factorial(n - 1) / x**n + 0.5 * math.factorial(n) / x ** (n + 1))
    for k, bernoulli in enumerate(_BERNOULLI, start=1):
        rising = math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        tail += sign * bernoulli * rising / x ** (2 * k + n)
    return shifted + tail
