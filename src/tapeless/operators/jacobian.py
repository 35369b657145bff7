"""`jacobian`, by rows or by columns, and `hessian`, which is the Jacobian of the gradient.

The pullback gives a row of a Jacobian, the tangent function a column. There are as many rows as the
result has entries and as many columns as the independents have, and each costs a constant number of
runs of the function: whichever are fewer are computed. A Hessian is computed by columns: as many tangents
of the gradient (forward over reverse) as there are entries; where these are refused, `transposed.py` says
what is computed in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, overload

import numpy as np

from tapeless.analysis.derivation import register_operator
from tapeless.errors import GradientError
from tapeless.operators.gradients import Gradients
from tapeless.operators.several import Operator, operator_made
from tapeless.operators.target import Wrt
from tapeless.runtime import as_cotangent
from tapeless.structures import aligned, leaves_of, rebuild, tangent_like
from tapeless.tracebacks import public

_P = ParamSpec("_P")


class Jacobian(Operator):
    """The Jacobian of a function, or of its gradient: the Hessian."""

    @public
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the Jacobian at these arguments."""
        arguments = self.arguments(args, kwargs)
        independents = {n: arguments[n] for n in self.names}
        xs = [leaf for _, leaf in leaves_of(independents)]
        if self.mode == "hessian":
            y, made = self.columns(arguments, independents, xs)
        else:
            y, made = self.rows_or_columns(arguments, independents, xs)
        found = iter(made)

        def along_all(_: Any) -> Any:
            by_name = rebuild(independents, iter(next(found)), lambda value: None)
            return self.selected(by_name)

        count = sum(1 for _ in leaves_of(y))
        return rebuild(y, (along_all(i) for i in range(count)), lambda value: None)

    def selected(self, by_name: dict[str, Any]) -> Any:
        """Return the parts for the independents as they were asked for."""
        parts = [by_name[n] if item is None else by_name[n][item] for n, item in self.picks]
        return tuple(parts) if isinstance(self.wrt, tuple) else parts[0]

    def rows_or_columns(
        self, arguments: dict[str, Any], independents: dict[str, Any], xs: list[Any]
    ) -> tuple[Any, list[list[Any]]]:
        """Compute by the pullback or by tangents, whichever takes fewer runs."""
        width = sum(np.size(x) for x in xs)
        if width == 1:
            return self.columns(arguments, independents, xs)
        y, pull = self.pullback.run(list(arguments.values()))
        ys = [leaf for _, leaf in leaves_of(y)]
        height = sum(np.size(leaf) for leaf in ys)
        complex_of_real = any(map(np.iscomplexobj, ys)) and not all(map(np.iscomplexobj, xs))
        if width and (height > width or complex_of_real):
            return self.columns(arguments, independents, xs)
        return y, self.rows(pull, y, ys, independents, xs)

    def rows(
        self, pull: Any, y: Any, ys: list[Any], independents: dict[str, Any], xs: list[Any]
    ) -> list[list[Any]]:
        """Compute one row for each entry of the result."""
        places = [list(arguments_of(self)).index(n) for n in independents]
        made = []
        for j, leaf in enumerate(ys):
            found: list[list[Any]] = [[] for _ in xs]
            for seed in for_higher_order(ys, j):
                bars = pull(as_cotangent(tangent_like(y, iter(seed)), y))
                row = {n: bars[i] for n, i in zip(independents, places, strict=True)}
                for column, g in zip(found, self.parts(independents, row), strict=True):
                    column.append(g)
            made.append([joined(gs, leaf, x, 0) for gs, x in zip(found, xs, strict=True)])
        return made

    def columns(
        self, arguments: dict[str, Any], independents: dict[str, Any], xs: list[Any]
    ) -> tuple[Any, list[list[Any]]]:
        """Compute one column for each entry of the independents."""
        values = list(arguments.values())
        found: list[list[list[Any]]] = []
        y: Any = None
        for k in range(len(xs)):
            along = []
            for unit in for_higher_order(xs, k):
                dots = tangent_like(independents, iter(unit))
                given = {n: as_cotangent(dots[n], x) for n, x in independents.items()}
                y, y_dot = self.tangents.along(values, given)
                along.append(self.parts(y, y_dot))
            found.append(along)
        if not any(found):
            y = self.value(values)
        ys = [leaf for _, leaf in leaves_of(y)]
        return y, [
            [
                joined([dots[j] for dots in along], leaf, x, -1)
                for along, x in zip(found, xs, strict=True)
            ]
            for j, leaf in enumerate(ys)
        ]

    def value(self, values: list[Any]) -> Any:
        """Return what is differentiated: the value of the function, or of its gradient."""
        if self.mode == "hessian":
            return self.gradient.run(values)
        return self.pullback.run(values)[0]

    def parts(self, x: Any, g: Any) -> list[Any]:
        """Return the leaves of a derivative, one for each leaf of `x`."""
        return list(aligned(x, g, f"the {self.mode}", GradientError))


