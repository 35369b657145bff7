"""Iterators that are taken from by hand: the sequence, and the place of the next item.

it = iter(x)          ->   items = sequence(x); at = 0
v = next(it)          ->   if at >= len(items): raise StopIteration
                           v = items[at]; at = at + 1
for v in it: ...      ->   while at < len(items): v = items[at]; at = at + 1; ...

A name counts as such an iterator where all that is done with it is to take items.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.externals import MISSING, is_one_of
from tapeless.normalize.escape import made_by
from tapeless.tree.build import quote
from tapeless.tree.classes import ITERATIONS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, children, nodes
from tapeless.tree.trees import Expr, Stmt, Tree

_USING_UP = (next, list, tuple, sum, max, min, sorted, set)
_ENDLESS = (itertools.count, itertools.cycle, itertools.repeat)


@dataclass(frozen=True)
class Place:
    """The names for the sequence that an iterator goes through, and for the place it has come to."""

    items: str
    at: str

    def taken(self, found: str, default: Expr) -> list[Any]:
        """Write `found = next(it, default)`; without a default the end is an error."""
        take = "v = x[i]\ni = i + 1"
        holes: dict[str, Any] = {"v": found, "x": self.items, "i": self.at}
        if default is None:
            return quote(f"if i >= len(x):\n    raise StopIteration\n{take}", **holes)
        return quote(
            "if i < len(x):\n    v = x[i]\n    i = i + 1\nelse:\n    v = d", d=default, **holes
        )

    def looped(self, loop: Stmt) -> Any:
        """Write `for v in it` as a loop that takes items while there are any."""
        [test] = quote("i < len(x)", i=self.at, x=self.items)
        item = gast.Subscript(gast.Name(self.items, gast.Load(), None, None),
                              gast.Name(self.at, gast.Load(), None, None), gast.Load())  # fmt: skip
        take = gast.Assign([loop.target], item, None)
        step = quote("i = i + 1", i=self.at)
        return gast.While(test.value, [take, *step, *loop.body], loop.orelse)


def places_of_iterators(function: CoreFunction, names: Names) -> dict[str, Place]:
    """Return the iterators of a function from which items are taken, and nothing else is done with."""
    own = nodes(function.tree, nested=False)
    made = [p for p in own if made_by(p, function) is iter and _may_end(p.value, function)]
    found: dict[str, Place] = {}
    for key in dict.fromkeys(p.targets[0].id for p in made if type(p) is gast.Assign):
        everywhere = [p for p in nodes(function.tree) if getattr(p, "id", None) == key]
        inside = [p for p in own if type(p) is gast.Name and p.id == key]
        bound = [p for p in inside if type(p.ctx) is not gast.Load]
        assigned = [p for p in made if type(p) is gast.Assign and p.targets[0].id == key]
        parents = {c: p for p in own for c in children(p)}
        reads = [p for p in inside if type(p.ctx) is gast.Load]
        taken = all(_takes(parents.get(p), p, function) for p in reads)
        if len(everywhere) == len(inside) and len(bound) == len(assigned) and taken and reads:
            found[key] = Place(names.fresh("items"), names.fresh("at"))
    return found


def _may_end(call: Expr, function: CoreFunction) -> bool:
    if len(call.args) != 1 or call.keywords or type(call.args[0]) is gast.Starred:
        return False
    called = [function.resolve(p.func) for p in nodes(call.args[0]) if type(p) is gast.Call]
    return not any(is_one_of(found, _ENDLESS) for found in called)


def _takes(parent: Tree, use: Tree, function: CoreFunction) -> bool:
    """Whether a read of an iterator takes items from it."""
    if type(parent) is gast.Call and parent.args[:1] == [use]:
        found = function.resolve(parent.func)
        return found is not MISSING and is_one_of(found, _USING_UP)
    return type(parent) in ITERATIONS and parent.iter is use
