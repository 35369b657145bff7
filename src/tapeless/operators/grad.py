"""`grad` and `value_and_grad`: the gradient of a scalar function."""

from __future__ import annotations

from typing import Any

from tapeless.analysis.derivation import register_operator
from tapeless.operators.gradients import derivatives_of
from tapeless.operators.target import Wrt
from tapeless.tracebacks import public
from tapeless.variables import Variable


@public
def grad(
    f: Any = None, wrt: Wrt | None = 0, *, has_aux: bool = False, like: Any = None,
    variables: list[Variable] | None = None,
) -> Any:  # fmt: skip
    """Return the function that computes the gradient of a scalar function.

    Parameters
    ----------
    f
        A function with a real scalar result. Left out, the call is a decorator.
    wrt
        The independents: a position, a name, or a tuple of them.
    has_aux
        Whether `f` returns ``(y, aux)``; the gradient function then returns ``(gradient, aux)``.
    like
        Sample arguments; the gradient is written for their kinds at once.
    variables
        Variables that `f` may read, wherever from. The gradient function then returns
        ``(gradients, [one for each Variable])``, with ``wrt=None`` the list alone.

    Returns
    -------
    A function of the same arguments. It returns a bare gradient for one independent, a tuple for a
    tuple; each has the structure, shapes and dtypes of its argument.

    Raises
    ------
    UnsupportedSyntaxError
        If the function, or one that it calls, uses what cannot be differentiated.
    NoGradientError
        If an active value reaches a function without a rule.
    GradientError
        If the result is not a real scalar, or an independent has no derivative.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> def loss(w, x):
    ...     return np.sum((x @ w) ** 2)
    >>> tl.grad(loss)(np.array([1.0, 2.0]), np.eye(2))
    array([2., 4.])
    """
    return derivatives_of(f, "grad", wrt, has_aux, like, variables)


@public
def value_and_grad(
    f: Any = None, wrt: Wrt | None = 0, *, has_aux: bool = False, like: Any = None,
    variables: list[Variable] | None = None,
) -> Any:  # fmt: skip
    """Return the function that computes a scalar function's value and its gradient.

    As `grad`, but returns ``(value, gradient)``, or ``((value, aux), gradient)``.

    Examples
    --------
    >>> import tapeless as tl
    >>> tl.value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    return derivatives_of(f, "value_and_grad", wrt, has_aux, like, variables)


register_operator("grad", grad)
register_operator("value_and_grad", value_and_grad)
