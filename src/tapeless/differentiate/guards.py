"""Guards: the product of a cut cotangent with the partial of a rule that has poles.

`analysis/cuts` says which cotangents may hold zeros because something cut them. Where such a cotangent
meets a partial that may be infinite, a quotient or a negative power, the product is written

    x_bar = times_partial(y_bar, 0.5, over=y)      instead of      x_bar = y_bar * 0.5 / y

which is 0 where the cotangent was cut, whatever the partial. Of scalars it is the formula itself, under a
condition: `x_bar = y_bar * 0.5 / y if y_bar else 0.0`. All other products stay as they are.

A cotangent that comes from a pole may be infinite, and what selects stand before the pole, as in
`np.sqrt(np.maximum(x, 0.0))`: there the share of the entry that was not selected is 0, whatever it is
multiplied by.

In forward mode it is the other way round: a tangent may be infinite, and the mask that cuts it comes
after. A selection (`where`, a slice, a branch) leaves it behind; a product with a mask is guarded. A tangent
that was cut is guarded where it meets the pole.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from tapeless.analysis.calls import RuleCall
from tapeless.analysis.constant_ways import constant_on_a_way
from tapeless.analysis.cuts import keeps_all, masks_of, operation_of, selects
from tapeless.analysis.facts import Callee, Facts, called_within
from tapeless.analysis.sums_above_one import sums_above_one
from tapeless.externals import is_one_of, resolve
from tapeless.kinds import Integer, Kind, Size
from tapeless.rules.declare import Rule, find_rule
from tapeless.rules.traits import traits_of
from tapeless.runtime import power_by_each, power_by_number, power_in_base, powers_of_number
from tapeless.source.texts import text_of
from tapeless.tree.classes import ADDITIVE, ASSIGNMENTS, MULTIPLICATIVE
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds, nodes, reads
from tapeless.tree.signs import is_negated
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree

Opener = Callable[[CoreFunction, Facts], Callable[[Any], Any]]
Poles = dict[tuple[CoreFunction, Facts], Set[Stmt]]

_DEPTH = 8  # of names that stand for expressions

# Quotients and powers that may be infinite where their operands are finite.
_POWERS = (
    np.power, np.float_power, pow, math.pow, operator.pow,
    power_in_base, power_by_number, power_by_each, powers_of_number,
)  # fmt: skip
_ROOTS = (np.sqrt, math.sqrt)
_LOGARITHMS = (np.log, math.log)
_CHOOSING = (np.where, np.select, max, min)
_GREATER = (np.maximum, np.fmax, max)
_NONNEGATIVE = (np.square, np.abs, abs, np.exp, math.exp, np.cosh, math.cosh, *_ROOTS)


def has_pole(
    partial: Expr, kind_of: Callable[[Any], Kind], find: Callable[[Any], Any],
    open_name: Callable[[Any], Any] = lambda tree: tree, above_one: Set[Any] = frozenset(),
) -> bool:  # fmt: skip
    """Whether a partial may be infinite where the operands are not.

    Parameters
    ----------
    partial
        An expression.
    kind_of, find
        Give the kind of an expression, and the object that a dotted name stands for.
    open_name
        Gives what a name is bound to, where that is one expression, or the name itself.
    above_one
        Expressions that are known to be sums of at least one.
    """
    signs = _Signs(kind_of, find, open_name, above_one)
    for part in nodes(partial):
        divisor = _divisor(part, find)
        if divisor is not None and not signs.never_zero(divisor):
            return True
        if type(part) is gast.BinOp and type(part.op) is gast.Pow:
            if not _is_natural(part.right):
                return True
        if type(part) is gast.Call and traits_of(find(part.func)).poles:
            return True
        if is_one_of(_called(part, find), _POWERS):
            if len(part.args) != 2 or not _is_natural(part.args[1]):
                return True
    return False


def guarded(g: Expr, partial: Expr, helper: str, find: Callable[[Any], Any]) -> Any:
    """Write the product of a cotangent and a partial with a pole."""
    above, below = _quotient(partial, find)
    keywords = [] if below is None else [gast.keyword("over", below)]
    return gast.Call(gast.Name(helper, gast.Load(), None, None), [g, above], keywords)


def unbounded_tangents(function: CoreFunction, facts: Facts, root: bool) -> set[str]:
    """Return the names whose tangents may be infinite or undefined.

    They are computed by a rule with a pole, or from such names. What comes from another function
    counts as unbounded.
    """
    found = set() if root else set(function.parameters)
    links: list[tuple[set[str], set[str]]] = []
    for s, targets, value in _bindings(function):
        if s in facts.callees or _has_pole(facts, value):
            found |= targets
        links += _ways(facts, s, targets, value)
    return _reached(found, links)


def unbounded_cotangents(
    function: CoreFunction, facts: Facts, open_names: Opener, known: Poles, given: bool
) -> set[str]:
    """Return the names whose cotangents may be infinite: a pole comes after them.

    The cotangent that a function is given counts as finite, unless it is not `given` so. `open_names`
    gives for a function what gives what a name is bound to, and `known` has the poles of the functions
    met so far.
    """
    found: set[str] = set()
    links = []
    own = _own_poles(function, facts, open_names, known)
    for s, targets, value in _bindings(function):
        inner = facts.callees.get(s)
        if s in own or inner is not None and has_poles(inner, open_names, known):
            found |= set(reads(value))
        links.append((targets, set(reads(value))))
    if not given:
        returned = (s for s in nodes(gast.Module(function.tree.body, [])) if type(s) is gast.Return)
        found |= {key for s in returned for key in reads(s)}
        found |= {p for p in function.parameters if _is_changed(facts, p)}
    return _reached(found, links[::-1])


def has_poles(callee: Callee, open_names: Opener, known: Poles) -> bool:
    """Whether a function, or one that it calls, may make a finite cotangent infinite."""
    within = called_within(callee.function, callee.facts)
    return any(_own_poles(function, facts, open_names, known) for function, facts in within)


def _own_poles(function: CoreFunction, facts: Facts, open_names: Opener, known: Poles) -> Set[Stmt]:
    """Return the statements of a function with poles where their operands may be."""
    key = function, facts
    if key not in known:
        poles = [(s, value) for s, _, value in _bindings(function) if _has_pole(facts, value)]
        known[key] = set(_not_ruled_out(poles, function, facts, open_names)) if poles else set()
    return known[key]


def _not_ruled_out(
    poles: list[tuple[Stmt, Expr]], function: CoreFunction, facts: Facts, open_names: Opener
) -> Iterator[Stmt]:
    """Walk the statements with poles, without those whose operands plainly are no such."""
    above_one, open_name = sums_above_one(function, facts), open_names(function, facts)
    signs = _Signs(lambda tree: Kind(), function.resolve, open_name, above_one)
    for s, value in poles:
        if not signs.never_zero(_pole_at_zero(value, function.resolve)):
            yield s


def _is_changed(facts: Facts, parameter: str) -> bool:
    """Whether what a parameter is handed may be stored into: what it holds then has cotangents."""
    entering = next(iter(facts.before.values()), {})
    found = entering.get(parameter)
    return found is not None and facts.has_shadow(found.kind)


def cut_tangents(
    function: CoreFunction, facts: Facts, masks: set[str], known: dict[Facts, bool], given_cut: bool
) -> set[str]:
    """Return the names whose tangents may hold zeros because something cut them.

    That is a selection, a mask, a store of a part, or a way on which they are constants.

    `known` says of the functions met so far whether they cut; those of a function that is `given_cut`
    tangents may all hold such zeros.
    """
    found = constant_on_a_way(function, lambda s: _binds_varied(facts, s))
    if given_cut:
        found |= set(function.parameters)
    links: list[tuple[set[str], set[str]]] = []
    for s, targets, value in _bindings(function):
        inner = facts.callees.get(s)
        if inner is not None and cuts(inner, known):
            found |= targets | set(reads(value))  # what it was handed may be changed, too
        elif _cuts(function, masks, value) or _stores_part(s):
            found |= targets
        links += _ways(facts, s, targets, value)
    return _reached(found, links)


def _ways(
    facts: Facts, s: Stmt, targets: set[str], value: Expr
) -> Iterator[tuple[set[str], set[str]]]:
    """Yield how tangents get from what a statement reads to its targets, and back from a part."""
    yield set(reads(value)), targets
    part = type(value) in (gast.Name, gast.Attribute, gast.Subscript) and s in facts.results
    if part and facts.is_stored(facts.results[s].kind):
        yield targets, set(reads(value))


def cuts(callee: Callee, known: dict[Facts, bool]) -> bool:
    """Whether a function, or one that it calls, cuts tangents."""
    facts, function = callee.facts, callee.function
    if facts not in known:
        known[facts] = False  # a function that calls itself
        masks = masks_of(function, facts)
        own = any(
            _cuts(function, masks, value) or _stores_part(s) for s, _, value in _bindings(function)
        )
        own = own or bool(constant_on_a_way(function, lambda s: _binds_varied(facts, s)))
        known[facts] = own or any(cuts(inner, known) for inner in facts.callees.values())
    return known[facts]


def _binds_varied(facts: Facts, s: Stmt) -> bool:
    return s in facts.results and facts.results[s].varied


def _stores_part(s: Stmt) -> bool:
    """Whether a statement stores into some entries: the others, or these, may be constant."""
    target = s.targets[0] if type(s) is gast.Assign else None
    return isinstance(target, gast.Subscript) and not keeps_all(target.slice)


def _reached(found: set[str], links: list[tuple[set[str], set[str]]]) -> set[str]:
    """Add all names on the far side of links that have one of those found on the near side.

    Examples
    --------
    >>> sorted(_reached({"x"}, [({"y"}, {"z"}), ({"x"}, {"y"}), ({"v"}, {"w"})]))
    ['x', 'y', 'z']
    """
    while True:
        known = len(found)
        for near, far in links:
            if not near.isdisjoint(found):
                found |= far
        if len(found) == known:
            return found


def selected_in(function: CoreFunction) -> set[str]:
    """Return the names of what a function like `np.maximum` or `np.where` selects, and of parts of it."""
    found: set[str] = set()
    parts = []
    for _, targets, value in _bindings(function):
        if _chooses(function, value):
            found |= targets
        whole = value.value if type(value) is gast.Subscript else value
        if type(whole) is gast.Name:
            parts.append(({whole.id}, targets))
    return _reached(found, parts)


def _chooses(function: CoreFunction, value: Expr) -> bool:
    """Whether a value is chosen from several ones, entry by entry: the largest of all entries is not."""
    if type(value) is not gast.Call:
        return False
    found = function.resolve(value.func)
    rule = find_rule(found)
    by_entry = rule is not None and rule.form == "elementwise"
    return traits_of(found).selects and (by_entry or is_one_of(found, _CHOOSING))


def _bindings(function: CoreFunction) -> Iterator[tuple[Stmt, set[str], Any]]:
    """Walk the statements that bind names, store or call: what may be another then, and the value.

    A call whose result nobody takes may change all that it is handed.
    """
    for s in nodes(gast.Module(function.tree.body, [])):
        if type(s) is gast.For:
            yield s, binds(s.target), s.iter
        elif type(s) in ASSIGNMENTS:
            for target in s.targets if type(s) is gast.Assign else [s.target]:
                yield s, binds(target) | set(reads(target)), operation_of(s)
        elif type(s) is gast.Expr:
            yield s, set(reads(s.value)), s.value


def _cuts(function: CoreFunction, masks: set[str], value: Expr) -> bool:
    if type(value) is gast.Call:
        return _chooses(function, value)
    if type(value) not in (gast.BinOp, gast.IfExp):
        return False
    return any(selects(function, masks, value, key) for key in reads(value))


def _has_pole(facts: Facts, value: Expr) -> bool:
    if type(value) is gast.BinOp:
        if type(value.op) is gast.Div:
            return not (type(value.right) is gast.Constant and value.right.value != 0)
        return type(value.op) is gast.Pow and not _is_natural(value.right)
    if type(value) is not gast.Call:
        return False
    called = facts.calls.get(value)
    rule = called.rule if isinstance(called, RuleCall) else None
    return rule is not None and rule.form == "elementwise" and _rule_has_pole(rule)


def _rule_has_pole(rule: Rule) -> bool:
    text = text_of(rule.function)
    if text is None:
        return True
    return any(
        has_pole(part, lambda tree: Kind(), lambda tree: resolve(tree, text.externals, set()))
        for part in text.tree.body
    )


class GuardedProducts(Transformer):
    """Guards the products with tangents in the text of a rule that shares out by masks."""

    def __init__(self, dots: set[str], helper: str) -> None:
        self.dots = dots
        self.helper = helper

    def visit_BinOp(self, tree: Tree) -> Any:
        tree = self.generic_visit(tree)
        if type(tree.op) is gast.Mult:
            for dot, share in ((tree.right, tree.left), (tree.left, tree.right)):
                if type(dot) is gast.Name and dot.id in self.dots:
                    helper = gast.Name(self.helper, gast.Load(), None, None)
                    return gast.Call(helper, [share, dot], [])
        return tree


def _called(tree: Tree, find: Callable[[Any], Any]) -> Any:
    return find(tree.func) if type(tree) is gast.Call else None


def _divisor(tree: Tree, find: Callable[[Any], Any]) -> Any:
    if type(tree) is gast.BinOp and type(tree.op) is gast.Div:
        return tree.right
    if _called(tree, find) is np.divide and len(tree.args) == 2:
        return tree.args[1]
    return None


def _pole_at_zero(tree: Tree, find: Callable[[Any], Any]) -> Any:
    """Return the operand of which 0 is the only pole of an expression: a zero where there is none such."""
    if is_one_of(_called(tree, find), (*_LOGARITHMS, *_ROOTS)) and len(tree.args) == 1:
        return tree.args[0]
    return _divisor(tree, find) or gast.Constant(0, None)


def _is_natural(exponent: Expr) -> bool:
    value = getattr(exponent, "value", None) if type(exponent) is gast.Constant else None
    return isinstance(value, (int, float)) and value >= 0 and value == int(value)


@dataclass(frozen=True)
class _Signs:
    """What is plain of the sign of an expression, and of the names in it."""

    kind_of: Callable[[Any], Kind]
    find: Callable[[Any], Any]
    open_name: Callable[[Any], Any]
    above_one: Set[Any] = frozenset()

    def never_zero(self, tree: Tree, depth: int = 0) -> bool:
        """Whether a divisor is plainly not 0: a literal, a length, 1 + x**2 and the like."""
        opened = self.opened(tree, depth)
        if opened in self.above_one:
            return True
        if type(opened) is gast.Constant:
            return bool(opened.value != 0)
        if type(opened) is gast.BinOp and type(opened.op) is gast.Add:
            sides = (opened.left, opened.right), (opened.right, opened.left)
            if any(_is_positive(p) and self.nonnegative(q, depth + 1) for p, q in sides):
                return True
        if type(opened) is gast.BinOp and type(opened.op) is gast.Mult:
            if all(self.never_zero(p, depth + 1) for p in (opened.left, opened.right)):
                return True
        called = _called(opened, self.find)
        if is_one_of(called, _LOGARITHMS) and opened.args:
            return type(opened.args[0]) is gast.Constant and opened.args[0].value != 1
        if is_one_of(called, _ROOTS) and opened.args:
            return self.never_zero(opened.args[0], depth + 1)
        if called is np.where:
            return opened is tree  # a divisor that somebody has guarded
        if is_one_of(called, _GREATER):
            return any(map(_is_positive, opened.args))
        kind = self.kind_of(tree)
        return isinstance(kind, Integer) and isinstance(kind.value, (int, Size))

    def nonnegative(self, tree: Tree, depth: int) -> bool:
        """Whether an expression is plainly not below 0: a truth, a square, an exponential and the like."""
        tree = self.opened(tree, depth)
        if type(tree) is gast.Constant:
            return isinstance(tree.value, (int, float)) and tree.value >= 0
        if type(tree) is gast.BinOp and type(tree.op) in (ADDITIVE | MULTIPLICATIVE) - {gast.Sub}:
            return all(self.nonnegative(p, depth + 1) for p in (tree.left, tree.right))
        if type(tree) is gast.BinOp and type(tree.op) is gast.Pow:
            return bool(getattr(tree.right, "value", None) == 2)
        return type(tree) is gast.Compare or is_one_of(_called(tree, self.find), _NONNEGATIVE)

    def opened(self, tree: Tree, depth: int) -> Any:
        """Return what a name is bound to; anything else as it is."""
        return self.open_name(tree) if type(tree) is gast.Name and depth < _DEPTH else tree


def _is_positive(tree: Tree) -> bool:
    return type(tree) is gast.Constant and type(tree.value) in (int, float) and tree.value > 0


def _quotient(partial: Expr, find: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Split a partial into what stands above and below the line; None where there is no line."""
    if is_negated(partial):
        above, below = _quotient(partial.operand, find)
        return gast.UnaryOp(gast.USub(), above), below
    if type(partial) is gast.BinOp:
        divisor = _divisor(partial, find)
        if divisor is not None:
            return partial.left, divisor
        if type(partial.op) is gast.Mult:
            above, below = _quotient(partial.right, find)
            if below is not None:
                return _product(partial.left, above), below
        power = _reversed_power(partial, partial.left, partial.right)
        if power is not None:
            return gast.Constant(1.0, None), power
    if type(partial) is gast.Call and len(partial.args) == 2:
        if _divisor(partial, find) is not None:
            return partial.args[0], partial.args[1]
        if find(partial.func) is np.power:
            exponent = _negated(partial.args[1])
            if exponent is not None:
                power = gast.Call(partial.func, [partial.args[0], exponent], [])
                return gast.Constant(1.0, None), power
    return partial, None


def _product(a: Any, b: Any) -> Any:
    if type(b) is gast.Constant and b.value == 1.0:
        return a
    return gast.BinOp(a, gast.Mult(), b)


def _reversed_power(tree: Tree, base: Any, exponent: Expr) -> Any:
    negated = _negated(exponent) if type(tree.op) is gast.Pow else None
    return None if negated is None else gast.BinOp(base, gast.Pow(), negated)


def _negated(exponent: Expr) -> Any:
    """Negate a literal negative exponent."""
    if is_negated(exponent):
        return exponent.operand if type(exponent.operand) is gast.Constant else None
    value = getattr(exponent, "value", None) if type(exponent) is gast.Constant else None
    if isinstance(value, (int, float)) and value < 0:
        return gast.Constant(-value, None)
    return None
