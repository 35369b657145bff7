"""Functions of a module that turn out alike are written once.

A function that is called with different sizes is differentiated for each; mostly the texts agree.
"""

from __future__ import annotations

from typing import Any

from tapeless.tree.build import fill, is_same_tree, unshared
from tapeless.tree.names import parameters
from tapeless.tree.trees import Tree


def share_functions(functions: list[Any], kept: str) -> list[Any]:
    """Drop functions that equal an earlier one but for their name, and call that one instead.

    Parameters
    ----------
    functions
        The definitions of a module; they are changed.
    kept
        The name of the function that was asked for.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> functions = gast.parse('''
    ... def f(x):
    ...     return x * x
    ... def f_1(x):
    ...     return x * x
    ... def g(x):
    ...     return f(x) + f_1(x)
    ... ''').body
    >>> for function in share_functions(functions, "g"):
    ...     print(unparse(function), end="")
    def f(x):
        return x * x
    def g(x):
        return f(x) + f(x)
    """
    while True:
        renamed = _first_double(functions, kept)
        if renamed is None:
            return functions
        old, new = renamed
        functions = [f for f in functions if f.name != old]
        for function in functions:
            fill(function, {old: new})


def _first_double(functions: list[Any], kept: str) -> tuple[str, str] | None:
    for i, function in enumerate(functions):
        if function.name == kept:
            continue
        for earlier in functions[:i]:
            if _outline(earlier) == _outline(function) and _are_alike(earlier, function):
                return function.name, earlier.name
    return None


def _outline(function: Tree) -> tuple[Any, ...]:
    """Return what tells most functions apart at a glance."""
    return (len(parameters(function)), *map(type, function.body))


def _are_alike(a: Tree, b: Tree) -> bool:
    return is_same_tree(_without_name(a), _without_name(b))


def _without_name(function: Tree) -> Any:
    anonymous = unshared(function)
    anonymous.name = ""
    return fill(anonymous, {function.name: "_"})
