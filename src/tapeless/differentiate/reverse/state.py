"""Reverse mode: from a core-language function to its two sweeps.

The reverse sweep applies the transposed Jacobian of each statement, last statement first: for
`y = f(x)` the cotangent of `y` is taken, multiplied by the partial, and added to the adjoint of `x`
(Griewank and Walther, "Evaluating Derivatives", ch. 3). The state of the
sweeps is here; each kind of statement and expression has functions in a file of its own.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, any_slot
from tapeless.analysis.facts import Facts, values_met
from tapeless.analysis.repeatable import added_to
from tapeless.differentiate.reverse.accumulate import Adjoint, Adjoints, Holds
from tapeless.differentiate.reverse.mirrored import Mirrored
from tapeless.differentiate.reverse.seeds import MixtureError, Parts, parts_in_memory
from tapeless.differentiate.reverse.shadows import Shadows, definitions
from tapeless.differentiate.sharing import aliases_operand, may_copy
from tapeless.differentiate.writer import Writer
from tapeless.externals import is_one_of
from tapeless.kinds import (
    UNREACHED,
    UNSEEN,
    Array,
    Dict,
    Instance,
    Kind,
    Number,
    Real,
    Tuple,
    differentiable,
    is_container,
    is_number,
    is_outside,
    join,
    may_be_complex,
    regions_of,
)
from tapeless.origins import is_generated
from tapeless.ranks import dtype_of
from tapeless.tree.assigned import assigned
from tapeless.tree.build import assign, const, name, quote, quote_expression
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes, reads
from tapeless.variables import is_variable


class Sweep(Writer, ABC):
    """Writes both sweeps of one function.

    Attributes
    ----------
    function, facts
        The function and what is known about it.
    adjoints
        What each adjoint holds at the present point of the reverse sweep.
    out
        The reverse statements written so far in the present block.
    undone
        The regions in which the reverse sweep undoes stores.
    unreached
        The statements that control never comes to.
    """

    def __init__(self, function: CoreFunction, facts: Facts, module: Any, names: Names) -> None:
        super().__init__(function, facts, module, names, module.externals)
        found: Shadows = module.shadows(function, facts)
        self.shadows = replace(found, paths=dict(found.paths))  # a loop adds names of its own
        self.forced_memory: frozenset[Any] = module.memory_regions(function, facts)
        self.definitions = definitions(function)
        self.assigned = assigned(function.tree.body, function.parameters)
        self.unreached = self.assigned.before.keys() - facts.before.keys()
        self.adjoints = Adjoints(self)
        self.bars: dict[str, str] = {}
        self.bound: set[str] = set()
        self.depth = 0
        self.memory: str | None = None
        self.loops: list[Any] = []
        self.outer_stacks: list[str] = []
        self.seed: Any = None
        self.item_places: dict[str, Any] = {}
        self.undone: set[Any] = set()
        self.counters: set[str] = set()
        self.spread: dict[Any, list[Any]] = {}  # what binds the items that a call spreads
        self.spreading: Any = None
        self.reached: set[str] = set()  # names that count the segments of a `try` that were done
        self.spliced_names: set[str] = set()  # of custom gradients, as their authors wrote them

    def bar(self, primal: str, kind: Kind | None = None) -> str:
        """Return the name of the adjoint of a name."""
        asked = kind is not None and self.has_shadow(kind) and self.in_memory(kind)
        key = _in_memory(primal) if asked else primal
        if key not in self.bars:
            self.bars[key] = self.names.fresh(f"{primal}_bar")
        found = self.bars[key]
        if kind is not None:
            self.adjoints.primals[found] = primal, kind
        return found

    @functools.cached_property
    def kinds_everywhere(self) -> dict[str, Kind]:
        """The kind of whatever each name holds before any statement of the function."""
        found: dict[str, Kind] = {}
        for key, value in values_met(self.known.before):
            found[key] = join(found.get(key, UNREACHED), value.kind, key)
        return found

    def twin(self, key: str) -> str:
        """Return what is known to have the shape and dtype of a temporary, or the temporary.

        A parameter is preferred, then what was bound first: the temporary itself may be dead. What is
        bound after the temporary need not be there any more where the reverse sweep asks.
        """
        _, kind = self.adjoints.primals.get(self.bars.get(key, ""), ("", Kind()))
        if key in self.function.own_names or not isinstance(kind, Array):
            return key
        entering = self.known.before.get(self.function.tree.body[0], {})
        known = [(p, entering.get(p, NOTHING).kind) for p in self.function.parameters]
        known += [
            (s.targets[0].id, self.known.results[s].kind)
            for s in takewhile(partial(self.binds_no, key), self.function.tree.body)
            if isinstance(s, gast.Assign)
            and isinstance(s.targets[0], gast.Name)
            and s in self.known.results
        ]
        for other, found in known:
            alike = isinstance(found, Array) and (found.dims, found.dtype) == (
                kind.dims,
                kind.dtype,
            )
            if alike and len(self.definitions[other]) == 1:
                return other
        return key

    def binds_no(self, key: str, statement: Any) -> bool:
        """Whether a statement, with all in it, leaves a name as it is."""
        made = self.definitions.get(key, [])
        parts = [statement] if isinstance(statement, gast.Assign) else nodes(statement)
        return all(part not in made for part in parts)

    def of_same_shape(self, key: str, kind: Kind, bound: frozenset[str]) -> str | None:
        """Return a name that surely is bound, by one statement, to an array of the shape of another.

        What several statements bind may be of one shape here and of another there.
        """
        if not isinstance(kind, Array) or len(self.definitions.get(key, [])) != 1:
            return None
        entering = self.known.before.get(self.function.tree.body[0], {})
        for other in [*self.function.parameters, *sorted(bound)]:
            [definition, *more] = self.definitions.get(other, [None])
            found = self.known.results.get(definition, entering.get(other, NOTHING)).kind
            if other not in bound or more or not isinstance(found, Array):
                continue
            if (found.dims, found.dtype) == (kind.dims, kind.dtype):
                return other
        return None

    def bound_before(self, s: Any) -> frozenset[str] | None:
        """Return the names that surely are bound before a statement; None for one of the tool's own."""
        return self.assigned.before.get(s)

    def bound_after(self, s: Any) -> frozenset[str] | None:
        """Return the names that surely are bound after a statement; None for one of the tool's own."""
        return self.assigned.after.get(s)

    def memory_name(self) -> str:
        """Return the name of the adjoint memory."""
        if self.memory is None:
            self.memory = self.names.fresh("bars")
        return self.memory

    # Facts

    def varies(self, value: Value) -> bool:
        """Whether a value carries a derivative."""
        return self.known.facts.carries_derivative(value)

    def value(self, statement: Any, key: str) -> Value:
        """Return what is known of a name as control comes to a statement."""
        found = self.known.before.get(statement, {}).get(key, NOTHING)
        if found is NOTHING and key in self.function.externals:
            found = self.splicer.evaluate(name(key), {})
        return Value(found.kind, self.varies(found))

    def is_active(self, statement: Any, tree: Any) -> bool:
        """Whether an operand carries a derivative at a statement."""
        return isinstance(tree, gast.Name) and self.value(statement, tree.id).varied

    def is_cut(self, s: Any) -> bool:
        """Whether the cotangent of what a statement binds may hold zeros that something cut."""
        return s in self.module.cut or self.has_shadow(self.result(s).kind)

    def has_shadow(self, kind: Kind) -> bool:
        """Whether values of a kind have a shadow rather than a value adjoint."""
        return self.facts.has_shadow(kind)

    def in_memory(self, kind: Kind) -> bool:
        """Whether the adjoint of a thing is asked from the adjoint memory."""
        return bool(regions_of(kind) & (self.shadows.in_memory | self.forced_memory))

    def is_logged(self, kind: Kind) -> bool:
        """Whether what a store overwrites is kept, to be put back in the reverse sweep."""
        return bool(regions_of(kind))

    def slots_are_numbers(self, kind: Kind) -> bool:
        """Whether the slots of a container hold numbers or things without derivative only."""
        slot = any_slot(self.known.heap, regions_of(kind), "slots").kind
        if isinstance(kind, Instance | Dict):
            held = [v.kind for r in regions_of(kind) for v in self.known.heap.get(r, {}).values()]
            return all(is_number(k) or not differentiable(k) for k in held)
        return is_number(slot) or not differentiable(slot)

    # Blocks

    @abstractmethod
    def block(self, statements: list[Any]) -> list[Mirrored]:
        """Write both sweeps of a block, last statement first."""

    @abstractmethod
    def item(self, statement: Any) -> list[Mirrored]:
        """Write both sweeps of one statement, and the undo of what it may do unseen."""

    @abstractmethod
    def items(self, statements: list[Any]) -> list[Mirrored]:
        """Write both sweeps of what replaces one statement: bindings of new names, and the rest."""

    def is_assignment(self, s: Any) -> bool:
        """Whether a statement is `w.assign(v)` with a name or literal for `v`, and no more."""
        if not isinstance(s, gast.Expr) or s.value.func.attr != "assign" or s.value.keywords:
            return False
        named = isinstance(s.value.func.value, gast.Name)
        return named and not is_variable(self.operand_kind(s, s.value.args[0]))

    def adds_to_log(self, s: Any) -> bool:
        """Whether a statement adds to what nothing is computed from: it is not undone."""
        key = added_to(s)
        regions = frozenset() if key is None else regions_of(self.operand_kind(s, name(key)))
        if isinstance(s, gast.AugAssign) and isinstance(s.target, gast.Attribute):
            regions = regions or frozenset([UNSEEN])
        return bool(regions - self.facts.stored) and all(map(is_outside, regions))

    # Taking and adding

    def forget(self, key: str) -> None:
        """A name is bound to something without derivative: its adjoint starts anew before."""
        for bar, (primal, _) in self.adjoints.primals.items():
            if primal == key:
                self.adjoints.set(bar, Holds.NOTHING)
        self.bound.discard(key)

    def take(self, s: Any, key: str, kind: Kind) -> Adjoint | None:
        """Take the cotangent out of the name that a statement binds.

        Returns
        -------
        None where the cotangent is zero: nothing after the statement depends on the value.
        """
        bar = self.bar(key, kind)
        if self.has_shadow(kind):
            return self.take_shadow(s, key, kind)
        holds = self.adjoints.holds(bar)
        if holds is Holds.NOTHING:
            return None
        if holds is Holds.BROADCASTS:
            small = self.adjoints.small[bar]
            self.adjoints.set(bar, Holds.NOTHING)
            return Adjoint(small, True)
        self.owned_when_taken = holds is Holds.OWNED
        self.adjoints.set(bar, Holds.NOTHING)
        return Adjoint(name(bar))

    owned_when_taken = False

    def take_shadow(self, s: Any, key: str, kind: Kind) -> Adjoint | None:
        """Take the shadow of a thing where the thing is made; an alias has none of its own."""
        bar = self.bar(key, kind)
        self.owned_when_taken = True
        if key in self.shadows.paths and not self.in_memory(kind):
            self.bound.discard(key)
            return None
        if self.in_memory(kind):
            self.bound.discard(key)
            if is_container(kind) and key in self.bars:
                self.adjoints.set(self.bars[key], Holds.NOTHING)  # of a number that it is later
            made = self.known.results.get(s)
            fresh = isinstance(s.value, gast.List | gast.Dict) or not aliases_operand(self, s)
            if made is None or not (fresh or may_copy(self, s)):
                return None
            self.out.append(assign(bar, self.found_in_memory(key, kind)))
            return Adjoint(name(bar))
        if self.adjoints.holds(bar) is Holds.NOTHING:
            return None
        self.adjoints.materialize(bar)
        self.adjoints.set(bar, Holds.NOTHING)
        return Adjoint(name(bar))

    def shadow(self, s: Any, key: str) -> Any:
        """Return the expression of a shadow that may be written to in place."""
        kind = self.value(s, key).kind if s is not None else NOTHING.kind
        if isinstance(kind, Number) and self.may_be_scalar(key):
            self.refuse(
                s,
                f"whether {self.spelled(name(key), 'what changes here')} is an array or a number is not "
                "known here",
                "annotate the parameters, or give like=",
            )
        bar = self.bar(key, kind)
        if key in self.item_places:
            return self.item_places[key]
        if self.in_memory(kind):
            if key not in self.bound and self.is_part_of_bound(key):
                path = self.shadows.paths[key]
                return gast.Subscript(
                    name(self.bars[_in_memory(path.value.id)]), path.slice, gast.Load()
                )
            if key not in self.bound:
                found = self.found_in_memory(key, kind)
                if self.has_slots_outside_memory(kind):
                    giver = self.runtime("with_slots")
                    found = quote_expression("f(b, x)", f=giver, b=found, x=key)
                self.out.append(assign(bar, found))
                self.bound.add(key)
            return name(bar)
        if key in self.shadows.paths:
            path = self.shadows.paths[key]
            [definition] = self.definitions[key]
            if isinstance(path, gast.Name):
                return self.shadow(definition, path.id)
            owner = self.shadow(definition, path.value.id)
            return type(path)(
                owner, path.slice if hasattr(path, "slice") else path.attr, gast.Load()
            )
        self.adjoints.ensure_owned(bar)
        return name(bar)

    def found_in_memory(self, key: str, kind: Kind) -> Any:
        """Write where the adjoint memory has the adjoint of a name.

        Whether a name is an array or a number has been proven in what a user wrote. In a generated text
        0.0 may stand for an array that nothing has reached, and other numbers are told when it runs.
        """
        mixed = isinstance(kind, Number) and is_generated(self.function.filename)
        text = "m.of_array(x)" if mixed else "m[x]"
        return quote_expression(text, m=self.memory_name(), x=key)

    def has_slots_outside_memory(self, kind: Kind) -> bool:
        """Whether a container in the adjoint memory holds containers that are not there."""
        held = [v.kind for r in regions_of(kind) for v in self.known.heap.get(r, {}).values()]
        return any(is_container(k) and not self.in_memory(k) for k in held)

    def is_part_of_bound(self, key: str) -> bool:
        """Whether a name is a fixed part of an array whose buffer has a name already."""
        path = self.shadows.paths.get(key)
        if not isinstance(path, gast.Subscript) or path.value.id not in self.bound:
            return False
        [definition] = self.definitions[key]
        if is_container(self.value(definition, path.value.id).kind):
            return False  # what it holds is in the memory by itself
        defined = self.definitions.get(path.value.id, [])
        steady = len(defined) == 1 and (defined[0] is None or defined[0] in self.function.tree.body)
        return steady and not reads(path.slice) and _in_memory(path.value.id) in self.bars

    def may_be_scalar(self, key: str) -> bool:
        """Whether a name of unknown rank may hold an element rather than a view."""
        if not self.definitions.get(key):
            return True  # it is the old value of an updated element
        for definition in self.definitions[key]:
            value = getattr(definition, "value", None)
            if isinstance(value, gast.Subscript) and not isinstance(value.slice, gast.Slice):
                return True
            if isinstance(definition, gast.For):
                return True
        return False

    def contribute(
        self, s: Any, key: str, contribution: Adjoint, fresh: bool, env: Any = None
    ) -> None:
        """Add a contribution to the adjoint of an operand.

        `env` tells what is known of the names in it, beside those that the function binds.
        """
        kind = self.value(s, key).kind
        bar = self.bar(key, kind)
        if contribution.is_zero:
            return
        real = self.as_real_as(s, key, kind, self.as_wide_as(s, kind, contribution), env)
        if real is not contribution:
            contribution, fresh = real, False
        if isinstance(kind, Tuple):
            contribution = self.without_memory(key, kind, contribution)
        if not self.has_shadow(kind):
            self.adjoints.add(bar, contribution, fresh)
            return
        if is_container(kind) and not isinstance(kind, Instance):
            parts = self.parts_in_memory(s, key, kind)
            slot = any_slot(self.known.heap, regions_of(kind), "slots").kind
            if parts is not None:
                contribution = Adjoint(self.without_parts(s, key, contribution.expression, parts))
                fresh = False
                if parts.inside:
                    return
            elif self.has_shadow(slot) and self.in_memory(slot):
                if self.module.for_higher_order and not isinstance(slot, Number):
                    self.add_item_by_item(key, kind, contribution.expression)
                    return
                adder = self.runtime("add_to_items")
                call = quote_expression(
                    "add(m, b, x, g)", add=adder, m=self.memory_name(), b=self.shadow(s, key),
                    x=key, g=contribution.expression,
                )  # fmt: skip
                self.out.append(gast.Expr(call))
                return
        owned = key not in self.shadows.paths and not self.in_memory(kind)
        if owned and key not in self.item_places:
            if self.adjoints.holds(bar) is Holds.NOTHING and not (fresh or contribution.broadcasts):
                copier = self.runtime("copied") if is_container(kind) else None
                g = contribution.expression
                copied = (
                    quote_expression("copied(g)", copied=copier, g=g)
                    if copier
                    else quote_expression("np.array(g)", np=self.numpy, g=g)
                )
                self.adjoints.add(bar, Adjoint(copied), True)
                return
            if self.adjoints.holds(bar) is Holds.SHARED:
                self.adjoints.ensure_owned(bar)
            self.adjoints.add(bar, contribution, fresh)
            return
        place = self.shadow(s, key)
        g = contribution.expression
        if is_container(kind):
            adder = self.runtime("add_to")
            self.out.append(gast.Expr(quote_expression("add_to(x, g)", add_to=adder, x=place, g=g)))
            return
        self.out.append(Adjoints.added(_in_place(place), g))

    def as_wide_as(self, s: Any, kind: Kind, g: Adjoint) -> Adjoint:
        """Return an operand in double precision such a cotangent, where the result is in single.

        The result of a store is what it stores into.
        """
        result = self.result(s).kind
        if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Subscript):
            result = self.operand_kind(s, s.targets[0].value)
        if dtype_of(result) not in ("f4", "c8") or dtype_of(kind) not in ("f8", "c16"):
            return g
        if isinstance(kind, Array) and g.broadcasts:
            return g  # it is brought to the shape and dtype of the operand
        wide = "np.complex128" if dtype_of(kind) == "c16" else "np.float64"
        text = f"{wide}(g)" if isinstance(kind, Real) else f"g.astype({wide})"
        return Adjoint(quote_expression(text, np=self.numpy, g=g.expression), g.broadcasts)

    def as_real_as(self, s: Any, key: str, kind: Kind, g: Adjoint, env: Any) -> Adjoint:
        """Return a cotangent that is real where its operand is, as that of a number beside a complex one.

        Where the kinds do not tell, the operand is asked, in functions that meet complex numbers at all.
        """
        code = dtype_of(kind)
        complex_surely = code[0] == "c" and code != "c?"
        if not self.meets_complex or complex_surely or not is_number(kind):
            return g
        if not cotangent_may_be_complex(self, s, g.expression, env):
            return g
        if code[0] in "fib":
            made = quote_expression("np.real(g)", np=self.numpy, g=g.expression)
        else:
            asked = self.runtime("real_for_real")
            made = quote_expression("f(g, x)", f=asked, g=g.expression, x=key)
        return Adjoint(made, g.broadcasts)

    def parts_in_memory(self, s: Any, key: str, kind: Kind) -> Parts | None:
        """Return which parts of what a container holds have their adjoints in the memory, if not all.

        A derivative that is differentiated again is given a number to start from: what is in the memory
        deeper inside is not in the cotangents, then.
        """
        memory = self.shadows.in_memory | self.forced_memory
        try:
            parts = parts_in_memory(self.facts, memory, kind)
        except MixtureError as mixture:
            what = self.spelled(name(key), "what is returned")
            self.refuse(s, f"{what} {mixture.reason}", mixture.fix)
        if parts is None or not self.module.for_higher_order:
            return parts
        return None if all(p.inside is True for p in parts.below.values()) else parts

    def without_parts(self, s: Any, key: str, g: Any, parts: Parts) -> Any:
        """Write what adds the cotangents of some parts of a value to the memory; give the rest."""
        if self.module.for_higher_order:
            reason = "what is returned holds what changes beside other things"
            self.refuse(s, f"{reason}, which cannot be differentiated again yet", "return it alone")
        rest = self.names.fresh(f"{key}_bar")
        taken = quote_expression(
            "f(m, x, g, p)", f=self.runtime("without_parts"), m=self.memory_name(), x=key, g=g,
            p=gast.parse(repr(parts.literal).replace("Ellipsis", "...")).body[0].value,
        )  # fmt: skip
        self.out.append(assign(rest, taken))
        return name(rest)

    def add_item_by_item(self, key: str, kind: Kind, g: Any) -> None:
        """Add cotangents of items to the adjoint memory in a loop, which has a derivative itself."""
        part, place = self.names.fresh(f"{key}_bar"), self.names.fresh("k")
        places = "x" if isinstance(kind, Dict) else "range(len(x))"
        self.out.append(assign(part, g))
        self.out += quote(
            f"for k in {places}:\n    add_to(m[x[k]], g[k])", k=place, x=key, g=part,
            add_to=self.runtime("add_to"), m=self.memory_name(),
        )  # fmt: skip

    def without_memory(self, key: str, kind: Tuple, contribution: Adjoint) -> Adjoint:
        """Add the cotangents of items that have theirs in the adjoint memory; keep the rest."""
        places = [
            const(i)
            for i, item in enumerate(kind.items)
            if self.has_shadow(item) and self.in_memory(item)
        ]
        if not places:
            return contribution
        rest = self.names.fresh(f"{key}_bar")
        if self.module.for_higher_order:
            self.add_part_by_part(key, rest, len(kind.items), places, contribution.expression)
            return Adjoint(name(rest))
        call = quote_expression(
            "f(m, x, g, p)", f=self.runtime("remember_items"), m=self.memory_name(), x=key,
            g=contribution.expression, p=gast.Tuple(places, gast.Load()),
        )  # fmt: skip
        self.out.append(assign(rest, call))
        return Adjoint(name(rest))

    def add_part_by_part(self, key: str, rest: str, n: int, places: list[Any], g: Any) -> None:
        """Write `remember_items` out, for a text that is differentiated again."""
        given, add_to = self.names.fresh(f"{key}_bar"), self.runtime("add_to")
        self.out.append(assign(given, g))
        inside = [place.value for place in places]
        for i in inside:
            self.out += quote(
                "add_to(m[x[i]], g[i])", add_to=add_to, m=self.memory_name(), x=key, g=given,
                i=const(i),
            )  # fmt: skip
        others = [quote_expression("g[i]", g=given, i=const(i)) for i in range(n)]
        parts = [const(0.0) if i in inside else part for i, part in enumerate(others)]
        self.out.append(assign(rest, gast.List(parts, gast.Load())))

    def full(self, y: Adjoint, key: str) -> Any:
        """Return a cotangent at the full shape of the value."""
        if not y.broadcasts:
            return y.expression
        return quote_expression(
            "np.broadcast_to(g, np.shape(y))", np=self.numpy, g=y.expression, y=key
        )

    def full_slot(self, part: Any, item: Any, kind: Kind) -> Any:
        """Bring what a slot holds, perhaps an untouched 0.0, to the shape of the value."""
        if isinstance(kind, Real):
            return part
        filler = self.runtime("full")
        return quote_expression("full(g, x)", full=filler, g=part, x=item)

    def buffer(self, s: Any, owner: str) -> Any:
        """Return an adjoint of which parts may be written to in place."""
        kind = self.value(s, owner).kind
        if self.has_shadow(kind):
            return self.shadow(s, owner)
        bar = self.bar(owner, kind)
        self.adjoints.ensure_owned(bar)
        return name(bar)

    def give_seed(self, s: Any) -> None:
        """Return the cotangent with which the returned value is seeded."""
        if self.seed is not None:
            self.seed(self, s)


