"""A number that has a name already needs no second one.

    v = 2.0 * y_0            ->   x_0 = 2.0 * y_0
    x_0 = v                       y_0 = x_0
    w = x_0
    y_0 = w

A name of the tool's own that only becomes another one is that other one from the start. One that is bound to
nothing but another name is left out, if that keeps its value until the last statement that reads the first
one. So what is recorded for the reverse sweep is recorded once, under the name that says most.

A name of the author's stays, unless each trip of a loop binds it to what no trip changes: that need not be
recorded at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.tree.build import fill, unshared
from tapeless.tree.classes import LOOPS
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
    names_of_tree = _Names(authors, said, bound, read, captured_names(tree))
    names_of_tree.drop_seconds(body, None)
    return [fill(s, names_of_tree.renamed) for s in body]


@dataclass
class _Names:
    """The names of a function.

    Attributes
    ----------
    authors, said
        Those that its author wrote; these, and those that say which of them they are a part of.
    bound, read
        How often each is bound, and read.
    captured
        Those that functions defined in it read.
    renamed
        By which names temporaries go from now on.
    """

    authors: Container[str]
    said: Container[str]
    bound: Counter[str]
    read: Counter[str]
    captured: set[str]
    renamed: dict[str, str] = field(default_factory=dict)

    def drop_seconds(self, block: list[Any], changing: Container[str] | None) -> None:
        """Drop the statements of a block that bind a name to nothing but another one, where they can go.

        `changing` are the names that the outermost loop around the block binds, None outside of loops.
        """
        for s in block:
            if type(s) is not gast.FunctionDef:  # its names are its own
                bound = set(binds(s)) if changing is None and type(s) in LOOPS else changing
                for inner in blocks_of(s):
                    self.drop_seconds(inner, bound)
        i = 0
        while i < len(block):
            second = self._binds_second(block[i])
            better = self._better(block, i) if second else {}
            self.renamed.update(better)
            stays = second and self._stays(block[i], changing)
            if better or second and not stays and _replaced(block, i, self.read):
                del block[i]
            else:
                i += 1

    def _binds_second(self, s: Stmt) -> bool:
        """Whether a statement binds a name to another one, and nothing else ever binds it."""
        if type(s) is not gast.Assign or type(s.value) is not gast.Name:
            return False
        to = getattr(s.targets[0], "id", "")
        return self.bound[to] == 1 and not {to, s.value.id} & self.captured

    def _stays(self, s: Stmt, changing: Container[str] | None) -> bool:
        """Whether a name is the author's, and not only another one for what no trip of a loop changes."""
        constant = changing is not None and s.value.id not in changing
        return s.targets[0].id in self.authors and not constant

    def _better(self, block: list[Any], i: int) -> dict[str, str]:
        """Return by which name a temporary goes that this statement binds a better one to."""
        to, other = block[i].targets[0].id, block[i].value.id
        says_more = to in self.said and other not in self.said
        if not says_more or other in self.renamed or self.bound[other] != 1:
            return {}
        for j in reversed(range(i)):
            if other in binds(block[j]):
                plain = type(block[j]) is gast.Assign and to not in reads(block[j])
                return {other: to} if plain else {}
            if to in reads(block[j]):
                return {}
        return {}


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
