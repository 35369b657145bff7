"""A function that returns a lazy iterator is written as a generator.

def pairs(x): return zip(x, x[1:])                   ->   def pairs(x): yield from zip(x, x[1:])
def squares(x): return (v * v for v in x)            ->   def squares(x): yield from (v * v for v in x)
def __iter__(self): return iter(self.x.values())     ->   def __iter__(self): yield from self.x.values()

Whoever goes through what it gives asks for the items one by one in both. What `__iter__` hands
to `iter` stays where it is no more than a name or an attribute: it is gone through itself, if it is a list.
"""

from __future__ import annotations

import itertools
from typing import Any

import gast

from tapeless.externals import is_one_of
from tapeless.normalize.generators_as_lists import yields
from tapeless.normalize.steps import MODELS
from tapeless.tree.build import at_line_of
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Stmt, Tree

_LAZY = (
    map, filter, zip, enumerate, reversed, itertools.chain, itertools.chain.from_iterable, *MODELS,
)  # fmt: skip
_VIEWS = {"values", "items", "keys"}


def iterators_returned(function: CoreFunction) -> CoreFunction:
    """Write a function that returns what is lazy, and those inside of it, as generators.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> text = 'def pairs(x):\\n    return zip(x, x[1:])'
    >>> print(unparse(iterators_returned(CoreFunction(parse_function(text))).tree).strip())
    def pairs(x):
        yield from zip(x, x[1:])
        return
    """
    returned = [p.value for p in nodes(function.tree) if type(p) is gast.Return]
    given = [_iterable(value, function) for value in returned]
    lazy = any(_is_lazy(tree, function) for tree in given)
    if not lazy and all(a is b for a, b in zip(given, returned, strict=True)):
        return function
    body = _Inner(function).listed(function.tree.body)
    made = function.with_body(body)
    return (
        made.with_body(_Yielder(function).listed(body))
        if _gives_lazily(made.tree, function)
        else made
    )


def _gives_lazily(tree: Tree, function: CoreFunction) -> bool:
    """Whether a function returns lazy iterators, and nothing else; it may return what `iter` is given."""
    returned = [p.value for p in nodes(tree, nested=False) if type(p) is gast.Return]
    lazy = [_is_lazy(_iterable(value, function), function) for value in returned]
    asked = [value is not _iterable(value, function) for value in returned]
    every = all(one or other for one, other in zip(lazy, asked, strict=True))
    gone_through = any(lazy) or (any(asked) and tree.name != "__iter__")
    return gone_through and every and not yields(tree)


class _Inner(Transformer):
    """Writes the functions inside of another one that return what is lazy."""

    def __init__(self, function: CoreFunction) -> None:
        self.function = function

    def visit_FunctionDef(self, tree: Tree) -> Any:
        tree = self.generic_visit(tree)
        if tree.decorator_list or not _gives_lazily(tree, self.function):
            return tree
        body = _Yielder(self.function).listed(tree.body)
        made = gast.FunctionDef(tree.name, tree.args, body, [], None, None, [])
        return gast.copy_location(made, tree)


class _Yielder(Transformer):
    """Writes `yield from x` for `return x`."""

    def __init__(self, function: CoreFunction) -> None:
        self.function = function

    def visit_FunctionDef(self, tree: Tree) -> Any:
        return tree

    def visit_Lambda(self, tree: Tree) -> Any:
        return tree

    def visit_Return(self, tree: Stmt) -> Any:
        given = _iterable(tree.value, self.function)
        chained = type(given) is gast.Call and is_one_of(
            self.function.resolve(given.func), (itertools.chain,)
        )
        parts = [gast.YieldFrom(part) for part in (given.args if chained else [given])]
        return [at_line_of(s, tree) for s in (*map(gast.Expr, parts), gast.Return(None))]


def _iterable(tree: Tree, function: CoreFunction) -> Any:
    """Return what `iter` is asked to go through."""
    if type(tree) is gast.Call and getattr(tree.func, "attr", "") == "__iter__" and not tree.args:
        return tree.func.value
    plain = type(tree) is gast.Call and len(tree.args) == 1 and not tree.keywords
    return tree.args[0] if plain and is_one_of(function.resolve(tree.func), (iter,)) else tree


def _is_lazy(tree: Tree, function: CoreFunction) -> bool:
    """Whether an expression makes an iterator, or a view of a dict."""
    if type(tree) is not gast.Call:
        return type(tree) is gast.GeneratorExp
    views = type(tree.func) is gast.Attribute and tree.func.attr in _VIEWS and not tree.args
    return views or is_one_of(function.resolve(tree.func), _LAZY)
