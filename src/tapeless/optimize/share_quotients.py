"""A quotient that both operands of a division ask for is computed once.

    x_bar = y_bar / m                       x_bar = y_bar / m
    m_bar = -y_bar * y / m             ->   m_bar = -x_bar * y

The partials of `y = x / m` are `1 / m` and `-y / m`: their products with a cotangent have its quotient by
`m` in common. That associates a product anew, so it is done among the statements of the reverse sweep only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.optimize.analyses import body_of, effects_of, generated_in, version_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.tree.blocks import all_statements
from tapeless.tree.build import name
from tapeless.tree.classes import ASSIGNMENTS
from tapeless.tree.known_names import KnownNames
from tapeless.tree.signs import is_negated
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt


@dataclass(frozen=True)
class Quotient:
    """What a name holds: `above / below`, or 0.0 where it is `guarded` and `above` is 0."""

    above: str
    below: str
    guarded: bool


Known = dict[str, Quotient]


def share_quotients(function: gast.FunctionDef, context: Context) -> bool:
    """Read quotients that the reverse sweep has computed already.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(y_bar, y, m, n):
    ...     x_bar = y_bar / m
    ...     m_bar = -(y_bar * y / m)
    ...     y_bar = 2.0 * y_bar
    ...     return x_bar, m_bar, y_bar * y / m
    ... ''').body[0]
    >>> names = lambda key: key.endswith("_bar")
    >>> share_quotients(function, Context(temporaries=names, reverse=True))
    True
    >>> print(unparse(function), end="")
    def f(y_bar, y, m, n):
        x_bar = y_bar / m
        m_bar = -(x_bar * y)
        y_bar = 2.0 * y_bar
        return x_bar, m_bar, y_bar * y / m
    """
    generated = generated_in(function, context)
    below = Counter(
        part.right.id for part in body_of(function, context).parts(gast.BinOp) if _divides(part)
    )
    if not below or max(below.values()) < 2:
        return False
    quotients = _Quotients(function, context)
    sharer = _Sharer()
    for s in all_statements(function.body):
        if id(s) in generated and type(s) in ASSIGNMENTS and quotients.before.get(s):
            sharer.known = quotients.before[s]
            s.value = sharer.visit(s.value)
    if sharer.shared:
        version_of(function, context)
    return sharer.shared


def _divides(tree: Expr) -> bool:
    """Whether an expression is a quotient by a name."""
    return type(tree.op) is gast.Div and type(tree.right) is gast.Name


class _Quotients(KnownNames[Quotient]):
    """Which names hold a quotient of two others, as control comes to each statement."""

    def __init__(self, function: gast.FunctionDef, context: Context) -> None:
        super().__init__()
        self.body = body_of(function, context)
        self.effects: Effects = effects_of(function, context)
        self.generated = generated_in(function, context)
        self.block(function.body, {})

    def bound(self, s: Stmt) -> Collection[str]:
        return self.body.bound(s)

    def without(self, state: Known, names: Collection[str]) -> Known:
        return {
            key: found
            for key, found in state.items()
            if {key, found.above, found.below}.isdisjoint(names)
        }

    def simple(self, s: Stmt, state: Known) -> Known:
        state = self.unwritten(s, state) if state else state
        return super().simple(s, state)

    def unwritten(self, s: Stmt, state: Known) -> Known:
        """Return the quotients whose parts a statement does not store into."""
        touch = self.effects.touch(s)
        if not touch.writes and not touch.unknown:
            return state
        return {
            key: found
            for key, found in state.items()
            if not self.effects.collide(self.memory(key, found), touch)
        }

    def memory(self, key: str, found: Quotient) -> set[str]:
        """Return the names whose memory a quotient and its parts may be in."""
        parts = (key, found.above, found.below)
        return set().union(*(self.effects.seen_through(name(part)) for part in parts))

    def learnt(self, s: Stmt, state: Known) -> Known:
        if id(s) not in self.generated or type(s) is not gast.Assign or len(s.targets) != 1:
            return {}
        place, found = s.targets[0], _quotient(s.value)
        if type(place) is not gast.Name or found is None:
            return {}
        own = place.id in (found.above, found.below) or place.id in self.effects.scoped
        return {} if own else {place.id: found}


def _quotient(tree: Expr) -> Quotient | None:
    """Read `a / m`, or `a / m if a else 0.0`."""
    guarded = type(tree) is gast.IfExp and type(tree.test) is gast.Name
    value = tree.body if guarded else tree
    if type(value) is not gast.BinOp or not _divides(value) or type(value.left) is not gast.Name:
        return None
    if guarded and (tree.test.id != value.left.id or getattr(tree.orelse, "value", 1.0) != 0.0):
        return None
    return Quotient(value.left.id, value.right.id, guarded)


class _Sharer(Transformer):
    """Writes `q * b` for `a * b / m` where `q` is `a / m`."""

    def __init__(self) -> None:
        self.known: Known = {}
        self.not_zero: list[str] = []
        self.shared = False

    def visit_IfExp(self, tree: Expr) -> Expr:
        tree.test = self.visit(tree.test)
        tested = [tree.test.id] if type(tree.test) is gast.Name else []
        self.not_zero += tested
        tree.body = self.visit(tree.body)
        del self.not_zero[len(self.not_zero) - len(tested) :]
        tree.orelse = self.visit(tree.orelse)
        return tree

    def visit_BinOp(self, tree: Expr) -> Expr:
        self.generic_visit(tree)
        if not _divides(tree) or type(tree.left) is gast.Name:
            return tree
        for factor in _factors(tree.left):
            shared = self.holding(factor.id, tree.right.id)
            if shared is not None:
                factor.id = shared
                self.shared = True
                return tree.left
        return tree

    def holding(self, above: str, below: str) -> str | None:
        """Return the name that holds a quotient; None where there is none, or it may be 0.0 instead."""
        for key, found in self.known.items():
            if (found.above, found.below) == (above, below):
                if not found.guarded or above in self.not_zero:
                    return key
        return None


def _factors(tree: Any) -> Iterator[Any]:
    """Yield the names that a product is made of."""
    if type(tree) is gast.Name:
        yield tree
    elif is_negated(tree):
        yield from _factors(tree.operand)
    elif type(tree) is gast.BinOp and type(tree.op) is gast.Mult:
        yield from _factors(tree.left)
        yield from _factors(tree.right)
