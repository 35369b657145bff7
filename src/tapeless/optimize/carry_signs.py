"""Names that only repeat another one with the opposite sign are read no more.

    b_bar = -y_bar
    c_bar += b_bar * c      ->      c_bar -= y_bar * c
    d_bar = b_bar * d               d_bar = -y_bar * d

The sign moves into the sum or difference of which a product with the name is a term, or meets another
sign: so there is one operation less, and one statement. A change of sign is exact, and so is each product
and sum with it: no rounding is another one. What cannot take in the sign gets it in front, once at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from tapeless.optimize.analyses import effects_of, generated_in, liveness_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.needed_copies import NeededCopies
from tapeless.source.printer import unparse
from tapeless.tree.blocks import after, all_blocks, binds_one_name, bound
from tapeless.tree.build import name
from tapeless.tree.classes import COMPUTED, SIMPLE
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import children, nodes, reads
from tapeless.tree.signs import is_negated
from tapeless.tree.transform import Replacer
from tapeless.tree.trees import Expr, Stmt

_OPPOSITE: dict[type, type] = {gast.Add: gast.Sub, gast.Sub: gast.Add}
_PASSED_ON = frozenset({gast.Mult, gast.Div, gast.MatMult})


def carry_signs(function: gast.FunctionDef, context: Context) -> bool:
    """Read what names repeat with the opposite sign.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(y_bar, c, d):
    ...     b_bar = -y_bar
    ...     c_bar = d
    ...     c_bar += b_bar * c
    ...     d_bar = 2.0 * b_bar + d
    ...     e_bar = d - -b_bar * c
    ...     f_bar = -(b_bar * b_bar)
    ...     y_bar = b_bar * d
    ...     return c_bar, d_bar, e_bar, f_bar, y_bar
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key.endswith("_bar"), reverse=True)
    >>> carry_signs(function, context)
    True
    >>> print(unparse(function), end="")
    def f(y_bar, c, d):
        c_bar = d
        c_bar -= y_bar * c
        d_bar = d - 2.0 * y_bar
        e_bar = d - y_bar * c
        f_bar = y_bar * -y_bar
        y_bar = -y_bar * d
        return c_bar, d_bar, e_bar, f_bar, y_bar

    A name may repeat itself with the opposite sign:

    >>> function = gast.parse('def f(b_bar, c, d):\\n    b_bar = -b_bar\\n    return d + b_bar * c').body[0]
    >>> carry_signs(function, context)
    True
    >>> print(unparse(function), end="")
    def f(b_bar, c, d):
        return d - b_bar * c
    """
    found = _negations(function, context)
    if not found:
        return False
    carrier = _Carrier(effects_of(function, context), liveness_of(function, context))
    for block, s in found:
        if _is_negation(s, context):  # or it has taken in a sign itself
            carrier.carry(block, s)
    return carrier.changed


def _negations(function: gast.FunctionDef, context: Context) -> list[tuple[list[Any], Stmt]]:
    """List the statements of the reverse sweep that bind a name to another one with a sign."""
    generated = generated_in(function, context)
    return [
        (block, s)
        for block in all_blocks(function.body)
        for s in block
        if id(s) in generated and _is_negation(s, context)
    ]


class _Carrier:
    """Carries one sign after the other, and knows of what the analyses do not say any more what is so."""

    def __init__(self, effects: Effects, liveness: Liveness) -> None:
        self.effects = effects
        self.liveness = liveness
        self.changed = False
        self.read_longer: dict[int, set[str]] = {}  # the names that statements now leave live
        self.copies = NeededCopies(effects)

    def carry(self, block: list[Any], s: Any) -> None:
        """Read what a statement negates instead of what it binds, if the sign is taken in."""
        key, original = s.targets[0].id, s.value.operand.id
        readers = self._readers(block, s)
        uses = [use for reader in readers for use in _uses(reader, key)]
        taken_in = [use for use in uses if use.takes_in_sign]
        if not all(self._may_read(use, original) for use in uses if use.is_bare):
            return
        if not taken_in or len(uses) - len(taken_in) > 1 or _has_twins(taken_in):
            return
        for reader in readers:
            _carry_all(reader, key, original)
        for following in after(block, s):
            self.read_longer.setdefault(id(following), set()).add(original)
            if following is readers[-1]:
                break
        block[:] = [other for other in block if other is not s]
        self.changed = True

    def _readers(self, block: list[Any], s: Any) -> list[Any]:
        """List the statements that read a name; none where not all can read what it repeats."""
        key, original = s.targets[0].id, s.value.operand.id
        if {key, original} & self.effects.scoped:
            return []
        memory = self.effects.touch(s.value).reads
        found: list[Any] = []
        for following in after(block, s):
            updates = type(following) is gast.AugAssign and key in bound(following)
            if type(following) not in SIMPLE or updates:
                return []
            if key in reads(following):
                count = sum(type(p) is gast.Name and p.id == key for p in nodes(following))
                if len(_uses(following, key)) + (key in bound(following)) != count:
                    return []
                if not self.effects.is_pure(following.value):
                    return []
                found.append(following)
            if key in bound(following) or not self._is_live(key, following):
                return found
            if original in bound(following):
                return []
            if self.effects.collide(memory, self.effects.touch(following)):
                return []
        return []

    def _may_read(self, use: _Use, original: str) -> bool:
        """Whether `--x` may become `x` in the place of a use: the one is a copy, the other is not."""
        [*outer, _, _], s = use.way, use.statement
        if type(s) is gast.AugAssign or (outer and type(outer[-1]) in COMPUTED):
            return True
        if outer:
            return False
        return self.effects.is_scalar(name(original)) or self.copies.may_name_again(
            s, name(original)
        )

    def _is_live(self, key: str, s: Any) -> bool:
        """Whether a statement leaves a name live."""
        return key in self.liveness.live_after(s) or key in self.read_longer.get(id(s), ())


def _has_twins(uses: list[_Use]) -> bool:
    """Whether one term is added to something twice: that becomes one term, with the sign in it."""
    added = [use for use in uses if use.is_added]
    terms = {id(use.term): (use.added_to, unparse(use.term)) for use in added}
    return len({*terms.values()}) < len(terms)


def _is_negation(s: Stmt, context: Context) -> bool:
    """Whether a statement reads `b_bar = -y_bar`."""
    if not binds_one_name(s):
        return False
    value = s.value
    if not is_negated(value):
        return False
    return type(value.operand) is gast.Name and context.temporaries(s.targets[0].id)


@dataclass
class _Use:
    """A place where a name is read: its statement, and the way to it from there, outermost first."""

    statement: Any
    way: list[Any]

    @property
    def takes_in_sign(self) -> bool:
        """Whether a sign in front of the name can be written as that of a term."""
        return self._place() is not None

    @property
    def is_added(self) -> bool:
        """Whether what takes in the sign is a sum, rather than another sign or a test."""
        return type(self._place()) in (gast.BinOp, gast.AugAssign)

    @property
    def is_bare(self) -> bool:
        """Whether a sign in front of the name itself takes in the other: the original is left."""
        place = self._place()
        return type(place) is gast.UnaryOp and place.operand is self.way[-1]

    @property
    def added_to(self) -> str:
        """What the statement binds or updates."""
        s = self.statement
        places = s.targets if type(s) is gast.Assign else [getattr(s, "target", s)]
        return unparse(places[0])

    @property
    def term(self) -> Any:
        """The product in which the name stands."""
        term = self.way[-1]
        for tree in self.way[-2::-1]:
            if type(tree) is not gast.BinOp or type(tree.op) not in _PASSED_ON:
                break
            term = tree
        return term

    def _place(self) -> Any:
        """Find what takes in the sign: a sum, another sign, or the update that the statement is."""
        for inner, tree in zip(self.way[::-1], [*self.way[-2::-1], None], strict=True):
            if tree is None:
                update = type(self.statement) is gast.AugAssign
                return self.statement if update and type(self.statement.op) in _OPPOSITE else None
            if is_negated(tree):
                return tree
            if type(tree) is gast.IfExp and tree.test is inner:
                return tree  # a number is zero with either sign
            if type(tree) is not gast.BinOp:
                return None
            if type(tree.op) in _OPPOSITE:
                return tree if tree.right is inner or type(tree.op) is gast.Add else None
            if type(tree.op) not in _PASSED_ON:
                return None
        return None

    def carry(self, key: str) -> None:
        """Read another name that has the opposite sign."""
        place, use = self._place(), self.way[-1]
        use.id = key
        if place is None:
            negated = gast.UnaryOp(gast.USub(), name(key))
            self.statement.value = Replacer({id(use): negated}).visit(self.statement.value)
        elif type(place) is gast.IfExp:
            return
        elif type(place) is gast.UnaryOp:
            self.statement.value = Replacer({id(place): place.operand}).visit(self.statement.value)
        elif place is not self.statement and any(part is use for part in nodes(place.left)):
            place.left, place.op, place.right = place.right, gast.Sub(), place.left
        else:
            place.op = _OPPOSITE[type(place.op)]()


def _carry_all(s: Any, key: str, original: str) -> None:
    """Read the original instead of a name, one use after the other: each changes the ways to the others."""
    for use in [use.way[-1] for use in _uses(s, key)]:
        way = next(way for way in _ways(s) if way[-1] is use)
        _Use(s, way).carry(original)


def _uses(s: Any, key: str) -> list[_Use]:
    return [_Use(s, way) for way in _ways(s) if way[-1].id == key]


def _ways(s: Any) -> list[list[Any]]:
    """List the ways to the names that the value of a statement reads."""
    found: list[list[Any]] = []

    def walk(tree: Expr, way: list[Any]) -> None:
        way = [*way, tree]
        if type(tree) is gast.Name and type(tree.ctx) is gast.Load:
            found.append(way)
        for child in children(tree):
            walk(child, way)

    if getattr(s, "value", None) is not None:
        walk(s.value, [])
    return found
