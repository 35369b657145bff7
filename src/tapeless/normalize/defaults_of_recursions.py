"""A local function that calls itself passes the defaults that were computed where it was defined.

def go(i, path=()):             path_default = ()
    ...                   ->    def go_itself(i, path):
    return go(i + 1)                ...
                                    return go_itself(i + 1, path=path_default)
                                def go(i, path=path_default):
                                    return go_itself(i, path)

A function that is given values where it is defined is one together with these values: it is not there yet
when its own text is read. What calls itself is the plain function.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.tree.build import assign, at_line_of, name
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, free_names, is_named, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Tree


class _Calls(Transformer):
    """Writes the calls of a function, within itself, as calls of the plain one."""

    def __init__(self, key: str, plain: str, parameters: list[str], kept: dict[str, str]) -> None:
        self.key, self.plain, self.parameters, self.kept = key, plain, parameters, kept

    def visit_Call(self, tree: Tree) -> Any:
        tree = self.generic_visit(tree)
        if not is_named(tree.func, self.key):
            return tree
        given = {*self.parameters[: len(tree.args)], *(k.arg for k in tree.keywords)}
        more = [gast.keyword(p, name(d)) for p, d in self.kept.items() if p not in given]
        return gast.Call(name(self.plain), tree.args, [*tree.keywords, *more])


class _Separator(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.names = Names(function.names())

    def visit_FunctionDef(self, tree: Tree) -> Any:
        tree = self.generic_visit(tree)
        defaults = _defaults(tree)
        if all(type(d) is gast.Constant for d in defaults.values()) or tree.decorator_list:
            return tree
        if not self.only_calls_itself(tree):
            return tree
        kept = {key: self.names.fresh(f"{key}_default") for key in defaults}
        plain = self.names.fresh(f"{tree.name}_itself")
        own = [p.id for p in tree.args.args]
        by_name = [p.id for p in tree.args.kwonlyargs]
        body = _Calls(tree.name, plain, own, kept).listed(tree.body)
        without = [None] * len(by_name)
        inner = gast.arguments(tree.args.args, [], None, tree.args.kwonlyargs, without, None, [])
        passed = [gast.keyword(key, name(key)) for key in by_name]
        call = gast.Call(name(plain), [name(key) for key in own], passed)
        outer = gast.arguments(
            tree.args.args, [], None, tree.args.kwonlyargs,
            [name(kept[key]) if key in kept else None for key in by_name], None,
            [name(kept[key]) for key in own if key in kept],
        )  # fmt: skip
        made = [
            *(assign(kept[key], default) for key, default in defaults.items()),
            gast.FunctionDef(plain, inner, body, [], None, None, []),
            gast.FunctionDef(tree.name, outer, [gast.Return(call)], [], None, None, []),
        ]
        return [at_line_of(s, tree) for s in made]

    def only_calls_itself(self, tree: Tree) -> bool:
        """Whether a function calls itself, is mentioned in its body for nothing else, and is bound once."""
        a = tree.args
        if a.posonlyargs or a.vararg or a.kwarg or tree.name not in free_names(tree):
            return False
        inside = [part for s in tree.body for part in nodes(s)]
        mentions = [p for p in inside if is_named(p, tree.name)]
        plain = [p for p in inside if type(p) is gast.Call and _is_plain(p)]
        called = [p.func for p in plain if is_named(p.func, tree.name)]
        every = nodes(self.function.tree)
        bound = [p for p in every if is_named(p, tree.name) and type(p.ctx) is not gast.Load]
        defined = [p for p in every if type(p) is gast.FunctionDef and p.name == tree.name]
        return len(mentions) == len(called) and not bound and len(defined) == 1


def _defaults(tree: Tree) -> dict[str, Any]:
    """Return the defaults of a function, by parameter."""
    a = tree.args
    pairs = [
        *zip(a.args[len(a.args) - len(a.defaults) :], a.defaults, strict=True),
        *zip(a.kwonlyargs, a.kw_defaults, strict=True),
    ]
    return {p.id: d for p, d in pairs if d is not None}


def _is_plain(call: Expr) -> bool:
    """Whether a call passes nothing by `*` and `**`."""
    starred = any(type(a) is gast.Starred for a in call.args)
    return not starred and all(k.arg is not None for k in call.keywords)


def defaults_of_recursions(function: CoreFunction) -> CoreFunction:
    """Let local functions with computed defaults that call themselves pass these on.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> text = 'def f(x):\\n    def go(i, path=()):\\n        return go(i + 1)\\n    return go(0)'
    >>> print(unparse(defaults_of_recursions(CoreFunction(parse_function(text))).tree).strip())
    def f(x):
        path_default = ()
    <BLANKLINE>
        def go_itself(i, path):
            return go_itself(i + 1, path=path_default)
    <BLANKLINE>
        def go(i, path=path_default):
            return go_itself(i, path)
        return go(0)
    """
    inside = [part for statement in function.tree.body for part in nodes(statement)]
    if not any(
        type(p) is gast.FunctionDef and (p.args.defaults or p.args.kw_defaults) for p in inside
    ):
        return function
    return function.with_body(_Separator(function).listed(function.tree.body))
