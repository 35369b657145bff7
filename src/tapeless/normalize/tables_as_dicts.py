"""A default dict, counter or ordered dict that stays inside a function becomes a dict.

d = defaultdict(float)   ->   d = {}
d[k] += v                ->   if k not in d: d[k] = 0.0
                              d[k] += v
y = d[k] * 2.0           ->   y = d.setdefault(k, 0.0) * 2.0
c = Counter()            ->   c = {}
y = c[k]                 ->   y = c.get(k, 0)
"""

from __future__ import annotations

import collections
from typing import Any

import gast

from tapeless.externals import MISSING, is_one_of
from tapeless.normalize.escape import made_by, non_escaping
from tapeless.tree.build import assign, at_line_of, const, name, quote, quote_expression, unshared
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree

_LOOKS = frozenset({"items", "keys", "values", "get"})
_METHODS: dict[Any, frozenset[str]] = {
    collections.defaultdict: _LOOKS | {"pop", "setdefault", "update", "clear"},
    collections.OrderedDict: _LOOKS | {"pop", "setdefault", "update", "clear"},
    collections.Counter: _LOOKS | {"pop", "setdefault", "clear"},
}
_NUMBERS = {float: 0.0, int: 0, bool: False, str: "", complex: 0j}
_STEADY = (
    gast.Name, gast.Constant, gast.BinOp, gast.UnaryOp, gast.Tuple, gast.operator, gast.unaryop,
    gast.expr_context,
)  # fmt: skip


