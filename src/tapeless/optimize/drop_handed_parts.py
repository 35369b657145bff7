"""Of what one half pushes in a loop and the other pops, the parts that are read are kept.

    saved.append((h, a[i]))              saved.append(h)
    ...                            ->    ...
    h, a_old = saved.pop()               h = saved.pop()

Both halves are changed together. A stack of which no part is read is not popped from; then it is not handed
over either.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from tapeless.optimize.stack_places import Places, handed_stacks
from tapeless.tree.blocks import all_blocks
from tapeless.tree.liveness import Liveness
from tapeless.tree.trees import Expr, Tree


def drop_handed_parts(
    forward: gast.FunctionDef, reverse: gast.FunctionDef, is_pure: Callable[[Expr], bool]
) -> bool:
    """Drop the parts that a reverse sweep pops and does not read, where evaluating them does nothing else.

    Returns
    -------
    Whether there were any.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> forward, reverse = gast.parse('''
    ... def f_fwd(x, n):
    ...     saved = []
    ...     for i in range(n):
    ...         saved.append((x, i))
    ...         x = x * x
    ...     return x, (n, saved)
    ...
    ... def f_rev(state, x_bar):
    ...     n, saved = state
    ...     for i in range(n):
    ...         x, k = saved.pop()
    ...         g(x)
    ... ''').body
    >>> drop_handed_parts(forward, reverse, lambda tree: True)
    True
    >>> for function in (forward, reverse):
    ...     print(unparse(function), end="")
    def f_fwd(x, n):
        saved = []
        for i in range(n):
            saved.append(x)
            x = x * x
        return x, (n, saved)
    def f_rev(state, x_bar):
        n, saved = state
        for i in range(n):
            x = saved.pop()
            g(x)
    """
    stacks = _known_stacks(forward, reverse)
    if not stacks:
        return False
    live_after = Liveness(reverse).live_after  # of the reverse sweep as it is before any is changed
    return any([_trim(reverse, each, each.wanted(live_after, is_pure)) for each in stacks])


def _trim(reverse: Tree, places: Places, wanted: list[bool] | None) -> bool:
    """Keep the parts of a stack that are wanted; false where that changes nothing."""
    if wanted is None or all(wanted):
        return False
    if any(wanted):
        places.keep(wanted)
    elif places.tests:
        return False
    else:
        _pop_nothing(reverse, places)
    return True


def _known_stacks(forward: Tree, reverse: Tree) -> list[Places]:
    """List the stacks that are handed over and of which all places in both halves are known."""
    handed = handed_stacks(forward, reverse)
    if handed is None:
        return []
    return [s for s in handed.stacks if s.pushes and s.pops and s.all_known(handed.mentions)]


def _pop_nothing(reverse: Tree, places: Places) -> None:
    gone = {id(s) for s in [*(s for _, s in places.pops), *places.bare_pops]}
    for block in all_blocks(reverse.body):
        if any(id(s) in gone for s in block):
            block[:] = [s for s in block if id(s) not in gone] or [gast.Pass()]
