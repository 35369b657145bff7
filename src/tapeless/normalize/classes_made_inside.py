"""A class that a function makes, always the same one, is made once and for all.

def f(x, y):                                  def f(x, y):
    Point = namedtuple("Point", "x y")   ->       return Point(x, y).x
    return Point(x, y).x

So is one whose body is written there, with `class Point:`. Its own code is run, so its methods are
read from where they stand. A class that captures what the function computes, or that is stored into, is
another one in each call, and is left where it stands.
"""

from __future__ import annotations

import builtins
import collections
import dataclasses
import functools
import types
import typing
from collections import Counter
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

import gast

from tapeless.externals import MISSING, constant, is_one_of
from tapeless.source.reader import codes_within
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt

_MAKERS = (collections.namedtuple, typing.NamedTuple, dataclasses.make_dataclass)
_CALLED = (*_MAKERS, dataclasses.dataclass, dataclasses.field)
_DECORATORS = (dataclasses.dataclass, functools.total_ordering)
_PLAIN = (types.ModuleType, type, types.FunctionType, types.GenericAlias)
_made: WeakKeyDictionary[types.FunctionType, dict[int, type]] = WeakKeyDictionary()


class _Unknown(Exception):
    """What an expression stands for is not known before the function runs."""


class _Maker:
    """Makes the classes of one function, each when it is asked for."""

    def __init__(self, function: CoreFunction, primal: types.FunctionType) -> None:
        self.function, self.primal = function, primal
        self.codes = list(codes_within(primal.__code__))
        self.cells: dict[str, types.CellType] = {}
        self.classes: dict[str, type] = {}

    def made(self, s: Stmt) -> type | None:
        """Return the class that a statement makes; None where it makes none, or another one each time."""
        known = _made.setdefault(self.primal, {})
        place = int(s.lineno) * 1000 + int(s.col_offset)
        try:
            found = known.get(place) or (
                self.of_body(s) if type(s) is gast.ClassDef else self.of_call(s)
            )
        except _Unknown:
            return None
        known[place] = found
        return found

    def of_call(self, s: Stmt) -> type:
        """Make the class that `namedtuple` and its like make of their arguments."""
        if type(s.value) is not gast.Call:
            raise _Unknown
        if not is_one_of(self.function.resolve(s.value.func), _MAKERS):
            raise _Unknown
        made: type = self.value(s.value)
        made.__module__ = self.primal.__module__
        return made

    def of_body(self, s: Stmt) -> type:
        """Run the body of a class, which binds functions and what is known."""
        codes = [code for code in self.codes if code.co_name == s.name]
        if len(codes) != 1 or not set(codes[0].co_freevars) <= {s.name, *self.classes}:
            raise _Unknown
        for part in s.body:
            self.check(part)
        bases = [self.value(base) for base in s.bases]
        keywords = {k.arg: self.value(k.value) for k in s.keywords}
        decorators = [self.decorator(tree) for tree in s.decorator_list]
        cells = [self.cells.setdefault(key, types.CellType()) for key in codes[0].co_freevars]
        body = types.FunctionType(codes[0], self.primal.__globals__, s.name, None, tuple(cells))
        made = builtins.__build_class__(body, s.name, *bases, **keywords)
        for decorator in reversed(decorators):
            made = decorator(made)
        return made  # type: ignore[no-any-return]

    def decorator(self, tree: Expr) -> Any:
        """Return what makes of a class another one, where it is known what that does."""
        called = tree.func if type(tree) is gast.Call else tree
        if not is_one_of(self.function.resolve(called), _DECORATORS):
            raise _Unknown
        return self.value(tree)

    def check(self, part: Stmt) -> None:
        """Raise where a statement of a class body binds something that is not the same in each call."""
        if type(part) is gast.FunctionDef:
            plain = (property, staticmethod, classmethod)
            if not all(is_one_of(self.function.resolve(d), plain) for d in part.decorator_list):
                raise _Unknown
            part_defaults = [*part.args.defaults, *part.args.kw_defaults]
            values = [value for value in part_defaults if value is not None]
        elif type(part) in (gast.Assign, gast.AnnAssign):
            values = [] if part.value is None else [part.value]
        elif type(part) is gast.Pass or type(getattr(part, "value", None)) is gast.Constant:
            values = []
        else:
            raise _Unknown
        for value in values:
            if isinstance(self.value(value), (list, dict, set)):
                raise _Unknown  # it may change, and is a new one in each call

    def value(self, tree: Expr) -> Any:
        """Return what an expression of literals, types and functions stands for."""
        if type(tree) is gast.Constant:
            return tree.value
        if type(tree) in (gast.List, gast.Tuple):
            items = [self.value(item) for item in tree.elts]
            return items if type(tree) is gast.List else tuple(items)
        if type(tree) is gast.UnaryOp and type(tree.op) is gast.USub:
            return -self.value(tree.operand)
        if type(tree) is gast.Name and tree.id in self.classes:
            return self.classes[tree.id]
        if type(tree) is gast.Call:
            called = self.value(tree.func)
            if not is_one_of(called, _CALLED):
                raise _Unknown
            args = [self.value(arg) for arg in tree.args]
            return called(*args, **{k.arg: self.value(k.value) for k in tree.keywords if k.arg})
        found = self.function.resolve(tree)
        if found is MISSING or not isinstance(found, _PLAIN):
            raise _Unknown
        return found


