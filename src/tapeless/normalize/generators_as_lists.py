"""A function with `yield` becomes one that returns the list of what it yields.

def g(x): for v in x: yield v * v   ->   def g(x): items = []; for v in x: items.append(v * v); return items

Whether a list means the same depends on how the caller uses up the generator: `specialize.generators` sees to
it. What is sent into a generator, or returned by one, has no place in a list, and is refused. Where nothing
that is yielded carries a derivative, the generator is written out as one again: `with_yields`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from tapeless.tree.build import assign, at_line_of, const, quote, target
from tapeless.tree.classes import YIELDS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Tree


def yields(tree: Tree) -> bool:
    """Whether a function definition is one of a generator."""
    return any(type(p) in YIELDS for p in nodes(tree, nested=False))


class _Lister(Transformer):
    """Rewrites the body of one generator."""

    def __init__(self, items: str, names: Names) -> None:
        self.items = items
        self.names = names

    def visit_FunctionDef(self, tree: Tree) -> Any:
        return tree

    def visit_Lambda(self, tree: Tree) -> Any:
        return tree

    def visit_Expr(self, tree: Tree) -> Any:
        if type(tree.value) is gast.Yield:
            value = tree.value.value or const(None)
            return self.at(tree, quote("x.append(v)", x=self.items, v=value))
        if type(tree.value) is gast.YieldFrom:
            item = self.names.fresh("item")
            body = quote("x.append(v)", x=self.items, v=item)
            return self.at(tree, [gast.For(target(item), tree.value.value, body, [], None)])
        return tree

    def visit_Return(self, tree: Tree) -> Any:
        nothing = tree.value is None or type(tree.value) is gast.Constant
        return self.at(tree, quote("return x", x=self.items)) if nothing else tree

    @staticmethod
    def at(origin: Tree, made: list[Any]) -> list[Any]:
        return [at_line_of(statement, origin) for statement in made]


def _listed(tree: Tree, names: Names) -> Any:
    """Write one generator as a function that returns a list; leave what cannot be said so."""
    returned = [p for p in nodes(tree, nested=False) if type(p) is gast.Return]
    plain = [
        p.value for p in nodes(tree, nested=False)
        if type(p) is gast.Expr and type(p.value) in YIELDS
    ]  # fmt: skip
    every = [p for p in nodes(tree, nested=False) if type(p) in YIELDS]
    if len(plain) != len(every) or any(r.value is not None for r in returned):
        return tree
    items = names.fresh("items")
    lister = _Lister(items, names)
    start = at_line_of(assign(items, gast.List([], gast.Load())), tree)
    body = [start, *lister.listed(tree.body)]
    last = body[-1]
    body += [at_line_of(s, last) for s in quote("return x", x=items)]
    made = gast.FunctionDef(tree.name, tree.args, body, tree.decorator_list, None, None, [])
    return gast.copy_location(made, tree)


class _Inner(Transformer):
    def __init__(self, names: Names) -> None:
        self.names = names
        self.found: set[str] = set()

    def visit_FunctionDef(self, tree: Tree) -> Any:
        tree = self.generic_visit(tree)
        if tree.decorator_list or not yields(tree):
            return tree
        self.found.add(tree.name)
        return _listed(tree, self.names)


def generators_as_lists(function: CoreFunction) -> CoreFunction:
    """Write the generators of a function, and itself if it is one, as functions that return lists.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(x):\\n    for v in x:\\n        yield v * v'))
    >>> made = generators_as_lists(f)
    >>> print(unparse(made.tree).strip())
    def f(x):
        items = []
        for v in x:
            items.append(v * v)
        return items
    >>> sorted(made.generators)
    ['f']
    """
    if not any(type(p) in YIELDS for p in nodes(function.tree)):
        return function
    names = Names(function.names())
    inner = _Inner(names)
    body = [inner.visit(statement) for statement in function.tree.body]
    made = replace(function.with_body(body), generators=frozenset(inner.found))
    if not yields(function.tree):
        return made
    listed = _listed(made.tree, names)
    return replace(made.with_body(listed.body), generators=made.generators | {function.name})


class _Yielder(Transformer):
    """Writes `yield v` for `items.append(v)`; what is left of the list is what was returned."""

    def __init__(self, items: str) -> None:
        self.items = items

    def visit_Expr(self, tree: Tree) -> Any:
        call = tree.value
        func = call.func if type(call) is gast.Call else None
        owner = func.value if func is not None and type(func) is gast.Attribute else None
        if getattr(owner, "id", None) == self.items:
            return at_line_of(gast.Expr(gast.Yield(call.args[0])), tree)
        return self.generic_visit(tree)

    def visit_Name(self, tree: Tree) -> Any:
        return const(None) if tree.id == self.items else tree


def with_yields(body: list[Any]) -> list[Any]:
    """Write the body of a function that returns a list, made of that of a generator, as it was before.

    The statements are edited in place.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(x):\\n    for v in x:\\n        yield v * v'))
    >>> body = with_yields(generators_as_lists(f).tree.body)
    >>> print(unparse(gast.Module(body, [])).strip())
    for v in x:
        yield v * v
    """
    start, *rest = body
    made = _Yielder(start.targets[0].id).listed(rest)
    made = made[:-1] if type(made[-1]) is gast.Return else made
    if any(type(part) in YIELDS for s in made for part in nodes(s, nested=False)):
        return made
    # what no way leads to has gone: it is a generator still
    return [*made, *quote("yield from ()")]
