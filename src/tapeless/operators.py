"""Derivative operators made of several derivatives: Jacobian, Hessian, Hessian-vector product.

The pullback gives a row of a Jacobian, the tangent function a column. There are as many rows as the
result has entries and as many columns as the independents have, and each costs a constant number of
runs of the function: whichever are fewer are computed. A Hessian is the Jacobian of the gradient,
by columns: as many tangents of the gradient (forward over reverse) as there are entries.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeless import api
from tapeless.analysis.derivation import register_operator
from tapeless.api import Gradients, Tangents, Wrt, remembered
from tapeless.errors import GradientError
from tapeless.runtime import as_cotangent
from tapeless.structures import aligned, leaves_of, rebuild, tangent_like
from tapeless.tracebacks import public


class Operator(Gradients):
    """A derivative that is made of others, which are built at the first call."""

    def __init__(self, f: Any, mode: str, wrt: Wrt) -> None:
        super().__init__(f, mode, wrt, None)

    @property
    def made_again(self) -> Any:
        """The operator that makes the same of a function and `options()`."""
        return _operator

    def options(self) -> tuple[Any, ...]:
        """Return what `made_again` is told beside the function."""
        return self.mode, self.wrt

    @property
    def gradient(self) -> Gradients:
        """The gradient with respect to the same independents."""
        made: Gradients = api.grad(self.given, self.wrt)
        return made

    @functools.cached_property
    def tangents(self) -> Tangents:
        """The tangents of the function, or of its gradient."""
        return Tangents(self.given if self.mode == "jacobian" else self.gradient, self.names)

    @functools.cached_property
    def pullback(self) -> Gradients:
        """The pullback of the function."""
        return Gradients(self.given, "vjp", self.names, None)

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Bind the arguments; an integer that is an independent counts as a real number."""
        values = self.target.arguments(args, kwargs)
        found = dict(zip(self.target.signature.parameters, values, strict=True))
        for name in self.names:
            api.check_independent(self.target, name, found[name])
            if type(found[name]) is int:
                found[name] = float(found[name])
        return found

    def text(self, like: Any = None) -> str:
        """Return the text of the derivative that the operator runs most."""
        part = self.pullback if self.mode == "jacobian" else self.tangents
        return str(part.text(like))


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


def _operator(f: Any, mode: str, wrt: Wrt) -> Any:
    if f is None:
        return lambda function: _operator(function, mode, wrt)
    make = HessianVector if mode == "hvp" else Jacobian
    return remembered(f, (mode, wrt), lambda: make(f, mode, wrt))


@public
def jacobian(f: Any = None, wrt: Wrt = 0) -> Any:
    """Return the function that computes the Jacobian of a function.

    Parameters
    ----------
    f
        A function of numbers and arrays. Left out, the call is a decorator.
    wrt
        The independents: a position, a name, or a tuple of them.

    Returns
    -------
    A function of the same arguments. For a result ``y`` and an independent ``x`` it returns an array
    of shape ``y.shape + x.shape``, a number if both are numbers; a tuple for a tuple of independents.
    Where ``y`` or ``x`` is a container, the result has the structure of ``y``, and in the place of
    each of its leaves the structure of ``x``; None stands for what has no derivative.

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
    return _operator(f, "jacobian", wrt)


@public
def hessian(f: Any = None, wrt: Wrt = 0) -> Any:
    """Return the function that computes the Hessian of a scalar function.

    Parameters
    ----------
    f
        A function with a real scalar result. Left out, the call is a decorator.
    wrt
        The independents: a position, a name, or a tuple of them.

    Returns
    -------
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

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> tl.hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]))
    array([[6., 4.],
           [4., 0.]])
    """
    return _operator(f, "hessian", wrt)


@public
def hvp(f: Any = None, wrt: Wrt = 0) -> Any:
    """Return the function that computes the product of a Hessian with a vector.

    Parameters
    ----------
    f
        A function with a real scalar result. Left out, the call is a decorator.
    wrt
        The independents: a position, a name, or a tuple of them.

    Returns
    -------
    A function of the arguments and of a vector with the structure of the gradient, which comes last.
    It costs a constant number of runs of `f`, and returns the product with the gradient's structure.

    Raises
    ------
    UnsupportedSyntaxError, NoGradientError, GradientError
        As `hessian`; also if the shape of the vector is not that of the independent.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> x, v = np.array([2.0, 3.0]), np.array([1.0, 0.0])
    >>> tl.hvp(lambda x: x[0] ** 2 * x[1])(x, v)
    array([6., 4.])
    """
    return _operator(f, "hvp", wrt)


for _mode, _made_by in {"jacobian": jacobian, "hessian": hessian, "hvp": hvp}.items():
    register_operator(_mode, _made_by)
