"""`differentiable`: a function that has its derivatives as attributes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, overload

from tapeless.operators.grad import grad, value_and_grad
from tapeless.operators.jvp import jvp
from tapeless.operators.source import source
from tapeless.operators.target import Wrt
from tapeless.operators.vjp import vjp
from tapeless.tracebacks import public
from tapeless.variables import Variable

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")
_Y = TypeVar("_Y", covariant=True)
_Owner = TypeVar("_Owner")


class Differentiable(Protocol[_P, _Y]):
    """The function that `differentiable` was given, as checkers of types and editors see it."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _Y: ...

    @overload
    def __get__(self, owner: None, cls: type, /) -> Self: ...
    @overload
    def __get__(
        self: Differentiable[Concatenate[_Owner, _Q], _Y], owner: _Owner, cls: type | None = None, /
    ) -> Callable[_Q, _Y]: ...

    def grad(
        self, wrt: Wrt | None = 0, *, has_aux: bool = False, like: Sequence[Any] | None = None,
        variables: Sequence[Variable] | None = None,
    ) -> Callable[_P, Any]: ...  # fmt: skip

    def value_and_grad(
        self, wrt: Wrt | None = 0, *, has_aux: bool = False, like: Sequence[Any] | None = None,
        variables: Sequence[Variable] | None = None,
    ) -> Callable[_P, tuple[_Y, Any]]: ...  # fmt: skip

    def vjp(
        self, *args: Any, variables: Sequence[Variable] | None = None
    ) -> tuple[_Y, Callable[[Any], tuple[Any, ...]]]: ...

    def jvp(self, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[_Y, Any]: ...

    def source(
        self, mode: str = "grad", wrt: Wrt | None = None, *, like: Any = None, order: int = 1,
        standalone: bool = False,
    ) -> str: ...  # fmt: skip


@public
def differentiable(f: Callable[_P, _Y]) -> Differentiable[_P, _Y]:
    """Decorate a function with its derivatives; it stays the function that it is.

    Parameters
    ----------
    f : callable
        Any function.

    Returns
    -------
    callable
        `f` itself, with the attributes ``grad``, ``value_and_grad``, ``vjp``, ``jvp`` and ``source``: the
        functions of these names, with `f` as their first argument.

    Examples
    --------
    >>> import tapeless as tl
    >>> @tl.differentiable
    ... def cube(x):
    ...     return x**3
    >>> cube(2.0), cube.grad()(2.0)
    (8.0, 12.0)
    """
    given: Any = f
    for operator in (grad, value_and_grad, vjp, jvp, source):
        setattr(given, operator.__name__, functools.partial(operator, given))
    made: Differentiable[_P, _Y] = given
    return made
