"""Adjoints as they grow: assigned at first touch, added after, and always owned before in-place work.

The reverse sweep is written in its own order, so at each point it is known what an adjoint holds:
nothing yet (it stands for zero and costs nothing), a fresh value that only this function can see,
a value that something else may see too, or a small value left to broadcast to the full shape. What
is to be done with a contribution follows from that.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import gast

from tapeless.externals import is_runtime, package_of
from tapeless.kinds import (
    UNREACHED,
    Array,
    Dict,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Sparse,
    Tuple,
    is_container,
    is_number,
)
from tapeless.ranks import dtype_of
from tapeless.rules.declare import find_rule
from tapeless.rules.traits import traits_of
from tapeless.runtime import times_partial
from tapeless.tree.build import add_in_place, assign, const, name, quote_expression
from tapeless.tree.classes import MULTIPLICATIVE
from tapeless.tree.names import reads
from tapeless.tree.signs import is_negated
from tapeless.tree.trees import Expr, Stmt, Tree


class Holds(Enum):
    """What an adjoint holds at a point of the reverse sweep."""

    NOTHING = 0
    OWNED = 1
    SHARED = 2
    BROADCASTS = 3


@dataclass(frozen=True)
class Adjoint:
    """A cotangent at hand: its expression, and whether it is left to broadcast."""

    expression: Any
    broadcasts: bool = False

    @property
    def is_zero(self) -> bool:
        """Whether the expression is a literal zero."""
        return type(self.expression) is gast.Constant and self.expression.value == 0.0


def may_be_scalar(kind: Kind) -> bool:
    """Whether the adjoint of an array may be a scalar: NumPy computes no arrays of rank 0."""
    return isinstance(kind, Array) and not kind.dims


def is_one(tree: Tree) -> bool:
    """Whether an expression is the literal one."""
    return type(tree) is gast.Constant and tree.value in (1, 1.0) and tree.value is not True


def product(a: Any, b: Any) -> Any:
    """Write the product of a cotangent and a partial as one would by hand."""
    if is_one(a):
        return b
    if is_one(b):
        return a
    if type(b) is gast.Constant and b.value == -1.0:
        return negative(a)
    if is_negated(b):
        if is_one(b.operand):
            return negative(a)
        if type(b.operand) is gast.Constant:
            return gast.BinOp(a, gast.Mult(), b)
        return negative(product(a, b.operand))
    if type(b) is gast.BinOp and type(b.op) is gast.Div:
        if is_one(b.left):
            return gast.BinOp(a, gast.Div(), b.right)
        return gast.BinOp(product(a, b.left), gast.Div(), b.right)
    return gast.BinOp(a, gast.Mult(), b)


def negative(tree: Tree) -> Any:
    """Write the negative of an expression."""
    if is_negated(tree):
        return tree.operand
    if type(tree) is gast.Constant:
        return const(-tree.value)
    if type(tree) is gast.BinOp and type(tree.op) in MULTIPLICATIVE:
        return gast.BinOp(negative(tree.left), tree.op, tree.right)
    return gast.UnaryOp(gast.USub(), tree)


def is_fresh(tree: Tree, resolve: Any) -> bool:
    """Whether the value of an expression is new: seen by nothing else."""
    if isinstance(tree, (gast.Constant, gast.BinOp, gast.Compare, gast.List, gast.Tuple)):
        return True
    if type(tree) is gast.UnaryOp:
        return True
    if type(tree) is gast.IfExp:
        return is_fresh(tree.body, resolve) and is_fresh(tree.orelse, resolve)
    if type(tree) is gast.Call:
        found = resolve(tree.func)
        if is_runtime(found):
            return found is times_partial or traits_of(found).shows == ()
        if type(tree.func) is gast.Attribute and tree.func.attr in ("copy",):
            return True
        of_scipy = package_of(found) == "scipy" and find_rule(found) is not None
        new = of_scipy or package_of(found) in ("numpy", "math")
        return new and not traits_of(found).may_be_view
    return False


def _is_atom(tree: Tree) -> bool:
    """Whether an expression is a name or None, which may be written again."""
    return isinstance(tree, gast.Name) or isinstance(tree, gast.Constant) and tree.value is None


class Adjoints:
    """The adjoints of one function while its reverse sweep is written."""

    def __init__(self, sweep: Any) -> None:
        self.sweep = sweep
        self.state: dict[str, Holds] = {}
        self.small: dict[str, Any] = {}
        self.made_own: set[str] = set()  # what was shared before it was first written to in place
        self.numbers: set[str] = (
            set()
        )  # the tool's names that hold numbers, which are left to broadcast
        self.displays: dict[str, list[Any]] = {}  # the names of the items of tuples just written
        self.complete: set[str] = set()  # lists just written whose slots are all at full shape
        self.primals: dict[str, tuple[str, Kind]] = {}
        self.incoming: set[str] = set()  # buffers of the caller, which are never rebound

    # State

    def holds(self, bar: str) -> Holds:
        """Return what an adjoint holds now."""
        return self.state.get(bar, Holds.NOTHING)

    def snapshot(self) -> tuple[dict[str, Holds], dict[str, Any]]:
        """Copy the state, to come back to it or to merge with it."""
        self.displays.clear()
        self.complete.clear()
        return dict(self.state), dict(self.small)

    def restore(self, state: tuple[dict[str, Holds], dict[str, Any]]) -> None:
        """Go back to a copied state."""
        self.displays.clear()
        self.complete.clear()
        self.state, self.small = dict(state[0]), dict(state[1])

    def set(self, bar: str, holds: Holds) -> None:
        """Return what an adjoint holds from here on."""
        if holds is Holds.NOTHING:
            self.state.pop(bar, None)
        else:
            self.state[bar] = holds
        if holds is not Holds.BROADCASTS:
            self.small.pop(bar, None)

    # Statements

    def emit(self, *statements: Any) -> None:
        self.sweep.out.extend(statements)

    def zero_of(self, primal: str, kind: Kind, bound: frozenset[str] | None = None) -> Any:
        """Write the zero adjoint of a value.

        Where the name may be unbound, by the names that surely are `bound`, what is known to have
        the same shape is read in its place. Else it is None where it was not bound: nothing takes the
        adjoint then.
        """
        if isinstance(kind, (Real, Integer, Inert)):
            return const(0.0)
        if bound is not None and primal not in bound and primal in self.sweep.function.local:
            alike = self.sweep.of_same_shape(primal, kind, bound)
            if alike is None:
                full = self.sweep.runtime("full")
                self.sweep.read_unbound.add(primal)
                return quote_expression("full(0.0, x)", full=full, x=primal)
            primal = alike
        if self.sweep.may_be_integers(kind):
            floats = "np.zeros_like(x, dtype=float)"
            return quote_expression(floats, np=self.sweep.numpy, x=primal)
        if isinstance(kind, Array) and not self.sweep.is_untyped(kind):
            return quote_expression("np.zeros_like(x)", np=self.sweep.numpy, x=primal)
        surely = isinstance(kind, (List, Dict)) and not kind.or_none
        if isinstance(kind, List) and surely and self.sweep.slots_are_numbers(kind):
            return quote_expression("[0.0] * len(x)", x=primal)
        plain = not self.sweep.module.for_higher_order  # of `zeros` it is known what its slots hold
        if isinstance(kind, Dict) and surely and plain and self.sweep.slots_are_numbers(kind):
            return quote_expression("dict.fromkeys(x, 0.0)", x=primal)
        if isinstance(kind, Instance) and self.sweep.slots_are_numbers(kind):
            return quote_expression("record()", record=self.sweep.runtime("AdjointRecord"))
        if isinstance(kind, Tuple) and not plain and self._holds_what_is_in_memory(kind):
            return self._zeros_of_items(name(primal), kind)
        return quote_expression("zeros(x)", zeros=self.sweep.runtime("zeros"), x=primal)

    def _holds_what_is_in_memory(self, kind: Tuple) -> bool:
        """Whether an item of a tuple, or of one within, has its adjoint in the memory."""
        return not kind.or_none and any(
            self._holds_what_is_in_memory(item)
            if isinstance(item, Tuple)
            else self.sweep.has_shadow_in_memory(item)
            for item in kind.items
        )

    def _zeros_of_items(self, tree: Expr, kind: Kind) -> Any:
        """Write the zeros of the items of a tuple; of what is in the memory none is made here.

        A text that is differentiated again would have to tell the two apart.
        """
        if isinstance(kind, Tuple) and not kind.or_none:
            parts = [gast.Subscript(tree, const(i), gast.Load()) for i in range(len(kind.items))]
            return gast.List(list(map(self._zeros_of_items, parts, kind.items)), gast.Load())
        if isinstance(kind, (Real, Integer, Inert)) or self.sweep.has_shadow_in_memory(kind):
            return const(0.0)
        return quote_expression("zeros(x)", zeros=self.sweep.runtime("zeros"), x=tree)

    def zeroed(self, bar: str, bound: frozenset[str] | None) -> Any:
        """Write the zero that an adjoint holds where ways meet, and names are `bound`.

        On another way the name may have been bound to a number, or to an array of integers.
        """
        primal, kind = self.primals[bar]
        everywhere = self.sweep.kinds_everywhere.get(primal, UNREACHED)
        joined = is_number(kind) and isinstance(everywhere, Number)
        if joined or isinstance(kind, Array) and self.sweep.may_be_integers(everywhere):
            kind = everywhere
        return assign(bar, self.zero_of(primal, kind, bound))

    def full(self, primal: str, small: Expr) -> Any:
        """Write a small value at the full shape of a primal."""
        numpy = self.sweep.numpy
        primal = self.sweep.twin(primal)
        kind = self.sweep.kinds_everywhere.get(primal, UNREACHED)
        if self.sweep.is_untyped(kind):
            zeros = self.sweep.runtime("zeros")
            return quote_expression("zeros(x) + g", zeros=zeros, g=small, x=primal)
        if self.sweep.may_be_integers(kind):
            floats = "np.full_like(x, g, dtype=float)"
            return quote_expression(floats, np=numpy, x=primal, g=small)
        if is_one(small):
            return quote_expression("np.ones_like(x)", np=numpy, x=primal)
        return quote_expression("np.full_like(x, g)", np=numpy, x=primal, g=small)

    def materialize(self, bar: str) -> None:
        """Bring an adjoint that was left to broadcast to its full shape."""
        if self.holds(bar) is Holds.BROADCASTS:
            primal, _ = self.primals[bar]
            self.emit(assign(bar, self.full(primal, self.small[bar])))
            self.set(bar, Holds.OWNED)

    def ensure_value(self, bar: str) -> None:
        """Make sure that an adjoint is bound: an untouched one becomes zero."""
        self.materialize(bar)
        if self.holds(bar) is Holds.NOTHING:
            primal, kind = self.primals[bar]
            self.emit(assign(bar, self.zero_of(primal, kind, self.sweep.surely_bound)))
            self.set(bar, Holds.OWNED)

    def ensure_owned(self, bar: str) -> None:
        """Make sure that an adjoint may be written to in place."""
        self.ensure_value(bar)
        if self.holds(bar) is Holds.SHARED:
            _primal, kind = self.primals[bar]
            flat = isinstance(kind, List | Dict) and self.sweep.slots_are_numbers(kind)
            copied = "x.copy()" if flat or isinstance(kind, Array | Sparse) else None
            if may_be_scalar(kind):
                copied = "np.array(x)"
            if copied:
                self.emit(assign(bar, quote_expression(copied, x=bar, np=self.sweep.numpy)))
            elif not isinstance(kind, (Real, Integer)):
                copier = self.sweep.runtime("copied")
                self.emit(assign(bar, quote_expression("copied(x)", copied=copier, x=bar)))
            self.set(bar, Holds.OWNED)
            self.made_own.add(bar)

    def add(self, bar: str, contribution: Adjoint, fresh: bool) -> None:
        """Add a contribution to the adjoint of a value."""
        holds = self.holds(bar)
        g = contribution.expression
        _, kind = self.primals[bar]
        if contribution.is_zero:
            return
        self.displays.pop(bar, None)
        self.complete.discard(bar)
        if isinstance(kind, (Real, Integer)):
            contribution = Adjoint(g)  # what is left to broadcast to a number is one
        if contribution.broadcasts and holds is Holds.NOTHING:
            self.small[bar] = self.steady(bar, g)
            self.state[bar] = Holds.BROADCASTS
            return
        if holds is Holds.NOTHING:
            self.emit(assign(bar, g))
            if isinstance(g, gast.Tuple) and all(map(_is_atom, g.elts)):
                self.displays[bar] = g.elts
            self.set(bar, Holds.OWNED if fresh and not may_be_scalar(kind) else Holds.SHARED)
        elif holds is Holds.BROADCASTS:
            small = self.small.pop(bar)
            if contribution.broadcasts:
                self.small[bar] = gast.BinOp(small, gast.Add(), self.steady(bar, g))
                return
            self.emit(assign(bar, gast.BinOp(small, gast.Add(), g)))
            self.set(bar, Holds.SHARED if may_be_scalar(kind) else Holds.OWNED)
        elif not is_number(kind) and not is_container(kind) and not isinstance(kind, Sparse):
            adder = self.sweep.runtime("add")
            self.emit(assign(bar, quote_expression("add(x, g)", add=adder, x=bar, g=g)))
            self.set(bar, Holds.OWNED)
        elif is_container(kind):
            self.ensure_owned(bar)
            adder = self.sweep.runtime("add_to")
            self.emit(gast.Expr(quote_expression("add_to(x, g)", add_to=adder, x=bar, g=g)))
        elif holds is Holds.OWNED and (bar in self.incoming or self.adds_in_place(kind)):
            self.emit(self.added(bar, g))
        else:
            self.emit(assign(bar, gast.BinOp(name(bar), gast.Add(), g)))
            self.set(bar, Holds.SHARED if may_be_scalar(kind) else Holds.OWNED)

    def adds_in_place(self, kind: Kind) -> bool:
        """Whether contributions are added in place: what there is of a complex one can be real."""
        return not self.sweep.module.for_higher_order and dtype_of(kind)[0] != "c"

    def steady(self, bar: str, small: Expr) -> Any:
        """Name a small value now where it reads what may be bound anew: the author's name, or its adjoint."""
        bound = self.sweep.function.local | set(self.sweep.definitions)
        bound |= {key for key, (primal, _) in self.primals.items() if self.is_bound_anew(primal)}
        if not set(reads(small)) & bound:
            return small
        fresh = self.sweep.names.fresh(bar)
        self.emit(assign(fresh, small))
        return name(fresh)

    def is_bound_anew(self, primal: str) -> bool:
        """Whether a name is bound more than once: its adjoint is, then, that of one value after another."""
        return len(self.sweep.definitions.get(primal, ())) > 1

    @staticmethod
    def added(bar: Any, g: Expr) -> Any:
        """Write `bar += g`, or `bar -= h` where g is -h."""
        if is_negated(g):
            made = add_in_place(bar, g.operand)
            made.op = gast.Sub()
            return made
        return add_in_place(bar, g)

    # Merging

    def merge_skipped(
        self, before: Any, zero_at_end: list[Any], bound: frozenset[str] | None
    ) -> list[str]:
        """Merge the state after an optional block, where names are `bound`, with the one before it.

        Returns
        -------
        The adjoints that must be set to zero before the block; statements that the block must end
        with are put into `zero_at_end`.
        """
        after = self.snapshot()
        needed: list[str] = []
        zeros: list[Any] = []  # a small value may read what they overwrite
        for bar in sorted(set(before[0]) | set(after[0])):
            a = before[0].get(bar, Holds.NOTHING)
            b = after[0].get(bar, Holds.NOTHING)
            if a is b:
                continue
            if b is Holds.BROADCASTS:
                zero_at_end.append(assign(bar, self.full(self.primals[bar][0], after[1][bar])))
                b = Holds.OWNED
            if a is Holds.NOTHING:
                needed.append(bar)
            elif b is Holds.NOTHING:
                zeros.append(self.zeroed(bar, bound))
                b = Holds.OWNED
            self.set(bar, Holds.SHARED if Holds.SHARED in (a, b) else Holds.OWNED)
        zero_at_end += zeros
        return needed

    def taken_before(self, state: Any, s: Stmt) -> Any:
        """Return a state at a branch without the adjoints of what nothing before it binds."""
        holds, small = state
        unbound = self.sweep.is_unbound_before
        return {k: v for k, v in holds.items() if not unbound(self.primals[k][0], s)}, small

    def merge_branches(
        self, yes: Any, no: Any, bound: frozenset[str] | None
    ) -> tuple[list[Any], list[Any]]:
        """Merge the states after two branches; return what each, where names are `bound`, ends with."""
        ends: tuple[list[Any], list[Any]] = ([], [])
        zeros: tuple[list[Any], list[Any]] = ([], [])  # a small value may read what they overwrite
        for bar in sorted(set(yes[0]) | set(no[0])):
            states = [yes[0].get(bar, Holds.NOTHING), no[0].get(bar, Holds.NOTHING)]
            if states == [Holds.BROADCASTS] * 2 and yes[1][bar] is no[1][bar]:
                self.small[bar] = yes[1][bar]
                self.state[bar] = Holds.BROADCASTS
                continue
            for i, side in enumerate((yes, no)):
                if states[i] is Holds.BROADCASTS:
                    ends[i].append(assign(bar, self.full(self.primals[bar][0], side[1][bar])))
                    states[i] = Holds.OWNED
            for i in (0, 1):
                if states[i] is Holds.NOTHING and states[1 - i] is not Holds.NOTHING:
                    zeros[i].append(self.zeroed(bar, bound))
                    states[i] = Holds.OWNED
            self.set(bar, Holds.SHARED if Holds.SHARED in states else Holds.OWNED)
        for bar in set(self.state) - set(yes[0]) - set(no[0]):
            self.set(bar, Holds.NOTHING)
        return [*ends[0], *zeros[0]], [*ends[1], *zeros[1]]
