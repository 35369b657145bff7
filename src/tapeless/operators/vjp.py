"""`vjp`: the value of a function, and its pullback."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, TypeVarTuple

from tapeless.analysis.derivation import register_operator
from tapeless.operators.gradients import Gradients, explain, identities
from tapeless.operators.remembered import remembered
from tapeless.runtime import as_cotangent
from tapeless.tracebacks import public
from tapeless.variables import Variable

_Xs = TypeVarTuple("_Xs")
_Y = TypeVar("_Y")


@public
def vjp(
    f: Callable[[*_Xs], _Y], *args: *_Xs, variables: Sequence[Variable] | None = None,
    scalarize: bool = True,
) -> tuple[_Y, Callable[[Any], tuple[Any, ...]]]:  # fmt: skip
    """Run a function, and return its value and its pullback.

    The pullback multiplies a cotangent, a row of weights for the results, by the Jacobian.

    Parameters
    ----------
    f : callable
        A function of numbers, arrays and containers of them. Its result may have any structure.
    *args
        Its arguments.
    variables : sequence of Variable, optional
        Variables that `f` may read. The pullback then returns ``(cotangents, [one for each])``.
    scalarize : bool, default True
        As in `grad`.

    Returns
    -------
    y : object
        The value ``f(*args)``.
    pullback : callable
        A function from a cotangent, with the structure and shapes of `y`, to a tuple with one cotangent
        per argument; None for an argument without floats. It can be called any number of times, and
        keeps what it needs: later changes of the arguments do not change its result.

    Raises
    ------
    UnsupportedSyntaxError, NoGradientError
        As `grad`.
    GradientError
        If an argument has no derivative, or a cotangent has not the structure and shapes of `y`.

    References
    ----------
    .. [1] A. Griewank and A. Walther, *Evaluating Derivatives*, 2nd edition, SIAM, 2008. Section 3.2.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> y, pullback = tl.vjp(np.sin, np.zeros(2))
    >>> pullback(np.array([1.0, 2.0]))
    (array([1., 2.]),)
    """
    gradients = _pullbacks_of(f, variables, scalarize)
    plain = len(args) == gradients.positional
    arguments = args if plain else gradients.target.arguments(args, {})
    y, pull = gradients.run(arguments)
    return y, _pullback(gradients, arguments, pull, y, len(args))


def _pullbacks_of(f: Any, variables: Sequence[Variable] | None, scalarize: bool) -> Gradients:
    """Return what writes and runs the pullbacks of a function, made once for all of its calls."""
    made: Gradients = remembered(
        f, ("vjp", identities(variables), scalarize),
        lambda: Gradients(f, "vjp", "*", None, False, variables, scalarize),
    )  # fmt: skip
    return made


def _pullback(
    gradients: Gradients, arguments: Sequence[Any], pull: Any, y: Any, count: int
) -> Callable[[Any], tuple[Any, ...]]:
    """Return the pullback at given arguments, of which the caller passed some."""
    outside = gradients.serving(arguments).derivative.outside
    seen = None if outside is None else outside.seen()
    skipped = len(gradients.target.bound)
    variadic = gradients.target.variadic

    def of_arguments(bars: tuple[Any, ...]) -> tuple[Any, ...]:
        bars = bars[skipped:]
        if variadic is None:
            return tuple(bars[:count])
        i = variadic - skipped
        return (*bars[:i], *(bars[i] or ()))[:count]

    def pullback(y_bar: Any) -> tuple[Any, ...]:
        try:
            if seen is not None:
                seen.check()
            bars = pull(as_cotangent(y_bar, y))
        except Exception as error:
            explain(error, gradients.serving(arguments), gradients.target)
            raise
        if gradients.variables is None:
            return of_arguments(bars)
        return of_arguments(bars[0]), bars[1]

    return pullback


register_operator("vjp", vjp)
