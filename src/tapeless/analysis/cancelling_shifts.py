"""Which selected values cancel out of all that is computed with them.

The logarithm of a sum of exponentials subtracts the maximum first, and adds it at the end:

    m = max(v)
    y = m + log(sum(exp(v - m)))

The result is the same whatever `m` is, so its derivative with respect to `m` is 0: neither the adjoint of
`m` nor the entry that attains the maximum is of any use. The same holds of a softmax, of its logarithm,
and of shifts by a minimum or by a part.

To find such values, let `m` become `m + t` for small `t`, with one `t` for each of its entries. A value of
the program then becomes `x + p t` (it is *shifted*), or `x exp(p t)` (it is *scaled*), with a number `p`.
Sums and differences add up the shifts, products and quotients the powers of the scales; an exponential
makes of a shift a scale, a logarithm the reverse; a scalar factor of a shift is one of `p`. A sum over
axes along which `t` is one number keeps a scale. If each value of which the program reads anything else
has `p = 0`, then `m` cancels.

Nothing is lost where a value is not a number. Where `m` is none neither is `v - m`, and so the cotangent that
comes by that way is none.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.calls import RuleCall
from tapeless.analysis.facts import Facts
from tapeless.externals import entry_of
from tapeless.kinds import Array, Kind, Real
from tapeless.ranks import dims_of, literal
from tapeless.rules.declare import is_built_in
from tapeless.rules.traits import traits_of
from tapeless.tree.blocks import every_block, is_whole
from tapeless.tree.names import binds, functions_within, nodes, parameters, reads
from tapeless.tree.signs import is_negated
from tapeless.tree.trees import Expr, Stmt


@dataclass(frozen=True)
class Response:
    """How a value answers to a shift of the source.

    Attributes
    ----------
    power
        The number `p`.
    scales
        Whether the value is scaled, not shifted.
    axes
        The positions, from the end, of the axes along which the entries of the source lie.
    factors
        The names of scalars by which `p` is multiplied, with their exponents.
    """

    power: float
    scales: bool
    axes: tuple[int, ...] = ()
    factors: frozenset[tuple[str, int]] = frozenset()


NONE = Response(0.0, False)


def statements_that_cancel(function: Any, facts: Facts) -> frozenset[Stmt]:
    """Return the assignments whose value has no influence on the result, to first order.

    Parameters
    ----------
    function, facts
        A function in the core language, and what is known of it.

    Examples
    --------
    >>> from tapeless.specialize.program import AnalysedProgram
    >>> from tapeless.analysis.abstract import Value
    >>> from tapeless.kinds import Size
    >>> program = AnalysedProgram()
    >>> function = program.core(_softmax)
    >>> x = Array((Size("n"), Size("k")))
    >>> facts = program.analyse(function, (Value(x, varied=True),), {})
    >>> [gast.unparse(s.targets[0]).strip() for s in facts.function.cancelling]
    ['top']
    """
    blocks = [block for block, _ in every_block(function.tree.body)]
    sources = [(block, i) for block in blocks for i, s in enumerate(block) if _is_source(s, facts)]
    if not sources:
        return frozenset()
    walk = _Walk(function, facts)
    return frozenset(block[i] for block, i in sources if walk.cancels(block, i))


def _softmax(x: Any) -> Any:
    top = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - top)
    return e / np.sum(e, axis=1, keepdims=True)


def _is_source(s: Stmt, facts: Facts) -> bool:
    """Whether a statement gives a name to real numbers that are selected from others and vary."""
    if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name:
        return False
    called = facts.calls.get(s.value) if type(s.value) is gast.Call else None
    if not isinstance(called, RuleCall) or not is_built_in(called.rule):
        return False
    known = traits_of(called.found)
    made = facts.results.get(s)
    if made is None or not known.selects or known.view != "never":
        return False
    return made.varied and _is_real(made.kind) and not facts.is_stored(made.kind)


def _is_real(kind: Kind) -> bool:
    return isinstance(kind, (Array, Real)) and kind.dtype[0] == "f"


class _Walk:
    """Follows values from their source through the statements below it in the same block."""

    def __init__(self, function: Any, facts: Facts) -> None:
        self.facts = facts
        body = gast.Module(function.tree.body, [])
        named = [part for part in nodes(body) if type(part) is gast.Name]
        self.read = Counter(n.id for n in named if type(n.ctx) is gast.Load)
        self.bound = Counter(n.id for n in named if type(n.ctx) is not gast.Load)
        self.bound.update(parameters(function.tree))
        self.body = function.tree.body
        inner = functions_within(body)
        self.in_functions = {part.id for f in inner for part in nodes(f) if type(part) is gast.Name}
        self.given = frozenset(parameters(function.tree))
        self.steady = self.given  # the names that stay the same in the block that is looked at

    def reading(self, block: list[Stmt], i: int) -> list[int] | None:
        """List where what a statement binds is read, up to where its name is bound anew.

        None where others than simple assignments of this block may read it.
        """
        key = block[i].targets[0].id
        if key in self.in_functions:
            return None
        found, after = [], 0
        for j in range(i + 1, len(block)):
            s = block[j]
            read, anew = reads(s).count(key), key in binds(s)
            if not read and not anew:
                continue
            if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name:
                return None
            found.append(j)
            after += read
            if anew:  # what leaves a loop or an attempt may still read what was bound before
                return found if block is self.body else None
        return found if block is self.body or after == self.read[key] else None

    def cancels(self, block: list[Stmt], start: int) -> bool:
        """Whether what a statement binds cancels out of all that is computed with it."""
        self.steady = self.given.union(*(binds(s) for s in block if type(s) is gast.Assign))
        dims = dims_of(self.facts.results[block[start]].kind) or ()
        axes = tuple(i - len(dims) for i, dim in enumerate(dims) if dim != 1)
        responses: dict[str, Response] = {}
        todo, done = [start], set()
        while todo:
            i = heapq.heappop(todo)
            if i in done:
                continue
            done.add(i)
            s = block[i]
            key = s.targets[0].id
            found = (
                Response(1.0, False, axes) if i == start else self.response(s, s.value, responses)
            )
            if found is None:
                return False
            responses[key] = found
            below = self.reading(block, i) if found.power else []
            if below is None:
                return False
            for place in below:
                heapq.heappush(todo, place)
        return True

    def response(self, s: Stmt, tree: Expr, responses: Mapping[str, Response]) -> Response | None:
        """Return how the value of an expression answers; None where that is neither of the two."""
        if type(tree) is gast.Compare:
            return NONE  # it jumps, and is constant in between
        if not _is_real(self.facts.results[s].kind):
            return None
        if type(tree) is gast.BinOp:
            return self.response_of_operator(s, tree, responses)
        if is_negated(tree):
            return _negated(self.operand(tree.operand, responses))
        if type(tree) is gast.Subscript and type(tree.value) is gast.Name:
            dims = dims_of(self.facts.kind(s, tree.value.id))
            given = self.operand(tree.value, responses)
            return None if dims is None else _indexed(given, tree.slice, len(dims))
        if type(tree) is gast.Call:
            return self.response_of_call(s, tree, responses)
        return self.operand(tree, responses) if type(tree) is gast.Name else None

    def response_of_operator(
        self, s: Stmt, tree: Expr, responses: Mapping[str, Response]
    ) -> Response | None:
        """Return how a sum, product or quotient of two values answers."""
        a, b = self.operand(tree.left, responses), self.operand(tree.right, responses)
        op = type(tree.op)
        sign = -1.0 if op in (gast.Sub, gast.Div) else 1.0
        if op in (gast.Add, gast.Sub):
            if a == b and a.scales:
                return a  # both are scaled alike
            return None if a.power and a.scales or b.power and b.scales else _together(a, b, sign)
        if op not in (gast.Mult, gast.Div):
            return None
        if not (a.power and not a.scales or b.power and not b.scales):
            return _together(a, b, sign)
        if a.power and b.power or b.power and op is gast.Div:
            return None
        return (
            self.multiplied(s, a, tree.right, int(sign))
            if a.power
            else self.multiplied(s, b, tree.left, 1)
        )

    def multiplied(self, s: Stmt, given: Response, by: Expr, exponent: int) -> Response | None:
        """Multiply a shift by a number, or by a scalar that stays the same meanwhile."""
        if type(by) is gast.Constant and type(by.value) in (int, float) and by.value:
            return replace(given, power=given.power * float(by.value) ** exponent)
        if type(by) is not gast.Name or dims_of(self.facts.kind(s, by.id)) != ():
            return None
        if self.bound[by.id] != 1 or by.id not in self.steady:
            return None
        counts = Counter(dict(given.factors))
        counts[by.id] += exponent
        return replace(given, factors=frozenset((k, n) for k, n in counts.items() if n))

    def operand(self, tree: Expr, responses: Mapping[str, Response]) -> Response:
        return responses.get(tree.id, NONE) if type(tree) is gast.Name else NONE

    def response_of_call(
        self, s: Stmt, tree: Expr, responses: Mapping[str, Response]
    ) -> Response | None:
        called = self.facts.calls.get(tree)
        if not isinstance(called, RuleCall) or called.rule is None or not is_built_in(called.rule):
            return None
        if called.rule.form == "zero":
            return NONE
        operands = called.operands(tree.args)
        first, rest = next(iter(operands), None), operands[1:]
        given = self.operand(first, responses)
        if first is None or not given.power:
            return None
        if any(responses.get(key, NONE).power for arg in rest for key in reads(arg)):
            return None
        asked = literals_asked(self.facts, s, tree.keywords, rest)
        elementwise, moving = entry_of(called.found, _OF_ENTRIES), entry_of(called.found, _OF_AXES)
        if elementwise is not None and not asked:
            return elementwise(given)
        dims = dims_of(self.facts.kind(s, first.id))
        if moving is None or dims is None or len(rest) > 1 or asked.keys() - {"axis", "keepdims"}:
            return None
        axes = normalized_axes(asked.get("axis"), len(dims), moving is _with_axes)
        keeps = asked.get("keepdims", False)
        if axes is None or not isinstance(keeps, bool):
            return None
        return moving(given, axes, keeps)


def literals_asked(
    facts: Facts, s: Stmt, keywords: list[Expr], rest: list[Expr]
) -> dict[str | None, Any]:
    """Return what is asked of a reduction by keywords, and by the argument after the first, the axis."""
    asked = {k.arg: _literal(facts, s, k.value) for k in keywords}
    if rest:
        asked["axis"] = _literal(facts, s, rest[0])
    return asked


def _literal(facts: Facts, s: Stmt, tree: Expr) -> Any:
    """Return the value of an argument that is known; `...` for another."""
    if type(tree) is gast.Tuple:
        items = tuple(_literal(facts, s, item) for item in tree.elts)
        return ... if ... in items else items
    if is_negated(tree):
        value = _literal(facts, s, tree.operand)
        return -value if isinstance(value, int) else ...
    if type(tree) is gast.Constant:
        return tree.value
    return literal(facts.kind(s, tree.id)) if type(tree) is gast.Name else ...


def _together(a: Response, b: Response, sign: float) -> Response | None:
    """Add up what two operands answer, if they do in the same way and along the same axes."""
    if not a.power or not b.power:
        return a if a.power else replace(b, power=sign * b.power)
    if (a.scales, a.axes, a.factors) != (b.scales, b.axes, b.factors):
        return None
    return replace(a, power=a.power + sign * b.power)


def _negated(given: Response) -> Response:
    return given if given.scales else replace(given, power=-given.power)


def _exponential(given: Response) -> Response | None:
    return None if given.scales else replace(given, scales=True)


def _logarithm(given: Response) -> Response | None:
    return replace(given, scales=False) if given.scales else None


def _root(given: Response) -> Response | None:
    return replace(given, power=0.5 * given.power) if given.scales else None


def _square(given: Response) -> Response | None:
    return replace(given, power=2.0 * given.power) if given.scales else None


def _reciprocal(given: Response) -> Response | None:
    return replace(given, power=-given.power) if given.scales else None


def _magnitude(given: Response) -> Response | None:
    return given if given.scales else None


def _unchanged(given: Response) -> Response:
    return given


def normalized_axes(axis: Any, rank: int, added: bool = False) -> tuple[int, ...] | None:
    """Count axes from the end; None where they are not known. Of None, all are meant."""
    if axis is None:
        return None if added else tuple(range(-rank, 0))
    axes = axis if isinstance(axis, tuple) else (axis,)
    if not all(isinstance(a, int) and not isinstance(a, bool) for a in axes):
        return None
    rank += len(axes) if added else 0
    return tuple(a if a < 0 else a - rank for a in axes)


def _without_axes(given: Response, axes: tuple[int, ...], keeps: bool) -> Response | None:
    """Take axes away along which the source has one entry only."""
    if any(a in axes for a in given.axes):
        return None
    if keeps:
        return given
    return replace(given, axes=tuple(p + sum(a > p for a in axes) for p in given.axes))


def _with_axes(given: Response, axes: tuple[int, ...], keeps: bool = True) -> Response:
    """Insert axes."""
    moved = given.axes
    for new in sorted(axes, reverse=True):
        moved = tuple(p - 1 if p <= new else p for p in moved)
    return replace(given, axes=moved)


def _summed(given: Response, axes: tuple[int, ...], keeps: bool) -> Response | None:
    return _without_axes(given, axes, keeps) if given.scales else None


def _indexed(given: Response, index: Expr, rank: int) -> Response | None:
    """Follow an index of whole axes, new axes and numbers."""
    items = list(index.elts) if type(index) is gast.Tuple else [index]
    new = [type(item) is gast.Constant and item.value is None for item in items]
    dots = [i for i, item in enumerate(items) if getattr(item, "value", None) is ...]
    at, named = (dots or [len(items)])[0], len(items) - len(dots) - sum(new)
    items[at : at + 1] = [gast.Slice(None, None, None)] * (rank - named)
    new[at : at + 1] = [False] * (rank - named)
    old = [item for item, added in zip(items, new, strict=True) if not added]
    numbers = tuple(i - rank for i, item in enumerate(old) if _is_integer(item))
    if len(old) - sum(map(is_whole, old)) != len(numbers):
        return None
    picked = _without_axes(given, numbers, False)
    left = [n for item, n in zip(items, new, strict=True) if not _is_integer(item)]
    axes = tuple(i - len(left) for i, added in enumerate(left) if added)
    return None if picked is None else _with_axes(picked, axes)


def _is_integer(item: Expr) -> bool:
    return type(item) is gast.Constant and type(item.value) is int


# How a value answers whose first argument does: entry by entry, and along axes.
_OF_ENTRIES: dict[Any, Callable[[Response], Response | None]] = {
    np.exp: _exponential,
    np.log: _logarithm,
    np.sqrt: _root,
    math.exp: _exponential,
    math.log: _logarithm,
    math.sqrt: _root,
    np.square: _square,
    np.reciprocal: _reciprocal,
    np.abs: _magnitude,
    np.negative: _negated,
    np.positive: _unchanged,
    np.copy: _unchanged,
    np.ndarray.copy: _unchanged,
}
_OF_AXES: dict[Any, Callable[[Response, tuple[int, ...], bool], Response | None]] = {
    np.sum: _summed,
    np.ndarray.sum: _summed,
    np.mean: _without_axes,
    np.ndarray.mean: _without_axes,
    np.max: _without_axes,
    np.ndarray.max: _without_axes,
    np.min: _without_axes,
    np.ndarray.min: _without_axes,
    np.squeeze: _without_axes,
    np.ndarray.squeeze: _without_axes,
    np.expand_dims: _with_axes,
}
