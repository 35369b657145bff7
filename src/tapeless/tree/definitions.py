"""Which statements bind a name."""

from __future__ import annotations

from typing import Any

import gast

from tapeless.tree.classes import ASSIGNMENTS
from tapeless.tree.names import binds, nodes


def definitions_in(body: list[Any], parameters: list[str]) -> dict[str, list[Any]]:
    """List, for every name of a function, the statements that bind it; a parameter counts as one."""
    found: dict[str, list[Any]] = {p: [None] for p in parameters}
    for part in nodes(gast.Module(body, []), nested=False):
        if type(part) in ASSIGNMENTS:
            targets = part.targets if type(part) is gast.Assign else [part.target]
            for key in set().union(*(binds(t) for t in targets)):
                found.setdefault(key, []).append(part)
        elif type(part) is gast.For:
            for key in binds(part.target):
                found.setdefault(key, []).append(part)
        elif type(part) is gast.ExceptHandler and part.name is not None:
            found.setdefault(part.name.id, []).append(part)
    return found
