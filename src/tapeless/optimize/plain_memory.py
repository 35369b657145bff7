"""An adjoint memory that is asked for one array, once, is an array of zeros.

    h_bar = AdjointMemory()[h]      ->      h_bar = np.zeros_like(h)

The memory is there to give two views of one array one adjoint; where nobody asks it for another view
it only costs.
"""

from __future__ import annotations

import gast
import numpy as np

from tapeless.kinds import Array
from tapeless.optimize.analyses import body_of
from tapeless.optimize.context import Context
from tapeless.runtime import AdjointMemory
from tapeless.tree.build import quote_expression
from tapeless.tree.names import nodes
from tapeless.tree.trees import Tree


def plain_memory(function: gast.FunctionDef, context: Context) -> bool:
    """Write zeros for a memory that is made where it is asked.

    Examples
    --------
    >>> import gast
    >>> from tapeless.externals import MISSING
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(i):
    ...     h_bar = AdjointMemory()[h]
    ...     h_bar[i] += 2.0
    ...     return np.sum(h_bar)
    ... ''').body[0]
    >>> known = {"np": np, "h": np.ones(3), "AdjointMemory": AdjointMemory}
    >>> context = Context(lambda tree: known.get(getattr(tree, "id", ""), MISSING))
    >>> plain_memory(function, context)
    True
    >>> print(unparse(function), end="")
    def f(i):
        h_bar = np.zeros_like(h)
        h_bar[i] += 2.0
        return np.sum(h_bar)
    """
    assignments = body_of(function, context).parts(gast.Assign)
    asking = [s for s in assignments if _asks_new_memory(s.value, context)]
    names = [n for n in nodes(function) if type(n) is gast.Name] if asking else []
    numpy = next((n.id for n in names if context.resolve(n) is np), None)
    if numpy is None:
        return False
    for s in asking:
        s.value = quote_expression("np.zeros_like(x)", np=numpy, x=s.value.slice)
    return True


def _asks_new_memory(tree: Tree, context: Context) -> bool:
    if type(tree) is not gast.Subscript or type(tree.value) is not gast.Call:
        return False
    made = context.resolve(tree.value.func) is AdjointMemory
    return made and _is_array(tree.slice, context)


def _is_array(tree: Tree, context: Context) -> bool:
    """Whether an expression stands for an array of floats."""
    known = context.resolve(tree)
    if isinstance(known, np.ndarray):
        return bool(known.dtype.kind in "fc")
    kind = context.kind_of(tree.id) if type(tree) is gast.Name else None
    return isinstance(kind, Array) and kind.dtype[0] in "fc"
