"""What reads the dict of an object's attributes is written by their names.

vars(self)["gain"]                     ->   own_attribute(self, "gain")
"gain" in self.__dict__                ->   "gain" in own_names(self)
for k, v in vars(self).items(): ...    ->   for k in own_names(self): v = own_attribute(self, k); ...
dict(vars(self)), f(**vars(self))      ->   own_attributes(self)

The dict itself changes with the object. So what is kept of it, and anything else that may come to see
it change, is left as it stands.
"""

from __future__ import annotations

import copy
import types
from collections import Counter
from typing import Any

import gast

import tapeless.runtime as runtime
from tapeless.externals import MISSING, constant, is_one_of
from tapeless.normalize.expand_comprehensions import CONSUMERS
from tapeless.origins import is_of_the_tool
from tapeless.tree.build import assign, const, name, target
from tapeless.tree.classes import ATOMS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds_in_block, bound_for_good, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree

_VIEWS = ("keys", "values", "items")
_OF_NAMES = (len, list, tuple, sorted, set, frozenset, any, all)
_COPIES = (dict, copy.copy)
_HELPERS = (runtime.own_attribute, runtime.own_names, runtime.own_attributes)


def dict_of(function: CoreFunction, tree: Expr) -> Any:
    """Return the object of whose attributes an expression is the dict; None for any other expression."""
    owner = None
    if type(tree) is gast.Attribute and tree.attr == "__dict__":
        owner = tree.value
    elif type(tree) is gast.Call and function.resolve(tree.func) is vars:
        owner = tree.args[0] if len(tree.args) == 1 and not tree.keywords else None
    if owner is None:
        return None
    known = function.resolve(owner)
    plain = isinstance(known, (type, types.FunctionType, types.ModuleType))
    return None if known is not MISSING and plain else owner


class _Reader(Transformer):
    """Writes what reads the dicts of attributes; `kept` are names that stand for such a dict."""

    def __init__(
        self, function: CoreFunction, labels: dict[Any, str], kept: dict[str, Expr]
    ) -> None:
        self.function, self.labels, self.kept = function, labels, kept
        self.found = False

    def owner(self, tree: Expr, views: tuple[str, ...] = ()) -> Any:
        """Return the object of whose attributes a tree is the dict, or a view of it."""
        if type(tree) is gast.Call and not tree.args and not tree.keywords and views:
            func = tree.func
            viewed = type(func) is gast.Attribute and func.attr in views
            return self.owner(func.value) if viewed else None
        if type(tree) is gast.Name and tree.id in self.kept:
            tree = copy.deepcopy(self.kept[tree.id])
        return dict_of(self.function, tree)

    def made(self, helper: Any, *args: Any) -> Any:
        self.found = True
        return gast.Call(name(self.labels[helper]), [self.visit(arg) for arg in args], [])

    def copied(self, tree: Expr) -> Any:
        """Return a tree in which a dict that is only gone through at once is a copy of it."""
        owner = self.owner(tree)
        if owner is not None:
            return self.made(runtime.own_attributes, owner)
        if self.owner(tree, _VIEWS) is not None:
            tree.func.value = self.copied(tree.func.value)
            return tree
        return self.visit(tree)

    def visit_Name(self, tree: Tree) -> Any:
        return copy.deepcopy(self.kept.get(tree.id, tree))

    def visit_Subscript(self, tree: Tree) -> Any:
        owner = self.owner(tree.value) if type(tree.ctx) is gast.Load else None
        if owner is None or type(tree.slice) is gast.Slice:
            return self.generic_visit(tree)
        return self.made(runtime.own_attribute, owner, tree.slice)

    def visit_Compare(self, tree: Tree) -> Any:
        owner = self.owner(tree.comparators[0]) or self.owner(tree.comparators[0], ("keys",))
        if owner is None or len(tree.ops) != 1 or type(tree.ops[0]) not in (gast.In, gast.NotIn):
            return self.generic_visit(tree)
        tree.left, tree.comparators = self.visit(tree.left), [self.made(runtime.own_names, owner)]
        return tree

    def visit_Dict(self, tree: Tree) -> Any:
        pairs = zip(tree.keys, tree.values, strict=True)
        tree.values = [self.visit(v) if k is not None else self.copied(v) for k, v in pairs]
        tree.keys = [k and self.visit(k) for k in tree.keys]
        return tree

    def visit_keyword(self, tree: Tree) -> Any:
        tree.value = self.copied(tree.value) if tree.arg is None else self.visit(tree.value)
        return tree

    def visit_Call(self, tree: Tree) -> Any:
        if type(tree.func) is gast.Attribute:
            made = self.method(tree, self.owner(tree.func.value))
            if made is not None:
                return made
        known = self.function.resolve(tree.func)
        first = tree.args[0] if tree.args else const(None)
        names = self.owner(first) or self.owner(first, ("keys",))
        if names is not None and known is not MISSING and is_one_of(known, _OF_NAMES):
            tree.args[0] = self.made(runtime.own_names, names)
        elif known is not MISSING and is_one_of(known, (*CONSUMERS, *_COPIES, len, any, all)):
            tree.args[:1] = [self.copied(arg) for arg in tree.args[:1]]
        elif getattr(tree.func, "attr", "") == "update" or known is runtime.update_attributes:
            tree.args = [self.copied(arg) for arg in tree.args]
        return self.generic_visit(tree)

    def method(self, tree: Expr, owner: Any) -> Any:
        """Write a call of `get` or `copy` of a dict of attributes; None for any other call."""
        if owner is None or tree.keywords:
            return None
        if tree.func.attr == "copy" and not tree.args:
            return self.made(runtime.own_attributes, owner)
        atoms = all(type(part) in ATOMS for part in (owner, *tree.args))
        if tree.func.attr != "get" or not atoms or len(tree.args) not in (1, 2):
            return None
        key, default = (*tree.args, const(None))[:2]
        names = self.made(runtime.own_names, copy.deepcopy(owner))
        test = gast.Compare(copy.deepcopy(key), [gast.In()], [names])
        return gast.IfExp(test, self.made(runtime.own_attribute, owner, key), default)

    def visit_For(self, tree: Stmt) -> Any:
        tree.iter = self.gone_through(tree.iter)
        return self.generic_visit(tree)

    def visit_comprehension(self, tree: Tree) -> Any:
        tree.iter = self.gone_through(tree.iter)
        return self.generic_visit(tree)

    def gone_through(self, tree: Expr) -> Any:
        """Return what a loop goes through; the pairs are written later, when comprehensions are loops."""
        names = self.owner(tree) or self.owner(tree, ("keys",))
        return self.copied(tree) if names is None else self.made(runtime.own_names, names)


