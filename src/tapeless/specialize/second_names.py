"""A number that has a name already needs no second one.

    v = 2.0 * y_0            ->   x_0 = 2.0 * y_0
    x_0 = v                       y_0 = x_0
    w = x_0
    y_0 = w

A name of the tool's own that only becomes another one is that other one from the start. One that is bound to
nothing but another name is left out, if that keeps its value until the last statement that reads the first
one. So what is recorded for the reverse sweep is recorded once, under the name that says most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from typing import Any

import gast

from tapeless.tree.build import fill, unshared
from tapeless.tree.endings import blocks_of
from tapeless.tree.names import binds, captured_names, nodes, parameters, reads
from tapeless.tree.trees import Stmt


def without_second_names(
    tree: gast.FunctionDef, authors: Container[str], said: Container[str]
) -> list[Any]:
    """Return the body of a function without names that are copies.

    Parameters
    ----------
    tree
        The function.
    authors
        The names that its author wrote: they stay.
    said
        These, and those that say which of them they are a part of.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> [f] = gast.parse('''
    ... def f(y_0):
    ...     v = 2.0 * y_0
    ...     x_0 = v
    ...     w = x_0
    ...     y_0 = w
    ...     return y_0''').body
    >>> body = without_second_names(f, {"y"}, {"y_0", "x_0"})
    >>> print(unparse(gast.Module(body, [])), end="")
    x_0 = 2.0 * y_0
    y_0 = x_0
    return y_0
    """
    body: list[Any] = unshared(tree.body)
    parts = [part for s in body for part in nodes(s)]
    names = [part for part in parts if type(part) is gast.Name]
    bound = Counter(part.id for part in names if type(part.ctx) is not gast.Load)
    bound.update(parameters(tree))
    read = Counter(part.id for part in names if type(part.ctx) is gast.Load)
    captured = captured_names(tree)

    def is_second(s: Stmt) -> bool:
        if type(s) is not gast.Assign or type(s.value) is not gast.Name:
            return False
        to = getattr(s.targets[0], "id", "")
        return bound[to] == 1 and not {to, s.value.id} & captured

    def becomes(block: list[Any], i: int) -> dict[str, str]:
        """Return by which name a temporary goes that this statement binds a better one to."""
        to, other = block[i].targets[0].id, block[i].value.id
        if to not in said or other in said or other in renamed or bound[other] != 1:
            return {}
        for j in reversed(range(i)):
            if other in binds(block[j]):
                plain = type(block[j]) is gast.Assign and to not in reads(block[j])
                return {other: to} if plain else {}
            if to in reads(block[j]):
                return {}
        return {}

    def without(block: list[Any]) -> None:
        for s in block:
            if type(s) is not gast.FunctionDef:  # its names are its own
                for inner in blocks_of(s):
                    without(inner)
        i = 0
        while i < len(block):
            second = is_second(block[i])
            better = becomes(block, i) if second else {}
            renamed.update(better)
            authors_own = second and block[i].targets[0].id in authors
            if better or second and not authors_own and _replaced(block, i, read):
                del block[i]
            else:
                i += 1

    renamed: dict[str, str] = {}
    without(body)
    return [fill(s, renamed) for s in body]


def _replaced(block: list[Any], i: int, read: Counter[str]) -> bool:
    """Write the other name for the one that a statement binds, if it stands for the same all the way."""
    to, other = block[i].targets[0].id, block[i].value.id
    left = read[to]
    for j in range(i + 1, len(block)):
        here = reads(block[j]).count(to)
        left -= here
        if left == 0:
            last_binds = other in binds(block[j])  # its reverse reads what it is computed from
            if not last_binds:
                for s in block[i + 1 : j + 1]:
                    fill(s, {to: other})
                read[other] += read[to] - 1
            return not last_binds
        if other in binds(block[j]):
            return False
    return False
