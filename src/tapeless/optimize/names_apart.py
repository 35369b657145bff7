"""A name that loops bind anew has a name of its own in each, while it is looked at what names hold.

    for x in xs:                          for x in xs:
        s = np.sin(x)                         s = np.sin(x)
        saved.append(s)             ->        saved.append(s)
    for s in reversed(saved):             for s_1 in reversed(saved):
        x_bar = 2.0 * s                       x_bar = 2.0 * s_1

The reverse sweep reads what was saved under the name that it had. What a pass finds of a name holds wherever
it is bound: so it would find no more of the reverse sweep than of the user's own lines.
"""

from __future__ import annotations

from dataclasses import replace

import gast

from tapeless.kinds import Kind
from tapeless.optimize.context import Context
from tapeless.tree.classes import LOOPS
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import Names, all_names, binds, nodes
from tapeless.tree.trees import Tree


def with_names_apart(
    function: gast.FunctionDef, context: Context
) -> tuple[Context, dict[str, str]]:
    """Give names that are bound in loops, and read nowhere else, names of their own.

    Returns
    -------
    context
        What is known of the new names, too.
    before
        The names that they had.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(xs):
    ...     for x in xs:
    ...         s = x * x
    ...     for y in xs:
    ...         x = s + y
    ...     for s in xs:
    ...         x = s
    ...     return x
    ... ''').body[0]
    >>> _, before = with_names_apart(function, Context())
    >>> print(unparse(function), end="")  # `x` is read after the loops
    def f(xs):
        for x in xs:
            s = x * x
        for y_1 in xs:
            x = s + y_1
        for s_1 in xs:
            x = s_1
        return x
    >>> name_as_before(function, before)
    >>> unparse(function).count("_")
    0
    """
    before = _rename_apart(function)

    def temporaries(key: str) -> bool:
        return context.temporaries(before.get(key, key))

    def kind_of(key: str) -> Kind:
        return context.kind_of(before.get(key, key))

    return replace(context, temporaries=temporaries, kind_of=kind_of), before


def _rename_apart(function: gast.FunctionDef) -> dict[str, str]:
    """Rename what each loop binds for itself; return the names that the new ones had before."""
    live, names = Liveness(function), Names(all_names(function))
    before: dict[str, str] = {}
    entry = live.entry
    for s in function.body:
        if type(s) in LOOPS:
            own = binds(s) - entry - live.live_after(s) - live.scoped
            found = {key: names.fresh(key) for key in sorted(own)}
            _rename(s, found)
            before |= {new: key for key, new in found.items()}
        entry = live.live_after(s)
    return before


def name_as_before(function: gast.FunctionDef, before: dict[str, str]) -> None:
    """Give the names back that were taken apart."""
    _rename(function, before)


def _rename(tree: Tree, names: dict[str, str]) -> None:
    for part in nodes(tree):
        if type(part) is gast.Name:
            part.id = names.get(part.id, part.id)
