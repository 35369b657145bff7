"""Loops over objects that are their own iterators, alone or beside other things.

for x in o: ...                  ->   while True:
                                          try: x = o.__next__()
                                          except StopIteration: break
                                          ...
for i, x in enumerate(o): ...    ->   k = 0
                                      while True:
                                          i = k
                                          try: x = o.__next__()
                                          except StopIteration: break
                                          k = k + 1
                                          ...

What stands beside them is read by index: `zip` asks its iterables in order, and stops at the first that ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.analysis.interpret.special_calls import is_own_iterator
from tapeless.specialize.loops_over_changing import Visit
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, const, name, quote
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Expr, Stmt


@dataclass
class _OneByOne(Visit):
    """Takes one item of each iterable in every trip; the first that ends runs the `end` of the loop."""

    end: str = field(kw_only=True)

    def bind(self, place: Expr, tree: Expr) -> bool:
        if type(tree) is not gast.Call or self.specializer.function.resolve(tree.func) is not range:
            return super().bind(place, tree)
        first, *others = tree.args
        if len(others) > 1 or tree.keywords:
            return False  # it has a step
        number, stop, start = map(self.specializer.names.fresh, ("i", "stop", "start"))
        self.sources[stop] = (others or [first])[0]
        if others:
            self.sources[start] = first
        count = gast.BinOp(name(self.k), gast.Add(), name(start)) if others else name(self.k)
        text = f"if i >= n:\n    {self.end}"
        self.reads += [assign(number, count), *quote(text, i=number, n=stop)]
        self.reads.append(gast.Assign([place], name(number), None))
        return True

    def read(self, place: Expr, tree: Expr) -> bool:
        if is_given(self.specializer, tree):
            key = self.specializer.names.fresh("item")
            text = f"try:\n    v = x.__next__()\nexcept StopIteration:\n    {self.end}"
            self.reads += quote(text, v=key, x=tree)
            self.reads.append(gast.Assign([place], name(key), None))
            return True
        at = len(self.reads)
        known = super().read(place, tree)
        for key in list(self.sources)[-1:] if known else ():
            self.reads[at:at] = quote(f"if k >= len(x):\n    {self.end}", k=self.k, x=key)
        return known


def is_given(specializer: Specializer, tree: Expr) -> bool:
    """Whether a name is of an iterator that `__iter__` gave, and that the user wrote."""
    named = type(tree) is gast.Name and tree.id in specializer.iterators
    return named and is_own_iterator(specializer.kind(tree))


def loop_over_iterators(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write a loop over iterators that the user wrote out; None for others."""
    if not any(is_given(specializer, part) for part in nodes(s.iter)):
        return None
    more = specializer.names.fresh("more")
    end = f"{more} = False\n    continue" if s.orelse else "break"
    visit = _OneByOne(specializer, specializer.names.fresh("k"), end=end)
    if not visit.bind(s.target, s.iter):
        specializer.refuse(
            s.iter,
            "what stands beside an object with `__next__` here cannot be read by index",
            "put it in a list first",
        )
    counted = any(visit.k in reads(part) for part in visit.reads)
    counting = quote("k = k + 1", k=visit.k) if counted else []
    body = [*visit.reads, *counting, *s.body]
    held: list[Any] = [assign(key, tree) for key, tree in visit.sources.items()]
    held += [assign(visit.k, const(0))] if counted else []
    return [*held, *_endless(body, more, s.orelse)]


def _endless(body: list[Any], more: str, orelse: Sequence[Any]) -> list[Stmt]:
    """Write a loop that its body ends; what stands in `else` runs where `more` is False in the end."""
    if not orelse:
        return [gast.While(const(True), body, [])]
    return [assign(more, const(True)), gast.While(name(more), body, orelse)]
