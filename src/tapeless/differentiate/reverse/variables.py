"""Variables in derivatives: where one stands for its value, the value is read first.

    y = w * x   ->   w_value = w.value; y = w_value * x

So all rules see arrays, and a value that the reverse sweep needs is the one that was read. The read is
an ordinary read of a slot: its cotangent goes to the adjoint of the Variable, which the adjoint memory
finds by the Variable itself, wherever it was read from. `w.assign(v)` is a store into that slot.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from tapeless.analysis.calls import MethodCall, OpaqueCall, RuleCall
from tapeless.custom import stop_gradient
from tapeless.differentiate.outside import note_undone
from tapeless.differentiate.reverse.accumulate import Adjoint
from tapeless.differentiate.reverse.giving import contribute
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.stores import take_out
from tapeless.differentiate.reverse.taking import buffer_of, take_cotangent
from tapeless.differentiate.writer import Writer
from tapeless.externals import is_one_of
from tapeless.kinds import Array, List, Number, Sequence, Tuple, regions_of
from tapeless.runtime import values_of
from tapeless.tree.build import assign, const, name, quote_expression
from tapeless.tree.classes import DOTTED
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Stmt, Tree
from tapeless.variables import ASSIGNING, is_variable

_ABOUT = ("value", "name", "trainable", *ASSIGNING)


def with_values_read(writer: Writer, s: Stmt) -> tuple[list[Any], Any]:
    """Read the Variables that a statement uses as values.

    Returns
    -------
    The statements that read them, and the statement on the values.
    """
    if s not in writer.known.before:
        return [], s  # control never comes here
    if _is_mixed(writer, s):
        known = dict(writer.known.before[s])
        made: list[Any] = []
        held = _bound(writer, s, "v", s.value, known, made)
        if s in writer.known.callees:
            writer.known.callees[made[0]] = writer.known.callees[s]
        replaced = assign(s.targets[0].id, gast.Attribute(name(held), "value", gast.Load()))
        replaced.lineno = getattr(s, "lineno", None)
        writer.known.learn_as(replaced, s, known)
        writer.known.callees.pop(replaced, None)
        return made, replaced
    chosen: dict[int, str] = {}
    reads: dict[str, Any] = {}
    for tree in _operands(writer, s):
        if type(tree) not in DOTTED:
            continue
        kind = writer.operand_kind(s, tree)
        if is_variable(kind) or type(s) is gast.Assign and _holds_variable(writer, s, kind):
            key = gast.unparse(tree)
            reads.setdefault(key, tree)
            chosen[id(tree)] = key
    if not chosen:
        return [], s
    made = []
    fresh: dict[str, Any] = {}
    known = dict(writer.known.before[s])
    for key, tree in reads.items():
        owner = tree
        if not is_variable(writer.operand_kind(s, tree)):
            listed = gast.Call(name(writer.runtime("values_of")), [tree], [])
            fresh[key] = name(_bound(writer, s, "values", listed, known, made))
            continue
        if type(tree) is gast.Attribute:
            owner = name(_bound(writer, s, tree.attr, tree, known, made))
        read = gast.Attribute(owner, "value", gast.Load())
        fresh[key] = name(_bound(writer, s, f"{owner.id}_value", read, known, made))
    replaced = _replaced(s, {i: fresh[key] for i, key in chosen.items()})
    writer.known.learn_as(replaced, s, known)
    return made, replaced


def _is_mixed(writer: Writer, s: Stmt) -> bool:
    """Whether a statement binds a Variable to a name that stands for an array elsewhere."""
    if type(s) is not gast.Assign or type(s.targets[0]) is not gast.Name:
        return False
    if s.targets[0].id not in writer.facts.by_value:
        return False
    value = s.value
    if type(value) is gast.Attribute and value.attr == "value":
        return False
    if s in writer.known.callees:
        return is_variable(writer.known.callees[s].facts.returned.kind)
    return is_variable(writer.splicer.evaluate(value, writer.known.before[s]).kind)


def _holds_variable(writer: Writer, s: Stmt, kind: Any) -> bool:
    """Whether a list or tuple that a function of arrays takes holds Variables."""
    if type(s.value) is not gast.Call:
        return False
    if isinstance(kind, Tuple):
        return any(map(is_variable, kind.items))
    if isinstance(kind, Sequence):
        return is_variable(kind.item)
    heap = writer.known.heap
    slots = [v.kind for r in regions_of(kind) for v in heap.get(r, {}).values()]
    return isinstance(kind, List) and any(map(is_variable, slots))


def _bound(
    writer: Writer, s: Stmt, wish: str, tree: Tree, known: dict[str, Any], made: list[Any]
) -> str:
    """Bind an expression to a new name just before a statement."""
    key = str(writer.names.fresh(wish))
    binding = assign(key, tree)
    binding.lineno = getattr(s, "lineno", None)
    value = writer.splicer.evaluate(tree, known)
    writer.known.learn(binding, known, value)
    known[key] = value
    made.append(binding)
    return key


def _operands(writer: Writer, s: Stmt) -> list[Any]:
    """List the expressions of a statement that are used by value."""
    if type(s) is gast.For:
        called = s.iter.args if type(s.iter) is gast.Call else []
        return [s.iter, *called]
    if type(s) is gast.AugAssign:
        return [s.value]
    if type(s) is gast.Assign:
        place = s.targets[0]
        if type(place) is gast.Tuple:
            return [s.value]
        if type(place) is gast.Subscript:
            owner = writer.operand_kind(s, place.value)
            return [s.value] if isinstance(owner, (Array, Number)) else []
        if type(place) is gast.Name:
            return _of_expression(writer, s, s.value)
    if type(s) is gast.Expr:
        return _of_expression(writer, s, s.value)
    return []


def _of_expression(writer: Writer, s: Stmt, tree: Tree) -> list[Any]:
    if type(tree) is gast.BinOp:
        return [tree.left, tree.right]
    if type(tree) is gast.UnaryOp:
        return [] if type(tree.op) is gast.Not else [tree.operand]
    if type(tree) is gast.Subscript:
        return [tree.value]
    if type(tree) is gast.Attribute:
        return [] if tree.attr in _ABOUT else [tree.value]
    if type(tree) is gast.Call and _uses_values(writer, s, tree):
        owner = [tree.func.value] if type(tree.func) is gast.Attribute else []
        return [*owner, *tree.args, *(k.value for k in tree.keywords)]
    return []


def _uses_values(writer: Writer, s: Stmt, tree: Tree) -> bool:
    """Whether a call is of something that takes arrays, rather than of the user's own code."""
    if s in writer.known.callees:
        return False
    called = writer.call(s)
    if isinstance(called, MethodCall) or (isinstance(called, RuleCall) and called.is_method):
        owner = writer.operand_kind(s, tree.func.value)
        return (
            tree.func.attr not in _ABOUT
            if is_variable(owner)
            else isinstance(owner, (Array, Number))
        )
    if is_one_of(called.found, (stop_gradient, values_of)):
        return False
    plain = not isinstance(called.found, (type, gast.FunctionDef))
    return plain and isinstance(called, (RuleCall, OpaqueCall))


