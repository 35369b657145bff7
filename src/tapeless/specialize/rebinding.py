"""What is changed where nobody else sees it is bound anew: numbers or arrays, which one is not known.

    t += v         ->   t = t + v                       where each array that `t` is was made here
                   ->   w = t + v; t = as_in_place(t, w)    elsewhere

Python binds a number anew, and changes an array in place. Where no other name, slot or loop has the
array, nothing tells the one from the other but the dtype and the shape, which an array keeps: so both
are written as a binding, whose adjoint is a value whatever it is. What somebody else may see is left.

    y.shape = n        ->   y = np.reshape(y, n)

An array whose shape is stored into is another array on the same entries. And an array is bound anew where
it is scaled by what varies, as in `p /= np.sum(p)`: its old entries are
read in reverse, and need not be copied and put back.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.joins import as_array, as_operand
from tapeless.kinds import (
    NOWHERE,
    UNKNOWN,
    Array,
    Iterator,
    Kind,
    Number,
    Regions,
    Tuple,
    is_number,
    not_one,
    regions_of,
    regions_within,
)
from tapeless.regions import is_mirror, is_outside
from tapeless.runtime import as_in_place
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, name, quote_expression
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import nodes, reads
from tapeless.tree.trees import Stmt


def bound_anew(specializer: Specializer, s: Stmt) -> list[Any] | None:
    """Write `t += v` as a binding, where `t` may be a number or an array that only it has."""
    key = s.target.id
    known = specializer.kind(name(key))
    if isinstance(known, Array):
        return _scaled_anew(specializer, s, known)
    kind, value = as_array(known), as_operand(specializer.kind(s.value))
    if known == UNKNOWN or not isinstance(kind, Number) or not is_number(value):
        return None  # of what nothing is known it is not known who else has it
    regions = regions_of(kind)
    if _is_seen_elsewhere(specializer, s, key, regions):
        return None
    changed = gast.BinOp(name(key), s.op, s.value)
    if regions <= specializer.interpreter.fresh(s) and _keeps_form(value):
        return _bound_to(specializer, key, changed)
    made = specializer.names.fresh("v")
    keeper = specializer.external(as_in_place)
    kept = quote_expression("f(t, v)", f=keeper, t=key, v=made)
    return [assign(made, changed), assign(key, kept)]


def shaped_anew(specializer: Specializer, s: Stmt) -> list[Any] | None:
    """Write `y.shape = n` as a binding, where `y` is an array that only it has."""
    place = s.targets[0]
    if type(place.value) is not gast.Name or place.attr != "shape":
        return None
    key = place.value.id
    regions = regions_of(specializer.kind(place.value))
    if not regions or _is_seen_elsewhere(specializer, s, key, regions):
        return None
    numpy = specializer.external(np)
    changed = quote_expression("np.reshape(y, n)", np=numpy, y=key, n=s.value)
    return _bound_to(specializer, key, changed)


def _bound_to(specializer: Specializer, key: str, changed: Any) -> list[Any]:
    """Bind a name to what is computed of it: in the core language an operation gives a new name."""
    made = specializer.names.fresh("v")
    return [assign(made, changed), assign(key, name(made))]


def _scaled_anew(specializer: Specializer, s: Stmt, kind: Array) -> list[Any] | None:
    """Write `p /= v` as a binding, where `v` varies and the quotient has the form of `p`."""
    if isinstance(s.op, (gast.Add, gast.Sub)) or not specializer.value(s.value).varied:
        return None
    changed = gast.BinOp(name(s.target.id), s.op, s.value)
    made = specializer.value(changed).kind
    if not isinstance(made, Array) or (made.dims, made.dtype) != (kind.dims, kind.dtype):
        return None
    regions = regions_of(kind)
    if (
        kind.dtype[0] != "f"
        or not regions
        or _is_seen_elsewhere(specializer, s, s.target.id, regions)
    ):
        return None
    return _bound_to(specializer, s.target.id, changed)


def _keeps_form(value: Kind) -> bool:
    """Whether what was computed with such a value has dtype and shape of the array that it gave before."""
    return isinstance(value, Array) and value.dtype == "f8" and all(map(not_one, value.dims))


def _is_seen_elsewhere(specializer: Specializer, s: Stmt, key: str, regions: Regions) -> bool:
    """Whether arrays of these regions are reached by more than the name that a statement changes."""
    if not regions:
        return False
    facts, tree = specializer.facts, specializer.function.tree
    entering = facts.before.get(tree.body[0], {}).values()
    held = [v for slots in facts.heap.values() for v in slots.values()]
    others = [v.kind for v in (*held, *_other_names(specializer, s, key))]
    if any(map(_may_be_anything, others)):
        return True
    kinds = [*(v.kind for v in entering), *others]
    seen = NOWHERE.union(*facts.unseen.values(), *map(_regions_met, kinds))
    return bool(regions & seen) or any(is_outside(r) or is_mirror(r) for r in regions)


def _other_names(specializer: Specializer, s: Stmt, changed: str) -> list[Any]:
    """Return what the names are that are read after a statement, or by a loop around it."""
    live = Liveness(specializer.function.tree).live_after(s) - {changed}
    env = specializer.env or {}
    found = [env[key] for key in sorted(live) if key in env]
    for loop in nodes(specializer.function.tree, nested=False):
        if type(loop) is gast.For and any(part is s for part in nodes(loop)):
            before = specializer.facts.before.get(loop, {})
            found += [before[key] for key in reads(loop.iter) if key in before]
    return found


def _may_be_anything(kind: Kind) -> bool:
    """Whether nothing is known of a value, or of an item of a tuple: also not whose memory it has."""
    if isinstance(kind, Tuple):
        return any(map(_may_be_anything, kind.items))
    return kind == UNKNOWN


def _regions_met(kind: Kind) -> Regions:
    return _regions_met(kind.item) if isinstance(kind, Iterator) else regions_within(kind)
