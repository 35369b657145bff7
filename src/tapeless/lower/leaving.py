"""Whether control leaves a block of the core language otherwise than at its end."""

from __future__ import annotations

from typing import Any

import gast

from tapeless.tree.endings import own_jumps


def leaves(body: list[Any]) -> bool:
    """Whether a block ends with a jump."""
    return bool(body) and isinstance(body[-1], (gast.Break, gast.Continue, gast.Return, gast.Raise))


def jumps(body: list[Any]) -> bool:
    """Whether a trip of a loop may end early."""
    return any(own_jumps(s) for s in body)


def ends(body: list[Any]) -> bool:
    """Whether control does not come to the end of a block."""
    last = body[-1] if body else None
    if isinstance(last, gast.If):
        return ends(last.body) and ends(last.orelse)
    return isinstance(last, (gast.Return, gast.Raise))
