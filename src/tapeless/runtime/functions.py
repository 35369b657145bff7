"""Functions as values: with values of their own, told apart, and taken from lists.

A function that carries values along is a tuple, so that its adjoint is that of a tuple.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, NamedTuple


class Bound(NamedTuple):
    """A function with values that it is always given: the last of them by keyword.

    Examples
    --------
    >>> Bound(round, (), ("ndigits",)).keys
    ('ndigits',)
    >>> Bound(pow, (2,), ())(3)
    8
    """

    function: Any
    values: tuple[Any, ...]
    keys: tuple[str, ...]

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Call the function with its own values and those given."""
        first = len(self.values) - len(self.keys)
        own = dict(zip(self.keys, self.values[first:], strict=True))
        return self.function(*self.values[:first], *args, **{**own, **keywords})


def is_function(function: Any, other: Any) -> bool:
    """Whether a function is another one, or was made by the local `def` of a name.

    Values that it takes along make no difference.

    Examples
    --------
    >>> is_function(abs, abs)
    True
    >>> is_function(abs, "abs")
    False
    >>> is_function(Bound(abs, (), ()), abs)
    True
    """
    if isinstance(function, Bound):
        return is_function(function.function, other)
    if isinstance(other, str):
        return str(getattr(function, "__qualname__", "")).endswith(f"<locals>.{other}")
    return function is other


def finds_method(x: Any, name: str, method: Any) -> bool:
    """Whether a method of an object is one that is known, and none of the object itself or a class derived.

    Examples
    --------
    >>> finds_method([], "pop", list.pop)
    True
    >>> finds_method({}, "pop", list.pop)
    False
    """
    own = name in getattr(x, "__dict__", ())
    return not own and inspect.getattr_static(type(x), name, None) is method


def lifted(function: Any) -> Any:
    """Return a local function that what it captures is passed to beside its arguments.

    It still holds that itself, so the value passed is not looked at.

    Examples
    --------
    >>> scale = 3.0
    >>> def times(factor):
    ...     return lambda x: factor * x
    >>> lifted(times(scale))(2.0, factor=scale)
    6.0
    """
    captured = getattr(getattr(function, "__code__", None), "co_freevars", ())

    @functools.wraps(function)
    def given(*args: Any, **keywords: Any) -> Any:
        return function(*args, **{k: v for k, v in keywords.items() if k not in captured})

    return given


def append_to(items: list[Any], value: Any) -> None:
    """Append to a list: `items.append`, taken as a value.

    Examples
    --------
    >>> items = [1]
    >>> append_to(items, 2)
    >>> items
    [1, 2]
    """
    items.append(value)
