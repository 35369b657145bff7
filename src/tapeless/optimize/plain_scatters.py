"""Rows that are added where they may meet are added column by column.

    np.add.at(x_bar, first, g)      ->      scatter_add(x_bar, first, g)

`np.add.at` is fast for one axis only. This is done last: what is differentiated again keeps the function
of NumPy.
"""

from __future__ import annotations

import gast
import numpy as np

from tapeless.externals import Externals, constant, is_one_of
from tapeless.kinds import Array
from tapeless.optimize.analyses import body_of, generated_in
from tapeless.optimize.context import Context
from tapeless.runtime import scatter_add
from tapeless.tree.blocks import all_statements
from tapeless.tree.build import name
from tapeless.tree.names import all_names
from tapeless.tree.trees import Expr


def plain_scatters(function: gast.FunctionDef, context: Context, externals: Externals) -> None:
    """Add rows to arrays of two axes or more by `scatter_add`, which is added to the `externals`.

    Examples
    --------
    >>> import gast
    >>> from tapeless.kinds import Size
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x_bar, i, g):
    ...     np.add.at(x_bar, i, g)
    ... ''').body[0]
    >>> context = Context(lambda tree: np.add.at, kind_of=lambda key: Array((Size(0), 2)), reverse=True)
    >>> plain_scatters(function, context, {})
    >>> print(unparse(function), end="")
    def f(x_bar, i, g):
        scatter_add(x_bar, i, g)
    """
    if not any(_adds_rows(call, context) for call in body_of(function, context).parts(gast.Call)):
        return
    generated = generated_in(function, context)
    for s in all_statements(function.body):
        if type(s) is gast.Expr and id(s) in generated and _adds_rows(s.value, context):
            key = _reached_by(function, externals)
            if key is None:
                return
            s.value.func = name(key)


def _adds_rows(tree: Expr, context: Context) -> bool:
    if type(tree) is not gast.Call or len(tree.args) != 3:
        return False
    if not is_one_of(context.resolve(tree.func), (np.add.at,)):
        return False
    owner, index = tree.args[:2]
    if any(type(item) is gast.Call for item in getattr(index, "elts", ())):  # `slice(None)`
        return False
    kind = context.kind_of(owner.id) if type(owner) is gast.Name else None
    return isinstance(kind, Array) and kind.dtype == "f8" and len(kind.dims) > 1


def _reached_by(function: gast.FunctionDef, externals: Externals) -> str | None:
    """Return the name of `scatter_add`; None where it means something else."""
    for key, external in externals.items():
        if external.value is scatter_add:
            return key
    key = scatter_add.__name__
    if key in externals or key in all_names(function):
        return None
    externals[key] = constant(scatter_add, key)
    return key