def cotangent_may_be_complex(sweep: Sweep, s: Any, tree: Any, env: Any) -> bool:
    """Whether a cotangent that a statement gives to an operand may be complex.

    Where the statement meets complex numbers all names count as complex but those that are known to
    be real, and the adjoints of such. Elsewhere what is computed from real ones may be complex.
    """
    if isinstance(tree, gast.Call) and is_one_of(
        sweep.splicer.resolve(tree.func), (np.real, np.imag)
    ):
        return False
    known = {bar: Value(kind) for bar, (_, kind) in sweep.adjoints.primals.items()}
    known |= sweep.known.before.get(s, {})
    value = getattr(s, "value", None)
    met = [known[n].kind for n in reads(value) if n in known] if value is not None else []
    if any(is_container(known[key].kind) for key in reads(tree) if key in known):
        return True  # the adjoint of a list of real and complex ones
    met += [any_slot(sweep.known.heap, regions_of(k), "held").kind for k in met if is_container(k)]
    if any(map(may_be_complex, [*met, sweep.result(s).kind])):
        for key in set(reads(tree)) - sweep.function.externals.keys():
            kind = known[key].kind if key in known else Kind()
            if may_be_complex(kind) or not is_number(kind):
                return True
    return may_be_complex(sweep.splicer.evaluate(tree, known | (env or {})).kind)


def _in_memory(primal: str) -> str:
    """Return the key of the name by which the memory's adjoint of a name is known."""
    return f"{primal} in memory"


def _in_place(place: Any) -> Any:
    """Write to a view that is not a name, such as `a_bar.T`, through its items."""
    if isinstance(place, gast.Attribute):
        return gast.Subscript(place, const(...), gast.Load())
    return place
