"""A deque that stays inside a function becomes a list.

q = deque(x, maxlen=3)   ->   q = list(x); while len(q) > 3: q.pop(0)
q.append(v)              ->   q.append(v); if len(q) > 3: q.pop(0)
q.appendleft(v)          ->   q.insert(0, v); if len(q) > 3: q.pop()
q.popleft()              ->   q.pop(0)
q.rotate(n)              ->   q[:] = q[-n:] + q[:-n], n brought between 0 and the length
done = q.append(v)       ->   q.append(v); done = None
"""

from __future__ import annotations

import collections
from collections.abc import Set
from typing import Any

import gast

from tapeless.normalize.escape import non_escaping
from tapeless.tree.build import assign, at_line_of, const, name, quote, quote_expression
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree

_GROWING = {"append", "appendleft", "extend", "extendleft"}
_AS_STATEMENTS = {"extendleft", "rotate"}  # several statements, whatever the bound
_METHODS = frozenset(
    {"pop", "popleft", "clear", "count", "index", "remove", "reverse", "rotate"} | _GROWING
)


class _Rewriter(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.names = Names(function.names())
        found = non_escaping(function, {collections.deque: _METHODS})
        growing = _called_in_expressions(function, _GROWING)
        of_several = _called_in_expressions(function, _AS_STATEMENTS)
        bounds = {key: [_bound_of(a.value) for a in made] for key, made in found.items()}
        self.bounds: dict[str, Any] = {
            key: limits[0] for key, limits in bounds.items()
            if len({gast.dump(limit) if limit else "" for limit in limits}) == 1
            and (limits[0] is None or key not in growing) and key not in of_several
            and all(len(a.value.args) < 3 for a in found[key])
        }  # fmt: skip
        self.made = {a for key in self.bounds for a in found[key]}
        self.lengths: list[str] = []

    def visit_Assign(self, tree: Tree) -> Any:
        if tree in self.made:
            return self.construction(tree, tree.targets[0])
        if not self.changes(tree.value):
            return self.inside(tree)
        done = at_line_of(
            gast.Assign([self.visit(t) for t in tree.targets], const(None), None), tree
        )
        return [*self.change(tree.value, tree), done]

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
        return self.change(tree.value, tree) if self.changes(tree.value) else self.inside(tree)

    def changes(self, call: Expr) -> bool:
        """Whether a call changes a deque by more than a method of lists does, and gives nothing."""
        if _owner_of(call) not in self.bounds or call.keywords:
            return False
        method, count = call.func.attr, len(call.args)
        return method in _GROWING and count == 1 or method == "rotate" and count < 2

    def change(self, call: Expr, at: Tree) -> list[Any]:
        """Write a call that changes a deque."""
        owner, method = _owner_of(call), call.func.attr
        value = self.visit(call.args[0]) if call.args else const(1)
        made = self.turned(owner, value) if method == "rotate" else self.grown(owner, method, value)
        return [at_line_of(s, at) for s in made]

    def turned(self, owner: Any, steps: Expr) -> list[Any]:
        """Write that the last items come first: how many, and what stands before them."""
        start = self.names.fresh("start")
        return [
            *quote("start = -n % max(len(q), 1)", start=start, n=steps, q=owner),
            *quote("q[:] = q[start:] + q[:start]", start=start, q=owner),
        ]

    def grown(self, owner: Any, method: str, value: Expr) -> list[Any]:
        """Write that items are added at an end, and those dropped at the other that are too many."""
        bound = self.bounds[owner]
        drop = quote("if len(q) > n: q.pop(0)", q=owner, n=bound) if bound is not None else []
        if method == "append":
            return [*quote("q.append(v)", q=owner, v=value), *drop]
        if method == "extend" and bound is None:
            return quote("q.extend(v)", q=owner, v=value)
        item = value if method == "appendleft" else name(self.names.fresh("v"))
        if method != "extend" and bound is not None:
            drop = quote("if len(q) > n: q.pop()", q=owner, n=bound)
        added = "q.append(v)" if method == "extend" else "q.insert(0, v)"
        made = [*quote(added, q=owner, v=item), *drop]
        if method == "appendleft":
            return made
        return [gast.For(gast.Name(item.id, gast.Store(), None, None), value, made, [], None)]

    def visit_Call(self, tree: Tree) -> Any:
        owner = _owner_of(tree)
        tree = self.generic_visit(tree)
        if owner in self.bounds and tree.func.attr == "popleft":
            return at_line_of(quote_expression("q.pop(0)", q=owner), tree)
        if owner in self.bounds and tree.func.attr == "appendleft":
            added = quote_expression("q.insert(0, v)", q=owner, v=tree.args[0])
            return at_line_of(added, tree)
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


def _called_in_expressions(function: CoreFunction, methods: Set[str]) -> set[str]:
    """Collect the owners of methods called where nothing can be written after the call."""
    whole = {p.value for p in nodes(function.tree) if type(p) in (gast.Expr, gast.Assign)}
    calls = [p for p in nodes(function.tree) if type(p) is gast.Call and p not in whole]
    return {str(_owner_of(c)) for c in calls if _owner_of(c) and c.func.attr in methods}


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
