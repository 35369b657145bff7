"""Functions as values: with values of their own, told apart, and taken from lists.

A function that carries values along is a tuple, so that its adjoint is that of a tuple.
"""

from __future__ import annotations

import types
from typing import Any, NamedTuple

import numpy as np

# objects of their classes hold no values of the user's
OPAQUE_MODULES = (
    "builtins", "functools", "numpy", "operator", "tapeless.api", "tapeless.operators",
)  # fmt: skip


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
    """Say whether a function is another one, or was made by the local `def` of a name.

    Examples
    --------
    >>> is_function(abs, abs)
    True
    >>> is_function(abs, "abs")
    False
    """
    if isinstance(other, str):
        return str(getattr(function, "__qualname__", "")).endswith(f"<locals>.{other}")
    return function is other


def is_code(x: Any) -> bool:
    """Say whether a value is a function or a class; another object that can be called holds values.

    Examples
    --------
    >>> is_code(len), is_code(np.exp), is_code(str), is_code(1.0)
    (True, True, True, False)
    """
    plain = types.FunctionType | types.BuiltinFunctionType | types.MethodType | np.ufunc | type
    return isinstance(x, plain) or callable(x) and type(x).__module__ in OPAQUE_MODULES


def lifted(function: Any) -> Any:
    """Give a local function; what it captures is passed beside it from here on."""
    return function


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
