"""The cotangent of a result that holds things whose adjoints are in the adjoint memory.

    hist = [] ...                  def f_rev(saved, y_bar, bars):
    return {"hist": hist, "y": y}      v_bar = without_parts(bars, v, y_bar, (False, {"hist": (True, {})}))

A caller outside gives one structure, of the form of the result. What stands in it for a thing that is
found by its identity goes to the memory before anything is reversed; the rest stays where it stands.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from tapeless.analysis.abstract import Beside, any_slot, reachable
from tapeless.analysis.facts import Facts
from tapeless.analysis.keys import is_any_key
from tapeless.kinds import (
    NOWHERE,
    Dict,
    Kind,
    List,
    Regions,
    Sequence,
    Tuple,
    is_container,
    regions_of,
)
from tapeless.variables import is_variable

_ANY = ...  # stands for every slot that is not named
_UNNAMED = ("*", "variables")


@dataclass
class Parts:
    """Which parts of a value have their adjoints in the adjoint memory.

    Attributes
    ----------
    arrays, lists
        Whether the value itself has, apart from what `below` says of its slots, where it is an array
        and where it is a list, dict or object; None where it is none.
    below
        The parts of what its slots hold, by slot; `...` for slots that are not named.
    """

    arrays: bool | None
    lists: bool | None
    below: dict[Hashable, Parts]

    @property
    def inside(self) -> bool | str:
        """Whether the value itself has; or which it must be, for that."""
        if self.arrays and self.lists is False:
            return "arrays"
        if self.lists and self.arrays is False:
            return "lists"
        return bool(self.arrays or self.lists)

    @property
    def are_none(self) -> bool:
        """Whether nothing of it is in the memory."""
        return not self.inside and all(parts.are_none for parts in self.below.values())

    @property
    def literal(self) -> tuple[bool | str, dict[Hashable, Any]]:
        """The same as a literal, without what is not in the memory; slots without a name say so."""
        others = _ANY in self.below and not self.below[_ANY].are_none
        told = {k: parts for k, parts in self.below.items() if others or not parts.are_none}
        return self.inside, {k: parts.literal for k, parts in told.items()}

    def joined(self, other: Parts) -> Parts:
        """Return the parts of what is one of two, which the value itself tells apart."""
        below = {}
        for slot in self.below | other.below:
            met = [parts for parts in (self._under(slot), other._under(slot)) if parts is not None]
            below[slot] = met[0] if len(met) == 1 else met[0].joined(met[1])
        arrays, lists = _agreed(self.arrays, other.arrays), _agreed(self.lists, other.lists)
        return Parts(arrays, lists, below)

    def _under(self, slot: Hashable) -> Parts | None:
        """Return the parts of what one slot holds: a name may be that of one of those without a name."""
        return self.below.get(slot, self.below.get(_ANY))


def _agreed(a: bool | None, b: bool | None) -> bool | None:
    if None not in (a, b) and a != b:
        raise MixtureError
    return b if a is None else a


class MixtureError(Exception):
    """A value may hold itself, or one of several things whose adjoints are in different places."""

    reason = "holds what changes, and what of its cotangent is for that is not known"
    fix = "return a tuple of the arrays and numbers in it"


def parts_in_memory(facts: Facts, memory: Regions, kind: Kind, ends: bool = False) -> Parts | None:
    """Return which parts of a value have their adjoints in the memory, where that takes telling.

    What holds itself, and is in the memory, `ends` there where no cotangent reaches further inside.

    Returns
    -------
    None where none has, or where the slots of the value itself are alike.

    Raises
    ------
    MixtureError
        If that cannot be told apart.
    """
    reached = reachable([kind], facts.heap)
    if not reached & memory:
        return None
    found = _parts(facts, memory, kind, NOWHERE, ends) or Parts(None, None, {})
    below = [parts for parts in found.below.values() if not parts.are_none]
    if not below:
        return None
    if isinstance(kind, Tuple) and all(parts.literal == (True, {}) for parts in below):
        return None
    if isinstance(kind, (List, Dict)) and _are_alike(facts, memory, kind, ends):
        return None
    return found


def _are_alike(facts: Facts, memory: Regions, kind: List | Dict, ends: bool) -> bool:
    """Whether each slot of a container holds a number, or what has its adjoint in the memory."""
    slots = [v.kind for r in regions_of(kind) for v in facts.heap.get(r, {}).values()]
    within = [_parts(facts, memory, slot, NOWHERE, ends) for slot in slots]
    joined = any_slot(facts.heap, regions_of(kind), "slots").kind
    alike = all(parts is None or parts.literal == (True, {}) for parts in within)
    return alike and facts.has_shadow(joined)


def _parts(facts: Facts, memory: Regions, kind: Kind, within: Regions, ends: bool) -> Parts | None:
    """Return the parts of a value; None for what lives nowhere, as a number does."""
    if isinstance(kind, (Tuple, Sequence)):
        items = enumerate(kind.items) if isinstance(kind, Tuple) else [(_ANY, kind.item)]
        found = [(slot, _parts(facts, memory, item, within, ends)) for slot, item in items]
        return Parts(None, None, {slot: parts for slot, parts in found if parts is not None})
    regions = regions_of(kind)
    if not regions:
        return None
    inside = facts.has_shadow(kind) and bool(regions & memory)
    made = Parts(None, inside, {}) if is_container(kind) else Parts(inside, None, {})
    if is_container(kind) and not is_variable(kind):
        if regions & within:
            if ends and regions <= memory:
                return made
            raise MixtureError
        for region in sorted(regions, key=repr):
            below: dict[Hashable, Parts] = {}
            for slot, value in facts.heap.get(region, {}).items():
                parts, key = _parts(facts, memory, value.kind, within | regions, ends), _named(slot)
                if parts is not None:
                    below[key] = below[key].joined(parts) if key in below else parts
            made = made.joined(Parts(None, None, below))
    return made


def _named(slot: Hashable) -> Hashable:
    """Return the slot by which a part is found in the value; `...` for one of those without a name."""
    while isinstance(slot, Beside):
        slot = slot.slot
    return _ANY if slot in _UNNAMED or is_any_key(slot) else slot
