"""A function inside a function that `functools` caches keeps its results in a dict of its own.

@cache                    cached = {}
def c(n):                 def c(n):
    return x * n    ->        if n in cached: return cached[n]
                              result = x * n
                              cached[n] = result
                              return result

So it may call itself, and what it returns carries derivatives to all who got it from the dict. How many
results a cache holds at most is left aside: what is forgotten would be computed again.
"""

from __future__ import annotations

import functools
from typing import Any

import gast

from tapeless.externals import is_one_of
from tapeless.normalize.generators_as_lists import yields
from tapeless.tree.build import assign, at_line_of, const, name, quote
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree

_CACHES = (functools.cache, functools.lru_cache)


class _Keeper(Transformer):
    """Writes what a cached function returns into its dict."""

    def __init__(self, cached: str, asked: str, names: Names) -> None:
        self.cached, self.asked = cached, asked
        self.result = names.fresh("result")

    def visit_FunctionDef(self, tree: Tree) -> Any:
        return tree

    def visit_Lambda(self, tree: Tree) -> Any:
        return tree

    def visit_Return(self, tree: Tree) -> Any:
        kept = quote(
            "r = v\nc[k] = r\nreturn r",
            r=self.result, v=tree.value or const(None), c=self.cached, k=self.asked,
        )  # fmt: skip
        return [at_line_of(s, tree) for s in kept]


class _Cacher(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.names = Names(function.names())

    def visit_FunctionDef(self, tree: Tree) -> Any:
        tree = self.generic_visit(tree)
        a = tree.args
        own = [name(p.id) for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
        cached = len(tree.decorator_list) == 1 and self.is_cache(tree.decorator_list[0])
        if not cached or a.vararg or a.kwarg or yields(tree):
            return tree
        cache, asked = self.names.fresh("cached"), self.names.fresh("asked")
        key = own[0] if len(own) == 1 else gast.Tuple(own, gast.Load())
        found = quote("if k in c:\n    return c[k]", k=asked, c=cache)
        first = [at_line_of(s, tree) for s in (assign(asked, key), *found)]
        body = [*first, *_Keeper(cache, asked, self.names).listed(tree.body)]
        made = gast.FunctionDef(tree.name, a, body, [], None, None, [])
        start = assign(cache, gast.Dict([], []))
        return [at_line_of(s, tree) for s in (start, made)]

    def is_cache(self, decorator: Expr) -> bool:
        """Whether a decorator is `cache`, `lru_cache` or `lru_cache(...)`."""
        called = decorator.func if type(decorator) is gast.Call else decorator
        return is_one_of(self.function.resolve(called), _CACHES)


def caches_as_dicts(function: CoreFunction) -> CoreFunction:
    """Write cached functions inside a function as ones that look into a dict first.

    Examples
    --------
    >>> from tapeless.externals import External
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> text = 'def f(x):\\n    @cache\\n    def c(n):\\n        return x * n\\n    return c(2)'
    >>> cache = External(None, "cache", functools.cache)
    >>> f = CoreFunction(parse_function(text), {"cache": cache})
    >>> print(unparse(caches_as_dicts(f).tree).strip())
    def f(x):
        cached = {}
    <BLANKLINE>
        def c(n):
            asked = n
            if asked in cached:
                return cached[asked]
            result = x * n
            cached[asked] = result
            return result
        return c(2)
    """
    inside = [part for statement in function.tree.body for part in nodes(statement)]
    if not any(type(p) is gast.FunctionDef and p.decorator_list for p in inside):
        return function
    return function.with_body(_Cacher(function).listed(function.tree.body))
