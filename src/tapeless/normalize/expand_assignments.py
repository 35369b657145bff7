"""Every assignment binds one place, or unpacks one name into names.

a = b = e          ->  v = e; a = v; b = v
a, (b, c[i]) = e   ->  v = e; a, v_1 = v; b, v_2 = v_1; c[i] = v_2
a, b = x, y        ->  v = x; v_1 = y; a = v; b = v_1
a, *b = e          ->  v = sequence(e); a = v[0]; b = list(v[1:])
a, b, b = e        ->  v = e; a, b_1, b = v
a, b = a           ->  v = a; a, b = v
a, b = (e for c in d)  ->  v = [e for c in d]; a, b = v
a, b = zip(*e)     ->  v = e; a = tuple([row[0] for row in v]); b = tuple([row[1] for row in v])
del a[i]           ->  a.__delitem__(i)
x: float = e       ->  x = e
"""

from __future__ import annotations

import itertools
from typing import Any

import gast
import numpy as np

from tapeless.externals import constant, is_one_of
from tapeless.normalize.expand_comprehensions import as_comprehension
from tapeless.runtime import sequence, shortest
from tapeless.tree.build import (
    as_load,
    assign,
    at_line_of,
    const,
    name,
    quote,
    quote_expression,
    target,
)
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree

# Iterators whose items are tuples.
_MAKE_TUPLES: tuple[Any, ...] = (
    np.ndindex, itertools.product, itertools.combinations, itertools.permutations,
    itertools.combinations_with_replacement, itertools.zip_longest, itertools.pairwise,
)  # fmt: skip
_VIEWS = ("items", "values")  # methods of dicts


