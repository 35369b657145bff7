"""A branch of the forward sweep is followed by its own reverse sweep, where both stand side by side.

A function that returns early has an `if` at the end of its forward sweep and the same `if` at the
start of its reverse sweep. They become one: each branch goes on with its reverse sweep and returns.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.optimize.analyses import effects_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.eliminate_dead_code import opposite
from tapeless.tree.blocks import leaves, may_bind
from tapeless.tree.build import unshared
from tapeless.tree.comments import Role, comment, is_comment, role_of
from tapeless.tree.names import reads
from tapeless.tree.trees import Expr, Stmt

MOST_COPIED = 6


def splice_returns(function: gast.FunctionDef, context: Context) -> gast.FunctionDef:
    """Join the last `if` of a forward sweep with the `if` that reverses it, and return in each branch.

    This is done where the author's `if` returned early. What follows it is copied into both
    branches, so it must be short.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> from tapeless.tree.comments import Role, comment
    >>> function = gast.parse('''
    ... def f(x, y):
    ...     if x < 0:
    ...         z = y * y
    ...     else:
    ...         z = x * y
    ...     if x < 0:
    ...         x_bar = z
    ...     else:
    ...         x_bar = z * y
    ...     return x_bar
    ... ''').body[0]
    >>> function.body.insert(1, comment("Reverse sweep", Role.REVERSE))
    >>> context = Context(returning=frozenset([3]))
    >>> print(unparse(splice_returns(function, context)), end="")
    def f(x, y):
        if x < 0:
            z = y * y
            # Reverse sweep of this return
            x_bar = z
            return x_bar
        z = x * y
        # Reverse sweep
        x_bar = z * y
        return x_bar
    """
    _splice(function.body, effects_of(function, context))
    return function


def _splice(block: list[Any], effects: Effects) -> None:
    found = _mirrored(block, effects)
    if found is None:
        return
    made, rest = _joined(block, *found)
    _splice(made.body, effects)
    _splice(rest, effects)
    block[found[0] :] = [made, *rest]


def _mirrored(block: list[Any], effects: Effects) -> tuple[int, int] | None:
    """Find an `if` of the forward sweep and the one that reverses it, with little beside them."""
    start = next((i for i, s in enumerate(block) if _is_reverse(s)), None)
    if start is None or not start or type(block[-1]) is not gast.Return:
        return None
    first, between = block[start - 1], start + 1
    last = next((i for i, s in enumerate(block) if i > start and type(s) is gast.If), None)
    if last is None or type(first) is not gast.If:
        return None
    if getattr(first, "lineno", None) not in effects.context.returning:
        return None
    copied = [s for s in [*block[between:last], *block[last + 1 : -1]] if not is_comment(s)]
    if len(copied) > MOST_COPIED or _sign(first.test, block[last].test) is None:
        return None
    asked = effects.touch(first.test).reads
    changing = [*first.body, *first.orelse, *block[between:last]]
    for s in changing:
        if may_bind(s) & set(reads(first.test)) or effects.collide(asked, effects.touch(s)):
            return None
    return start - 1, last


def _is_reverse(statement: Stmt) -> bool:
    return role_of(statement) is Role.REVERSE


def _sign(test: Expr, other: Any) -> bool | None:
    """Whether two tests always agree (True) or never (False); None where neither is known."""
    if gast.dump(test) == gast.dump(other):
        return True
    if gast.dump(opposite(test)) == gast.dump(other):
        return False
    return None


def _joined(block: list[Any], first: int, last: int) -> tuple[gast.If, list[Any]]:
    """Return the branch that returns early, and what runs where it does not."""
    forward, reverse = block[first], block[last]
    arms = [forward.body, forward.orelse]
    mirrored = [reverse.body, reverse.orelse]
    test = forward.test
    if not _sign(test, reverse.test):
        if arms[1]:
            mirrored.reverse()
        else:  # the test was turned round because nothing was left of what the author tested for
            arms.reverse()
            test = reverse.test
    between, after = block[first + 2 : last], block[last + 1 :]
    texts = ("Reverse sweep of this return", "Reverse sweep")
    made, rest = (
        arm
        if leaves(arm)
        else [
            *_without_pass(arm),
            comment(text, Role.REVERSE),
            *unshared([*between, *_without_pass(bars), *after]),
        ]
        for arm, text, bars in zip(arms, texts, mirrored, strict=True)
    )
    return gast.If(test, made, []), rest


def _without_pass(block: list[Any]) -> list[Any]:
    return [s for s in block if not isinstance(s, gast.Pass)]
