"""Custom gradients: a function whose author says what its derivative is.

The decorated function returns its value and a `grad` function, as `tf.custom_gradient` has it. A direct
call gives the value only. Where the tool meets a call of it in differentiated code, it splices the
body of `grad` in place of what it would have generated.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

import gast

from tapeless.protocol.authors import split_returned

T = TypeVar("T")
_P = ParamSpec("_P")


@overload
def custom_gradient(f: Callable[_P, tuple[T, Callable[..., Any]]]) -> Callable[_P, T]: ...
@overload
def custom_gradient(
    f: None = None,
) -> Callable[[Callable[_P, tuple[T, Callable[..., Any]]]], Callable[_P, T]]: ...
def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorate a function that returns its value together with its gradient function.

    Parameters
    ----------
    f : callable
        ``f(*x)`` returns ``(y, grad)``, or ``(y, grad, jvp)``. ``grad(upstream)`` returns one gradient
        per parameter of `f`, with its shape; None for a parameter without one. ``upstream`` has the shape
        and dtype of ``y``. ``jvp``, which is optional, takes one tangent per parameter and returns that
        of ``y``.

    Returns
    -------
    callable
        A function that returns ``y``, and whose derivative is what ``grad`` says, at every order.

    Raises
    ------
    TypeError
        If `f` cannot be called.
    GradientError
        At a call, if `f` does not return a value and a callable. In a derivative, if ``grad`` returns a
        wrong number of gradients, or one of another shape.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> @tl.custom_gradient
    ... def log1pexp(x):
    ...     e = np.exp(x)
    ...     def grad(upstream):
    ...         return upstream * (1 - 1 / (1 + e))
    ...     return np.log(1 + e), grad
    >>> float(tl.grad(log1pexp)(0.0))
    0.5
    """
    if f is None:
        return custom_gradient
    if not callable(f):
        raise TypeError(f"custom_gradient decorates a function, not a {type(f).__name__}")
    author = f

    @functools.wraps(author)
    def with_custom_gradient(*args: Any, **kwargs: Any) -> Any:
        return value_of(author, author(*args, **kwargs))

    with_custom_gradient.__custom_gradient__ = author  # type: ignore[attr-defined]
    return with_custom_gradient


def value_of(f: Callable[..., Any], returned: Any) -> Any:
    """Take the value out of what a custom gradient's function returned."""
    return split_returned(f, returned)[0]


def is_local_custom(tree: Any, resolve: Callable[[Any], Any]) -> bool:
    """Whether a nested definition is decorated with `custom_gradient` and nothing else."""
    if len(tree.decorator_list) != 1:
        return False
    [decorator] = tree.decorator_list
    if type(decorator) is gast.Call and not decorator.args and not decorator.keywords:
        decorator = decorator.func
    return resolve(decorator) is custom_gradient


def stop_gradient(x: T) -> T:
    """Return `x` itself; no derivative passes through.

    Parameters
    ----------
    x : object
        A number, an array, or a structure of these.

    Returns
    -------
    object
        `x`, the same object. In a derivative it counts as a constant.

    Examples
    --------
    >>> import tapeless as tl
    >>> tl.grad(lambda x: x * tl.stop_gradient(x))(3.0)
    3.0
    """
    return x
