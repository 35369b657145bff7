"""Giving cotangents: each operand of a statement has a contribution added to its adjoint.

The contribution is brought to what the operand is: real, of its precision, summed or left to broadcast.
What has its adjoint in the memory is added there, the rest to the adjoint of the name.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value, any_slot
from tapeless.differentiate.reverse.accumulate import Adjoint, Adjoints, Holds
from tapeless.differentiate.reverse.seeds import MixtureError, Parts, parts_in_memory
from tapeless.differentiate.reverse.taking import Taking
from tapeless.externals import is_one_of
from tapeless.kinds import (
    Array,
    Dict,
    Instance,
    Kind,
    Number,
    Real,
    Tuple,
    is_container,
    is_number,
    may_be_complex,
    regions_of,
)
from tapeless.ranks import dtype_of
from tapeless.tree.build import assign, const, name, quote, quote_expression
from tapeless.tree.names import reads
from tapeless.tree.trees import Expr, Stmt, Tree


class Giving(Taking):
    """Adds contributions to the adjoints of operands."""

    def contribute(
        self,
        s: Stmt,
        key: str,
        contribution: Adjoint,
        fresh: bool,
        env: dict[str, Value] | None = None,
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
            if parts is not None:
                rest = self.without_parts(s, key, contribution.expression, parts)
                contribution, fresh = Adjoint(rest), False
                if parts.inside:
                    return
            elif self.slots_are_in_memory(kind):
                self.add_to_slots(s, key, kind, contribution.expression)
                return
        if self.is_owned(key, kind):
            self.add_to_owned(key, kind, contribution, fresh)
            return
        place, g = self.shadow(s, key), contribution.expression
        if is_container(kind):
            adder = self.runtime("add_to")
            self.out.append(gast.Expr(quote_expression("add_to(x, g)", add_to=adder, x=place, g=g)))
            return
        self.out.append(Adjoints.added(_in_place(place), g))

    def slots_are_in_memory(self, kind: Kind) -> bool:
        """Whether what a container holds has its adjoints in the adjoint memory."""
        slot = any_slot(self.known.heap, regions_of(kind), "slots").kind
        return self.has_shadow(slot) and self.in_memory(slot)

    def add_to_slots(self, s: Stmt, key: str, kind: Kind, g: Expr) -> None:
        """Add the cotangents of what a container holds to their adjoints in the memory."""
        slot = any_slot(self.known.heap, regions_of(kind), "slots").kind
        if self.module.for_higher_order and not isinstance(slot, Number):
            self.add_item_by_item(key, kind, g)
            return
        call = quote_expression(
            "add(m, b, x, g)", add=self.runtime("add_to_items"), m=self.memory_name(),
            b=self.shadow(s, key), x=key, g=g,
        )  # fmt: skip
        self.out.append(gast.Expr(call))

    def is_owned(self, key: str, kind: Kind) -> bool:
        """Whether the shadow of a name is its own: neither a part of another one, nor in the memory."""
        owned = key not in self.shadows.paths and not self.in_memory(kind)
        return owned and key not in self.item_places

    def add_to_owned(self, key: str, kind: Kind, contribution: Adjoint, fresh: bool) -> None:
        """Add to a shadow that has a name; what it starts as is seen by nothing else."""
        bar = self.bar(key, kind)
        if self.adjoints.holds(bar) is Holds.NOTHING and not (fresh or contribution.broadcasts):
            g = contribution.expression
            if is_container(kind):
                copied = quote_expression("copied(g)", copied=self.runtime("copied"), g=g)
            else:
                copied = quote_expression("np.array(g)", np=self.numpy, g=g)
            contribution, fresh = Adjoint(copied), True
        elif self.adjoints.holds(bar) is Holds.SHARED:
            self.adjoints.ensure_owned(bar)
        self.adjoints.add(bar, contribution, fresh)

    def as_wide_as(self, s: Stmt, kind: Kind, g: Adjoint) -> Adjoint:
        """Return an operand in double precision such a cotangent, where the result is in single.

        The result of a store is what it stores into.
        """
        result = self.result(s).kind
        if type(s) is gast.Assign and type(s.targets[0]) is gast.Subscript:
            result = self.operand_kind(s, s.targets[0].value)
        if dtype_of(result) not in ("f4", "c8") or dtype_of(kind) not in ("f8", "c16"):
            return g
        if isinstance(kind, Array) and g.broadcasts:
            return g  # it is brought to the shape and dtype of the operand
        wide = "np.complex128" if dtype_of(kind) == "c16" else "np.float64"
        text = f"{wide}(g)" if isinstance(kind, Real) else f"g.astype({wide})"
        return Adjoint(quote_expression(text, np=self.numpy, g=g.expression), g.broadcasts)

    def as_real_as(
        self, s: Stmt, key: str, kind: Kind, g: Adjoint, env: dict[str, Value] | None
    ) -> Adjoint:
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

    def parts_in_memory(self, s: Stmt, key: str, kind: Kind) -> Parts | None:
        """Return which parts of what a container holds have their adjoints in the memory, if not all.

        A derivative that is differentiated again is given a number to start from: what is in the memory
        deeper inside is not in the cotangents, then.
        """
        try:
            parts = parts_in_memory(self.facts, self.regions_in_memory, kind)
        except MixtureError as mixture:
            what = self.spelled(name(key), "what is returned")
            self.refuse(s, f"{what} {mixture.reason}", mixture.fix)
        if parts is None or not self.module.for_higher_order:
            return parts
        return None if all(p.inside is True for p in parts.below.values()) else parts

    def without_parts(self, s: Stmt, key: str, g: Expr, parts: Parts) -> Any:
        """Write what adds the cotangents of some parts of a value to the memory; return the rest."""
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

    def add_item_by_item(self, key: str, kind: Kind, g: Expr) -> None:
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

    def add_part_by_part(self, key: str, rest: str, n: int, places: list[Expr], g: Expr) -> None:
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

    def full_slot(self, part: Expr, item: Expr, kind: Kind) -> Any:
        """Bring what a slot holds, perhaps an untouched 0.0, to the shape of the value."""
        if isinstance(kind, Real):
            return part
        filler = self.runtime("full")
        return quote_expression("full(g, x)", full=filler, g=part, x=item)


def cotangent_may_be_complex(
    sweep: Giving, s: Stmt, tree: Tree, env: dict[str, Value] | None
) -> bool:
    """Whether a cotangent that a statement gives to an operand may be complex.

    Where the statement meets complex numbers all names count as complex but those that are known to
    be real, and the adjoints of such. Elsewhere what is computed from real ones may be complex.
    """
    if type(tree) is gast.Call and is_one_of(sweep.splicer.resolve(tree.func), (np.real, np.imag)):
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


def _in_place(place: Expr) -> Any:
    """Write to a view that is not a name, such as `a_bar.T`, through its items."""
    if type(place) is gast.Attribute:
        return gast.Subscript(place, const(...), gast.Load())
    return place
