"""Analyses of a function at its present state, each computed once.

Most passes find nothing to do: what they asked for is still true for the next one. A function is known
again by the parts that its tree consists of, in their order; a tree that was edited, in place or not,
consists of other parts.
"""

from __future__ import annotations

from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.tree.liveness import Liveness
from tapeless.tree.trees import Tree


def version_of(function: Tree, context: Context) -> int:
    """Look at a function again; return a number that is another one whenever it has changed.

    A pass that edits a function and asks for its analyses again calls this in between.

    Examples
    --------
    >>> import gast
    >>> function, context = gast.parse("def f(x): return -x").body[0], Context()
    >>> first = version_of(function, context)
    >>> function.body[0].value.op = gast.Not()
    >>> version_of(function, context) == first
    False
    """
    context.analyses.seen = None
    context.analyses.renew(function)
    return context.analyses.version


def effects_of(function: Tree, context: Context) -> Effects:
    """Return the effects of the statements of a function as it stands."""
    context.analyses.renew(function)
    return context.analyses.get(Effects, lambda: Effects(function, context, context.analyses.body))


def liveness_of(function: Tree, context: Context) -> Liveness:
    """Return what is live after the statements of a function as it stands."""
    context.analyses.renew(function)
    return context.analyses.get(Liveness, lambda: Liveness(function, body=context.analyses.body))
