"""Trees are written as Python text.

`quote("x = f(y)", f=expr)` parses the text and fills the names given as keywords with trees, so a
transformation reads like the code that it makes. Everything returned is new: filling copies what it
puts in, so no part of a tree ever stands in two places.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, cast

import gast

from tapeless.tree.classes import Plainly
from tapeless.tree.fields import PART_FIELDS
from tapeless.tree.names import all_names, binds_in_block, nodes, parameters
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree


def name(identifier: str) -> gast.Name:
    """Make a name that is read."""
    return gast.Name(identifier, gast.Load(), None, None)


def target(identifier: str) -> gast.Name:
    """Make a name that is bound."""
    return gast.Name(identifier, gast.Store(), None, None)


def const(value: Expr) -> gast.Constant:
    """Make a literal."""
    return gast.Constant(value, None)


def is_literal(value: Any) -> bool:
    """Whether a value may be written down as a literal, though `inf` and `nan` have no text of their own.

    Examples
    --------
    >>> is_literal(0.5), is_literal(None), is_literal((1, 2))
    (True, True, False)
    """
    return type(value) in (type(None), bool, int, float, str)


def has_text(value: Any) -> bool:
    """Whether the `repr` of a value is a literal that Python reads as the same value.

    Examples
    --------
    >>> has_text(0.5), has_text(math.inf)
    (True, False)
    """
    return is_literal(value) and (type(value) is not float or math.isfinite(value))


def call(function: str | gast.AST, *args: gast.AST, **keywords: gast.AST) -> gast.Call:
    """Make a call; a dotted name can be given as text."""
    func = quote_expression(function) if isinstance(function, str) else unshared(function)
    return gast.Call(
        func,
        [unshared(a) for a in args],
        [gast.keyword(key, unshared(value)) for key, value in keywords.items()],
    )


def slice_call(index: gast.Slice) -> gast.Call:
    """Write `a:b:c` as the call that makes the same slice: `slice(a, b, c)`."""
    ends = [const(None) if p is None else p for p in (index.lower, index.upper, index.step)]
    return gast.Call(name("slice"), ends, [])


def assign(to: str | gast.AST, value: gast.AST) -> gast.Assign:
    """Make an assignment to a name or a place."""
    place = target(to) if isinstance(to, str) else as_store(to)
    return gast.Assign([place], value, None)


def add_in_place(to: str | gast.AST, value: gast.AST) -> gast.AugAssign:
    """Make `to += value`."""
    place = target(to) if isinstance(to, str) else as_store(to)
    return gast.AugAssign(place, gast.Add(), value)


def as_store(place: gast.AST) -> gast.AST:
    """Copy a place (name, subscript, attribute, tuple of them) as something that is bound."""
    place = unshared(place)
    if isinstance(place, (gast.Tuple, gast.List)):
        place.elts = [as_store(item) for item in place.elts]
    if type(place) is gast.Starred:
        place.value = as_store(place.value)
    if type(place.ctx) is not Plainly:
        place.ctx = gast.Store()
    return place


def plainly(place: gast.AST) -> gast.AST:
    """Copy an attribute as one that is stored past what its owner's class says of stores."""
    place = as_store(place)
    place.ctx = Plainly()
    return place


def as_load(place: gast.AST) -> gast.AST:
    """Copy a place as something that is read."""
    place = unshared(place)
    if isinstance(place, (gast.Tuple, gast.List)):
        place.elts = [as_load(item) for item in place.elts]
    if "ctx" in place._fields:
        place.ctx = gast.Load()
    return place


def name_tuple(identifiers: Iterable[str]) -> gast.Tuple:
    """Make a tuple of names that are read."""
    return gast.Tuple([name(i) for i in identifiers], gast.Load())


@lru_cache(maxsize=2048)
def _parsed(text: str) -> gast.Module:
    tree = gast.parse(text)
    for part in gast.walk(tree):  # a line is given to it where it is put
        for key in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            part.__dict__.pop(key, None)
    return tree


def quote(text: str, **holes: gast.AST | str) -> list[gast.AST]:
    """Parse statements and fill their holes.

    Examples
    --------
    >>> [statement] = quote("x_bar = g * y", g=quote_expression("a + b"))
    >>> gast.dump(statement.value.left.op)
    'Add()'
    """
    filled = fill(unshared(_parsed(text)), holes)
    return cast(list[gast.AST], filled.body)


def quote_expression(text: str, **holes: gast.AST | str) -> gast.AST:
    """Parse one expression and fill its holes."""
    [statement] = quote(text, **holes)
    return cast(gast.AST, statement.value)


