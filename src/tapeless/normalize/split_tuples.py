"""Tuples that never leave the function are names side by side.

    p = (x, y)         ->   p_0 = x; p_1 = y
    u = p[1]           ->   u = p_1
    a, b = p           ->   a = p_0; b = p_1

A tuple is never stored into, so its items are as good as it is wherever only they are read. What is
bound more than once, is read as a whole, or is read by a nested function stays a tuple. An item that
was computed for the tuple alone, in the statements before it, needs no second name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from tapeless.tree.blocks import every_block
from tapeless.tree.build import as_store, assign, at_line_of, fill, name, name_tuple, unshared
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.signs import integer
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree


def split_tuples(function: CoreFunction) -> CoreFunction:
    """Return the items of tuples names of their own.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('''
    ... def f(x):
    ...     v = x * 2
    ...     p = (v, x)
    ...     a, b = p
    ...     return p[0] * b'''))
    >>> print(unparse(split_tuples(f).tree).strip())
    def f(x):
        v = x * 2
        p_1 = x
        a = v
        b = p_1
        return v * b
    """
    counts = {key: len(display.elts) for key, display in _displays(function).items()}
    return split(function, read_by_item(function, counts))


def _displays(function: CoreFunction) -> dict[str, Any]:
    """Find the names that are bound to a tuple written out."""
    return {
        part.targets[0].id: part.value
        for part in nodes(function.tree, nested=False)
        if type(part) is gast.Assign
        and type(part.targets[0]) is gast.Name
        and type(part.value) is gast.Tuple
        and not any(type(item) is gast.Starred for item in part.value.elts)
    }


def read_by_item(function: CoreFunction, counts: dict[str, int]) -> dict[str, int]:
    """Keep those names of tuples that are bound once and of which only items are read.

    Parameters
    ----------
    function
        A function in the core language.
    counts
        How many items each tuple has.
    """
    if not counts:
        return counts
    once = _bound_once(function)
    counts = {key: count for key, count in counts.items() if key in once}
    whole = _read_whole(function.tree, counts)
    return {key: count for key, count in counts.items() if key not in whole}


def split(function: CoreFunction, counts: dict[str, int]) -> CoreFunction:
    """Write the items of some tuples by name: what binds a tuple binds or unpacks them."""
    if not counts:
        return function
    fresh, once = Names(function.names()), _bound_once(function)
    function = function.with_body(unshared(function.tree.body))
    displays, alone = _displays(function), _computed_just_before(function.tree)
    items: dict[str, list[str]] = {}
    renamed: dict[str, str] = {}
    for key, count in counts.items():
        parts = displays[key].elts if key in displays else [None] * count
        items[key] = []
        for i, e in enumerate(parts):
            computed = type(e) is gast.Name and e.id in alone[key] & once
            own = computed and (e.id in function.own_names or key not in function.own_names)
            if computed and not own and e.id not in renamed:
                renamed[e.id] = fresh.fresh(f"{key}_{i}")  # named by the tuple it is computed for
            items[key].append(e.id if computed else fresh.fresh(f"{key}_{i}"))
    whole = _Splitter(counts, items).visit(gast.Module(function.tree.body, []))
    authors = function.own_names | function.items
    known = frozenset(renamed.get(i, i) for key in authors & set(items) for i in items[key])
    made = function.with_body(fill(whole, renamed).body)
    return replace(made, items=function.items | (known - function.own_names))


def _bound_once(function: CoreFunction) -> set[str]:
    """Collect the names that one statement binds, and no parameter."""
    seen: dict[str, int] = dict.fromkeys(function.parameters, 2)
    for part in nodes(function.tree, nested=False):
        if part is not function.tree and type(part) is gast.FunctionDef:
            seen[part.name] = 2
        elif type(part) is gast.Name and type(part.ctx) is not gast.Load:
            seen[part.id] = seen.get(part.id, 0) + 1
    return {key for key, count in seen.items() if count == 1}


def _read_whole(tree: Tree, counts: dict[str, int]) -> set[str]:
    """Collect the tuples of which more is read than items by number."""
    by_item = {
        id(part.value)
        for part in nodes(tree, nested=False)
        if isinstance(part, (gast.Subscript, gast.Assign)) and _reads_items(part, counts)
    }
    return {
        part.id
        for part in nodes(tree)
        if type(part) is gast.Name and type(part.ctx) is gast.Load and id(part) not in by_item
    }


def _reads_items(part: Tree, counts: dict[str, int]) -> bool:
    """Whether `p[1]` or `a, b = p` reads the items of one of the tuples."""
    if type(part.value) is not gast.Name or part.value.id not in counts:
        return False
    count = counts[part.value.id]
    if type(part) is gast.Subscript:
        number = integer(part.slice)
        return type(part.ctx) is gast.Load and number is not None and -count <= number < count
    place = part.targets[0]
    unpacked = type(place) in DISPLAYS and len(place.elts) == count
    return unpacked and all(type(item) is gast.Name for item in place.elts)


def _computed_just_before(tree: Tree) -> dict[str, set[str]]:
    """Collect for each name that is assigned the names bound in the run of assignments before it."""
    found: dict[str, set[str]] = {}
    for block, _ in every_block(tree.body):
        run: set[str] = set()
        for s in block:
            place = s.targets[0] if type(s) is gast.Assign else None
            if isinstance(place, gast.Name):
                found[place.id] = set(run)
                run.add(place.id)
            else:
                run = set()
    return found


class _Splitter(Transformer):
    """Write the statements of a function with the items of its tuples by name."""

    def __init__(self, counts: dict[str, int], items: dict[str, list[str]]) -> None:
        self.counts = counts
        self.items = items

    def visit_FunctionDef(self, tree: Tree) -> Any:
        return tree

    def visit_Assign(self, tree: Tree) -> Any:
        place = tree.targets[0]
        if type(place) is gast.Name and place.id in self.counts:
            made = self.bound_items(place.id, self.visit(tree.value))
        elif _reads_items(tree, self.counts):
            pairs = zip(place.elts, self.items[tree.value.id], strict=True)
            made = [assign(to.id, name(item)) for to, item in pairs]
        else:
            return self.generic_visit(tree)
        return [at_line_of(part, tree) for part in made]

    def bound_items(self, key: str, value: Expr) -> list[Any]:
        items = self.items[key]
        if type(value) is not gast.Tuple:
            return [assign(key, value), gast.Assign([as_store(name_tuple(items))], name(key), None)]
        pairs = zip(items, value.elts, strict=True)
        return [assign(to, e) for to, e in pairs if type(e) is not gast.Name or e.id != to]

    def visit_Subscript(self, tree: Tree) -> Any:
        if _reads_items(tree, self.counts):
            return name(self.items[tree.value.id][integer(tree.slice) or 0])
        return self.generic_visit(tree)