class _Rewriter(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.names = Names(function.names())
        found = non_escaping(function, _METHODS)
        self.classes: dict[str, Any] = {}
        self.missing: dict[str, Any] = {}
        self.before: dict[str, list[Any]] = {}
        self.made: set[Any] = set()
        for key, assignments in found.items():
            cls = made_by(assignments[0], function)
            fitting = all(self.fits(cls, a.value) for a in assignments)
            if fitting and (len(assignments) == 1 or cls is not collections.defaultdict):
                self.classes[key] = cls
                self.made |= set(assignments)
                self.note_default(key, cls, assignments[0].value)

    def fits(self, cls: Any, call: Expr) -> bool:
        """Whether what a table is made of means the same to a dict."""
        if any(type(a) is gast.Starred for a in call.args):
            return False
        if cls is collections.Counter:
            return all(type(a) is gast.Dict for a in call.args)
        return cls is collections.OrderedDict or bool(call.args)

    def note_default(self, key: str, cls: Any, call: Expr) -> None:
        """Remember what a missing slot of a table is, and what stands before the table is made."""
        if cls is collections.Counter:
            self.missing[key] = const(0)
        elif cls is collections.defaultdict:
            self.missing[key], self.before[key] = self.default(call.args[0])

    def visit_Assign(self, tree: Tree) -> Any:
        if tree in self.made:
            return self.construction(tree, tree.targets[0].id)
        return self.generic_visit(tree)

    def visit_AnnAssign(self, tree: Tree) -> Any:
        return (
            self.construction(tree, tree.target.id)
            if tree in self.made
            else self.generic_visit(tree)
        )

    def construction(self, tree: Tree, key: str) -> Any:
        """Write the dict that a table starts as."""
        call = self.generic_visit(tree.value)
        args = list(call.args)
        if self.classes[key] is collections.defaultdict:
            args.pop(0)
        value = gast.Call(name("dict"), args, call.keywords)
        if not args and not call.keywords:
            value = gast.Dict([], [])
        elif len(args) == 1 and not call.keywords and type(args[0]) is gast.Dict:
            value = args[0]
        return [at_line_of(s, tree) for s in [*self.before.get(key, []), assign(key, value)]]

    def default(self, factory: Any) -> tuple[Any, list[Any]]:
        """Write what a factory makes, and what has to stand before the table is made."""
        if type(factory) is gast.Constant:
            return None, []
        found = self.function.resolve(factory)
        if is_one_of(found, _NUMBERS):
            return const(_NUMBERS[found]), []
        if found is list:
            return gast.List([], gast.Load()), []
        if found is dict:
            return gast.Dict([], []), []
        if found is not MISSING:
            return gast.Call(factory, [], []), []
        if type(factory) is gast.Lambda and type(factory.body) is gast.Constant:
            return factory.body, []
        key = self.names.fresh("make")
        return gast.Call(name(key), [], []), [assign(key, factory)]

    def visit_Subscript(self, tree: Tree) -> Any:
        """A read of a slot that may be missing."""
        owner = tree.value.id if type(tree.value) is gast.Name else None
        tree = self.generic_visit(tree)
        default = self.missing.get(str(owner))
        if default is None or type(tree.ctx) is not gast.Load:
            return tree
        holes = {"d": owner, "k": tree.slice, "v": unshared(default)}
        if self.classes[str(owner)] is collections.Counter:
            text = "d.get(k, v)"
        elif type(default) is gast.Constant:
            text = "d.setdefault(k, v)"
        else:
            text = "d[k] if k in d else d.setdefault(k, v)"
            if not _is_steady(tree.slice):
                key = self.names.fresh("key")
                walrus = gast.NamedExpr(gast.Name(key, gast.Store(), None, None), tree.slice)
                text, holes = (
                    "d[k] if (w) in d else d.setdefault(k, v)",
                    {**holes, "k": key, "w": walrus},
                )
        return at_line_of(quote_expression(text, **holes), tree)

    def visit_AugAssign(self, tree: Tree) -> Any:
        """The slot that an operator changes is made before, where it is missing."""
        place = tree.target
        slot = type(place) is gast.Subscript and type(place.value) is gast.Name
        default = self.missing.get(place.value.id) if slot else None
        if default is None:
            return self.generic_visit(tree)
        first: list[Any] = []
        if not _is_steady(place.slice):
            key = self.names.fresh("key")
            first = [assign(key, self.visit(place.slice))]
            place.slice = name(key)
        guard = self.guard(place.value.id, place.slice)
        tree.value = self.visit(tree.value)
        return [at_line_of(s, tree) for s in [*first, *guard, tree]]

    def visit_Expr(self, tree: Tree) -> Any:
        """`d[k].append(v)`: the slot is made before, and the line stays as it is."""
        call = tree.value
        place = call.func.value if _is_method_call(call) else None
        if not isinstance(place, gast.Subscript) or not isinstance(place.value, gast.Name):
            return self.generic_visit(tree)
        owner = str(place.value.id)
        counter = self.classes.get(owner) is collections.Counter
        if counter or self.missing.get(owner) is None or not _is_steady(place.slice):
            return self.generic_visit(tree)
        guard = self.guard(owner, place.slice)
        call.args = [self.visit(a) for a in call.args]
        call.keywords = [self.visit(k) for k in call.keywords]
        return [at_line_of(s, tree) for s in [*guard, tree]]

    def guard(self, owner: str, key: Any) -> list[Any]:
        """Write the statement that makes a slot where it is missing."""
        default = unshared(self.missing[owner])
        return quote("if k not in d:\n    d[k] = v", d=owner, k=key, v=default)


def _is_method_call(tree: Tree) -> bool:
    return type(tree) is gast.Call and type(tree.func) is gast.Attribute


def _is_steady(tree: Tree) -> bool:
    """Whether an expression can be evaluated twice."""
    return all(isinstance(part, _STEADY) for part in nodes(tree))


def tables_as_dicts(function: CoreFunction) -> CoreFunction:
    """Write default dicts, counters and ordered dicts that stay inside a function as dicts.

    Examples
    --------
    >>> from tapeless.externals import constant
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> tree = parse_function('''def f(x):
    ...     d = defaultdict(float)
    ...     for i, v in enumerate(x):
    ...         d[i % 2] += v
    ...     return d[0]''')
    >>> f = CoreFunction(tree, {"defaultdict": constant(collections.defaultdict, "defaultdict")})
    >>> print(unparse(tables_as_dicts(f).tree).strip())
    def f(x):
        d = {}
        for i, v in enumerate(x):
            if i % 2 not in d:
                d[i % 2] = 0.0
            d[i % 2] += v
        return d.setdefault(0, 0.0)
    """
    rewriter = _Rewriter(function)
    if not rewriter.made:
        return function
    return function.with_body(rewriter.listed(function.tree.body))
