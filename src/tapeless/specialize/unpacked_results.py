"""Tuples that a call returns are unpacked where only their items are read.

    p = polar(x, y)            ->   p = polar(x, y); p_0, p_1 = p
    return p[0] * p[1]         ->   return p_0 * p_1

How many items there are is known by the kind of the result.
"""

from __future__ import annotations

import gast

from tapeless.analysis.facts import Facts
from tapeless.kinds import Tuple
from tapeless.normalize.split_tuples import read_by_item, split
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import nodes


def with_results_unpacked(function: CoreFunction, facts: Facts) -> CoreFunction | None:
    """Unpack the results of calls that are tuples; None where there are none."""
    called = {
        part.targets[0].id
        for part in nodes(function.tree, nested=False)
        if type(part) is gast.Assign
        and type(part.targets[0]) is gast.Name
        and type(part.value) is gast.Call
    }
    called &= {
        part.value.id
        for part in nodes(function.tree, nested=False)
        if type(part) is gast.Subscript and type(part.value) is gast.Name
    }
    counts: dict[str, int] = {}
    for env in facts.before.values() if called else ():
        for key in sorted(called & env.keys()):
            kind = env[key].kind
            if isinstance(kind, Tuple) and kind.cls is tuple:
                counts[key] = len(kind.items)
    unpacked = read_by_item(function, counts)
    return split(function, unpacked) if unpacked else None