class _Remover(Transformer):
    """Takes the statements out that make classes."""

    def __init__(self, made: set[int]) -> None:
        self.made = made

    def removed(self, tree: Stmt) -> Any:
        return gast.copy_location(gast.Pass(), tree) if id(tree) in self.made else None

    def visit_Assign(self, tree: Stmt) -> Any:
        return self.removed(tree) or tree

    def visit_ClassDef(self, tree: Stmt) -> Any:
        return self.removed(tree) or tree


def classes_made_inside(function: CoreFunction) -> CoreFunction:
    """Make the classes of a function that are the same in each call.

    Examples
    --------
    >>> from tapeless.source.reader import read
    >>> from tapeless.source.printer import unparse
    >>> names = {"namedtuple": constant(collections.namedtuple, "namedtuple")}
    >>> tree = gast.parse('def f(x):\\n    P = namedtuple("P", "x")\\n    return P(x).x').body[0]
    >>> made = classes_made_inside(CoreFunction(tree, names, primal=lambda x: x))
    >>> print(unparse(made.tree).strip())
    def f(x):
        pass
        return P(x).x
    >>> made.externals["P"].value._fields
    ('x',)
    """
    candidates = list(_candidates(function))
    if not candidates or not isinstance(function.primal, types.FunctionType):
        return function
    maker = _Maker(function, function.primal)
    removed = set()
    for key, s in candidates:
        cls = maker.made(s)
        if cls is not None:
            maker.classes[key] = cls
            maker.cells.setdefault(key, types.CellType()).cell_contents = cls
            removed.add(id(s))
    if not removed:
        return function
    made = function.with_body(_Remover(removed).listed(function.tree.body))
    for key, cls in maker.classes.items():
        made.externals[key] = constant(cls, key)
    return made


def _candidates(function: CoreFunction) -> Iterator[tuple[str, Stmt]]:
    """List the statements that may make a class, with the names that nothing else binds."""
    parts = nodes(function.tree)
    makes = [s for s in parts if type(s) is gast.ClassDef or _is_call_bound(s)]
    if not makes:
        return
    bound = Counter(p.id for p in parts if type(p) is gast.Name and type(p.ctx) is not gast.Load)
    bound += Counter(p.name for p in parts if type(p) in (gast.ClassDef, gast.FunctionDef))
    changed = {key for part in parts for key in _stored_into(part)}
    classes = {key for p in parts if type(p) is gast.FunctionDef for key in _classes_named(p)}
    if classes & changed:
        return
    for s in makes:
        key = s.name if type(s) is gast.ClassDef else s.targets[0].id
        if bound[key] == 1 and not {key, "?"} & changed:
            yield key, s


def _is_call_bound(s: Any) -> bool:
    plain = type(s) is gast.Assign and len(s.targets) == 1 and type(s.targets[0]) is gast.Name
    return plain and type(s.value) is gast.Call


def _stored_into(part: Any) -> set[str]:
    """Name the classes that a part may store into, "?" for one that is not named."""
    if type(part) is gast.Call and getattr(part.func, "id", "") in ("setattr", "delattr"):
        return {getattr(part.args[0], "id", "?")} if part.args else set()
    if type(part) is not gast.Attribute or type(part.ctx) is gast.Load:
        return set()
    by_class = type(part.value) is gast.Call or getattr(part.value, "attr", "") == "__class__"
    return {"?"} if by_class else {getattr(part.value, "id", "")}


def _classes_named(part: Any) -> set[str]:
    """Name the parameter by which a method of a class is given the class."""
    by_class = any(getattr(d, "id", "") == "classmethod" for d in part.decorator_list)
    return {part.args.args[0].id} if by_class and part.args.args else set()
