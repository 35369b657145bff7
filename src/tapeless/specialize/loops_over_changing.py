"""Loops over arrays and lists that their bodies store into, as reads by index.

for x in a: ...                        ->   for k in range(len(a)): x = a[k]; ...
for x in items: ...                    ->   while k < len(items): x = items[k]; k = k + 1; ...
for i, (x, y) in enumerate(zip(a, b)): ...
                                       ->   while k < len(a) and k < len(b):
                                                i = k; x = a[k]; y = b[k]; k = k + 1; ...

An item is read when it is reached; a list may grow or shrink on the way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.kinds import Array, List, Sequence, Tuple, is_number, regions_of
from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import stored_in
from tapeless.tree.build import as_store, assign, const, name, quote, quote_expression
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt


@dataclass
class Visit:
    """What a loop goes through, side by side, and the statements that begin each of its trips.

    Attributes
    ----------
    specializer
        Knows what is read.
    k
        The name of the index.
    sources
        The names of what is read by index, and what they are bound to before the loop.
    reads
        The statements that bind what the header bound.
    """

    specializer: Specializer
    k: str
    sources: dict[str, Expr] = field(default_factory=dict)
    reads: list[Any] = field(default_factory=list)

    def bind(self, place: Expr, tree: Expr) -> bool:
        """Bind a place to what is reached of an iterable; False where it cannot be read by index."""
        if type(tree) is gast.Call:
            found = self.specializer.function.resolve(tree.func)
            if found is enumerate and tree.args:
                return self._numbered(place, tree)
            return found is zip and not tree.keywords and self._side_by_side(place, tree.args)
        return type(tree) is gast.Name and self.read(place, tree)

    def read(self, place: Expr, tree: Expr) -> bool:
        """Bind a place to the next item of what a name stands for; False where it has no items by index."""
        if not self._is_indexable(tree):
            return False
        key = self.specializer.names.fresh(tree.id)
        self.sources[key] = tree
        self.reads.append(gast.Assign([place], quote_expression("x[k]", x=key, k=self.k), None))
        return True

    def _numbered(self, place: Expr, tree: Expr) -> bool:
        if type(place) not in DISPLAYS or len(place.elts) != 2:
            return False
        start = ([*tree.args[1:], *(keyword.value for keyword in tree.keywords)] or [None])[0]
        count = name(self.k) if start is None else gast.BinOp(name(self.k), gast.Add(), start)
        self.reads.append(gast.Assign([place.elts[0]], count, None))
        return self.bind(place.elts[1], tree.args[0])

    def _side_by_side(self, place: Expr, parts: list[Any]) -> bool:
        if type(place) in DISPLAYS:
            starred = any(type(item) is gast.Starred for item in place.elts)
            if starred or len(place.elts) != len(parts):
                return False
            return all(map(self.bind, place.elts, parts))
        keys = [self.specializer.names.fresh("item") for _ in parts]
        known = all(
            self.bind(as_store(name(key)), part) for key, part in zip(keys, parts, strict=True)
        )
        self.reads.append(assign(place, gast.Tuple([name(key) for key in keys], gast.Load())))
        return known

    def _is_indexable(self, tree: Expr) -> bool:
        kind = self.specializer.kind(tree)
        if isinstance(kind, Tuple):
            return all(map(is_number, kind.items))
        return isinstance(kind, (List, Sequence)) or isinstance(kind, Array) and bool(kind.dims)


def loop_over_changing(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write a loop over arrays or lists that its body stores into as reads by index; None for others."""
    if not _changes(specializer, s):
        return None
    visit = Visit(specializer, specializer.names.fresh("k"))
    if not visit.bind(s.target, s.iter):
        return None
    held = [assign(key, tree) for key, tree in visit.sources.items()]
    bounds = [quote_expression("len(x)", x=key) for key in visit.sources]
    k = visit.k
    if not any(isinstance(specializer.kind(tree), List) for tree in visit.sources.values()):
        least = bounds[0] if len(bounds) == 1 else gast.Call(name("min"), bounds, [])
        header = gast.Call(name("range"), [least], [])
        return [*held, gast.For(as_store(name(k)), header, [*visit.reads, *s.body], s.orelse, None)]
    tests = [gast.Compare(name(k), [gast.Lt()], [bound]) for bound in bounds]
    test = tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)
    loop = gast.While(test, [*visit.reads, *quote("k = k + 1", k=k), *s.body], s.orelse)
    return [*held, assign(k, const(0)), loop]


def _changes(specializer: Specializer, s: Stmt) -> bool:
    """Whether a loop goes through a list, or an array of numbers, that its body stores into."""
    visited = [specializer.kind(part) for part in nodes(s.iter) if type(part) is gast.Name]
    met = [k for k in visited if isinstance(k, List) or isinstance(k, Array) and len(k.dims) == 1]
    stored = stored_in(specializer, s.body) if met else set()
    return any(regions_of(kind) & stored for kind in met)