class Expander(Transformer):
    """Rewrites assignments, `del` and the targets of loops."""

    def __init__(self, function: CoreFunction, names: Names) -> None:
        self.function = function
        self.names = names

    def visit_AnnAssign(self, tree: Tree) -> Any:
        if tree.value is None:
            return at_line_of(gast.Pass(), tree)
        return self.visit(at_line_of(gast.Assign([tree.target], tree.value, None), tree))

    def visit_Assign(self, tree: Tree) -> Any:
        tree.targets = [self.bound_once(place) for place in tree.targets]
        if len(tree.targets) == 1:
            made = self.bind(tree.targets[0], tree.value)
        else:
            shared = self.names.fresh("v")
            made = [assign(shared, tree.value)]
            for place in tree.targets:
                made += self.bind(place, name(shared))
        return [at_line_of(statement, tree) for statement in made]

    def visit_For(self, tree: Tree) -> Any:
        tree = self.generic_visit(tree)
        target_tree, unpacking = self.loop_target(self.bound_once(tree.target), tree.iter)
        tree.target = target_tree
        tree.body = [at_line_of(s, tree) for s in unpacking] + tree.body
        return tree

    def bound_once(self, place: Expr) -> Any:
        """Name apart what a target binds by one name, of which the last stays: `a, _, _ = e`."""
        bound: list[Any] = [part for part in gast.walk(place) if type(part) is gast.Name]
        read = {part.id for part in bound if type(part.ctx) is gast.Load}
        stored = [part for part in bound if type(part.ctx) is gast.Store and part.id not in read]
        for i, part in enumerate(stored):
            if any(later.id == part.id for later in stored[i + 1 :]):
                part.id = self.names.fresh("unused" if part.id == "_" else part.id)
        return place

    def loop_target(self, place: Expr, iterable: Expr | None) -> tuple[Any, list[Any]]:
        """Keep tuples of names where the iterable makes such tuples; unpack the rest in the body."""
        if type(place) is gast.Name:
            return place, []
        if type(place) in DISPLAYS and not any(type(e) is gast.Starred for e in place.elts):
            sources = self.sources(iterable, len(place.elts))
            if len(sources) == len(place.elts):
                pairs = zip(place.elts, sources, strict=True)
                parts = [self.loop_target(item, source) for item, source in pairs]
                kept = gast.Tuple([p for p, _ in parts], gast.Store())
                return kept, [s for _, made in parts for s in made]
        item = self.names.fresh("item")
        return target(item), self.bind(place, name(item))

    def bind(self, place: Expr, value: Expr) -> list[Any]:
        if type(place) not in DISPLAYS:
            return [assign(place, value)]
        if any(type(item) is gast.Starred for item in place.elts):
            return self.bind_starred(place.elts, value)
        literal = type(value) in DISPLAYS and len(value.elts) == len(place.elts)
        if literal and not any(type(e) is gast.Starred for e in value.elts):
            return self.bind_each(place.elts, value.elts)
        named = all(type(item) is gast.Name for item in place.elts)
        if named and is_zip_of_rows(self.function, value) and not value.keywords:
            return self.bind_columns(place.elts, value.args[0].value)
        made: list[Any] = []
        bound = [item.id for item in place.elts if type(item) is gast.Name]
        if (
            type(value) is not gast.Name or value.id in bound
        ):  # the adjoints of both are needed at once
            source = self.names.fresh("v")
            made.append(assign(source, self.used_up(_gone_through(value))))
            value = name(source)
        later: list[Any] = []
        parts: list[Any] = []
        for item in place.elts:
            if type(item) is gast.Name:
                parts.append(target(item.id))
            else:
                part = self.names.fresh("v")
                parts.append(target(part))
                later += self.bind(item, name(part))
        return [*made, gast.Assign([gast.Tuple(parts, gast.Store())], value, None), *later]

    def used_up(self, value: Expr) -> Any:
        """Return what is unpacked as a list where it is lazy, for unpacking uses it up at once."""
        if type(value) is gast.Call and type(value.func) is not gast.Name:
            return value
        made = as_comprehension(value, self.function, self.names)
        return value if made is None else at_line_of(made, value)

    def sources(self, iterable: Any, places: int) -> list[Any]:
        """Return what each part of the tuples goes through that an iterable certainly makes.

        An empty list where it may make something else, and None for a part that is no tuple for certain.
        """
        if type(iterable) is not gast.Call:
            return []
        found = self.function.resolve(iterable.func)
        if is_one_of(found, _MAKE_TUPLES):
            return [None] * places
        if any(type(part) is gast.Starred for part in iterable.args):
            return []
        if found is zip:
            return list(iterable.args)
        if found is enumerate:
            return [None, *iterable.args[:1]]
        return [None, None] if getattr(iterable.func, "attr", "") == "items" else []

    def bind_columns(self, places: list[Any], rows: Expr) -> list[Any]:
        """Write `a, b = zip(*rows)` column by column: what stands in each may be of its own kind.

        Where there are more columns, or fewer, Python raises, and so does this.
        """
        source, row, count = self.names.fresh("rows"), self.names.fresh("row"), len(places)
        rows = self.used_up(_gone_through(rows))
        if type(rows) is gast.Call:  # it may give them once
            rows = gast.Call(self.helper(sequence), [rows], [])
        shown = f"there are {count} names for the columns of {source}, whose number is another"
        made: list[Any] = [
            assign(source, rows),
            *quote(
                "if shortest(v) != n: raise ValueError(t)",
                shortest=self.helper(shortest), v=source, n=const(count), t=const(shown),
            ),
        ]  # fmt: skip
        for i, place in enumerate(places):
            text = "tuple([row[i] for row in v])"
            made.append(assign(place.id, quote_expression(text, row=row, v=source, i=const(i))))
        return made

    def helper(self, function: Any) -> Any:
        """Return the name by which the function reaches a runtime helper."""
        key = self.names.fresh(function.__name__)
        self.function.externals[key] = constant(function, function.__name__)
        return name(key)

    def bind_starred(self, places: list[Any], value: Expr) -> list[Any]:
        """Write `a, *b, c = v` as reads of the items and a list of the rest."""
        source = self.names.fresh("v")
        whole = self.used_up(_gone_through(value))
        if not isinstance(whole, (gast.Tuple, gast.List, gast.ListComp)):
            whole = gast.Call(self.helper(sequence), [whole], [])
        made: list[Any] = [assign(source, whole)]
        star = next(i for i, item in enumerate(places) if type(item) is gast.Starred)
        after = len(places) - 1 - star
        for i, place in enumerate(places):
            if i == star:
                text = "list(v[i:])" if after == 0 else "list(v[i:-n])"
                item = quote_expression(text, v=source, i=const(star), n=const(after))
                made += self.bind(place.value, item)
            else:
                at = const(i if i < star else i - len(places))
                made += self.bind(place, gast.Subscript(name(source), at, gast.Load()))
        return made

    def visit_Delete(self, tree: Tree) -> Any:
        """Write `del x[i]` and `del x.a` as the calls that they are; what they mean depends on `x`."""
        made: list[Any] = []
        for place in tree.targets:
            if type(place) is gast.Subscript:
                called = quote_expression(
                    "x.__delitem__(i)", x=as_load(place).value, i=index_of(place)
                )
                made.append(at_line_of(gast.Expr(called), tree))
            elif type(place) is gast.Attribute:
                called = quote_expression("delattr(x, k)", x=place.value, k=const(place.attr))
                made.append(at_line_of(gast.Expr(called), tree))
        return made or at_line_of(gast.Pass(), tree)

    def bind_each(self, places: list[Any], values: list[Any]) -> list[Any]:
        """Evaluate all values, then bind all places, as Python does."""
        if len(places) == 1:
            return self.bind(places[0], values[0])
        made: list[Any] = []
        sources: list[Any] = []
        for value in values:
            if type(value) is gast.Constant:
                sources.append(value)
                continue
            source = self.names.fresh("v")
            made.append(assign(source, value))
            sources.append(name(source))
        for place, value in zip(places, sources, strict=True):
            made += self.bind(place, value)
        return made


def _gone_through(value: Expr) -> Any:
    """Write a list of what a dict has, where it is taken apart, or gone through more than once."""
    is_view = getattr(getattr(value, "func", None), "attr", "") in _VIEWS
    return quote_expression("list(v)", v=value) if is_view else value


def is_zip_of_rows(function: CoreFunction, tree: Tree) -> bool:
    """Whether an expression is `zip(*rows)`."""
    zips = type(tree) is gast.Call and function.resolve(tree.func) is zip
    return zips and len(tree.args) == 1 and type(tree.args[0]) is gast.Starred


def index_of(place: Expr) -> Any:
    """Return the index of a place as a value: `a:b` as `slice(a, b)`."""
    index = as_load(place).slice
    if type(index) is not gast.Slice:
        return index
    ends = [index.lower, index.upper] + ([] if index.step is None else [index.step])
    return gast.Call(name("slice"), [end or const(None) for end in ends], [])


def expand_assignments(function: CoreFunction) -> CoreFunction:
    """Make every assignment bind one place or unpack one name.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(x, y):\\n    x, y = y, x\\n    return x'))
    >>> print(unparse(expand_assignments(f).tree).strip())
    def f(x, y):
        v = y
        v_1 = x
        x = v
        y = v_1
        return x
    """
    expander = Expander(function, Names(function.names()))
    return function.with_body(expander.listed(function.tree.body))
