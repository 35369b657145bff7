"""Trees of gast as trees of `ast`, for what prints these.

    gast.Name("x", gast.Param(), None, None)   ->   ast.arg("x")       among parameters
    gast.Name("x", gast.Load(), None, None)    ->   ast.Name("x")      elsewhere

gast's own translation looks up a visitor for each part and carries positions over, which a printer does not
ask for. This one goes through the fields of a tree, and takes operators, which have no parts, once for all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import gast

from tapeless.tree.trees import Tree

Translator = Callable[[Any], Any]


def python_tree(tree: Tree) -> Any:
    """Return a tree of gast, or a list of them, as one of `ast`, without its positions.

    Examples
    --------
    >>> print(ast.dump(python_tree(gast.parse("def f(x): return -x").body[0].args)))
    arguments(posonlyargs=[], args=[arg(arg='x')], kwonlyargs=[], kw_defaults=[], defaults=[])
    """
    cls = type(tree)
    if cls is list:
        return [python_tree(part) for part in tree]
    translate = _TRANSLATORS.get(cls)
    return tree if translate is None else translate(tree)


def _whole(cls: Any) -> Translator:
    """Write what translates the trees of a class field by field."""
    fields = [field for field in cls._fields if field != "ctx"]
    with_context = "ctx" in cls._fields

    def translate(tree: Tree) -> Any:
        made = cls.__new__(cls)
        said, given = made.__dict__, tree.__dict__
        for field in fields:
            if field in given:
                said[field] = python_tree(given[field])
        if with_context:
            said["ctx"] = _CONTEXTS[type(given["ctx"])]
        return made

    return translate


def _single(cls: Any) -> Translator:
    """Return what translates the trees of a class that has no fields."""
    made = cls()
    return lambda tree: made


def _parameter(tree: Tree) -> Any:
    return None if tree is None else ast.arg(tree.id, python_tree(tree.annotation))


def _arguments(tree: Tree) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[_parameter(p) for p in tree.posonlyargs],
        args=[_parameter(p) for p in tree.args],
        vararg=_parameter(tree.vararg),
        kwonlyargs=[_parameter(p) for p in tree.kwonlyargs],
        kw_defaults=python_tree(tree.kw_defaults),
        kwarg=_parameter(tree.kwarg),
        defaults=python_tree(tree.defaults),
    )


def _handler(tree: Tree) -> ast.ExceptHandler:
    name = tree.name and tree.name.id
    return ast.ExceptHandler(python_tree(tree.type), name, python_tree(tree.body))


_CONTEXTS: dict[Any, Any] = {
    gast.Load: ast.Load(), gast.Store: ast.Store(), gast.Del: ast.Del(), gast.Param: ast.Load(),
}  # fmt: skip


def _translators() -> dict[Any, Translator]:
    found: dict[Any, Translator] = {}
    for made in vars(gast).values():
        cls = getattr(ast, made.__name__, None) if isinstance(made, type) else None
        if cls is not None and issubclass(made, gast.AST):
            found[made] = _whole(cls) if cls._fields else _single(cls)
    return found | {gast.arguments: _arguments, gast.ExceptHandler: _handler}


_TRANSLATORS = _translators()