class _Replacer(Transformer):
    def __init__(self, chosen: dict[int, Any]) -> None:
        self.chosen = chosen

    def visit(self, tree: Tree) -> Any:
        if id(tree) in self.chosen:
            return self.chosen[id(tree)]
        made = copy.copy(tree)
        for field, value in gast.iter_fields(tree):
            if isinstance(value, list):
                setattr(made, field, [self.part(item) for item in value])
            else:
                setattr(made, field, self.part(value))
        return made

    def part(self, value: Any) -> Any:
        return self.visit(value) if isinstance(value, (gast.expr, gast.keyword)) else value


def _replaced(s: Stmt, chosen: dict[int, Any]) -> Any:
    """Copy a statement with some of its expressions replaced; blocks in it stay what they are."""
    return _Replacer(chosen).visit(s)


def reads_values(sweep: Sweep, s: Stmt) -> bool:
    """Whether a statement is `values = values_of(xs)`."""
    return type(s.value) is gast.Call and sweep.call(s).found is values_of


def reverse_values(sweep: Sweep, s: Stmt, key: str) -> None:
    """Reverse `values = values_of(xs)`."""
    y = take_cotangent(sweep, s, key, sweep.result(s).kind)
    if y is None:
        return
    [xs] = s.value.args
    shadow = buffer_of(sweep, s, xs.id) if sweep.is_active(s, xs) else const(None)
    sweep.out.append(gast.Expr(quote_expression(
        "f(m, b, x, g)", f=sweep.runtime("add_to_values"), m=sweep.memory_name(), b=shadow, x=xs,
        g=y.expression,
    )))  # fmt: skip


