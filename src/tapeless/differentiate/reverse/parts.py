"""Reads of parts, reversed: a cotangent is added to one place of a larger adjoint.

An index that may select a place twice adds twice. A slot of a container may still hold the 0.0 of what
nothing has reached.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.calls import RuleCall
from tapeless.analysis.indexing import index_items
from tapeless.differentiate.reverse.accumulate import Adjoint, Adjoints
from tapeless.differentiate.reverse.by_rule import apply
from tapeless.differentiate.reverse.giving import contribute, full_cotangent
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.taking import buffer_of, shadow_of
from tapeless.differentiate.rule_texts import as_value, function_of_attribute
from tapeless.differentiate.straight_lines import number
from tapeless.kinds import (
    NONE,
    Array,
    Inert,
    Instance,
    Integer,
    Kind,
    Number,
    Opaque,
    Real,
    Sparse,
    Tuple,
    Unreached,
    is_number,
    is_structure,
)
from tapeless.ranks import dims_of, dtype_of
from tapeless.rules.declare import find_rule
from tapeless.rules.traits import traits_of
from tapeless.runtime import item_of_sparse
from tapeless.tree.blocks import is_ellipsis, is_whole
from tapeless.tree.build import as_load, as_store, assign, const, quote_expression
from tapeless.tree.classes import ADDITIVE
from tapeless.tree.trees import Expr, Stmt, Tree


def reverse_item(sweep: Sweep, s: Stmt, tree: Tree, key: str, y: Adjoint) -> None:
    """Reverse `key = owner[index]`."""
    if isinstance(sweep.operand_kind(s, tree.value), Instance):
        sweep.refuse_index(s, sweep.operand_kind(s, tree.value))
    if not sweep.is_active(s, tree.value):
        return
    if isinstance(sweep.operand_kind(s, tree.value), Sparse):
        apply(sweep, s, item_of_sparse, [tree.value, as_value(tree.slice)], {}, key, y)
        return
    add_to_item(sweep, s, tree.value.id, tree.slice, y, key)


def reverse_attribute(sweep: Sweep, s: Stmt, tree: Tree, key: str, y: Adjoint) -> None:
    """Reverse `key = owner.attribute`."""
    if not sweep.is_active(s, tree.value):
        return
    kind = sweep.value(s, tree.value.id).kind
    if isinstance(kind, Instance):
        place = gast.Attribute(shadow_of(sweep, s, tree.value.id), tree.attr, gast.Load())
        g = full_cotangent(sweep, y, key)
        inner = sweep.result(s).kind
        added = (
            gast.BinOp(place, gast.Add(), g)
            if is_number(inner)
            else quote_expression("add(x, g)", add=sweep.runtime("add"), x=place, g=g)
        )
        sweep.out.append(assign(as_store(place), added))
    elif isinstance(kind, Tuple):
        index = kind.cls._fields.index(tree.attr)  # type: ignore[attr-defined]
        add_to_item(sweep, s, tree.value.id, const(index), y, key)
    else:
        descriptor = function_of_attribute(kind, tree.attr)
        if descriptor is None or find_rule(descriptor) is None:
            sweep.no_attribute(s, tree)
        apply(sweep, s, descriptor, [tree.value], {}, key, y)


def add_to_item(sweep: Sweep, s: Stmt, owner: str, index: Expr, y: Adjoint, key: str) -> None:
    """Add a cotangent to a slot of the adjoint of a container, tuple or array."""
    kind = sweep.value(s, owner).kind
    if kind == Kind():
        sweep.refuse(
            s,
            f"{sweep.what_is(owner)} is not known here",
            "annotate the parameters, or give like=",
        )
    if isinstance(kind, Instance):
        sweep.refuse_index(s, kind)
    if isinstance(kind, Real):
        g = quote_expression("np.sum(g)", np=sweep.numpy, g=full_cotangent(sweep, y, key))
        contribute(sweep, s, owner, Adjoint(g), True)  # NumPy makes an array of a number indexed
        return
    if is_ellipsis(index) and isinstance(kind, (Array, Number)):
        contribute(sweep, s, owner, Adjoint(full_cotangent(sweep, y, key)), False)
        return
    back = _without_new_axes(sweep, s, index) if isinstance(kind, (Array, Number)) else None
    if back is not None:
        g = gast.Subscript(full_cotangent(sweep, y, key), back, gast.Load())
        contribute(sweep, s, owner, Adjoint(g), False)
        return
    place = buffer_of(sweep, s, owner)
    slot = gast.Subscript(place, as_load(index) if hasattr(index, "ctx") else index, gast.Load())
    if isinstance(kind, (Array, Number)) or not is_structure(kind):
        _add_to_array(sweep, s, slot, y)
        return
    g = full_cotangent(sweep, y, key)
    if type(index) is gast.Slice:
        adder = sweep.runtime("add_to_slice")
        call = quote_expression("add(x, i, g)", add=adder, x=place, i=as_value(index), g=g)
        sweep.out.append(gast.Expr(call))
        return
    inner = sweep.result(s).kind if type(s) is gast.Assign else _kind_after(sweep, key)
    if _has_adjoint(inner) or key != owner and _has_adjoint(_kind_after(sweep, key)):
        sweep.out.append(assign(as_store(slot), gast.BinOp(slot, gast.Add(), g)))
    else:
        adder = sweep.runtime("add")
        added = quote_expression("add(x, g)", add=adder, x=slot, g=g)
        sweep.out.append(assign(as_store(slot), added))


def _has_adjoint(kind: Kind) -> bool:
    """Whether the adjoint of an item is a number: of an array that may hold integers it may be None."""
    return is_number(kind) and not isinstance(kind, Number) and dtype_of(kind) != "?"


def _without_new_axes(sweep: Sweep, s: Stmt, index: Expr) -> Any:
    """Return the index that undoes one which does nothing but add axes: `[:, 0]` for `[:, None]`."""
    items = index_items(index)
    new = [not (is_whole(item) or is_ellipsis(item)) for item in items]
    if not any(new) or any(
        sweep.operand_kind(s, item) != NONE
        for item, is_new in zip(items, new, strict=True)
        if is_new
    ):
        return None
    made = [const(0) if is_new else item for item, is_new in zip(items, new, strict=True)]
    return made[0] if len(made) == 1 else gast.Tuple(made, gast.Load())


def _kind_after(sweep: Sweep, key: str) -> Kind:
    """Return the kind of a name that a statement binds."""
    _, kind = sweep.adjoints.primals.get(sweep.bars.get(key, ""), ("", Kind()))
    return kind


def _add_to_array(sweep: Sweep, s: Stmt, slot: Expr, y: Adjoint) -> None:
    """Add to the places of an array's adjoint that an index selects."""
    if repeats(sweep, s, slot.slice):
        call = quote_expression(
            "np.add.at(x, i, g)",
            np=sweep.numpy,
            x=slot.value,
            i=as_value(slot.slice),
            g=y.expression,
        )
        sweep.out.append(gast.Expr(call))
        return
    sweep.out.append(Adjoints.added(slot, y.expression))


