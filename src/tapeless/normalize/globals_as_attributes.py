"""A name of the module that functions bind anew is written as an attribute of the module.

global calls                          calls = ...
calls += 1                   ->       settings.calls += 1
return scale * calls                  return scale * settings.calls

where `settings` is the module. So it is plain that the name may stand for something else each time.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Set
from dataclasses import replace
from typing import Any

import gast

from tapeless.externals import constant
from tapeless.set_in_texts import globals_set_in, module_with, taking_part
from tapeless.tree.build import at_line_of, const, name
from tapeless.tree.classes import COMPREHENSIONS, DEFINITIONS, FUNCTIONS, READ_OR_GIVEN
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, all_names, binds, children, nodes, parameters
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Tree

IMPORTS = (gast.Import, gast.ImportFrom)


def globals_as_attributes(function: CoreFunction) -> CoreFunction:
    """Write the names of a module that its functions bind anew as attributes of the module."""
    module = module_of(function.primal)
    if module is None:
        return function
    without_place = _bound_without_place(function.tree)
    taking_part().bind(module, _bound_in(function.tree) - without_place)
    changing = globals_set_in(module) - without_place
    if changing.isdisjoint(all_names(function.tree)):
        return function
    label = module.__name__.rpartition(".")[2].strip("_") or "module"
    renamer = _Renamer(changing, Names(function.names()).fresh(label))
    body = renamer.scope(function.tree, frozenset())
    outside = vars(module)
    kept = {
        key: external
        for key, external in function.externals.items()
        if not (key in changing and external.owner is outside)
    }
    kept[renamer.label] = constant(module, renamer.label)
    return replace(function, externals=kept).with_body(body)


def note_names_of_modules(function: CoreFunction) -> None:
    """Note which names of modules a function stores into as attributes, and which it takes for fixed."""
    together = taking_part()
    for external in function.externals.values():
        if isinstance(external.owner, dict) and (module := module_with(external.owner)) is not None:
            together.meet(module, external.key)
    attributes = [part for part in nodes(function.tree) if type(part) is gast.Attribute]
    owners = [(function.resolve(part.value), part) for part in attributes]
    found = [(owner, part) for owner, part in owners if isinstance(owner, types.ModuleType)]
    for owner, part in found:
        if type(part.ctx) is gast.Load:
            together.meet(owner, part.attr)
    for owner, part in found:  # the function was read with such a name taken for fixed
        if type(part.ctx) is not gast.Load:
            together.bind(owner, [part.attr])


def module_of(function: Any) -> types.ModuleType | None:
    """Return the module in which a function looks up its names.

    Examples
    --------
    >>> module_of(module_of).__name__, module_of(len)
    ('tapeless.normalize.globals_as_attributes', None)
    """
    names = getattr(function, "__globals__", None)
    return None if names is None else module_with(names)


def _bound_in(tree: Tree) -> set[str]:
    """Return the names that a function, or one inside, declares global and binds."""
    parts = nodes(tree)
    declared = {key for part in parts if type(part) is gast.Global for key in part.names}
    named = [part for part in parts if type(part) is gast.Name]
    return declared & {part.id for part in named if type(part.ctx) not in READ_OR_GIVEN}


def _bound_without_place(tree: Tree) -> set[str]:
    """Return the names that are bound by what binds names alone: no attribute can stand in their place."""
    parts = nodes(tree)
    found = [part.target for part in parts if type(part) is gast.NamedExpr]
    found += [part.name for part in parts if type(part) is gast.ExceptHandler and part.name]
    found += [part for part in parts if type(part) is gast.Name and type(part.ctx) is gast.Del]
    named = {
        part.name for part in parts if type(part) in (*DEFINITIONS, gast.MatchAs, gast.MatchStar)
    }
    return {part.id for part in found} | named - {tree.name, None}


class _Renamer(Transformer):
    """Puts attributes of a module in the place of names, where these are not those of a scope within."""

    def __init__(self, changing: frozenset[str], label: str) -> None:
        self.changing = changing
        self.label = label
        self.hidden: Set[str] = frozenset()

    def scope(self, tree: Tree, around: Set[str]) -> list[Any]:
        """Rename what the body of a function looks up in the module, given what hides names around it."""
        parts = _own_parts(tree.body)
        declared = {key for part in parts if type(part) is gast.Global for key in part.names}
        self.hidden = (around | set(parameters(tree)) | _bound_by(parts)) - declared
        body = self.listed(tree.body)
        self.hidden = around
        return body

    def visit_FunctionDef(self, tree: Tree) -> Any:
        self.visit(tree.args)
        tree.decorator_list = self.listed(tree.decorator_list)
        tree.body = self.scope(tree, self.hidden)
        return tree

    def visit_Lambda(self, tree: Tree) -> Any:
        self.visit(tree.args)
        around = self.hidden
        self.hidden = around | set(parameters(tree))
        tree.body = self.visit(tree.body)
        self.hidden = around
        return tree

    def generic_visit(self, tree: Tree) -> Any:
        if type(tree) not in COMPREHENSIONS:
            return super().generic_visit(tree)
        around, first = self.hidden, tree.generators[0]
        start = self.visit(first.iter)
        first.iter = const(None)
        self.hidden = set(around).union(*(binds(each.target) for each in tree.generators))
        super().generic_visit(tree)
        self.hidden, first.iter = around, start
        return tree

    def visit_Global(self, tree: Tree) -> Any:
        tree.names = [key for key in tree.names if key not in self.changing]
        return tree if tree.names else at_line_of(gast.Pass(), tree)

    def visit_Name(self, tree: Tree) -> Any:
        if type(tree.ctx) is gast.Param or tree.id not in self.changing - self.hidden:
            return tree
        made = gast.Attribute(name(self.label), tree.id, tree.ctx)
        return gast.copy_location(made, tree)


def _own_parts(trees: Iterable[Any]) -> list[Any]:
    """List the parts of a function that stand in its own scope; of functions within, the definitions."""
    found: list[Any] = []
    for part in trees:
        found.append(part)
        if type(part) in COMPREHENSIONS:
            found += [p for p in nodes(part) if type(p) is gast.NamedExpr]
        elif type(part) not in FUNCTIONS:
            found += _own_parts(children(part))
    return found


def _bound_by(parts: list[Any]) -> set[str]:
    """Return the names that parts of a scope bind in it."""
    imported = [alias for part in parts if type(part) in IMPORTS for alias in part.names]
    found = {alias.asname or alias.name.partition(".")[0] for alias in imported}
    for part in parts:
        if type(part) is gast.NamedExpr:
            found.add(part.target.id)
        elif type(part) is gast.Name and type(part.ctx) not in READ_OR_GIVEN:
            found.add(part.id)
        elif type(part) in (*DEFINITIONS, gast.MatchAs, gast.MatchStar):
            found.add(part.name)
        elif type(part) is gast.MatchMapping:
            found.add(part.rest)
    return found