def attributes_by_key(function: CoreFunction) -> CoreFunction:
    """Write what reads the dict of an object's attributes by their names.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(o):\\n    return o.__dict__["a"] + sum(o.__dict__.values())'))
    >>> print(unparse(attributes_by_key(f).tree).strip())
    def f(o):
        return own_attribute(o, "a") + sum(own_attributes(o).values())
    """
    if is_of_the_tool(function.filename):
        return function
    if not any(dict_of(function, part) is not None for part in nodes(function.tree)):
        return function
    names = Names(function.names())
    labels = {helper: names.fresh(helper.__name__) for helper in _HELPERS}
    kept = _kept(function)
    reader = _Reader(function, labels, kept)
    made = function.with_body(reader.listed(_without_bindings(function.tree.body, kept)))
    for helper, label in labels.items():
        if reader.found:
            function.externals[label] = constant(helper, label)
    return made


def _kept(function: CoreFunction) -> dict[str, Expr]:
    """Return the names that stand for the dict of an object's attributes wherever they are read."""
    parts = nodes(function.tree)
    bound = Counter(p.id for p in parts if type(p) is gast.Name and type(p.ctx) is not gast.Load)
    steady = {key for key in bound_for_good(function.tree) if bound[key] == 1}
    found = {}
    for s in function.tree.body:
        key = s.targets[0] if type(s) is gast.Assign and len(s.targets) == 1 else None
        owner = None if type(key) is not gast.Name else dict_of(function, s.value)
        if type(owner) is gast.Name and {key.id, owner.id} <= steady:  # type: ignore[union-attr]
            found[key.id] = s.value  # type: ignore[union-attr]
    return found


def _without_bindings(body: list[Any], kept: dict[str, Expr]) -> list[Any]:
    values = set(map(id, kept.values()))
    return [s for s in body if type(s) is not gast.Assign or id(s.value) not in values]


def pairs_by_name(loop: Stmt, function: CoreFunction, names: Names) -> list[Any] | None:
    """Write a loop over the attributes of an object as one over their names; None for any other loop."""
    call = loop.iter
    viewed = type(call) is gast.Call and type(call.func) is gast.Attribute and not call.args
    inner: Any = call.func.value if viewed else None
    if type(inner) is not gast.Call or call.func.attr not in ("items", "values"):
        return None
    if function.resolve(inner.func) is not runtime.own_attributes:
        return None
    [owner], key, first = inner.args, names.fresh("key"), []
    if type(owner) is not gast.Name or owner.id in binds_in_block([loop]):
        kept = names.fresh("owner")
        first, owner = [assign(kept, owner)], name(kept)
    read: Any = gast.Call(_named(function, runtime.own_attribute), [owner, name(key)], [])
    if call.func.attr == "items":
        read = gast.Tuple([name(key), read], gast.Load())
    through = gast.Call(_named(function, runtime.own_names), [owner], [])
    body = [gast.Assign([loop.target], read, None), *loop.body]
    return [*first, gast.For(target(key), through, body, loop.orelse, None)]


def is_sorted_names(function: CoreFunction, tree: Expr) -> bool:
    """Whether an expression gives the names of the attributes of an object in the order of the texts."""
    if type(tree) is not gast.Call or len(tree.args) != 1 or tree.keywords:
        return False
    inner = tree.args[0]
    named = type(inner) is gast.Call and function.resolve(inner.func) is runtime.own_names
    return named and function.resolve(tree.func) is sorted


def _named(function: CoreFunction, helper: Any) -> Any:
    """Name a helper that the first pass over the function brought."""
    found = function.externals.items()
    return name(next(label for label, external in found if external.value is helper))
