"""A deque that stays inside a function becomes a list.

q = deque(x, maxlen=3)   ->   q = list(x); while len(q) > 3: q.pop(0)
q.append(v)              ->   q.append(v); if len(q) > 3: q.pop(0)
q.appendleft(v)          ->   q.insert(0, v); if len(q) > 3: q.pop()
q.popleft()              ->   q.pop(0)
"""

from __future__ import annotations

import collections
from typing import Any

import gast

from tapeless.normalize.escape import non_escaping
from tapeless.tree.build import assign, at_line_of, const, name, quote, quote_expression
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree

_GROWING = {"append", "appendleft", "extend", "extendleft", "insert"}
_METHODS = frozenset(
    {"pop", "popleft", "clear", "count", "index", "remove", "reverse"} | _GROWING - {"insert"}
)


class _Rewriter(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.names = Names(function.names())
        found = non_escaping(function, {collections.deque: _METHODS})
        growing = _grown_in_expressions(function)
        bounds = {key: [_bound_of(a.value) for a in made] for key, made in found.items()}
        self.bounds: dict[str, Any] = {
            key: limits[0] for key, limits in bounds.items()
            if len({gast.dump(limit) if limit else "" for limit in limits}) == 1
            and (limits[0] is None or key not in growing)
            and all(len(a.value.args) < 3 for a in found[key])
        }  # fmt: skip
        self.made = {a for key in self.bounds for a in found[key]}
        self.lengths: list[str] = []

    def visit_Assign(self, tree: Tree) -> Any:
        return self.construction(tree, tree.targets[0]) if tree in self.made else self.inside(tree)

    def visit_AnnAssign(self, tree: Tree) -> Any:
        return self.construction(tree, tree.target) if tree in self.made else self.inside(tree)

    def inside(self, tree: Tree) -> Any:
        return self.generic_visit(tree)

    def construction(self, tree: Tree, place: Expr) -> Any:
        """Write the list that a new deque starts as, and the length that it is kept to."""
        items = [self.visit(a) for a in tree.value.args[:1]]
        given = [k.value for k in tree.value.keywords if k.arg == "iterable"]
        made: list[Any] = []
        bound = self.bounds[place.id]
        if bound is not None and type(bound) is not gast.Constant:
            length = self.names.fresh("length")
            made.append(assign(length, bound))
            self.lengths.append(length)
            self.bounds[place.id] = name(length)
        start = [*items, *given]
        value = gast.Call(name("list"), start, []) if start else gast.List([], gast.Load())
        made.append(assign(place.id, value))
        if start and bound is not None:
            made += quote("while len(q) > n: q.pop(0)", q=place.id, n=self.bounds[place.id])
        return [at_line_of(s, tree) for s in made]

    def visit_Expr(self, tree: Tree) -> Any:
        call = tree.value
        owner = _owner_of(call)
        if owner not in self.bounds or call.func.attr not in _GROWING or call.keywords:
            return self.generic_visit(tree)
        method, bound = call.func.attr, self.bounds[owner]
        value = self.visit(call.args[0])
        drop = quote("if len(q) > n: q.pop(0)", q=owner, n=bound) if bound is not None else []
        if method == "append":
            made = [*quote("q.append(v)", q=owner, v=value), *drop]
        elif method == "extend" and bound is None:
            made = quote("q.extend(v)", q=owner, v=value)
        else:
            item = value if method == "appendleft" else name(self.names.fresh("v"))
            if method != "extend" and bound is not None:
                drop = quote("if len(q) > n: q.pop()", q=owner, n=bound)
            added = "q.append(v)" if method == "extend" else "q.insert(0, v)"
            made = [*quote(added, q=owner, v=item), *drop]
            if method != "appendleft":
                made = [
                    gast.For(gast.Name(item.id, gast.Store(), None, None), value, made, [], None)
                ]
        return [at_line_of(s, tree) for s in made]

    def visit_Call(self, tree: Tree) -> Any:
        owner = _owner_of(tree)
        tree = self.generic_visit(tree)
        if owner in self.bounds and tree.func.attr == "popleft":
            return at_line_of(quote_expression("q.pop(0)", q=owner), tree)
        return tree


def _owner_of(tree: Tree) -> str | None:
    """Return the name on which a method is called."""
    func = tree.func if type(tree) is gast.Call else None
    if isinstance(func, gast.Attribute) and isinstance(func.value, gast.Name):
        return str(func.value.id)
    return None


def _bound_of(call: Expr) -> Any:
    """Return the expression for the greatest length of a new deque, None where there is none."""
    given = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "maxlen")]
    none = not given or type(given[0]) is gast.Constant and given[0].value is None
    return None if none else given[0]


def _grown_in_expressions(function: CoreFunction) -> set[str]:
    """Collect the names that grow within an expression, where nothing can be written after it."""
    statements = {p.value for p in nodes(function.tree) if type(p) is gast.Expr}
    calls = [p for p in nodes(function.tree) if type(p) is gast.Call]
    return {
        str(_owner_of(c)) for c in calls
        if c not in statements and _owner_of(c) and c.func.attr in _GROWING
    }  # fmt: skip


def queues_as_lists(function: CoreFunction) -> CoreFunction:
    """Write deques that stay inside a function as lists.

    Examples
    --------
    >>> from tapeless.externals import constant
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> tree = parse_function('''def f(x):
    ...     q = deque(maxlen=2)
    ...     for v in x:
    ...         q.append(v)
    ...     return q.popleft()''')
    >>> f = CoreFunction(tree, {"deque": constant(collections.deque, "deque")})
    >>> print(unparse(queues_as_lists(f).tree).strip())
    def f(x):
        q = []
        for v in x:
            q.append(v)
            if len(q) > 2:
                q.pop(0)
        return q.pop(0)
    """
    rewriter = _Rewriter(function)
    if not rewriter.bounds:
        return function
    body = rewriter.listed(function.tree.body)
    always = set().union(*(binds(s) for s in body if type(s) is gast.Assign))
    unset = [assign(key, const(None)) for key in rewriter.lengths if key not in always]
    return function.with_body([*unset, *body])
