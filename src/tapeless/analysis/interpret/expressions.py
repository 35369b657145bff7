"""Expressions: what each may be, and whether it varies.

They are run on kinds instead of values. Arithmetic makes new memory; displays, subscripts, attributes
and calls have files of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, any_slot, join_values, literal_kind
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.attributes import attribute_of
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.calls import call_expression
from tapeless.analysis.interpret.containers import (
    dict_display,
    displayed,
    list_display,
    merged_dict,
    subscript,
)
from tapeless.analysis.interpret.folding import (
    compared,
    equal_shapes,
    folded_identity,
    folded_integer,
    truth_of,
)
from tapeless.analysis.interpret.foreign import foreign_result
from tapeless.analysis.interpret.hidden_methods import refuse_hidden
from tapeless.analysis.interpret.items import item_of, lacks
from tapeless.analysis.interpret.sparse import item_of_sparse, sparse_operation
from tapeless.analysis.interpret.special_calls import (
    UNARY,
    methods_of,
    operator_call,
    special_call,
)
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.texts import joined_text, operated
from tapeless.analysis.interpret.variables import as_value
from tapeless.analysis.tuples import items_of, tuple_of
from tapeless.joins import any_item, are_joined_tuples, as_operand, join
from tapeless.kinds import (
    BOOL,
    HASHABLE,
    SOMETHING,
    TEXT_OF_VARIED,
    UNKNOWN,
    UNREACHED,
    Array,
    Dict,
    Foreign,
    Function,
    Functions,
    Inert,
    Integer,
    Kind,
    List,
    Number,
    Opaque,
    Real,
    Regions,
    Sequence,
    Sparse,
    Tuple,
    Unreached,
    is_number,
)
from tapeless.ranks import computed, literal, may_be_truth
from tapeless.rules.results.call import Call
from tapeless.rules.results.entrywise import elementwise_kind
from tapeless.rules.results.of_calls import kind_of_call
from tapeless.tree.classes import EQUALITY, MEMBERSHIP
from tapeless.tree.trees import Expr, Tree


def _named(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
    if tree.id in env:
        return env[tree.id]
    if tree.id in interpreter.local:
        return NOTHING
    value = interpreter.external(tree, tree.id)
    if interpreter.statement in interpreter.before and not isinstance(
        value.kind, (Function, Inert)
    ):
        interpreter.before[interpreter.statement].setdefault(tree.id, value)
    return value


def _constant(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
    return Value(literal_kind(tree.value))


def _joined_text(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
    parts = [part.value for part in tree.values if type(part) is gast.FormattedValue]
    varied = any(interpreter.is_varied(interpreter.eval(part, env)) for part in parts)
    return Value(TEXT_OF_VARIED if varied else joined_text(interpreter, tree, env))


def _slice(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
    return Value(Inert("slice"))


def _starred(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
    return interpreter.eval(tree.value, env)


def _binary(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
    left, right = interpreter.eval(tree.left, env), interpreter.eval(tree.right, env)
    operator = type(tree.op).__name__
    site = CallSite(tree, (Argument(tree.left, left), Argument(tree.right, right)), env=env)
    called = operator_call(interpreter, operator, site, in_place=False)
    return called or operate(interpreter, operator, left, right, tree)


def operate(
    interpreter: Interpreter, operator: str, left: Value, right: Value, tree: Tree
) -> Value:
    """Interpret an arithmetic operator."""
    left, right = as_value(interpreter, left), as_value(interpreter, right)
    a, b = as_operand(left.kind), as_operand(right.kind)
    varied = left.varied or right.varied
    if isinstance(a, Unreached) or isinstance(b, Unreached):
        return NOTHING
    if isinstance(a, Sparse) or isinstance(b, Sparse):
        return sparse_operation(interpreter, operator, [left, right], tree)
    refuse_hidden(interpreter, (a, b), methods_of(operator), tree)
    foreign = foreign_result(interpreter, [left, right], tree)
    if foreign is not None:
        return foreign
    if operator == "FloorDiv":
        varied = False
    if isinstance(a, Tuple) and isinstance(b, Integer) and operator == "Mult":
        if not isinstance(b.value, int):
            return item_of(interpreter, left, Inert("slice"), tree)
        return tuple_of(items_of(left) * b.value)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and operator == "Add":
        return tuple_of(items_of(left) + items_of(right))
    made = _chained(interpreter, operator, a, b, tree)
    if made is not None:
        return Value(made, varied)
    text = isinstance(a, Inert) and a.what == "str"
    if TEXT_OF_VARIED in (a, b) or (text and varied):
        return Value(TEXT_OF_VARIED)
    if text:
        return Value(operated(operator, a, b))
    if isinstance(a, Inert) and isinstance(b, Inert) and a != BOOL:
        is_opaque = Opaque in (type(a), type(b))
        return Value(SOMETHING if is_opaque else Inert(a.what))
    if isinstance(a, Integer) and isinstance(b, Integer):
        return Value(_of_truths(operator, folded_integer(operator, a, b), a, b))
    call = Call([a, b], {}, interpreter.point(tree), interpreter.fresh(tree))
    if not is_number(a) or not is_number(b):
        known = all(is_number(k) or k in (UNKNOWN, SOMETHING, HASHABLE) for k in (a, b))
        return Value(call.unknown if known else UNKNOWN, varied)
    if operator == "MatMult":
        return Value(kind_of_call(np.matmul, "general", call), varied)
    return Value(_of_truths(operator, elementwise_kind(call, operator == "Div"), a, b), varied)


def _of_truths(operator: str, made: Kind, a: Kind, b: Kind) -> Kind:
    """Return the kind of a result, which `&`, `|` and `^` give as a truth where both operands are."""
    bits = operator in ("BitAnd", "BitOr", "BitXor") and may_be_truth(a) and may_be_truth(b)
    return replace(made, may_be_truth=True) if bits and isinstance(made, Integer) else made


def _chained(interpreter: Interpreter, operator: str, a: Kind, b: Kind, tree: Tree) -> Kind | None:
    """Return the kind of lists, tuples or dicts one behind the other; None for what is arithmetic."""
    point = interpreter.point(tree)
    if isinstance(a, List) and isinstance(b, List) and operator == "Add":
        return _list_of_items_in(interpreter, a.regions | b.regions, tree)
    if isinstance(a, Dict) and isinstance(b, Dict) and operator == "BitOr":
        return merged_dict(interpreter, (a, b), tree)
    if isinstance(a, List) and isinstance(b, Integer):
        return _list_of_items_in(interpreter, a.regions, tree)
    if are_joined_tuples(a, b) and operator == "Add":
        return Sequence(join(any_item(a, point), any_item(b, point), point))
    return None


def _list_of_items_in(interpreter: Interpreter, regions: Regions, tree: Tree) -> List:
    """Make a list that holds what the slots of some regions hold."""
    made = List(interpreter.fresh(tree))
    interpreter.put(made.regions, "*", any_slot(interpreter.heap, regions, interpreter.point(tree)))
    return made


_TOLD = (Inert, Tuple, Function, Functions)  # of which `not` may be decided by the kind


def _unary(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
    value = as_value(interpreter, interpreter.eval(tree.operand, env))
    if type(tree.op) is gast.Not:
        said = truth_of(value.kind) if isinstance(value.kind, _TOLD) else None
        return Value(BOOL if said is None else Inert("bool", not said))
    site = CallSite(tree, (Argument(tree.operand, value),), env=env)
    called = special_call(interpreter, UNARY[type(tree.op).__name__], site)
    if called is not None:
        return called
    if isinstance(value.kind, Sparse):
        return sparse_operation(interpreter, type(tree.op).__name__, [value], tree)
    refuse_hidden(interpreter, [value.kind], methods_of(type(tree.op).__name__), tree)
    kind = as_operand(value.kind)
    if isinstance(kind, Integer):
        if type(tree.op) is gast.USub and isinstance(kind.value, int):
            return Value(Integer(-kind.value, kind.of_numpy))
        return Value(Integer(None, kind.of_numpy))
    return Value(computed(kind, interpreter.fresh(tree)), value.varied)


def _comparison(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
    parts = [tree.left, *tree.comparators]
    kinds = [as_value(interpreter, interpreter.eval(part, env)).kind for part in parts]
    identity = any(isinstance(op, (gast.Is, gast.IsNot, gast.In, gast.NotIn)) for op in tree.ops)
    asks = len(kinds) == 2 and type(tree.ops[0]) in MEMBERSHIP
    if asks and isinstance(kinds[1], Dict) and not kinds[1].or_none:
        if lacks(interpreter, kinds[1], literal(kinds[0])):
            return Value(Inert("bool", type(tree.ops[0]) is gast.NotIn))
    if identity:
        return Value(folded_identity(tree, kinds))
    foreign = [kind for kind in kinds if isinstance(kind, Foreign)]
    if foreign:
        return Value(foreign[0])
    if any(isinstance(kind, (Array, Number)) for kind in kinds):
        call = Call(kinds, {}, interpreter.point(tree), interpreter.fresh(tree))
        made = elementwise_kind(call)
        if isinstance(made, Array):
            return Value(replace(made, dtype="b"))
        return Value(BOOL if isinstance(made, (Real, Integer)) else SOMETHING)
    if len(kinds) == 2 and type(tree.ops[0]) in EQUALITY:
        equal = equal_shapes(kinds[0], kinds[1])
        if equal is not None:
            return Value(Inert("bool", equal == (type(tree.ops[0]) is gast.Eq)))
    values = [literal(kind) for kind in kinds]
    if ... not in values and None not in values:
        pairs = zip(tree.ops, values, values[1:], strict=False)
        answers = [compared(op, a, b) for op, a, b in pairs]
        if all(isinstance(answer, bool) for answer in answers):
            return Value(Inert("bool", all(answers)))
    return Value(BOOL)


def _connective(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
    found = NOTHING
    decides = type(tree.op) is gast.Or
    values = [interpreter.eval(part, env) for part in tree.values]
    truths = [truth_of(value.kind) for value in values]
    for value, truth in zip(values, truths, strict=True):
        if truth is None:
            break
        if truth is decides or value is values[-1]:
            return value
    if decides in truths and all(isinstance(value.kind, Inert) for value in values):
        return Value(Inert("bool", decides))
    for part in tree.values:
        found = join_values(found, interpreter.eval(part, env), interpreter.point(tree))
    return found


def _choice(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
    interpreter.eval(tree.test, env)
    yes, no = interpreter.eval(tree.body, env), interpreter.eval(tree.orelse, env)
    return join_values(yes, no, interpreter.point(tree))


def _tuple_display(interpreter: Interpreter, tree: Tree, env: Environment) -> Value:
    values = [value for item in tree.elts for value in displayed(interpreter, item, env)]
    parts = [item.value for item in tree.elts if type(item) is gast.Starred]
    if all(isinstance(interpreter.eval(part, env).kind, Tuple) for part in parts):
        return tuple_of(values)
    item: Kind = UNREACHED
    for value in values:
        item = join(item, value.kind, interpreter.point(tree))
    return Value(Sequence(item), any(v.varied for v in values))


def _item(interpreter: Interpreter, tree: Expr, env: Environment) -> Value:
    owner = as_value(interpreter, interpreter.eval(tree.value, env))
    if isinstance(owner.kind, Sparse):
        return item_of_sparse(interpreter, owner, interpreter.eval(tree.slice, env), tree)
    return subscript(interpreter, tree, env)


EXPRESSIONS: dict[type, Callable[[Interpreter, Any, Environment], Value]] = {
    gast.Name: _named,
    gast.Constant: _constant,
    gast.JoinedStr: _joined_text,
    gast.Slice: _slice,
    gast.Starred: _starred,
    gast.BinOp: _binary,
    gast.UnaryOp: _unary,
    gast.Compare: _comparison,
    gast.BoolOp: _connective,
    gast.IfExp: _choice,
    gast.Tuple: _tuple_display,
    gast.List: list_display,
    gast.Dict: dict_display,
    gast.Subscript: _item,
    gast.Attribute: attribute_of,
    gast.Call: call_expression,
}
