"""Functions of a module that turn out alike are written once.

A function that is called with different sizes is differentiated for each; mostly the texts agree.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.tree.build import fill, unshared


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
    seen: dict[str, str] = {}
    for function in functions:
        text = _without_name(function)
        if text in seen and function.name != kept:
            return function.name, seen[text]
        seen.setdefault(text, function.name)
    return None


def _without_name(function: Any) -> str:
    anonymous = unshared(function)
    anonymous.name = ""
    text: str = gast.dump(fill(anonymous, {function.name: "_"}))
    return text
