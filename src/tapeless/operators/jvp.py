"""`jvp`: the value of a function, and its tangent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple

from tapeless.analysis.derivation import register_operator
from tapeless.operators.tangents import tangents_of
from tapeless.tracebacks import public

_Xs = TypeVarTuple("_Xs")
_Y = TypeVar("_Y")


@public
def jvp(
    f: Callable[[*_Xs], _Y], primals: tuple[*_Xs], tangents: tuple[Any, ...], *,
    scalarize: bool = True,
) -> tuple[_Y, Any]:  # fmt: skip
    """Run a function, and push tangents through it.

    A tangent is a direction in the arguments. The tangent of the result is the derivative along it: the
    Jacobian times the direction.

    Parameters
    ----------
    f : callable
        A function of numbers, arrays and containers of them.
    primals : tuple
        Its arguments.
    tangents : tuple
        One tangent per argument, with its structure and shapes; None for an argument that is held
        fixed.
    scalarize : bool, default True
        As in `grad`.

    Returns
    -------
    y : object
        The value ``f(*primals)``.
    y_dot : object
        Its tangent, with the structure and shapes of `y`.

    Raises
    ------
    UnsupportedSyntaxError, NoGradientError
        As `grad`.
    GradientError
        If a tangent has not the structure and shapes of its argument.

    References
    ----------
    .. [1] A. Griewank and A. Walther, *Evaluating Derivatives*, 2nd edition, SIAM, 2008. Section 3.1.

    Examples
    --------
    >>> import tapeless as tl
    >>> tl.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, None))
    (6.0, 3.0)
    """
    gradients = tangents_of(f, tuple([t is None for t in tangents]), scalarize)
    return gradients.push(primals, tangents)


register_operator("jvp", jvp)
