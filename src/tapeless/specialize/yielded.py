"""What a generator still reaches of what it has yielded.

    buf = np.zeros(3)
    for k in range(3):
        buf[k] = x[k]
        yield buf               the next step changes what the loop outside was given

A list of all that is yielded means the same as the generator only where neither of the two changes what the
other one sees later. What was yielded is out of reach if each name for it is bound anew before it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from tapeless.analysis.abstract import reachable
from tapeless.analysis.facts import Callee
from tapeless.kinds import UNREACHED, Region
from tapeless.tree.liveness import live_in
from tapeless.tree.names import nodes
from tapeless.tree.trees import Stmt


def reached_after_yields(callee: Callee) -> set[Region]:
    """Return the regions, in the terms of a generator, that it yields and may reach afterwards."""
    facts, body = callee.facts, callee.function.tree.body
    listed = {s.value.id for s in nodes(gast.Module(body, []), nested=False) if _returns_name(s)}
    liveness = live_in(body)
    found: set[Region] = set()
    for s in _yields(body, listed):
        kinds = {key: value.kind for key, value in facts.before.get(s, {}).items()}
        given = kinds.get(s.value.args[0].id, UNREACHED)  # no way leads there
        live = [kinds[key] for key in liveness.live_after(s) if key in kinds and key not in listed]
        found |= reachable([given], facts.heap) & reachable(live, facts.heap)
    return found


def _returns_name(s: Stmt) -> bool:
    return type(s) is gast.Return and type(s.value) is gast.Name


def _yields(body: list[Any], listed: set[str]) -> Iterator[Stmt]:
    """Yield the statements of a generator, written as a list, that stand for `yield`."""
    for s in nodes(gast.Module(body, []), nested=False):
        call: Any = s.value if type(s) is gast.Expr else None
        if type(call) is not gast.Call or type(call.func) is not gast.Attribute:
            continue
        if getattr(call.func.value, "id", None) in listed and type(call.args[0]) is gast.Name:
            yield s
