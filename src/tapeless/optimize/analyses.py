"""Analyses of a function at its present state, each computed once.

Most passes find nothing to do: what they asked for is still true for the next one. A function is known
again by the parts that its tree consists of, in their order; a tree that was edited, in place or not,
consists of other parts.
"""

from __future__ import annotations

from collections.abc import Set

import gast

from tapeless.optimize.context import Context
from tapeless.optimize.effects import Effects
from tapeless.optimize.values import is_stack_call
from tapeless.tree.blocks import generated_statements
from tapeless.tree.body import Body
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


def body_of(function: Tree, context: Context) -> Body:
    """Return the statements of a function as it stands."""
    return context.analyses.renew(function)


def effects_of(function: Tree, context: Context) -> Effects:
    """Return the effects of the statements of a function as it stands."""
    body = context.analyses.renew(function)
    return context.analyses.get(Effects, lambda: Effects(function, context, body))


def generated_in(function: Tree, context: Context) -> Set[int]:
    """Return the ids of the statements that the tool wrote: those of the reverse sweep."""
    body = context.analyses.renew(function)
    return context.analyses.get(
        generated_statements, lambda: generated_statements(body.function, context.reverse)
    )


def calls_stacks(function: Tree, context: Context) -> bool:
    """Whether a function appends to a name or pops from one: without it there are no saves."""
    return any(map(is_stack_call, body_of(function, context).parts(gast.Call)))


def liveness_of(function: Tree, context: Context) -> Liveness:
    """Return what is live after the statements of a function as it stands."""
    body = context.analyses.renew(function)
    return context.analyses.get(Liveness, lambda: Liveness(function, body=body))