class _Filler(Transformer):
    def __init__(self, holes: Mapping[str, gast.AST | str]) -> None:
        self.holes = holes

    def visit_Name(self, tree: gast.Name) -> gast.AST:
        hole = self.holes.get(tree.id)
        if hole is None:
            return tree
        if isinstance(hole, str):
            return gast.copy_location(gast.Name(hole, tree.ctx, None, None), tree)
        put: Any = as_store(hole) if type(tree.ctx) is gast.Store else unshared(hole)
        if type(put) is gast.Name and getattr(put, "lineno", None) is None:
            gast.copy_location(put, tree)
        return cast(gast.AST, put)

    def visit_FunctionDef(self, tree: gast.FunctionDef) -> gast.AST:
        hole = self.holes.get(tree.name)
        if isinstance(hole, str):
            tree.name = hole
        return self.inner_scope(tree)

    def visit_Lambda(self, tree: gast.Lambda) -> gast.AST:
        return self.inner_scope(tree)

    def inner_scope(self, tree: Tree) -> gast.AST:
        """Fill a nested function: its own names hide holes, and step aside of what fills them."""
        body = tree.body if isinstance(tree.body, list) else [tree.body]
        own = set(parameters(tree)) | binds_in_block(body)
        open_holes = {key: hole for key, hole in self.holes.items() if key not in own}
        if not own & set(self.holes) and not own & _names_in(open_holes):
            return self.generic_visit(tree)
        tree.args.defaults = [self.visit(d) for d in tree.args.defaults]
        tree.args.kw_defaults = [d and self.visit(d) for d in tree.args.kw_defaults]
        if type(tree) is gast.FunctionDef:
            tree.decorator_list = [self.visit(d) for d in tree.decorator_list]
        taken = all_names(tree) | _names_in(open_holes) | set(self.holes)
        inner: dict[str, gast.AST | str] = dict(open_holes)
        for key in sorted(own & _names_in(open_holes)):
            fresh = f"{key}_"
            while fresh in taken:
                fresh += "_"
            taken.add(fresh)
            inner[key] = fresh
        filler = _Filler(inner)
        for part in _parameter_names(tree.args):
            hole = inner.get(part.id)
            if isinstance(hole, str):
                part.id = hole
        filled_body = [filler.visit(part) for part in body]
        tree.body = filled_body if isinstance(tree.body, list) else filled_body[0]
        return cast(gast.AST, tree)


def _parameter_names(a: gast.arguments) -> list[Any]:
    found = [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]
    return [part for part in found if part is not None]


def _names_in(holes: Mapping[str, gast.AST | str]) -> set[str]:
    return {
        found
        for hole in holes.values()
        for found in ([hole] if isinstance(hole, str) else all_names(hole))
    }


def fill(tree: Tree, holes: Mapping[str, gast.AST | str]) -> Any:
    """Replace names in a tree, in place, by trees or by other names."""
    return _Filler(holes).visit(tree) if holes else tree


def filled(tree: Tree, holes: Mapping[str, gast.AST | str]) -> Any:
    """Return a copy of a tree with its holes filled."""
    return fill(unshared(tree), holes)


def unshared(tree: Tree) -> Any:
    """Copy a tree, or a list of trees, so that no part of it that may change stands in two places.

    Operators and contexts are replaced, never changed: copies share them.
    """
    cls: Any = type(tree)
    if cls is list:
        return [unshared(part) for part in tree]
    parts = PART_FIELDS.get(cls)
    if parts is None:
        return tree
    made = cls.__new__(cls)
    made.__dict__ = fields = tree.__dict__.copy()
    for key in parts:
        part = fields.get(key)
        if part is not None:
            fields[key] = unshared(part)
    return made


def is_same_tree(a: Tree, b: Tree) -> bool:
    """Whether two trees, or lists of trees, print alike; lines do not matter.

    Examples
    --------
    >>> is_same_tree(quote_expression("f(x)"), quote_expression("f(x)"))
    True
    >>> is_same_tree(quote_expression("f(x)"), quote_expression("f(y)"))
    False
    """
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(is_same_tree, a, b))
    if not isinstance(a, gast.AST):
        return bool(a == b)
    return all(is_same_tree(getattr(a, f, None), getattr(b, f, None)) for f in a._fields)


def at_line_of(statement: Stmt, origin: Tree) -> Any:
    """Return a statement, and all in it that has none, the user's line that it comes from."""
    line = getattr(origin, "lineno", None)
    if line is not None:
        column = getattr(origin, "col_offset", 0)
        for part in nodes(statement):
            said = part.__dict__
            if said.get("lineno") is None:
                said["lineno"], said["col_offset"] = line, column
    return statement
