"""Loops and unpackings over objects.

for x in o: ...     ->   v = o.__iter__()
                         for x in v: ...                where o is an object
for p, q in zip(o, a): ...  ->  v = o.__iter__(); for p, q in zip(v, a): ...
for f in (u, v): ...        ->  f = u; ...; f = v; ...          where u and v have nothing in common
for f in t: ...             ->  f = t[0]; ...; f = t[1]; ...    where t is a tuple of such
for f, kw in t: f(x, **kw)  ->  f, kw = t[0]; ...; f, kw = t[1]; ...
for v in t: r.append(v)     ->  v = t[0]; r.append(v); v = t[1]; r.append(v)    before `f(*r)`
"""

from __future__ import annotations

from collections import abc
from typing import Any

import gast

from tapeless.analysis.interpret.special_calls import has_method, visited_by
from tapeless.externals import is_one_of
from tapeless.joins import join
from tapeless.kinds import (
    UNKNOWN,
    UNREACHED,
    Dict,
    Function,
    Functions,
    Kind,
    List,
    Sequence,
    Tuple,
)
from tapeless.specialize.function_values import reference
from tapeless.specialize.known_names import module_of
from tapeless.specialize.loops_over_changing import loop_over_changing
from tapeless.specialize.loops_over_iterators import loop_over_iterators
from tapeless.specialize.loops_over_keys import MOST_PARTS, items_written_out
from tapeless.specialize.state import Specializer
from tapeless.tree.build import (
    as_store,
    assign,
    at_line_of,
    const,
    filled,
    name,
)
from tapeless.tree.classes import FUNCTIONS
from tapeless.tree.endings import own_jumps
from tapeless.tree.names import binds_in_block, nodes, reads
from tapeless.tree.trees import Expr, Stmt, Tree

_BESIDE = (zip, enumerate, reversed)


