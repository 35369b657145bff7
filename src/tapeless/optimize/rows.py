"""Which expressions read a vector of doubles: a name of one, or a row of an array of them.

    p          with p an array of rank 1        ->      p.tolist() gives Python's floats
    x[i]       with x of rank 2, i an integer   ->      x[i].tolist()

Of an array of such rows a loop may read one by taking it apart, and add one to another:

    a, b = x[i]
    x_bar[i] += np.array([a_bar, b_bar])
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.kinds import Array, Integer, count_of
from tapeless.optimize.context import Context
from tapeless.tree.build import const
from tapeless.tree.classes import ADDITIVE, POLYNOMIAL
from tapeless.tree.names import reads
from tapeless.tree.trees import Expr, Tree


def is_vector_of_doubles(tree: Expr, context: Context) -> bool:
    """Whether an expression is a vector of doubles, by its name or as a row of an array.

    Examples
    --------
    >>> kinds = {"x": Array((3, 2)), "i": Integer()}
    >>> context = Context(kind_of=kinds.get)
    >>> [is_vector_of_doubles(gast.parse(t).body[0].value, context) for t in ("x[i]", "x[i, 0]", "x")]
    [True, False, False]
    """
    places = items_of(tree.slice) if type(tree) is gast.Subscript else []
    owner = tree.value if places else tree
    kind = context.kind_of(owner.id) if type(owner) is gast.Name else None
    if not isinstance(kind, Array) or kind.dtype != "f8" or len(kind.dims) != len(places) + 1:
        return False
    return all(is_place(each, context) for each in places)


def listed_row(tree: Expr, context: Context) -> Any:
    """Return the row that an expression lists, `x[i]` of `x[i].tolist()`; None for any other."""
    if type(tree) is not gast.Call or type(tree.func) is not gast.Attribute:
        return None
    row, plain = tree.func.value, tree.func.attr == "tolist" and not tree.args and not tree.keywords
    of_array = plain and type(row) is gast.Subscript and is_vector_of_doubles(row, context)
    return row if of_array else None


def row_taken_apart(s: Any, context: Context) -> Any:
    """Return the row `x[i]` of ``a, b = x[i]``, or of its list; None for any other statement."""
    if type(s) is not gast.Assign or len(s.targets) != 1 or type(s.targets[0]) is not gast.Tuple:
        return None
    if not all(type(item) is gast.Name for item in s.targets[0].elts):
        return None
    row = type(s.value) is gast.Subscript and is_vector_of_doubles(s.value, context)
    return s.value if row else listed_row(s.value, context)


def is_taken_apart(s: Any, context: Context) -> bool:
    """Whether a statement binds names to the entries of a vector of doubles: `a, b = p`."""
    plain = type(s.value) in (gast.Name, gast.Subscript) and type(s.targets[0]) is gast.Tuple
    names = plain and all(type(item) is gast.Name for item in s.targets[0].elts)
    return names and is_vector_of_doubles(s.value, context)


def entry_of(vector: Any, i: int) -> Any:
    """Return the expression that reads an entry of a vector: `p[i]`, or `x[k, i]`."""
    if type(vector) is gast.Name:
        return gast.Subscript(vector, const(i), gast.Load())
    index = gast.Tuple([*items_of(vector.slice), const(i)], gast.Load())
    return gast.Subscript(vector.value, index, gast.Load())


def row_added_to(s: Any, context: Context) -> Any:
    """Return the row `x[i]` of ``x[i] += np.array([a, b])``, if no item reads `x`; None for any other."""
    if type(s) is not gast.AugAssign or type(s.op) not in ADDITIVE:
        return None
    row, call = s.target, s.value
    if type(row) is not gast.Subscript or not is_vector_of_doubles(row, context):
        return None
    if type(call) is not gast.Call or len(call.args) != 1 or call.keywords:
        return None
    display: Any = call.args[0] if context.resolve(call.func) is np.array else None
    if type(display) is not gast.List or row.value.id in reads(display):
        return None
    return row if len(display.elts) == width_of(row.value.id, context) else None


def width_of(key: str, context: Context) -> int | None:
    """Return how many entries the rows of an array of rank 2 have, where the text rests on that."""
    kind = context.kind_of(key)
    if not isinstance(kind, Array) or len(kind.dims) != 2:
        return None
    count = count_of(kind.dims[1])
    return None if count is None else count.number


def is_place(tree: Expr, context: Context) -> bool:
    """Whether an expression gives an integer that is no boolean."""
    cls = type(tree)
    if cls is gast.Constant:
        return type(tree.value) is int
    if cls is gast.Name:
        return isinstance(context.kind_of(tree.id), Integer)
    if cls is gast.UnaryOp:
        return type(tree.op) is gast.USub and is_place(tree.operand, context)
    if cls is gast.Call:
        return context.resolve(tree.func) is len
    if cls is not gast.BinOp or type(tree.op) not in POLYNOMIAL:
        return False
    return is_place(tree.left, context) and is_place(tree.right, context)


def items_of(tree: Tree) -> list[Any]:
    """List the items of a tuple, or what is none."""
    return list(tree.elts) if type(tree) is gast.Tuple else [tree]
