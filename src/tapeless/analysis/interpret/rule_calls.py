"""Calls of functions that have a rule, and of libraries that are not entered.

Nothing is looked into: the kind of the result follows from those of the operands, and it varies if one
of them does. What such code would do unseen, store into an `out` or turn numbers into text, is refused
where a derivative would be lost.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from tapeless.analysis.abstract import Value, as_items, as_nested_items
from tapeless.analysis.function_values import method_of_record
from tapeless.analysis.interpret.built_ins import BUILT_IN_KINDS
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.callbacks import note_callbacks
from tapeless.analysis.interpret.closures import closes_over_varied
from tapeless.analysis.interpret.folding import truth_of
from tapeless.analysis.interpret.foreign import foreign_result
from tapeless.analysis.interpret.hidden_methods import refuse_hidden
from tapeless.analysis.interpret.sparse_operands import refuse_sparse
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.stopping import stopped
from tapeless.analysis.interpret.variables import as_kind, as_value
from tapeless.custom import stop_gradient
from tapeless.externals import is_of_python, is_one_of, package_of
from tapeless.joins import as_array, as_operand
from tapeless.kinds import (
    NONE,
    SOMETHING,
    TEXT_OF_VARIED,
    UNKNOWN,
    Array,
    Dict,
    Instance,
    Kind,
    List,
    Number,
    Real,
    Regions,
    Sequence,
    Tuple,
    Unreached,
    differentiable,
    is_container,
    is_number,
    regions_of,
)
from tapeless.rules.declare import Rule
from tapeless.rules.results.call import Call, dtype_argument
from tapeless.rules.results.joins import array_of_items
from tapeless.rules.results.of_calls import kind_of_call, kind_unless_refused
from tapeless.rules.traits import traits_of
from tapeless.tree.trees import Expr
from tapeless.variables import is_variable


def call_rule(interpreter: Interpreter, found: Any, rule: Rule, site: CallSite) -> Value:
    """Interpret a call of a function with a rule, or of an opaque one."""
    tree, point = site.tree, interpreter.point(site.tree)
    if found is not stop_gradient:
        site = site.passing(lambda value: as_value(interpreter, value))
    values, key_values = site.values, site.named
    kinds = [as_kind(interpreter, _shown(interpreter, found, v.kind, point)) for v in values]
    keywords = {
        k: as_kind(interpreter, _shown(interpreter, found, v.kind, point))
        for k, v in key_values.items()
    }
    _store_out(interpreter, found, rule, site)
    _check_operands(interpreter, found, rule, site)
    if is_one_of(found, _TEXTS) and any(map(interpreter.is_varied, values)):
        return Value(TEXT_OF_VARIED)
    calls = traits_of(found).calls
    if calls or (calls is None and rule.form != "zero"):
        note_callbacks(interpreter, site.given)
    if rule.form != "zero":
        foreign = foreign_result(interpreter, site.given, tree)
        refuse_sparse(interpreter, found, site)
        if foreign is not None:
            return foreign if isinstance(found, np.ufunc) else Value(UNKNOWN)
    if kinds and _makes_array_of_first(found, rule):
        kinds[0] = array_of_items(Call(kinds[:1], {}, point, interpreter.fresh(tree)))
    call = Call(_as_operands(found, rule, kinds), keywords, point, interpreter.fresh(tree))
    operands = [*values, *(v for k, v in key_values.items() if k != "key")]
    varied = any(
        _is_used_varied(interpreter, v) or closes_over_varied(interpreter, v.kind) for v in operands
    )
    varied = varied and rule.form != "zero" and dtype_argument(call, len(values)) not in ("i", "b")
    given = values or list(key_values.values())
    opaque = rule is OPAQUE and not _is_numpy(found) and traits_of(found).kind is None
    if opaque and (not varied or _is_of_the_standard_library(found) or found is getattr):
        kind = UNKNOWN  # an attribute is what it is, once it is spelled out
    else:
        kind = _shared_if_asked(
            found, _unless_records(_rule_kind(interpreter, found, rule, call, given, tree)), call
        )
        interpreter.program.details |= call.axes
    if isinstance(found, np.ufunc) and "dtype" in keywords:
        kind = _in_dtype(kind, dtype_argument(call, len(values)))
    if varied and is_number(kind) and not differentiable(kind):
        if traits_of(found).recasts:
            return Value(kind)
        kind = call.unknown  # what a rule differentiates carries a derivative, whatever it is
    if varied and isinstance(kind, (Instance, Tuple, Dict, List)):
        _let_attributes_vary(interpreter, kind, call.region)
    return Value(kind, varied)


def _unless_records(kind: Kind) -> Kind:
    """Return a kind, but of an array of records nothing: its items are views of it, and not numbers."""
    return UNKNOWN if isinstance(kind, Array) and kind.dtype == "V" else kind


_PLACES_OF_COPY = ((np.nan_to_num, 1), (np.ndarray.astype, 5))


def _shared_if_asked(found: Any, kind: Kind, call: Call) -> Kind:
    """Return the kind of what may be the array itself where no copy is asked for."""
    if traits_of(found).view != "if asked" or not isinstance(kind, Array):
        return kind
    place = next((i for f, i in _PLACES_OF_COPY if f is found), len(call.args))
    asked = call.args[place] if place < len(call.args) else call.keywords.get("copy")
    if asked is None or truth_of(asked):
        return kind
    return replace(kind, regions=kind.regions | regions_of(call.first))


def _as_operands(found: Any, rule: Rule, kinds: list[Kind]) -> list[Kind]:
    """Return the kinds of what a function computes with, given those of its arguments."""
    if isinstance(found, np.ufunc):
        return list(map(as_operand, kinds))
    if rule.form == "zero":
        return kinds
    return [as_array(kind) if _is_computed_with(rule, i) else kind for i, kind in enumerate(kinds)]


def _let_attributes_vary(interpreter: Interpreter, kind: Kind, region: Regions) -> None:
    """Note that the attributes of the objects that a call has made vary, each by itself."""
    for made in interpreter.held_by([kind]):
        if made in region or made[0] == "zeros":
            for key, slot in list(interpreter.heap.get(made, {}).items()):
                interpreter.put(frozenset([made]), key, Value(slot.kind, differentiable(slot.kind)))


_ASKED_OF_OPERANDS = [
    "__add__", "__radd__", "__float__", "__int__", "__abs__", "__round__", "__pow__", "__array__",
    "__lt__", "__gt__", "__iter__", "__getitem__",
]  # fmt: skip


def _check_operands(interpreter: Interpreter, found: Any, rule: Rule, site: CallSite) -> None:
    """Refuse numbers read from the text of what varies, and objects where numbers belong."""
    if rule.form == "zero":
        return
    tree, values = site.tree, site.given
    if any(v.kind == TEXT_OF_VARIED for v in values):
        reason = "a number is read from the text of one that carries a derivative"
        fix = "keep the number itself, or put tl.stop_gradient around it: its derivative is dropped"
        interpreter.refuse(tree, reason, fix)
    for value in values:
        item = as_items(value.kind, interpreter.heap, interpreter.point(tree))
        kind = item.item if isinstance(item, Sequence) else item
        module = getattr(found, "__module__", "") == "builtins" or _is_numpy(found)
        if module:
            refuse_hidden(interpreter, [kind], _ASKED_OF_OPERANDS, tree)
        plain = isinstance(kind, Instance) and module and not is_variable(kind)
        plain = plain and kind.cls is not type(np._NoValue)  # type: ignore[attr-defined]
        record = (
            isinstance(kind, Tuple) and module and method_of_record(kind, "__array__") is not None
        )
        looking = is_one_of(found, (list, tuple, getattr, setattr, delattr))
        looking = looking or (found is iter and interpreter.function.gives_items)
        if record or plain and not looking and interpreter.is_varied(value):
            label = getattr(found, "__name__", "this function")
            reason = f"`{label}` of objects of class {kind.cls.__name__} is not supported yet"  # type: ignore[attr-defined]
            fix = "write it as a loop over the objects, with the numbers that they hold"
            if hasattr(kind.cls, "__array__"):  # type: ignore[attr-defined]
                fix = "make an array of the object first, as in np.asarray(x)"
            interpreter.refuse(tree, reason, fix)


def _is_used_varied(interpreter: Interpreter, value: Value) -> bool:
    """Whether an argument of a function varies, or holds what does."""
    kind = value.kind
    if isinstance(kind, Tuple):
        return value.varied or any(_is_used_varied(interpreter, Value(k)) for k in kind.items)
    return interpreter.holds_varied(value) if is_container(kind) else interpreter.is_varied(value)


def _store_out(interpreter: Interpreter, found: Any, rule: Rule, site: CallSite) -> None:
    """Note that a call writes into its `out`; refuse it where a derivative would go there."""
    values, key_values = site.values, site.named
    excess = len(values) - found.nin if isinstance(found, np.ufunc) else 0
    place = _place_of_out(rule)
    if place is not None and place < len(values) and not _is_none(values[place]):
        excess = 1
    if rule is not OPAQUE and rule.form == "general" and not isinstance(found, np.ufunc):
        kinds = rule.parameters.values()
        if not any(p.kind is p.VAR_POSITIONAL for p in kinds):
            excess = len(values) - len(kinds)
    if "out" in key_values:
        interpreter.stored |= regions_of(key_values["out"].kind)
    if isinstance(found, np.ufunc) and {"out", "where"} <= set(key_values):
        return  # written as a store where the ranks are known, and refused elsewhere
    varied = any(map(interpreter.is_varied, site.given))
    if varied and ("out" in key_values or excess > 0) and not _is_none(key_values.get("out")):
        interpreter.refuse(site.tree, "`out=` is not supported yet", "assign the result")


def _shown(interpreter: Interpreter, found: Any, kind: Kind, point: Hashable) -> Kind:
    """Show a list to a function that takes a sequence: item by item, where it is written out."""
    if not _is_numpy(found):
        return as_items(kind, interpreter.heap, point)
    if isinstance(kind, Tuple):
        return replace(
            kind, items=tuple(_shown(interpreter, found, item, point) for item in kind.items)
        )
    items = interpreter.displayed(kind)
    if items is None or any(isinstance(item.kind, Unreached) for item in items):
        return as_nested_items(kind, interpreter.heap, point)
    return Tuple(tuple(_shown(interpreter, found, item.kind, point) for item in items))


def _makes_array_of_first(found: Any, rule: Rule) -> bool:
    """Whether a function of NumPy's makes an array of a list that comes first: it is no shape."""
    if rule is OPAQUE or rule.form != "general" or not _is_numpy(found):
        return False
    if isinstance(found, np.ufunc) or traits_of(found).takes_sequences:
        return False
    first, *_ = rule.parameters.values()
    required = first.default is inspect.Parameter.empty and first.name != "shape"
    return required and first.kind is first.POSITIONAL_OR_KEYWORD


