"""The imaginary part of an array that is stored into: a copy where nothing can tell it from the view.

`z.imag` is a view, but its adjoint is not the view of the adjoint of `z`: the cotangent of an imaginary
part is less the imaginary part of a cotangent. Where the view is read before anything is stored, a copy
is the same, and has an adjoint of its own:

    v = z.imag          ->   v = imaginary_part(z)
    w = np.sum(v)            w = np.sum(v)
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.kinds import Array, Number, may_be_complex
from tapeless.rules.declare import find_rule
from tapeless.specialize.state import Specializer
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Expr, Stmt


def imaginary_of(specializer: Specializer, tree: Expr) -> Any:
    """Return the array that is stored into of which an expression is the imaginary part, or None."""
    if type(tree) is gast.Attribute and tree.attr == "imag":
        owner = tree.value
    elif type(tree) is gast.Call and specializer.function.resolve(tree.func) is np.imag:
        [owner] = tree.args
    else:
        return None
    kind = specializer.kind(owner)
    complex_array = isinstance(kind, (Array, Number)) and may_be_complex(kind)
    return owner if complex_array and specializer.facts.is_stored(kind) else None


def is_read_before_stores(specializer: Specializer, key: str) -> bool:
    """Whether nothing is stored between the present statement and the last read of a name."""
    following: list[Any] = specializer.after
    uses = reads(specializer.function.tree).count(key)
    seen = 0
    for s in following:
        if not _stores_nothing(specializer, s):
            return False
        seen += reads(s).count(key)
        if seen == uses:
            return True
    return False


def _stores_nothing(specializer: Specializer, s: Stmt) -> bool:
    """Whether a statement only computes: with functions that have a rule, and copies."""
    if type(s) is gast.Assign:
        if type(s.targets[0]) is not gast.Name:
            return False
    elif type(s) is not gast.Return:
        return False
    for part in nodes(s):
        if type(part) is gast.Call:
            method = part.func.attr if type(part.func) is gast.Attribute else ""
            known = find_rule(specializer.function.resolve(part.func)) is not None
            descriptor = getattr(np.ndarray, method, None)
            if not known and (descriptor is None or find_rule(descriptor) is None):
                return False
    return True
