"""Parts of an array that is stored into: copies where nothing can tell them from views.

`z.imag` is a view, but its adjoint is not the view of the adjoint of `z`: the cotangent of an imaginary
part is less the imaginary part of a cotangent. An entry along the first axis, `z[i]`, is a view or a number
where the rank of `z` is not known. Where the part is read before anything is stored, a copy is the same,
and has an adjoint of its own:

    v = z.imag          ->   v = imaginary_part(z)
    w = np.sum(v)            w = np.sum(v)

    v = z[i]            ->   v = np.take(z, i, axis=0)
    w = 2.0 * v              w = 2.0 * v
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.kinds import Array, Integer, Number, may_be_complex
from tapeless.rules.declare import find_rule
from tapeless.rules.traits import Traits, traits_of
from tapeless.specialize.state import Specializer
from tapeless.tree.build import quote_expression
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


def entry_of(specializer: Specializer, tree: Expr) -> Any:
    """Write `z[i]` as a copy, of an array of unknown rank that is stored into; None for anything else."""
    if type(tree) is not gast.Subscript or not isinstance(specializer.kind(tree.slice), Integer):
        return None
    value = specializer.value(tree.value)
    if not isinstance(value.kind, Number) or not specializer.facts.is_stored(value.kind):
        return None
    if not specializer.facts.carries_derivative(value):
        return None
    numpy = specializer.external(np)
    return quote_expression("np.take(z, i, axis=0)", np=numpy, z=tree.value, i=tree.slice)


def is_read_before_stores(specializer: Specializer, key: str) -> bool:
    """Whether nothing is stored between the present statement and the last read of a name."""
    following: list[Any] = specializer.after
    uses = reads(specializer.function.tree).count(key)
    seen = 0
    for s in following:
        found = reads(s).count(key)
        if not _stores_nothing(specializer, s) or (found and _hands_on(specializer, s.value)):
            return False
        seen += found
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
    return all(_traits(specializer, p) is not None for p in nodes(s) if type(p) is gast.Call)


def _hands_on(specializer: Specializer, tree: Expr) -> bool:
    """Whether the value of an expression may be, hold or show what the expression reads."""
    if type(tree) is gast.Call:
        called = _traits(specializer, tree)
        return called is None or called.may_be_view
    return type(tree) not in (gast.BinOp, gast.UnaryOp, gast.Compare)


def _traits(specializer: Specializer, call: Expr) -> Traits | None:
    """Return what is known of the function, or of the method of arrays, that is called, if it has a rule."""
    found = specializer.function.resolve(call.func)
    if find_rule(found) is None:
        method = call.func.attr if type(call.func) is gast.Attribute else ""
        found = getattr(np.ndarray, method, None)
    return None if found is None or find_rule(found) is None else traits_of(found)
