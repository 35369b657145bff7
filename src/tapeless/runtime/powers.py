"""Partials of powers, by what is known of the base and of the exponent.

``n * x ** (n - 1)`` is the derivative in the base wherever it exists, but not as it stands: for the
exponent 0 it multiplies zero by a power that is infinite where the base is 0. In the exponent the
derivative is ``y * log(x)``, of positive bases alone. Common exponents have cheaper spellings.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def power_in_base(y: Any, x: Any, n: Any) -> Any:
    """Differentiate ``y = x ** n`` in `x`: zero for the exponent 0, also where `x` is 0.

    Examples
    --------
    >>> power_in_base(9.0, 3.0, 2)
    6.0
    >>> power_in_base(np.array([1.0, 0.0, 0.0]), np.zeros(3), np.array([0.0, 1.0, 2.0]))
    array([0., 1., 0.])
    """
    if isinstance(n, (int, float)):
        return power_by_number(x, n)
    if isinstance(x, (int, float)):
        return powers_of_number(y, x, n)
    return power_by_each(x, n)


def power_by_number(x: Any, n: Any) -> Any:
    """Differentiate ``x ** n`` in `x`, where `n` is one number.

    Examples
    --------
    >>> power_by_number(np.array([0.0, 3.0]), 2)
    array([0., 6.])
    """
    if n == 2:
        return 2.0 * x
    if n == 1 and isinstance(x, (int, float)):
        return 1.0
    if n == 0 and isinstance(x, (int, float)):
        return 0.0
    if n == 0:
        return 0.0 * x**0
    if n == -1:
        return -1.0 / x**2
    if n == 0.5:
        return 0.5 / np.sqrt(x)
    if 0 < n < 1:
        return n * np.power(x, n - 1.0)
    return float(n) * x ** (n - 1)


def power_by_each(x: Any, n: Any) -> Any:
    """Differentiate ``x ** n`` in `x`, each with an exponent of its own: zero for the exponent 0.

    Examples
    --------
    >>> power_by_each(np.zeros(3), np.array([0.0, 1.0, 2.0]))
    array([0., 1., 0.])
    """
    return n * np.power(1.0 * x, np.where(n == 0, 0, n - 1))


def powers_of_number(y: Any, x: Any, n: Any) -> Any:
    """Differentiate ``y = x ** n`` in the one number `x`, for many exponents: one power fewer is ``y / x``.

    Examples
    --------
    >>> powers_of_number(np.array([1.0, 2.0, 4.0]), 2.0, np.arange(3))
    array([0., 1., 4.])
    >>> powers_of_number(np.array([1.0, 0.0, 0.0]), 0.0, np.arange(3))
    array([0., 1., 0.])
    """
    if x > 0:
        return n * (y / x)
    return power_by_each(x, n)


def power_derivative(x: Any, n: Any, k: int, j: int) -> Any:
    """Differentiate ``x ** n`` `k` times in `x` and `j` times in `n`.

    In `x` alone it is zero where a factor of ``n * (n - 1) * ...`` is, also where `x` is 0. In `n` it is
    zero where the base is not positive, as `power_in_exponent` is.

    Examples
    --------
    >>> power_derivative(3.0, 2, 2, 0), power_derivative(1.0, 2.0, 1, 1)
    (2.0, 1.0)
    >>> power_derivative(np.array([0.0, 1.0]), np.array([0.0, 0.0]), 1, 1)
    array([0., 1.])
    """
    if j == 0:
        factor: Any = 1.0
        for i in range(k - 1):
            factor = factor * (n - i)
        left = n - (k - 1)
        if isinstance(n, (int, float)):
            return factor * power_by_number(x, left if factor else 0)
        return factor * power_by_each(x, np.where(factor == 0, 0, left))
    real = not np.iscomplexobj(x)
    inside = x > 0 if real else x != 0
    if isinstance(inside, bool) and not inside:
        return 0.0
    base = np.where(inside, x, 1.0)
    log_x = np.log(base)
    series: list[Any] = [1.0] + [0.0] * j  # of n * (n - 1) * ... in what is added to n
    for i in range(k):
        for order in range(j, 0, -1):
            series[order] = series[order] * (n - i) + series[order - 1]
        series[0] = series[0] * (n - i)
    total: Any = 0.0
    for order in range(j + 1):
        total = total + math.perm(j, order) * series[order] * log_x ** (j - order)
    found = np.where(inside, np.power(base, n - float(k)) * total, 0.0)
    return float(found) if isinstance(x, (int, float)) and isinstance(n, (int, float)) else found


def power_in_exponent(y: Any, x: Any) -> Any:
    """Differentiate ``y = x ** n`` in `n`: zero where the base is not positive.

    Examples
    --------
    >>> power_in_exponent(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    array([0., 0.])
    """
    if isinstance(x, (int, float)) and x > 0:
        return y * math.log(x)
    if isinstance(x, (int, float)):
        return 0.0
    if np.iscomplexobj(x):
        return y * np.log(np.where(x == 0, 1.0, x))
    return np.where(x > 0, y, 0.0) * np.log(np.where(x > 0, x, 1.0))