def _is_computed_with(rule: Rule, position: int) -> bool:
    """Whether a function cannot be given None in the place of an argument: the argument has no default."""
    if rule is OPAQUE:
        return False
    parameters = list(rule.parameters.values())
    if position >= len(parameters):
        return False
    return parameters[position].default is inspect.Parameter.empty


def _in_dtype(kind: Kind, code: str | None) -> Kind:
    """Return the kind of what a ufunc computes in a dtype that it is told."""
    if code and isinstance(kind, Number):
        return replace(kind, may_be_complex=code[0] == "c")
    return replace(kind, dtype=code) if code and isinstance(kind, (Array, Real)) else kind


def _place_of_out(rule: Rule) -> int | None:
    """Return the position of a parameter `out` of a rule."""
    if rule is OPAQUE or rule.form == "zero":
        return None
    return list(rule.parameters).index("out") if "out" in rule.parameters else None


def _rule_kind(
    interpreter: Interpreter, found: Any, rule: Any, call: Call, values: Any, tree: Expr
) -> Kind:
    if found is stop_gradient and values:
        return stopped(interpreter, values[0].kind, ("stopped", interpreter.point(tree)))
    if is_one_of(found, BUILT_IN_KINDS):
        of_built_in = BUILT_IN_KINDS[found]
        return kind_unless_refused(call, of_built_in, interpreter, call, values, tree)
    if rule.form == "zero" and not _is_numpy(found) and traits_of(found).kind is None:
        return SOMETHING
    written = isinstance(found, types.FunctionType) and not _is_numpy(found)
    if written and traits_of(found).kind is None:
        return kind_of_call(found, "general", call)
    return kind_of_call(found, rule.form, call)


def _is_of_the_standard_library(found: Any) -> bool:
    return isinstance(found, types.FunctionType) and is_of_python(found)


def _is_none(value: Value | None) -> bool:
    return value is not None and value.kind == NONE


def _is_numpy(found: Any) -> bool:
    package = package_of(found) or package_of(getattr(found, "__objclass__", None))
    return isinstance(found, np.ufunc) or package in ("numpy", "math", "_operator")


_TEXTS = (str, repr, ascii, format)


OPAQUE = Rule(None, len, "general")