# Assigning


def assigned_owner(writer: Writer, s: Stmt) -> Any:
    """Return the Variable of a statement that calls one of its assigning methods; else None."""
    call = getattr(s, "value", None)
    if not isinstance(call, gast.Call) or not isinstance(call.func, gast.Attribute):
        return None
    if call.func.attr not in ASSIGNING:
        return None
    owner = call.func.value
    return owner if is_variable(writer.operand_kind(s, owner)) else None


def expanded_assignment(writer: Writer, s: Stmt) -> list[Any]:
    """Write `y = w.assign_add(v)` as `w.assign(w.value + v)` and a read of the value."""
    owner = assigned_owner(writer, s)
    made: list[Any] = []
    known = dict(writer.known.before[s])
    if type(owner) is not gast.Name:
        owner = name(_bound(writer, s, owner.attr, owner, known, made))
    call = s.value
    new = [*call.args, *(k.value for k in call.keywords)][0]
    if is_variable(writer.operand_kind(s, new)):
        read = gast.Attribute(new, "value", gast.Load())
        new = name(_bound(writer, s, "v", read, known, made))
    if call.func.attr != "assign":
        read = gast.Attribute(owner, "value", gast.Load())
        old = name(_bound(writer, s, f"{owner.id}_value", read, known, made))
        sign = gast.Add() if call.func.attr == "assign_add" else gast.Sub()
        new = name(_bound(writer, s, "v", gast.BinOp(old, sign, new), known, made))
    method = gast.Attribute(owner, "assign", gast.Load())
    store = gast.Expr(gast.Call(method, [new], []))
    store.lineno = getattr(s, "lineno", None)
    writer.known.learn(store, known, writer.known.results[s])
    made.append(store)
    if type(s) is gast.Assign:
        read = assign(s.targets[0].id, gast.Attribute(owner, "value", gast.Load()))
        read.lineno = getattr(s, "lineno", None)
        writer.known.learn(read, known, writer.known.results[s])
        made.append(read)
    return made


def reverse_assignment(sweep: Sweep, s: Stmt) -> list[Any]:
    """Reverse `w.assign(v)`: the cotangent goes to the new value, the old value comes back."""
    owner, [new] = s.value.func.value, s.value.args
    place = gast.Attribute(owner, "value", gast.Load())
    old = sweep.names.fresh(f"{owner.id}_old")
    cotangent = None
    if sweep.value(s, owner.id).varied:
        cotangent = take_out(sweep, s, place, sweep.operand_kind(s, owner), new, place)
    note_undone(sweep, s, owner)
    sweep.out.append(gast.Expr(gast.Call(s.value.func, [name(old)], [])))
    if cotangent is not None and sweep.is_active(s, new):
        contribute(sweep, s, new.id, Adjoint(cotangent), False)
    return [assign(old, place), s]