def arguments_of(made: Gradients) -> list[str]:
    """Name the parameters of the function under a derivative."""
    return list(made.target.signature.parameters)


def for_higher_order(like: list[Any], k: int) -> Iterator[list[Any]]:
    """Return the unit vectors of the leaf `k`, zeros for the others."""
    zero = [np.zeros(np.shape(x), np.asarray(x).dtype) for x in like]
    for i in range(np.size(like[k])):
        unit = np.zeros(np.shape(like[k]), zero[k].dtype)
        unit.flat[i] = 1.0
        made = [*zero[:k], unit, *zero[k + 1 :]]
        yield [g if isinstance(x, np.ndarray) else g[()] for g, x in zip(made, like, strict=True)]


def joined(slices: list[Any], y: Any, x: Any, axis: int) -> Any:
    """Join rows (axis 0) or columns (axis -1) to a derivative of shape ``y.shape + x.shape``."""
    shape = np.shape(y) + np.shape(x)
    if not slices:
        return np.zeros(shape, np.result_type(y, x))
    if shape == () and not isinstance(slices[0], np.ndarray):
        return slices[0]
    return np.reshape(np.stack(slices, axis=axis), shape)


@overload
def jacobian(
    f: Callable[_P, Any], wrt: Wrt = 0, *, scalarize: bool = True
) -> Callable[_P, Any]: ...
@overload
def jacobian(
    f: None = None, wrt: Wrt = 0, *, scalarize: bool = True
) -> Callable[[Callable[_P, Any]], Callable[_P, Any]]: ...
@public
def jacobian(f: Callable[..., Any] | None = None, wrt: Wrt = 0, *, scalarize: bool = True) -> Any:
    """Return the function that computes the Jacobian of a function.

    Parameters
    ----------
    f : callable, optional
        A function of numbers and arrays. Left out, the call is a decorator.
    wrt : int, str or tuple of them, default 0
        The independents: what to differentiate with respect to, by position or by name.
    scalarize : bool, default True
        As in `grad`.

    Returns
    -------
    callable
        A function of the same arguments. For a result ``y`` and an independent ``x`` it returns an
        array of shape ``y.shape + x.shape``, a number if both are numbers; a tuple for a tuple of
        independents. If ``y`` or ``x`` is a container, the result has the structure of ``y``, and in the
        place of each of its leaves the structure of ``x``; None stands for what has no derivative.

    Raises
    ------
    UnsupportedSyntaxError
        If the function, or one that it calls, uses what cannot be differentiated.
    NoGradientError
        If an active value reaches a function without a rule.
    GradientError
        If an independent has no derivative.

    Notes
    -----
    It runs the pullback once for each entry of the result or the tangent function once for each entry
    of the independents, whichever are fewer. The entries have the dtype of the independent in the
    first case, of the result in the second.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> tl.jacobian(lambda x: np.array([x[0] * x[1], x[1] ** 2]))(np.array([2.0, 3.0]))
    array([[3., 2.],
           [0., 6.]])
    """
    return operator_made(f, Jacobian, "jacobian", wrt, scalarize)


@overload
def hessian(f: Callable[_P, Any], wrt: Wrt = 0, *, scalarize: bool = True) -> Callable[_P, Any]: ...
@overload
def hessian(
    f: None = None, wrt: Wrt = 0, *, scalarize: bool = True
) -> Callable[[Callable[_P, Any]], Callable[_P, Any]]: ...
@public
def hessian(f: Callable[..., Any] | None = None, wrt: Wrt = 0, *, scalarize: bool = True) -> Any:
    """Return the function that computes the Hessian of a scalar function.

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
        A function of the same arguments. For one independent ``x`` it returns an array of shape
        ``x.shape + x.shape``, a number if ``x`` is one; for a tuple of independents a tuple of tuples,
        in which the item ``[i][j]`` has shape ``x_i.shape + x_j.shape``.

    Raises
    ------
    UnsupportedSyntaxError, NoGradientError
        As `grad`.
    GradientError
        If the result is not a real scalar, an independent has no derivative, or the gradient cannot
        be differentiated again.

    References
    ----------
    .. [1] A. Griewank and A. Walther, *Evaluating Derivatives*, 2nd edition, SIAM, 2008. Chapter 5:
       tangents of gradients.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> tl.hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]))
    array([[6., 4.],
           [4., 0.]])
    """
    return operator_made(f, Jacobian, "hessian", wrt, scalarize)


register_operator("jacobian", jacobian)
register_operator("hessian", hessian)
