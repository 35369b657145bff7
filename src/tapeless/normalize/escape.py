"""Which names hold a container that nobody outside the function ever sees.

A deque, a default dict, a counter does what a list or a dict does, plus something at certain reads and
stores. Where the function that makes one also makes every use of it, that something can be written out,
and a list or a dict is left. Where it is returned, kept in something else or handed to a function of the
user's, its own class shows, and it stays what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from tapeless.externals import MISSING, is_one_of, package_of
from tapeless.tree.classes import ITERATIONS, MEMBERSHIP
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import children, nodes
from tapeless.tree.trees import Tree

# Modules whose functions look at a container as a sequence or mapping, and keep nothing of it.
_LOOKING = ("builtins", "numpy", "math", "statistics")
_SHOWING = (print, str, repr, type, isinstance, id, ascii, format, vars, dir, iter, hash, getattr)


def made_by(tree: Tree, function: CoreFunction) -> Any:
    """Return the function that the value of an assignment to one name calls, or `MISSING`."""
    targets = tree.targets if type(tree) is gast.Assign else [getattr(tree, "target", None)]
    one = len(targets) == 1 and type(targets[0]) is gast.Name
    if not isinstance(tree, (gast.Assign, gast.AnnAssign)) or not one:
        return MISSING
    return function.resolve(tree.value.func) if type(tree.value) is gast.Call else MISSING


def non_escaping(
    function: CoreFunction, methods: Mapping[Any, frozenset[str]]
) -> dict[str, list[Any]]:
    """Return the names that only hold containers of one of some classes, which stay inside.

    Parameters
    ----------
    function
        Any function.
    methods
        For each class the methods that do not show it.

    Returns
    -------
    For each name the assignments that make its containers.
    """
    made: dict[str, list[Any]] = {}
    for part in nodes(function.tree):
        if is_one_of(made_by(part, function), methods):
            place = part.targets[0] if type(part) is gast.Assign else part.target
            made.setdefault(place.id, []).append(part)
    if not made:
        return {}
    parents = {
        child: part for part in nodes(function.tree) for child in children(part)
        if isinstance(child, (gast.expr, gast.stmt, gast.keyword, gast.comprehension))
    }  # fmt: skip
    found = {}
    for key, assignments in made.items():
        cls = made_by(assignments[0], function)
        alike = all(made_by(a, function) is cls for a in assignments)
        uses = [p for p in nodes(function.tree) if getattr(p, "id", None) == key]
        bound = [p for p in uses if type(p.ctx) is not gast.Load]
        if not alike or len(bound) != len(assignments):
            continue
        reads = [p for p in uses if type(p.ctx) is gast.Load]
        if all(_is_inside(use, parents, function, methods[cls]) for use in reads):
            found[key] = assignments
    return found


def _is_inside(use: Tree, parents: Any, function: CoreFunction, methods: frozenset[str]) -> bool:
    """Whether a read of a name uses the container as a list or dict, there and then."""
    parent = parents.get(use)
    if type(parent) is gast.Attribute:
        call = parents.get(parent)
        called = type(call) is gast.Call and call.func is parent
        return called and parent.attr in methods
    if type(parent) is gast.Subscript:
        return parent.value is use
    if type(parent) is gast.Call:
        found = function.resolve(parent.func)
        looks = package_of(found) in _LOOKING and not is_one_of(found, _SHOWING)
        return found is not MISSING and looks and use in parent.args
    if type(parent) in ITERATIONS:
        return parent.iter is use
    if type(parent) is gast.Compare:
        inside = all(type(op) in MEMBERSHIP for op in parent.ops)
        return inside and parent.left is not use
    if isinstance(parent, (gast.If, gast.While, gast.IfExp)):
        return parent.test is use
    return type(parent) is gast.UnaryOp and type(parent.op) is gast.Not
