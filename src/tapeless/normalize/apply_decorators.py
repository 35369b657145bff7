"""Decorators of functions inside a function become calls, as Python makes them.

@twice
def run(y): ...     ->     def run(y): ...
                           run = twice(run)
"""

from __future__ import annotations

import functools
from typing import Any

import gast

from tapeless.custom import is_local_custom
from tapeless.tree.build import assign, at_line_of, name
from tapeless.tree.classes import DOTTED
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, free_names, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree


class _Applier(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.names = Names(function.names())

    def visit_FunctionDef(self, tree: Tree) -> Any:
        tree = self.generic_visit(tree)
        if not tree.decorator_list or is_local_custom(tree, self.function.resolve):
            return tree
        applied = [d for d in tree.decorator_list if not self.only_labels(d)]
        if applied and tree.name in free_names(tree):
            raise self.function.error(
                tree,
                f"'{tree.name}' calls what its decorator makes of it, which is not followed",
                "define it outside, and pass what it uses as arguments",
            )
        plain = gast.FunctionDef(tree.name, tree.args, tree.body, [], None, None, [])
        before: list[Any] = []
        made: Any = name(tree.name)
        for decorator in reversed(applied):
            called = decorator
            if type(decorator) not in DOTTED:
                called = name(self.names.fresh("decorator"))
                before.insert(0, assign(called.id, decorator))
            made = gast.Call(called, [made], [])
        after = [assign(tree.name, made)] if applied else []
        return [at_line_of(s, tree) for s in [*before, plain, *after]]

    def only_labels(self, decorator: Expr) -> bool:
        """Whether a decorator only hands on the name and the docstring of another function."""
        made_by = decorator.func if type(decorator) is gast.Call else None
        return made_by is not None and self.function.resolve(made_by) is functools.wraps


def apply_decorators(function: CoreFunction) -> CoreFunction:
    """Write the decorators of the functions inside a function as calls; custom gradients stay.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> text = 'def f(x):\\n    @twice\\n    def run():\\n        return x\\n    return run()'
    >>> print(unparse(apply_decorators(CoreFunction(parse_function(text))).tree).strip())
    def f(x):
        def run():
            return x
        run = twice(run)
        return run()
    """
    inside = [part for statement in function.tree.body for part in nodes(statement)]
    if not any(type(p) is gast.FunctionDef and p.decorator_list for p in inside):
        return function
    applier = _Applier(function)
    return function.with_body(applier.listed(function.tree.body))