def repeats(sweep: Sweep, s: Stmt, index: Expr) -> bool:
    """Whether an index may select one place twice."""
    arrays = [item for item in index_items(index) if _selects_several(sweep, s, item)]
    return bool(arrays) and not any(_tells_apart(sweep, s, item, arrays) for item in arrays)


def _selects_several(sweep: Sweep, s: Stmt, item: Expr) -> bool:
    """Whether a part of an index may be an array of places, or a list of such."""
    if type(item) is gast.Slice or _counts(sweep, item):
        return False
    return _may_hold_places(sweep.operand_kind(s, item))


def _may_hold_places(kind: Kind) -> bool:
    """Whether an index of a kind may hold several places: anything but what surely is a single one."""
    if isinstance(kind, Tuple):
        return any(map(_may_hold_places, kind.items))
    if isinstance(kind, Array):
        return kind.dtype != "b"
    return isinstance(kind, Opaque) or not isinstance(kind, (Integer, Real, Inert, Unreached))


def _tells_apart(sweep: Sweep, s: Stmt, item: Expr, arrays: list[Any]) -> bool:
    """Whether a part of an index says another place each time, and the others go along with it."""
    kind = sweep.operand_kind(s, item)
    if sweep.facts.is_stored(kind) or not _distinct(sweep, kind, item):
        return False
    others = [sweep.operand_kind(s, other) for other in arrays if other is not item]
    alike = isinstance(kind, Array) and all(dims_of(other) == kind.dims for other in others)
    return not others or alike


def _distinct(sweep: Sweep, kind: Kind, index: Expr) -> bool:
    """Whether an index is a vector of places no two of which are the same."""
    bound = sweep.definitions.get(index.id, []) if type(index) is gast.Name else []
    made = bound[0].value if len(bound) == 1 and type(bound[0]) is gast.Assign else None
    if made is None or type(bound[0].targets[0]) is not gast.Name:
        return False
    if type(made) is gast.List:
        return _different([number(item) for item in made.elts])
    called = sweep.facts.calls.get(made) if type(made) is gast.Call else None
    if not isinstance(called, RuleCall) or not traits_of(called.found).distinct:
        return False
    return len(dims_of(kind) or ()) == len(called.operands(made.args)) == 1


def _different(places: list[Any]) -> bool:
    """Whether places that are written out are different ones, however long the axis is."""
    if not all(type(place) is int for place in places) or len(set(places)) < len(places):
        return False
    return len({place < 0 for place in places}) < 2  # -1 may be the place 2


def _counts(sweep: Sweep, index: Expr) -> bool:
    """Whether an index is made of counters of the tool's own, so that it is one integer."""
    if type(index) is gast.BinOp and type(index.op) in ADDITIVE:
        return _counts(sweep, index.left) and _counts(sweep, index.right)
    if type(index) is gast.Call:
        return sweep.splicer.resolve(index.func) is len
    if type(index) is gast.Constant:
        return type(index.value) is int
    return getattr(index, "id", None) in sweep.counters
