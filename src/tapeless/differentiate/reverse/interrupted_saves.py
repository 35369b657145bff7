"""What is saved for the reverse sweep of a body that an exception interrupts.

Values that were saved before the exception are never taken: a stack in a loop would not fit, so that is
refused, and names that are handed over are cleared by the handler.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.repeatable import added_to
from tapeless.differentiate.reverse.state import Sweep
from tapeless.tree.build import assign, at_line_of, const
from tapeless.tree.classes import ATOMS, LEAVING, LOOPS
from tapeless.tree.endings import blocks_of, taking_over
from tapeless.tree.liveness import live_in
from tapeless.tree.names import binds_in_block, reads
from tapeless.tree.trees import Stmt


def refuse_unbalanced(sweep: Sweep, forward: list[Stmt], stacks: set[str], in_loop: bool) -> None:
    """Refuse a `try` in a loop whose body may be interrupted after it pushed to a stack."""
    for s in forward:
        if type(s) is gast.Try and in_loop and taking_over(s):
            if _pushes_early(s.body, stacks, False):
                reason = (
                    "what this loop keeps for its reverse sweep would not fit where the body of "
                    "the `try` is interrupted"
                )
                fix = "move the body of the `try` into a function of its own, and call it there"
                sweep.refuse(s, reason, fix)
        inner = in_loop or type(s) in LOOPS
        for block in [] if type(s) is gast.FunctionDef else blocks_of(s):
            refuse_unbalanced(sweep, block, stacks, inner)


def _pushes_early(
    block: list[Stmt], stacks: set[str], later: bool, left: dict[type, bool] | None = None
) -> bool:
    """Whether a block may be interrupted after it pushed to a stack.

    `later` says whether what follows it may be, and `left` where a jump in it goes to.
    """
    left = left or {}
    for s in reversed(block):
        if type(s) in LEAVING:
            later = left.get(type(s), False)
        elif _is_push(s, stacks):
            if later:
                return True
        elif blocks_of(s):
            loops = type(s) in LOOPS
            to = {**left, gast.Break: later, gast.Continue: True} if loops else left
            if any(_pushes_early(inner, stacks, later or loops, to) for inner in blocks_of(s)):
                return True
            later = True
        else:
            value = getattr(s, "value", None)
            later = later or type(value) not in ATOMS
    return False


def _is_push(s: Stmt, stacks: set[str]) -> bool:
    owner = added_to(s)
    return owner in stacks and type(s) is gast.Expr


def clear_interrupted(sweep: Sweep, forward: list[Stmt], state: set[str], stacks: set[str]) -> None:
    """Let handlers clear what is only kept for the reverse sweep of the body that they interrupt.

    It is never read there; but who differentiates the text again sees it handed over.
    """
    used = state | {key for s in statements_in(forward) if _is_push(s, stacks) for key in reads(s)}
    live = live_in(forward, lambda s, _: _is_push(s, stacks)).handlers
    for s in statements_in(forward):
        cut = type(s) is gast.Try and binds_in_block(s.body) & sweep.reached
        for handler in taking_over(s) if type(s) is gast.Try and not cut else []:
            lost = binds_in_block(s.body) & used - live.get(handler, frozenset())
            cleared = [at_line_of(assign(key, const(None)), handler) for key in sorted(lost)]
            handler.body = [*cleared, *handler.body]


def statements_in(block: list[Stmt]) -> list[Any]:
    """List the statements of a block and of the blocks in it, nested functions left out."""
    found: list[Any] = []
    for s in block:
        found.append(s)
        for inner in [] if type(s) is gast.FunctionDef else blocks_of(s):
            found += statements_in(inner)
    return found
