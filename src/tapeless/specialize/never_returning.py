"""A call of a function that always raises binds nothing, and nothing is reached behind it.

    try:                            try:
        y = fail(x)           ->        fail(x)
        z = y * x                   except ValueError:
    except ValueError:                  z = x
        z = x

Where the name that it would bind is read behind the branch, that read is reached on other ways only: with the
name goes the adjoint or tangent that it would need. A name that nothing else binds stays: it is a local one.
"""

from __future__ import annotations

import copy
from collections import Counter
from functools import cached_property
from typing import Any

import gast

from tapeless.analysis.facts import Facts, binds_nothing
from tapeless.tree.build import at_line_of, const
from tapeless.tree.classes import COMPOUND
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds, nodes
from tapeless.tree.trees import Stmt


def with_calls_that_raise(function: CoreFunction, facts: Facts) -> CoreFunction | None:
    """Write calls that never return as such; None where there are none within branches, loops or attempts."""
    cutting = _Cutting(function, facts)
    body = [cutting.inside(s) for s in function.tree.body]
    return function.with_body(body) if cutting.found else None


class _Cutting:
    """Writes the blocks of a function anew, each up to a call that never returns."""

    def __init__(self, function: CoreFunction, facts: Facts) -> None:
        self.function = function
        self.facts = facts
        self.found = False

    @cached_property
    def bindings(self) -> Counter[str]:
        """How often each name is bound; few functions call what always raises, and need it."""
        names = (part for part in nodes(self.function.tree) if type(part) is gast.Name)
        return Counter(part.id for part in names if type(part.ctx) is gast.Store)

    def block(self, statements: list[Any]) -> list[Any]:
        """Write a block; one that would return does so still, as far as its text tells."""
        for i, s in enumerate(statements):
            if s in self.facts.callees and binds_nothing(self.facts.results, s):
                alone = any(self.bindings[key] == 1 for key in binds(s))
                raising = s if alone else at_line_of(gast.Expr(s.value), s)
                last = [r for r in statements[i + 1 :] if type(r) is gast.Return][-1:]
                made = [*statements[:i], raising, *(_empty(r) for r in last)]
                self.found |= not alone or len(made) < len(statements)
                return made
        return [self.inside(s) for s in statements]

    def inside(self, s: Stmt) -> Any:
        """Write the blocks of a compound statement."""
        if type(s) not in COMPOUND:
            return s
        made = copy.copy(s)
        for key in ("body", "orelse", "finalbody"):
            if getattr(s, key, None):
                setattr(made, key, self.block(getattr(s, key)))
        if getattr(s, "handlers", None):
            made.handlers = [self.handler(handler) for handler in s.handlers]
        return made

    def handler(self, handler: Any) -> Any:
        made = copy.copy(handler)
        made.body = self.block(handler.body)
        return made


def _empty(s: Stmt) -> Any:
    return at_line_of(gast.Return(const(None)), s)
