"""A generator from which items are taken by hand: a list of what it yields, and the place of the next one.

    it = g(x)                  v = g(x); items = list(v); at = 0
    first = next(it)     ->    first = items[at]; at = at + 1
    for y in it: ...           while at < len(items): y = items[at]; at = at + 1; ...
    rest = list(it)            v = items[at:]; at = len(items); rest = list(v)

The generator runs to its end at once. Nobody can tell where it ends, does nothing but yield, raises nothing
by itself and reads nothing that is changed while it is in use.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.facts import Callee
from tapeless.analysis.interpret.iterators import AT_ONCE
from tapeless.externals import is_one_of
from tapeless.normalize.iterators_by_place import Place
from tapeless.specialize.generators import (
    changes_what_is_read,
    leaves,
    may_be_listed_early,
)
from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import stored_in
from tapeless.tree.build import assign, const, filled, quote, unshared
from tapeless.tree.endings import behind, blocks_of
from tapeless.tree.names import captured_names, is_named, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt


def taken_by_place(
    specializer: Specializer, s: Stmt, callee: Callee
) -> tuple[list[Stmt], dict[Any, list[Stmt]]] | None:
    """Write a generator that a name of the function stands for as a list, and all that takes items of it.

    Parameters
    ----------
    s
        The statement that calls the generator.
    callee
        The generator.

    Returns
    -------
    What stands in the place of the call, and what stands in that of each statement that takes items; None
    where that might mean something else.
    """
    key = getattr(s.targets[0], "id", "") if type(s) is gast.Assign else ""
    function = specializer.function
    if len(function.definitions.get(key, ())) != 1 or key in captured_names(function.tree):
        return None
    uses = _uses(specializer, key)
    if not uses or not may_be_listed_early(specializer, callee):
        return None
    changed = stored_in(specializer, behind(function.tree.body, s) or [])
    if changes_what_is_read(specializer, s, callee, changed):
        return None
    fresh = specializer.names.fresh
    yielded, place = fresh("v"), Place(fresh("items"), fresh("at"))
    start = quote("v = g\nx = list(v)", v=yielded, g=s.value, x=place.items)
    taking = _Taking(specializer, key, place)
    within = {part for use in uses for block in blocks_of(use) for t in block for part in nodes(t)}
    written = {use: taking.listed([unshared(use)]) for use in uses if use not in within}
    return [*start, assign(place.at, const(0))], written


def _uses(specializer: Specializer, key: str) -> list[Any]:
    """List the statements that take items of what a name stands for; none if it has another use."""
    own = nodes(specializer.function.tree, nested=False)
    reads = sum(is_named(p, key) and type(p.ctx) is gast.Load for p in own)
    found = [p for p in own if is_named(_source(specializer, p), key)]
    return found if len(found) == reads else []


def _source(specializer: Specializer, s: Any) -> Expr | None:
    """Return what a statement takes items of; None if that is not all that it does with it."""
    if type(s) is gast.For:
        counted = _calls(specializer, s.iter, (enumerate,)) and not leaves(s.body)
        return s.iter.args[0] if counted else s.iter
    call: Any = s.value if type(s) in (gast.Assign, gast.Expr) else None
    return call.args[0] if _calls(specializer, call, (next, *AT_ONCE)) else None


def _calls(specializer: Specializer, tree: Any, functions: tuple[Any, ...]) -> bool:
    """Whether a tree is a call of one of some functions, which takes items of its first argument."""
    if type(tree) is not gast.Call or not tree.args:
        return False
    return is_one_of(specializer.function.resolve(tree.func), functions)


class _Taking(Transformer):
    """Writes statements that take items by their place, and those within them."""

    def __init__(self, specializer: Specializer, key: str, place: Place) -> None:
        self.specializer = specializer
        self.key = key
        self.place = place

    def visit_For(self, tree: Any) -> Any:
        tree.body, tree.orelse = self.listed(tree.body), self.listed(tree.orelse)
        if is_named(tree.iter, self.key):
            return self.place.looped(tree)
        return self.of_the_rest(tree) if self.takes(tree) else tree

    def visit_Assign(self, tree: Any) -> Any:
        if not self.takes(tree):
            return tree
        if not _calls(self.specializer, tree.value, (next,)):
            return self.of_the_rest(tree)
        found = tree.targets[0].id if type(tree) is gast.Assign else self.fresh("v")
        return self.place.taken(found, next(iter(tree.value.args[1:]), None))

    visit_Expr = visit_Assign

    def fresh(self, hint: str) -> str:
        """Return a name that is free."""
        return self.specializer.names.fresh(hint)

    def takes(self, s: Stmt) -> bool:
        """Whether a statement takes items by its own."""
        return is_named(_source(self.specializer, s), self.key)

    def of_the_rest(self, s: Stmt) -> list[Any]:
        """Write a statement that takes all that is left."""
        rest = self.fresh("rest")
        start = quote("v = x[i:]\ni = len(x)", v=rest, x=self.place.items, i=self.place.at)
        return [*start, filled(s, {self.key: rest})]
