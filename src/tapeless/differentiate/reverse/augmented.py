"""Augmented assignment, reversed as what it stands for.

`a[i] += v` reads, computes and stores, and is reversed as the three statements; `items += more` extends
in place. Whether a name is changed in place or bound anew tells the kind of what it holds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.differentiate.outside import note_undone
from tapeless.differentiate.reverse.accumulate import Adjoint
from tapeless.differentiate.reverse.giving import contribute
from tapeless.differentiate.reverse.mirrored import Step
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.taking import shadow_of
from tapeless.joins import as_array
from tapeless.kinds import Array, Kind, List, Number, Opaque, is_container, may_change
from tapeless.tree.build import as_load, as_store, assign, const, name, quote, quote_expression
from tapeless.tree.trees import Stmt


def reverse_augmented(sweep: Sweep, s: Stmt) -> list[Stmt]:
    """Reverse `place op= value`, in place or as a rebinding, by the kind of the place."""
    place = s.target
    if type(place) is gast.Name:
        return _augmented_name(sweep, s)
    return _augmented_place(sweep, s)


def expand(sweep: Sweep, s: Stmt, statements: list[Stmt], into: Kind | None = None) -> list[Stmt]:
    """Interpret and reverse the statements that stand for an augmented assignment.

    The last but one computes what is stored into an array of the kind `into`.
    """
    changed = statements[-2]
    interpreter = sweep.splicer.interpreter
    interpreter.statement = s
    env = dict(sweep.known.before[s])
    for made in statements:
        made.lineno = getattr(s, "lineno", None)
        if s in sweep.module.cut:
            sweep.module.cut.add(made)
        value = _fitted(interpreter.eval(made.value, env), into if made is changed else None)
        sweep.known.learn(made, env, value)
        if type(made.targets[0]) is gast.Name:
            env[made.targets[0].id] = value
    items: list[Any] = []
    for made in reversed(statements):
        items = [*sweep.item(made), *items]
    return items


def _fitted(value: Value, into: Kind | None) -> Value:
    """Give the result of an update in place the sizes of the array: NumPy takes no other."""
    kind = value.kind
    if not isinstance(into, Array) or not isinstance(kind, Array):
        return value
    alike = into.dims and len(kind.dims) == len(into.dims)
    return replace(value, kind=replace(kind, dims=into.dims)) if alike else value


def _augmented_name(sweep: Sweep, s: Stmt) -> list[Stmt]:
    key = s.target.id
    kind = as_array(sweep.operand_kind(s, name(key)))
    if isinstance(kind, List):
        return _extend(sweep, s, key)
    if may_change(kind) and not sweep.is_active(s, s.value):  # a set has no derivative
        return [Step(s, [s], [])]
    if kind == Kind() or isinstance(kind, (Number, Opaque)):  # for a number it binds a new one
        sweep.refuse_unknown_rank(s, name(key))
    v = sweep.names.fresh("v")
    first = assign(v, gast.BinOp(name(key), s.op, s.value))
    in_place = isinstance(kind, Array)
    place = gast.Subscript(name(key), const(...), gast.Store()) if in_place else key
    return expand(sweep, s, [first, assign(place, name(v))], kind)


def _augmented_place(sweep: Sweep, s: Stmt) -> list[Stmt]:
    place = as_load(s.target)
    slot = as_array(sweep.operand_kind(s, place))
    owner = sweep.operand_kind(s, place.value)
    v, w = sweep.names.fresh("v"), sweep.names.fresh("v")
    read = assign(v, place)
    if is_container(owner) and (isinstance(slot, (Array, Number)) or slot == Kind()):
        sweep.refuse_unknown_rank(s, place)
    change = assign(w, gast.BinOp(name(v), s.op, s.value))
    return expand(sweep, s, [read, change, assign(as_store(place), name(w))], slot)


def _extend(sweep: Sweep, s: Stmt, key: str) -> list[Stmt]:
    """`items += more` extends in place."""
    count = sweep.names.fresh("count")
    outer, sweep.out = sweep.out, []
    if sweep.value(s, key).varied:
        shadow = shadow_of(sweep, s, key)
        if sweep.is_active(s, s.value):
            part = quote_expression("x[n:]", x=shadow, n=count)
            contribute(sweep, s, s.value.id, Adjoint(part), True)
        sweep.out.append(quote("del x[n:]", x=shadow, n=count)[0])
    if sweep.is_logged(sweep.operand_kind(s, name(key))):
        note_undone(sweep, s, name(key))
        sweep.out.append(quote("del x[n:]", x=key, n=count)[0])
    reverse, sweep.out = sweep.out, outer
    return [Step(s, [assign(count, quote_expression("len(x)", x=key)), s], reverse)]
