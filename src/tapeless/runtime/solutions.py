"""Solutions of equations, and values that are known better than by the formula that is differentiated.

What solves ``f(x, a) == 0`` moves with `a` as one step of Newton's method from the solution does. The
step is written out, and is zero: its derivative is that of the implicit function.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def at_root(x: Any, residual: Any, slope: Any) -> Any:
    """Return `x`, which solves an equation; its derivative is that of a step of Newton's method.

    Parameters
    ----------
    x
        The solution: a number or a vector, or numbers that are solutions each by itself.
    residual
        The residual of the equation at the solution, nearly zero.
    slope
        The derivative of the residual: a number, or one for each number, or a matrix for a vector.

    Examples
    --------
    >>> at_root(2.0, 0.0, 4.0)
    2.0
    """
    return x


def valued(y: Any, formula: Any) -> Any:
    """Return `y`, the value of a formula, whose derivative is that of the formula.

    Examples
    --------
    >>> valued(0.75, 0.5 + 0.25)
    0.75
    """
    return y


def unchanged(x: Any) -> Any:
    """Return what it is given.

    Examples
    --------
    >>> unchanged(2.0)
    2.0
    """
    return x


def only_where(free: Any, slope: Any) -> Any:
    """Return a matrix of which rows and columns are those of the identity where nothing is free.

    Examples
    --------
    >>> only_where(np.array([True, False]), np.array([[2.0, 3.0], [4.0, 5.0]]))
    array([[2., 0.],
           [0., 1.]])
    """
    both = free[:, None] & free[None, :]
    return np.where(both, slope, np.diag(np.where(free, 0.0, 1.0)))
