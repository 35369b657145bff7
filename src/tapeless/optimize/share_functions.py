"""Functions of a module that turn out alike are written once.

A function that is called with different sizes is differentiated for each; mostly the texts agree. Two
functions do the same if their texts agree but for the names of what they call, and what they call does
the same: of all ways to sort functions so, the one with the fewest sorts is found by splitting them until
all of one sort call functions of the same sorts, in the same places. So functions that call each other,
or themselves, are shared as well.

References
----------
E. F. Moore, "Gedanken-experiments on sequential machines", 1956, for the states of automata.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import gast

from tapeless.tree.build import fill, filled, is_same_tree
from tapeless.tree.names import nodes, parameters
from tapeless.tree.trees import Tree


def share_functions(functions: list[Any], kept: str) -> list[Any]:
    """Drop functions that do what another one does, and call that one instead: the one of the shortest name.

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
    ...     return x * f_1(x)
    ... def f_1(x):
    ...     return x * f_1(x)
    ... def g(x):
    ...     return f(x) + f_1(x)
    ... ''').body
    >>> for function in share_functions(functions, "g"):
    ...     print(unparse(function), end="")
    def f(x):
        return x * f(x)
    def g(x):
        return f(x) + f(x)
    """
    kept_of = {
        f: min(group, key=lambda f: len(f.name)) for group in _sorts(functions, kept) for f in group
    }
    renamed = {f.name: of.name for f, of in kept_of.items() if f is not of}
    left = [f for f in functions if kept_of[f] is f]
    for function in left:
        fill(function, renamed)
    return left


def _sorts(functions: list[Any], kept: str) -> list[list[Any]]:
    """Sort functions by what they do; the one that is `kept` is of a sort of its own."""
    by_outline = _parted([functions], lambda f: (f.name == kept, *_outline(f)))
    names = {f.name for f in functions}
    sorts = [part for group in by_outline for part in _of_one_text(group, names)]
    called = {
        f: [n.id for n in nodes(f) if type(n) is gast.Name and n.id in names] for f in functions
    }
    while True:
        number = {f.name: i for i, group in enumerate(sorts) for f in group}
        calls = {f: tuple(number[key] for key in called[f]) for f in called}
        split = _parted(sorts, calls.__getitem__)
        if len(split) == len(sorts):
            return sorts
        sorts = split


def _parted(groups: list[list[Any]], key: Callable[[Any], Hashable]) -> list[list[Any]]:
    """Part each group by a key; what was first stays first."""
    made: list[list[Any]] = []
    for group in groups:
        parts: dict[Hashable, list[Any]] = {}
        for f in group:
            parts.setdefault(key(f), []).append(f)
        made += parts.values()
    return made


def _outline(function: Tree) -> tuple[Any, ...]:
    """Return what tells most functions apart at a glance."""
    return (len(parameters(function)), *map(type, function.body))


def _of_one_text(group: list[Any], names: set[str]) -> list[list[Any]]:
    """Part functions by their texts, in which all functions of the module have one name."""
    if len(group) == 1:
        return [group]
    made: list[tuple[Any, list[Any]]] = []
    for function in group:
        text = filled(function, dict.fromkeys(names, "_"))
        text.name = "_"
        alike = next((found for first, found in made if is_same_tree(first, text)), None)
        if alike is None:
            made.append((text, [function]))
        else:
            alike.append(function)
    return [found for _, found in made]
