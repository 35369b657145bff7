"""A generator expression, or `map`, that is handed to a function of the user's becomes a local generator.

                              def items(row):
total(v * v for v in x)  ->       for v in row:
                                      yield v * v
                              total(items(x))

What is gone through first is evaluated where the expression stands, as Python does it, and all else when
the function asks for the next item.
"""

from __future__ import annotations

import inspect
import itertools
import types
from collections import Counter, deque
from typing import Any

import gast

from tapeless.externals import MISSING, is_one_of
from tapeless.normalize.expand_comprehensions import as_comprehension
from tapeless.normalize.iterators_as_loops import calls_rules
from tapeless.normalize.iterators_in_step import as_trips
from tapeless.normalize.steps import MODELS
from tapeless.tree.build import at_line_of, name, target
from tapeless.tree.classes import COMPREHENSIONS, DOTTED
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt

_LAZY = (map, filter, *MODELS)
_SCOPES = (gast.Lambda, *COMPREHENSIONS)
_STEADY = DOTTED | {gast.Lambda, gast.Constant}


class _Definer(Transformer):
    """Writes generators, which are put before the statement that they stand in."""

    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.names = Names(function.names())
        self.made: list[Any] = []

    def generic_visit(self, tree: Any) -> Any:
        if isinstance(tree, _SCOPES):  # what it binds is out of reach before the statement
            return tree
        if not isinstance(tree, gast.stmt):
            return super().generic_visit(tree)
        outer, self.made = self.made, []
        if type(tree) is gast.For:
            tree.iter = self.beside_others(tree.iter)
        changed = super().generic_visit(tree)
        made, self.made = self.made, outer
        return [*made, changed] if made else changed

    def visit_Call(self, tree: Expr) -> Any:
        tree = super().generic_visit(tree)
        if self.is_users(tree.func):
            tree.args = [self.defined(a) for a in tree.args]
            for k in tree.keywords:
                k.value = self.defined(k.value)
        return tree

    def beside_others(self, tree: Expr, inside: bool = False) -> Any:
        """Write what is lazy in `zip` or `chain` as generators, where it may change things.

        What gives an item for each of what it goes through is computed in the body of the loop.
        """
        called = self.function.resolve(tree.func) if type(tree) is gast.Call else MISSING
        if not is_one_of(called, (zip, enumerate, itertools.chain)):
            return tree
        tree.args = [self.beside_others(arg, inside=True) for arg in tree.args]
        if inside or called is not enumerate:
            tree.args = [
                self.lazily(arg) if called is itertools.chain or not self.gives_each(arg) else arg
                for arg in tree.args
            ]
        return tree

    def gives_each(self, tree: Expr) -> bool:
        """Whether an iterator gives one item for each of what it goes through."""
        return as_trips(tree, target("v"), self.function, self.names) is not None

    def lazily(self, tree: Expr) -> Any:
        """Write what is lazy as the call of a generator, if it calls functions without a rule."""
        lazy = type(tree) is gast.GeneratorExp or (
            type(tree) is gast.Call and is_one_of(self.function.resolve(tree.func), _LAZY)
        )
        return tree if not lazy or calls_rules(tree, self.function) else self.defined(tree)

    def is_users(self, func: Expr) -> bool:
        """Whether a function is one of the user's, defined here or elsewhere."""
        if type(func) is gast.Name and func.id in self.function.local:
            return True
        found = self.function.resolve(func)
        if type(func) is gast.Attribute and found is MISSING:
            return func.attr not in _METHODS
        module = getattr(found, "__module__", "") or ""
        package = module.partition(".")[0]
        called = inspect.getattr_static(found, "__init__") if isinstance(found, type) else found
        return isinstance(called, types.FunctionType) and package not in _LIBRARIES

    def defined(self, argument: Expr) -> Any:
        """Write a generator expression, or a `map`, as the call of a generator of its own."""
        argument = self.as_generator(argument)
        if type(argument) is not gast.GeneratorExp:
            return argument
        label = self.names.fresh("items")
        first, *others = argument.generators
        rows, over = self.gone_through(first.iter)
        body: list[Stmt] = [gast.Expr(gast.Yield(argument.elt))]
        for part in reversed([gast.comprehension(first.target, over, first.ifs, 0), *others]):
            for test in reversed(part.ifs):
                body = [gast.If(test, body, [])]
            body = [gast.For(part.target, part.iter, body, [], None)]
        parameters = [gast.Name(row, gast.Param(), None, None) for row in rows]
        arguments = gast.arguments(parameters, [], None, [], [], None, [])
        self.made.append(
            at_line_of(gast.FunctionDef(label, arguments, body, [], None, None, []), argument)
        )
        return gast.copy_location(gast.Call(name(label), [*rows.values()], []), argument)

    def as_generator(self, tree: Any) -> Any:
        """Return `map` or `filter` of a function that has a name as a generator expression."""
        if type(tree) is not gast.Call or not tree.args or type(tree.args[0]) not in _STEADY:
            return tree
        if not is_one_of(self.function.resolve(tree.func), _LAZY):
            return tree
        made = as_comprehension(tree, self.function, self.names)
        if made is None:
            return tree
        return at_line_of(gast.GeneratorExp(made.elt, made.generators), tree)

    def gone_through(self, tree: Expr) -> tuple[dict[str, Any], Any]:
        """Name what a generator is given: what it goes through, or what that is numbered or joined of."""
        if type(tree) is not gast.Call or not self.is_plain_iterator(tree):
            row = self.names.fresh("row")
            return {row: tree}, name(row)
        rows = {self.names.fresh("row"): part for part in tree.args}
        return rows, gast.Call(tree.func, [name(row) for row in rows], tree.keywords)

    def is_plain_iterator(self, tree: Expr) -> bool:
        """Whether a call goes through its arguments itself, when it is asked for items."""
        found = self.function.resolve(tree.func)
        starred = any(type(part) is gast.Starred for part in tree.args)
        plain = all(type(k.value) is gast.Constant and k.arg for k in tree.keywords)
        return (
            is_one_of(found, (enumerate, zip, itertools.zip_longest, *MODELS))
            and plain
            and not starred
        )


_LIBRARIES = frozenset({"numpy", "scipy", "tapeless", "functools", "statistics", "collections"})
_METHODS = frozenset(
    label for cls in (list, dict, set, str, bytes, deque, Counter) for label in dir(cls)
)  # they take all at once


def generators_handed_on(function: CoreFunction) -> CoreFunction:
    """Write generator expressions that are handed to functions of the user's as local generators.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> text = 'def f(total, x):\\n    return total(v * v for v in x if v > 0.0)'
    >>> print(unparse(generators_handed_on(CoreFunction(parse_function(text))).tree).strip())
    def f(total, x):
    <BLANKLINE>
        def items(row):
            for v in row:
                if v > 0.0:
                    yield v * v
        return total(items(x))
    """
    parts = nodes(function.tree)
    lazy = any(type(p) is gast.GeneratorExp for p in parts)
    if not lazy and not any(getattr(p, "id", "") in ("map", "filter") for p in parts):
        return function
    return function.with_body(_Definer(function).listed(function.tree.body))
