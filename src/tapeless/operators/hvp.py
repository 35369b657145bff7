"""`hvp`: the product of a Hessian with a vector, the tangent of the gradient along it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from tapeless.analysis.derivation import register_operator
from tapeless.operators.several import Operator, operator_made
from tapeless.operators.target import Wrt
from tapeless.runtime import as_cotangent
from tapeless.tracebacks import public


class HessianVector(Operator):
    """The product of a Hessian with a vector."""

    directions = 1

    @public
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the product; the vector comes last, with the structure of the gradient."""
        if not args:
            raise TypeError(f"hvp of '{self.target.label}' takes the vector as its last argument")
        arguments = self.arguments(args[:-1], kwargs)
        given = args[-1]
        by_name: dict[str, Any] = dict(
            zip(self.names, given if isinstance(self.wrt, tuple) else (given,), strict=True)
        )
        dots = {n: as_cotangent(v, arguments[n]) for n, v in by_name.items()}
        return self.tangents.along(list(arguments.values()), dots)[1]


# The vector comes after the parameters of `f`. Types can put a parameter before those of another
# function (`Concatenate`), not after them, so no checker is told what `hvp(f)` takes. `help` and
# `inspect.signature` say it.
@overload
def hvp(f: Callable[..., Any], wrt: Wrt = 0, *, scalarize: bool = True) -> Callable[..., Any]: ...
@overload
def hvp(
    f: None = None, wrt: Wrt = 0, *, scalarize: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
@public
def hvp(f: Callable[..., Any] | None = None, wrt: Wrt = 0, *, scalarize: bool = True) -> Any:
    """Return the function that computes the product of a Hessian with a vector.

    Parameters
    ----------
    f : callable, optional
        A function with a real scalar result. Left out, the call is a decorator.
    wrt : int, str or tuple of them, default 0
        The independents: what to differentiate with respect to, by position or by name.
    scalarize : bool, default True
        As in `grad`.

    Returns
    -------
    callable
        A function of the arguments and, last, of a vector with the structure and shapes of the
        gradient. It returns the product, with the same structure and shapes, and costs a constant number
        of runs of `f`.

    Raises
    ------
    UnsupportedSyntaxError, NoGradientError, GradientError
        As `hessian`; also if the shape of the vector is not that of the independent.

    References
    ----------
    .. [1] B. A. Pearlmutter, "Fast exact multiplication by the Hessian", *Neural Computation* 6(1), 1994.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> x, v = np.array([2.0, 3.0]), np.array([1.0, 0.0])
    >>> tl.hvp(lambda x: x[0] ** 2 * x[1])(x, v)
    array([6., 4.])
    """
    return operator_made(f, HessianVector, "hvp", wrt, scalarize)


register_operator("hvp", hvp)
