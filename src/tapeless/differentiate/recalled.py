"""The gradient of a container whose parts have adjoints in the memory, written out part by part.

a_bar = as_gradient(0.0, a, bars)    ->    check_recalled(bars, [a[0], a[1]])
                                           a_bar = as_gradient([bars[a[0]], bars[a[1]]], a)

It is written in a text that is differentiated again: only what takes a part by its place leads back there.
"""

from __future__ import annotations

import gast

from tapeless.analysis.abstract import reachable
from tapeless.analysis.interpret.containers import keys_of
from tapeless.differentiate.reverse.state import Sweep
from tapeless.kinds import Array, Dict, Kind, Tuple, regions_of
from tapeless.tree.build import const, name, quote, quote_expression
from tapeless.tree.trees import Expr


def recalled_by_parts(sweep: Sweep, key: str, kind: Kind, g: Expr | None) -> Expr | None:
    """Write the adjoint of an argument with what the memory has of its parts.

    `g` is what is known of it besides. Of what stands in two places there is no telling apart: the
    text refuses it when it runs.

    Returns
    -------
    None where it is not known which parts the argument has.
    """
    things: list[Expr] = []
    whole = _with_recalled(sweep, name(key), kind, g, things)
    if whole is not None and things:
        check = sweep.runtime("check_recalled")
        held = gast.List(things, gast.Load())
        sweep.out += quote("f(m, xs)", f=check, m=sweep.memory_name(), xs=held)
    return whole


def _with_recalled(
    sweep: Sweep, x: Expr, kind: Kind, g: Expr | None, things: list[Expr]
) -> Expr | None:
    if not reachable([kind], sweep.known.heap) & sweep.regions_in_memory:
        return const(0.0) if g is None else g
    if getattr(kind, "or_none", False):
        return None
    if isinstance(kind, Array):
        return _of_array(sweep, x, g, things)
    held = _slots_of(sweep, kind)
    if held is None or sweep.in_memory(kind):
        return None
    parts: list[Expr] = []
    for slot, part in held.items():
        place = quote_expression("x[k]", x=x, k=const(slot))
        given = None if g is None else quote_expression("x[k]", x=g, k=const(slot))
        made = _with_recalled(sweep, place, part, given, things)
        if made is None:
            return None
        parts.append(made)
    if isinstance(kind, Dict):
        return gast.Dict([const(slot) for slot in held], parts)
    return gast.List(parts, gast.Load())


def _slots_of(sweep: Sweep, kind: Kind) -> dict[int | str, Kind] | None:
    """Return what a tuple or dict holds at its places; None where these are not known."""
    if isinstance(kind, Tuple):
        return dict(enumerate(kind.items))
    heap, regions = sweep.known.heap, regions_of(kind)
    keys = keys_of(heap, kind) if len(regions) == 1 else None
    if keys is None:
        return None
    [region] = regions
    return {key: heap[region][key].kind for key in keys}


def _of_array(sweep: Sweep, x: Expr, g: Expr | None, things: list[Expr]) -> Expr:
    things.append(x)
    found = quote_expression("m[x]", m=sweep.memory_name(), x=x)
    if g is None:
        return found
    return quote_expression("add(g, a)", add=sweep.runtime("add"), g=g, a=found)
