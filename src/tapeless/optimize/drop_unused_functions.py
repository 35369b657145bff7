"""Nested functions that nothing calls any more, and comments that introduce nothing.

    def grad(dy):
        return dy * x
    y = x * x              ->      y = x * x

A derivative has the derivatives of the functions that are defined inside the author's, so that the
definitions themselves often are no longer called.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from tapeless.custom import is_local_custom
from tapeless.optimize.analyses import body_of
from tapeless.optimize.context import Context
from tapeless.tree.comments import Role, is_comment, role_of
from tapeless.tree.names import reads
from tapeless.tree.trees import Stmt, Tree


def drop_unused_functions(function: gast.FunctionDef, context: Context) -> bool:
    """Remove nested definitions whose names are read nowhere else in a function."""
    defined = [s for s in body_of(function, context).parts(gast.FunctionDef) if s is not function]
    if not defined:
        return False
    read = Counter(reads(function))

    def is_dead(s: Stmt) -> bool:
        if type(s) is not gast.FunctionDef:
            return False
        if s.decorator_list and not is_local_custom(s, context.resolve):
            return False
        return read[s.name] == reads(s).count(s.name)

    dead = list(filter(is_dead, defined))
    if dead:
        _without(function, is_dead)
    return bool(dead)


def _without(owner: Tree, is_dead: Any) -> None:
    """Remove statements from the blocks of a function, at any depth but of nested functions."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(owner, field, None)
        if not isinstance(block, list) or not block:
            continue
        kept = [s for s in block if not is_dead(s)]
        if field == "body" and not kept:
            kept = [gast.Pass()]
        setattr(owner, field, kept)
        for s in kept:
            if type(s) is not gast.FunctionDef:
                _without(s, is_dead)


def drop_idle_comments(function: gast.FunctionDef) -> gast.FunctionDef:
    """Remove the comments on spliced bodies of which nothing is left."""

    def follows(block: list[Any], i: int) -> bool:
        return i + 1 < len(block) and not is_comment(block[i + 1])

    def visit(owner: Tree) -> None:
        for field in ("body", "orelse"):
            block = getattr(owner, field, None)
            if not isinstance(block, list):
                continue
            kept = [s for i, s in enumerate(block) if not _introduces(s) or follows(block, i)]
            setattr(owner, field, kept or [gast.Pass()] if field == "body" else kept)
            for s in kept:
                visit(s)

    visit(function)
    return function


def _introduces(s: Stmt) -> bool:
    return role_of(s) is Role.INLINED
