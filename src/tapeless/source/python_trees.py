"""Trees of gast as trees of `ast`, which printers take, and the other way round, as a file is read.

    gast.Name("x", gast.Param(), None, None)   <->   ast.arg("x")       among parameters
    gast.Name("x", gast.Load(), None, None)    <->   ast.Name("x")      elsewhere

gast's own translation looks up a visitor for each part, and asks each part for each position. This one goes
through the fields of a tree, and makes operators and contexts, which have no parts, once for all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import gast

from tapeless.tree.classes import Plainly
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


def _assignment(tree: Tree) -> ast.stmt:
    """Write an assignment; one past the `__setattr__` of a class is a call of that of all objects.

    Examples
    --------
    >>> tree = gast.parse("p.a = 1").body[0]
    >>> tree.targets[0].ctx = Plainly()
    >>> print(ast.unparse(python_tree(tree)))
    object.__setattr__(p, 'a', 1)
    """
    place, value = tree.targets[0], python_tree(tree.value)
    if type(getattr(place, "ctx", None)) is Plainly:
        given = [python_tree(place.value), ast.Constant(place.attr), value]
        method = ast.Attribute(ast.Name("object", ast.Load()), "__setattr__", ast.Load())
        return ast.Expr(ast.Call(method, given, []))
    return ast.Assign(python_tree(tree.targets), value, None)


def _handler(tree: Tree) -> ast.ExceptHandler:
    name = tree.name and tree.name.id
    return ast.ExceptHandler(python_tree(tree.type), name, python_tree(tree.body))


_CONTEXTS: dict[Any, Any] = {
    gast.Load: ast.Load(), gast.Store: ast.Store(), Plainly: ast.Store(), gast.Del: ast.Del(),
    gast.Param: ast.Load(),
}  # fmt: skip


def _translators() -> dict[Any, Translator]:
    found: dict[Any, Translator] = {}
    for made in vars(gast).values():
        cls = getattr(ast, made.__name__, None) if isinstance(made, type) else None
        if cls is not None and issubclass(made, gast.AST):
            found[made] = _whole(cls) if cls._fields else _single(cls)
    return found | {
        gast.arguments: _arguments,
        gast.Assign: _assignment,
        gast.ExceptHandler: _handler,
    }


_TRANSLATORS = _translators()


def gast_tree(tree: Any) -> Any:
    """Return a tree of `ast`, or a list of them, as one of gast, with its positions.

    Examples
    --------
    >>> made = gast_tree(ast.parse("def f(x): return -x"))
    >>> made.body[0].args.args[0].id, made.body[0].body[0].lineno
    ('x', 1)
    """
    cls = type(tree)
    if cls is list:
        return [gast_tree(part) for part in tree]
    read = _READERS.get(cls)
    return tree if read is None else read(tree)


def _read_as(cls: Any) -> Translator:
    """Write what translates the trees that a class of gast has, field by field."""
    added = [field for field in ("type_params",) if field in cls._fields]  # since Python 3.12

    def read(tree: Any) -> Any:
        made = cls.__new__(cls)
        said = made.__dict__
        for field, value in tree.__dict__.items():
            said[field] = value if type(value) in _PLAIN else gast_tree(value)
        for field in added:
            said.setdefault(field, [])
        return made

    return read


def _read_name(tree: Any) -> gast.Name:
    made = gast.Name.__new__(gast.Name)
    made.__dict__ = {**tree.__dict__, "ctx": gast_tree(tree.ctx)}
    made.annotation = made.type_comment = None
    return made


def _read_parameter(tree: ast.arg) -> gast.Name:
    made = gast.Name(tree.arg, gast.Param(), gast_tree(tree.annotation), tree.type_comment)
    return ast.copy_location(made, tree)


def _read_handler(tree: ast.ExceptHandler) -> gast.ExceptHandler:
    name = gast.Name(tree.name, gast.Store(), None, None) if tree.name else None
    made = gast.ExceptHandler(gast_tree(tree.type), name, gast_tree(tree.body))
    return ast.copy_location(made, tree)


_PLAIN = frozenset({str, int, float, complex, bool, bytes, type(None), type(...)})


def _readers() -> dict[Any, Translator]:
    found: dict[Any, Translator] = {}
    for made in vars(gast).values():
        cls = getattr(ast, made.__name__, None) if isinstance(made, type) else None
        if cls is not None and issubclass(made, gast.AST):
            found[cls] = _read_as(made) if made._fields or made._attributes else _single(made)
    special = {ast.Name: _read_name, ast.arg: _read_parameter, ast.ExceptHandler: _read_handler}
    return found | special


_READERS = _readers()
