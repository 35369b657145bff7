"""The items of what `*` spreads, where it is known how many there are and what each of them is."""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.interpret.containers import members_of
from tapeless.kinds import Kind, List, Tuple, regions_of
from tapeless.specialize.state import Specializer
from tapeless.tree.build import const
from tapeless.tree.trees import Expr


def is_told_apart(specializer: Specializer, spread: Expr) -> bool:
    """Whether it is known of what `*` spreads how many items it has, and what each of them is."""
    kind = specializer.kind(spread)
    return (
        isinstance(kind, Tuple)
        or members_of(kind) is not None
        or _shown_items(specializer, kind) > 0
    )


def _shown_items(specializer: Specializer, kind: Kind) -> int:
    """Return how many items a list has that was written out and that nothing changes; 0 for all else."""
    regions = regions_of(kind) if isinstance(kind, List) else ()
    items = [specializer.facts.displays.get(region, ()) for region in regions]
    return len(items[0]) if len(items) == 1 else 0


def parts_of(specializer: Specializer, spread: Expr) -> list[Any]:
    """Write the items of a tuple or list, or the members of an enumeration."""
    kind = specializer.kind(spread)
    members = members_of(kind)
    if members is not None:
        return [gast.Attribute(spread, key, gast.Load()) for key in members]
    count = len(kind.items) if isinstance(kind, Tuple) else _shown_items(specializer, kind)
    return [gast.Subscript(spread, const(i), gast.Load()) for i in range(count)]
