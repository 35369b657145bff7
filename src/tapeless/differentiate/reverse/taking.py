"""Taking cotangents: out of the adjoint of a name, where a statement binds it.

The adjoint of a number, or of an array that nobody stores into, is a value that is taken and starts anew
before. That of a thing that changes in place is its shadow, a buffer that is written to in place.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING
from tapeless.differentiate.reverse.accumulate import Adjoint, Holds
from tapeless.differentiate.reverse.known import Known, memory_key
from tapeless.differentiate.sharing import aliases_operand, may_copy
from tapeless.kinds import Kind, Number, is_container, regions_of
from tapeless.origins import is_generated
from tapeless.tree.build import assign, name, quote_expression
from tapeless.tree.names import reads
from tapeless.tree.trees import Stmt


class Taking(Known):
    """Takes the cotangents of what statements bind."""

    owned_when_taken = False

    def forget(self, key: str) -> None:
        """A name is bound to something without derivative: its adjoint starts anew before."""
        for bar, (primal, _) in self.adjoints.primals.items():
            if primal == key:
                self.adjoints.set(bar, Holds.NOTHING)
        self.bound.discard(key)

    def take(self, s: Stmt, key: str, kind: Kind) -> Adjoint | None:
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

    def take_shadow(self, s: Stmt, key: str, kind: Kind) -> Adjoint | None:
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

    def shadow(self, s: Stmt, key: str) -> Any:
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
                    name(self.bars[memory_key(path.value.id)]), path.slice, gast.Load()
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
            if type(path) is gast.Name:
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
        return steady and not reads(path.slice) and memory_key(path.value.id) in self.bars

    def may_be_scalar(self, key: str) -> bool:
        """Whether a name of unknown rank may hold an element rather than a view."""
        if not self.definitions.get(key):
            return True  # it is the old value of an updated element
        for definition in self.definitions[key]:
            value = getattr(definition, "value", None)
            if isinstance(value, gast.Subscript) and type(value.slice) is not gast.Slice:
                return True
            if type(definition) is gast.For:
                return True
        return False

    def buffer(self, s: Stmt, owner: str) -> Any:
        """Return an adjoint of which parts may be written to in place."""
        kind = self.value(s, owner).kind
        if self.has_shadow(kind):
            return self.shadow(s, owner)
        bar = self.bar(owner, kind)
        self.adjoints.ensure_owned(bar)
        return name(bar)