def loop(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write `for` over an object as one over what its `__iter__` gives."""
    changing = loop_over_changing(specializer, s) or loop_over_unlike(specializer, s)
    if changing is not None:
        return changing
    if type(s.iter) is gast.Name and type(s.target) is gast.Tuple:
        if isinstance(specializer.kind(s.iter), List):  # of what an iterator gives
            key = specializer.names.fresh("item")
            body = [gast.Assign([s.target], name(key), None), *s.body]
            return [gast.For(as_store(name(key)), s.iter, body, s.orelse, None)]
    taken = loop_over_iterators(specializer, s)
    if taken is not None:
        return taken
    first: list[Stmt] = []
    iterable = begun(specializer, s.iter, first)
    if not first:
        return None
    return [*first, gast.For(s.target, iterable, specializer.inside(s).body, s.orelse, None)]


def begun(specializer: Specializer, tree: Expr, first: list[Stmt]) -> Expr:
    """Write what a loop goes through with what the `__iter__` of each object in it gives.

    The calls of `__iter__`, also of what stands in `zip` or `enumerate`, are put `first`.
    """
    if type(tree) is gast.Call and is_one_of(specializer.function.resolve(tree.func), _BESIDE):
        args = [begun(specializer, part, first) for part in tree.args]
        if all(arg is part for arg, part in zip(args, tree.args, strict=True)):
            return tree
        return gast.copy_location(gast.Call(tree.func, args, tree.keywords), tree)
    if _calls_method(specializer, tree):
        key = specializer.names.fresh("v")
        first.append(assign(key, tree))
        return name(key)
    if type(tree) not in (gast.Name, gast.Attribute) or visited_by(specializer.kind(tree)) is None:
        return tree
    if type(tree) is gast.Name and tree.id in specializer.iterators:
        return tree  # an object that is its own iterator
    key = specializer.names.fresh("v")
    first += specializer.begun(tree, key)
    return name(key)


def called_first(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write a call of a method in a header before the loop; None where there is none."""
    first: list[Stmt] = []
    if type(s) is not gast.For or not _calls_method(specializer, s.iter):
        return None
    iterable = begun(specializer, s.iter, first)
    return [*first, gast.For(s.target, iterable, s.body, s.orelse, None)]


def _calls_method(specializer: Specializer, tree: Expr) -> bool:
    """Whether a header goes through what a method of an object returns, written as one of a dict."""
    if type(tree) is not gast.Call or type(tree.func) is not gast.Attribute:
        return False
    return has_method(specializer.kind(tree.func.value), tree.func.attr)


def loop_over_unlike(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write a loop over things that have nothing in common out: of one item for all nothing is known.

    They stand in a tuple, or in a list that was written out and is never changed. So do functions of which
    the loop makes one, around each other: what it is changes from trip to trip.
    """
    found = _items_apart(specializer, s)
    if not found:
        return None
    apart = _is_mixed(specializer, found[1]) or _makes_function(specializer, s, found[1])
    return _item_by_item(s, found[0]) if apart else None


def _makes_function(specializer: Specializer, s: Stmt, kinds: abc.Sequence[Kind]) -> bool:
    """Whether a loop over functions may make a function of them, as `h = compose(h, f)` does."""
    if not all(isinstance(kind, (Function, Functions)) for kind in kinds):
        return False
    carried = binds_in_block(s.body).intersection(key for part in s.body for key in reads(part))
    return any(specializer.kind(name(key)) == UNKNOWN for key in carried)


def loop_that_fills(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write a loop out that fills a list which `*` spreads over arguments: it tells how many there are."""
    filled_here = {part.func.value.id for part in nodes(gast.Module(s.body, [])) if _appends(part)}
    found = _items_apart(specializer, s)
    if not found or filled_here.isdisjoint(_spread(specializer.function.tree)):
        return None
    return _item_by_item(s, found[0])


def _appends(part: Tree) -> bool:
    """Whether a part of a text adds an item to the list that a name stands for."""
    func: Any = part.func if type(part) is gast.Call else None
    return type(func) is gast.Attribute and func.attr == "append" and type(func.value) is gast.Name


def _spread(tree: Tree) -> set[str]:
    """Return the names of what a function spreads over arguments, and of what that is made of one by one."""
    parts = nodes(tree)
    found = {getattr(part.value, "id", "") for part in parts if type(part) is gast.Starred}
    made = [(part.targets[0], part.value) for part in parts if type(part) is gast.Assign]
    more = True
    while more:
        of = [value for to, value in made if getattr(to, "id", None) in found]
        of += [arg for value in of if type(value) is gast.Call for arg in value.args[:1]]
        more = bool({part.id for part in of if type(part) is gast.Name} - found)
        found |= {part.id for part in of if type(part) is gast.Name}
    return found


def _items_apart(specializer: Specializer, s: Stmt) -> tuple[list[Expr], abc.Sequence[Kind]] | None:
    """List the items of what a loop goes through, and their kinds, where it can be written out by them."""
    if s.orelse or any(own_jumps(part) for part in s.body):
        return None
    items, kinds = _items_of(specializer, s, s.iter)
    parts = [part for inner in s.body for part in nodes(inner)]
    many = len(items) * len(parts) > MOST_PARTS or any(type(part) in FUNCTIONS for part in parts)
    return None if many or not items else (items, kinds)


def _item_by_item(s: Stmt, items: list[Expr]) -> list[Stmt]:
    """Write what a loop does for each item."""
    return [
        at_line_of(part, s)
        for item in items
        for part in (gast.Assign([s.target], item, None), *(filled(inner, {}) for inner in s.body))
    ]


def _items_of(
    specializer: Specializer, s: Stmt, tree: Expr
) -> tuple[list[Expr], abc.Sequence[Kind]]:
    """List what a loop goes through item by item, and their kinds; nothing where that is not known."""
    if type(tree) is gast.Name:
        items = items_written_out(specializer, tree.id)
        if items:
            return items, [specializer.kind(item) for item in items]
        return _items_of_tuple(specializer, s, tree)
    if type(tree) is gast.Call and specializer.function.resolve(tree.func) is reversed:
        items, kinds = _items_of(specializer, s, tree.args[0])
        return items[::-1], kinds[::-1]
    return [], ()


def _items_of_tuple(
    specializer: Specializer, s: Stmt, tree: Any
) -> tuple[list[Expr], abc.Sequence[Kind]]:
    """List the items of a tuple, by their places, and their kinds; none if the loop binds its name."""
    kind = specializer.kind(tree)
    if not isinstance(kind, Tuple) or tree.id in binds_in_block([s]):
        return [], ()
    places = range(len(kind.items))
    return [gast.Subscript(tree, const(i), gast.Load()) for i in places], kind.items


def _is_mixed(specializer: Specializer, kinds: abc.Sequence[Kind]) -> bool:
    """Whether something is known of each item, and of what is one of them not what to call."""
    one: Kind = UNREACHED
    for kind in kinds:
        one = join(one, kind, "unlike")
    if any(type(kind) is Kind for kind in kinds):
        return False
    if isinstance(one, Functions):  # what stands in a class is told for each by itself
        return any(
            isinstance(option.value, type) or reference(specializer, option) is None
            for option in one.options
        )
    if all(map(module_of, kinds)):
        return module_of(one) is None
    if isinstance(one, Tuple):
        parts = zip(*(kind.items for kind in kinds if isinstance(kind, Tuple)), strict=True)
        return _holds_partners(one) or any(_is_mixed(specializer, part) for part in parts)
    return type(one) is Kind


def _holds_partners(kind: Tuple) -> bool:
    """Whether a tuple holds one of several functions beside arguments that go with one of them alone."""
    given = [part for part in kind.items if isinstance(part, (Dict, Sequence))]
    unlike = any(isinstance(part, Sequence) or len(part.regions) > 1 for part in given)
    return unlike and any(isinstance(part, Functions) for part in kind.items)


def unpacking(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write `a, b = o` as the unpacking of what `__iter__` gives, where `o` is an object."""
    if type(s.value) is not gast.Name or visited_by(specializer.kind(s.value)) is None:
        return None
    key = specializer.names.fresh("v")
    made = gast.Assign(s.targets, name(key), None)
    return [*specializer.begun(s.value, key), made]
