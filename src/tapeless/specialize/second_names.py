"""A number that has a name already needs no second one.

    v = y_0                  ->   w = 2.0 * y_0
    w = 2.0 * v                   y_0 = w
    y_0 = w

A name of the tool's own is left out if it is bound to nothing but another name, which keeps its value until
the last statement that reads the first one. So what is recorded for the reverse sweep is recorded once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import gast

from tapeless.tree.build import fill, unshared
from tapeless.tree.endings import blocks_of
from tapeless.tree.names import binds, captured_names, nodes, reads
from tapeless.tree.trees import Stmt


def without_second_names(tree: gast.FunctionDef, own: Callable[[str], bool]) -> list[Any]:
    """Return the body of a function without names of the tool's own that are copies.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> [f] = gast.parse('''
    ... def f(y_0):
    ...     v = y_0
    ...     w = 2.0 * v
    ...     y_0 = w
    ...     return y_0''').body
    >>> body = without_second_names(f, own=lambda key: key in ("v", "w"))
    >>> print(unparse(gast.Module(body, [])), end="")
    w = 2.0 * y_0
    y_0 = w
    return y_0
    """
    body: list[Any] = unshared(tree.body)
    parts = [part for s in body for part in nodes(s)]
    names = [part for part in parts if type(part) is gast.Name]
    bound = Counter(part.id for part in names if type(part.ctx) is not gast.Load)
    read = Counter(part.id for part in names if type(part.ctx) is gast.Load)
    captured = captured_names(tree)

    def is_second(s: Stmt) -> bool:
        if type(s) is not gast.Assign or type(s.value) is not gast.Name:
            return False
        to = getattr(s.targets[0], "id", "")
        return own(to) and bound[to] == 1 and not {to, s.value.id} & captured

    def without(block: list[Any]) -> None:
        for s in block:
            for inner in blocks_of(s):
                without(inner)
        i = 0
        while i < len(block):
            if is_second(block[i]) and _replaced(block, i, read):
                del block[i]
            else:
                i += 1

    without(body)
    return body


def _replaced(block: list[Any], i: int, read: Counter[str]) -> bool:
    """Write the other name for the one that a statement binds, if it stands for the same all the way."""
    to, other = block[i].targets[0].id, block[i].value.id
    left = read[to]
    for j in range(i + 1, len(block)):
        here = reads(block[j]).count(to)
        left -= here
        if left == 0:
            last_binds = other in binds(block[j]) and type(block[j]) is not gast.Assign
            if not last_binds:
                for s in block[i + 1 : j + 1]:
                    fill(s, {to: other})
                read[other] += read[to] - 1
            return not last_binds
        if other in binds(block[j]):
            return False
    return False
