"""Expressions, reversed: the cotangent of a name goes to the operands that it was made of.

Operators follow the rules of their functions. The cotangents of a display or of a tuple that is taken
apart go to the items by their places.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.interpret.items import item_of
from tapeless.differentiate.reverse import calls
from tapeless.differentiate.reverse.accumulate import Adjoint, Holds
from tapeless.differentiate.reverse.by_rule import apply
from tapeless.differentiate.reverse.giving import contribute, full_cotangent, full_slot
from tapeless.differentiate.reverse.parts import add_to_item, reverse_attribute, reverse_item
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.taking import forget_adjoint, take_cotangent
from tapeless.differentiate.rule_texts import function_of_operator
from tapeless.kinds import Integer, Kind, List, Sequence, Tuple, differentiable, is_listed
from tapeless.tree.build import assign, const, name, quote_expression
from tapeless.tree.classes import ARITHMETIC, DISPLAYS
from tapeless.tree.trees import Expr, Stmt, Tree


def reverse_expression(sweep: Sweep, s: Stmt, tree: Tree, key: str, y: Adjoint) -> None:
    """Reverse `key = tree`, given the cotangent of `key`."""
    kind = type(tree).__name__
    if type(tree) is gast.Name:
        owned, sweep.owned_when_taken = sweep.owned_when_taken, False
        contribute(sweep, s, tree.id, y, owned and not y.broadcasts)
    elif type(tree) in ARITHMETIC:
        _reverse_operator(sweep, s, tree, key, y)
    elif type(tree) is gast.Subscript:
        reverse_item(sweep, s, tree, key, y)
    elif type(tree) is gast.Attribute:
        reverse_attribute(sweep, s, tree, key, y)
    elif type(tree) in DISPLAYS:
        _reverse_display(sweep, s, tree.elts, y)
    elif type(tree) is gast.Dict:
        _reverse_dict_display(sweep, s, tree, y)
    elif type(tree) is gast.Call:
        calls.reverse_known_call(sweep, s, tree, key, y)
    elif kind not in ("Constant", "Compare", "JoinedStr", "BoolOp"):
        what = sweep.spelled(tree, "this expression")
        sweep.refuse(
            s, f"{what} cannot be differentiated", "write it with calls, operators and indices"
        )


def _reverse_operator(sweep: Sweep, s: Stmt, tree: Tree, key: str, y: Adjoint) -> None:
    operands = [tree.left, tree.right] if type(tree) is gast.BinOp else [tree.operand]
    kinds = [sweep.operand_kind(s, o) for o in operands]
    sweep.refuse_operator(s, kinds)
    if any(isinstance(k, (List, Tuple, Sequence)) for k in kinds):
        _reverse_joined(sweep, s, tree, kinds, y)
        return
    sweep.refuse_perhaps_listed(s, kinds)
    function = function_of_operator(type(tree.op).__name__, kinds)
    apply(sweep, s, function, operands, {}, key, y)


def _reverse_joined(sweep: Sweep, s: Stmt, tree: Tree, kinds: list[Kind], y: Adjoint) -> None:
    """Reverse `a + b` and `a * n` of lists and tuples."""
    g = y.expression
    if type(tree.op) is gast.Mult and isinstance(kinds[1], Integer):
        folder = sweep.runtime("fold_repeats")
        bars = quote_expression("fold(g, len(x))", fold=folder, g=g, x=tree.left)
        contribute(sweep, s, tree.left.id, Adjoint(bars), True)
        return
    if type(tree.op) is not gast.Add or not all(map(is_listed, kinds)):
        sweep.refuse_list_operator(s)
    for operand, text in ((tree.left, "g[:len(x)]"), (tree.right, "g[len(x):]")):
        if sweep.is_active(s, operand):
            part = quote_expression(text, g=g, x=tree.left)
            contribute(sweep, s, operand.id, Adjoint(part), True)


def reverse_unpacking(sweep: Sweep, s: Stmt, place: Expr) -> list[Any] | None:
    """Reverse `a, b = v`: the adjoints go back to their places in `v`."""
    value = sweep.known.results[s]
    if isinstance(value.kind, Tuple) and len(value.kind.items) != len(place.elts):
        return None  # it raises
    source = s.value
    active = sweep.result(s).varied and sweep.is_active(s, source)
    parts: list[tuple[int, Adjoint, str]] = []
    for i, item in enumerate(place.elts):
        kind = _item_kind(sweep, value, i)
        if not active or not differentiable(kind):
            forget_adjoint(sweep, item.id)
            continue
        if sweep.has_shadow(kind):
            sweep.bound.discard(item.id)
            if not sweep.in_memory(kind):
                taken = _take_unpacked_shadow(sweep, item.id, kind)
                if taken is not None:
                    parts.append((i, taken, item.id))
            continue
        y = take_cotangent(sweep, s, item.id, kind)
        if y is not None:
            parts.append((i, y, item.id))
    if not parts:
        return None
    kind = value.kind
    if (
        isinstance(kind, Tuple)
        and sweep.adjoints.holds(sweep.bar(source.id, kind)) is Holds.NOTHING
    ):
        _assemble(sweep, source.id, kind, parts, place)
        return None
    for i, y, key in parts:
        add_to_item(sweep, s, source.id, const(i), y, key)
    return None


def _take_unpacked_shadow(sweep: Sweep, key: str, kind: Kind) -> Adjoint | None:
    bar = sweep.bar(key, kind)
    if sweep.adjoints.holds(bar) is Holds.NOTHING:
        return None
    sweep.adjoints.materialize(bar)
    sweep.adjoints.set(bar, Holds.NOTHING)
    return Adjoint(name(bar))


def _item_kind(sweep: Sweep, value: Value, i: int) -> Kind:
    return item_of(sweep.splicer.interpreter, value, Integer(i), None).kind


def _assemble(sweep: Sweep, key: str, kind: Tuple, parts: Any, place: Expr) -> None:
    """Write the adjoint of a tuple as a list of the adjoints of its items."""
    bar = sweep.bar(key, kind)
    known = {i: (y, item) for i, y, item in parts}
    elements = []
    for i, inner in enumerate(kind.items):
        if i in known:
            y, item = known[i]
            elements.append(full_cotangent(sweep, y, item))
        elif not differentiable(inner):
            elements.append(const(None))
        elif sweep.has_shadow_in_memory(inner):
            elements.append(const(0.0))  # it may be of another length by the time that it is added
        else:
            elements.append(sweep.adjoints.zero_of(place.elts[i].id, inner))
    sweep.out.append(assign(bar, gast.List(elements, gast.Load())))
    sweep.adjoints.set(bar, Holds.OWNED)


def _reverse_display(sweep: Sweep, s: Stmt, items: list[Any], y: Adjoint) -> None:
    """Reverse a tuple or list display."""
    bar = getattr(y.expression, "id", "")
    parts = sweep.adjoints.displays.pop(bar, None)
    for i, item in enumerate(items):
        if not sweep.is_active(s, item):
            continue
        kind = sweep.value(s, item.id).kind
        if sweep.has_shadow_in_memory(kind):
            continue
        if parts is not None and len(parts) == len(items):
            if isinstance(parts[i], gast.Name):  # the rest has none
                contribute(sweep, s, item.id, Adjoint(parts[i]), False)
            continue
        part = gast.Subscript(y.expression, const(i), gast.Load())
        whole = part if bar in sweep.adjoints.complete else full_slot(sweep, part, item, kind)
        contribute(sweep, s, item.id, Adjoint(whole), False)


def _reverse_dict_display(sweep: Sweep, s: Stmt, tree: Tree, y: Adjoint) -> None:
    """Reverse a dict display."""
    for key, item in zip(tree.keys, tree.values, strict=True):
        if not sweep.is_active(s, item):
            continue
        if key is None:
            sweep.refuse(
                s,
                "`**` in a dict display is not known to spread a dict",
                "copy it item by item: `for k in other: table[k] = other[k]`",
            )
        kind = sweep.value(s, item.id).kind
        if sweep.has_shadow_in_memory(kind):
            continue
        part = gast.Subscript(y.expression, key, gast.Load())
        contribute(sweep, s, item.id, Adjoint(full_slot(sweep, part, item, kind)), False)
