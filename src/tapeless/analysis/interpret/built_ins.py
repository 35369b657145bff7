"""Kinds of what built-in functions and the runtime's helpers return.

One small function for each, for results whose kind no family of rules says: the length of a thing, an
`isinstance` that the kinds decide, an adjoint that has the structure of its primal.
"""

from __future__ import annotations

import bisect
import inspect
from dataclasses import replace
from typing import Any

import numpy as np

from tapeless.analysis.abstract import Value, as_nested_items
from tapeless.analysis.interpret.containers import refuse_memory
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.interpret.mirrors import (
    KINDS_OF_MIRRORS,
    Mirror,
    alike,
    mirrored,
    partly_untouched,
)
from tapeless.analysis.interpret.state import Interpreter
from tapeless.joins import callable_class, join, join_dtypes
from tapeless.kinds import (
    BOOL,
    NONE,
    RANGE,
    UNKNOWN,
    UNREACHED,
    Array,
    Dict,
    Function,
    Functions,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Regions,
    Sequence,
    Size,
    Tuple,
    Unreached,
    is_container,
    is_listed,
    is_number,
    is_truth,
    may_be_complex,
    regions_of,
)
from tapeless.protocol.gradients import fit_gradient
from tapeless.ranks import computed, dtype_of, literal, may_be_integer, with_real_dtype
from tapeless.rules.results.call import Call
from tapeless.rules.results.entrywise import elementwise_kind
from tapeless.rules.results.joins import array
from tapeless.runtime import (
    AdjointRecord,
    add,
    along_axis,
    as_gradient,
    at_item,
    class_shown,
    complex_sign,
    cotangents_of_sum,
    diagonal_places,
    finds_method,
    flat_index,
    full,
    index_of_extreme,
    is_double,
    meshgrid_bar,
    shuffled_order,
    split_like,
    times_partial,
    unbroadcast,
)
from tapeless.tree.trees import Tree


def _length(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    kind = call.args[0] if call.args else UNKNOWN
    if isinstance(kind, Array):
        return Integer(kind.dims[0])
    return Integer(len(kind.items) if isinstance(kind, Tuple) else None)


def _selected(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    if len(call.args) == 1:
        return item_of(interpreter, Value(call.args[0]), Integer(), tree).kind
    found: Kind = UNREACHED
    for i, kind in enumerate(call.args):
        found = join(found, kind, (call.point, i))
    return found


def _summed(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    """The sum of a start and items: the start alone where there are none."""
    item = item_of(interpreter, Value(call.args[0]), Integer(), tree).kind
    start = call.args[1] if len(call.args) > 1 else call.keywords.get("start", Integer())
    if isinstance(item, Unreached):
        return alike(start, call.region) if is_number(start) else call.unknown
    if isinstance(start, (Array, Number)) and is_number(item):
        made = elementwise_kind(Call([start, item], {}, call.point, call.region))
        return join(alike(start, call.region), made, call.point)
    if isinstance(item, Array) and is_number(start):
        return computed(item, call.region)
    if not isinstance(item, (Real, Integer)) or not isinstance(start, (Real, Integer)):
        return call.unknown
    if isinstance(item, Integer):
        numpy = item.of_numpy
        return Integer(None, numpy or start.of_numpy) if isinstance(start, Integer) else start
    return item if isinstance(start, Integer) else Real(join_dtypes(item.dtype, start.dtype))


def _rounded(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    if len(call.args) == 1:
        return Integer()
    number = call.args[0]
    if isinstance(number, Integer) or is_truth(number):
        return Integer(None, isinstance(number, Integer) and number.of_numpy)
    return number if isinstance(number, Real) else Real()


def _absolute(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    kind = call.args[0]
    if isinstance(kind, Integer):
        return Integer(abs(kind.value) if isinstance(kind.value, int) else None, kind.of_numpy)
    if is_truth(kind):
        return Integer()
    return with_real_dtype(computed(kind, call.region))


def _as_float(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    return Real()


def _as_integer(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    return Integer()


def _copied_list(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    made = List(call.region)
    if values:
        item = item_of(interpreter, values[0], Integer(), tree)
        interpreter.put(made.regions, "*", item)
    return made


def _is_instance(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    """Decide `isinstance` where the kind tells for every class asked for."""
    kind, asked = values[0].kind, call.args[1]
    classes = asked.items if isinstance(asked, Tuple) else (asked,)
    found = [getattr(c, "value", None) for c in classes]
    if isinstance(kind, Integer) and _cover_integers(found):
        return Inert("bool", True)
    answers = [_is_of_class(kind, cls) for cls in found]
    if any(answer is True for answer in answers):
        return Inert("bool", True)
    return Inert("bool", False) if all(answer is False for answer in answers) else BOOL


def _cover_integers(classes: list[Any]) -> bool:
    """Whether an integer is of one of some classes, be it Python's or NumPy's."""
    known = all(isinstance(cls, type) for cls in classes)
    return known and all(issubclass(cls, tuple(classes)) for cls in (int, np.int64))


_INERT: dict[str, type] = {
    "None": type(None), "str": str, "bool": bool, "slice": slice, "ellipsis": type(...), "range": range,
}  # fmt: skip


def _is_of_class(kind: Kind, cls: Any) -> bool | None:
    if not isinstance(cls, type) or kind == UNKNOWN or isinstance(kind, Unreached):
        return None
    if getattr(kind, "or_none", False):
        # in the text of a derivative 0.0 may stand for what is not there
        there = _is_of_class(replace(kind, or_none=False), cls)  # type: ignore[call-arg]
        return None if cls is float or isinstance(None, cls) else there and None
    if isinstance(kind, Instance):
        answers = {issubclass(class_shown(each.cls), cls) for each in kind.alternatives}
        return answers.pop() if len(answers) == 1 and not kind.functions else None
    if cls is AdjointRecord:
        return False  # a class of the tool's own, which nothing else derives from
    if isinstance(kind, Tuple):
        return issubclass(kind.cls, cls)
    if isinstance(kind, Inert):
        own = _INERT.get(kind.what)
        if (
            own is bool
            and kind.value is None
            and issubclass(bool, cls) != issubclass(np.bool_, cls)
        ):
            return None  # a comparison of NumPy's numbers gives one of its own
        return None if own is None else issubclass(own, cls)
    table: dict[type, tuple[type, ...]] = {
        np.ndarray: (Array,), int: (Integer,), float: (Real,), list: (List,), dict: (Dict,),
        tuple: (Sequence,),
    }  # fmt: skip
    if cls not in table:
        return False if _is_apart(kind, cls) else None
    if isinstance(kind, Number) and cls in (np.ndarray, float, int):
        return None
    if isinstance(kind, Integer) and kind.of_numpy and cls is int:
        return None
    if isinstance(kind, Real) and cls in (float, int):
        known = not kind.may_be_integer and (cls is int or kind.dtype == "f8")
        return cls is float if known else None
    return isinstance(kind, table[cls])


def _is_callable(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    """Decide `callable` where the kind tells."""
    kind = values[0].kind
    if isinstance(kind, Function) or isinstance(kind, Functions) and not kind.or_none:
        return Inert("bool", True)
    if isinstance(kind, Instance):
        answers = {callable_class(each.cls) for each in kind.alternatives}
        answers |= {False} if kind.or_none else set()
        return Inert("bool", answers.pop()) if len(answers) == 1 else BOOL
    plain = (Array, Number, Real, Integer, List, Dict, Sequence)
    nothing = isinstance(kind, Inert) and kind.what in ("None", "str", "bool")
    if isinstance(kind, plain) or nothing or type(kind) is Tuple and kind.cls is tuple:
        return Inert("bool", False)
    return BOOL


def _finds_method(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    """Decide whether a method is a known one where the class of its object tells."""
    kind, label, method = (value.kind for value in values)
    key = literal(label)
    if not isinstance(kind, Instance) or kind.or_none or not isinstance(method, Function):
        return BOOL
    held = [interpreter.heap.get(region) for region in regions_of(kind)]
    if not held or any(slots is None or slots.keys() & {key, "?"} for slots in held):
        return BOOL
    classes = {inspect.getattr_static(each.cls, key, None) for each in kind.alternatives}
    same = {found is method.value for found in classes}
    return Inert("bool", same.pop()) if len(same) == 1 and not kind.functions else BOOL


def _is_apart(kind: Kind, cls: type) -> bool:
    """Whether no number, array or container of a kind can be an object of a class."""
    whole, inexact = (int, np.integer, bool, np.bool_), (float, complex, np.inexact)
    types: dict[type, tuple[type, ...]] = {
        Real: inexact + whole if may_be_integer(kind) else inexact, Integer: whole,
        Array: (np.ndarray,), Number: (*inexact, *whole, np.ndarray),
        List: (list,), Dict: (dict,), Sequence: (tuple,),
    }  # fmt: skip
    own = types.get(type(kind), ())
    return bool(own) and not any(issubclass(t, cls) or issubclass(cls, t) for t in own)


def _is_complex(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    """Complex values are known by their dtype; numbers of unknown kind count as real."""
    kind = call.args[0]
    if isinstance(kind, (Array, Real)):
        return BOOL if kind.dtype in ("?", "c?", "O") else Inert("bool", kind.dtype[0] == "c")
    return BOOL if may_be_complex(kind) or not is_number(kind) else Inert("bool", False)


def _is_double(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    dtype = dtype_of(call.args[0])
    return BOOL if dtype in ("?", "c?") else Inert("bool", dtype == "f8")


def _fitted(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    kind = call.args[1] if len(call.args) > 1 else UNKNOWN
    if not isinstance(kind, (Array, Number)):
        return kind if isinstance(kind, Real) else UNKNOWN
    return replace(kind, regions=regions_of(call.args[0]) | call.region)


def _flat_index(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    """One index per dimension, each of the form of the index into all entries."""
    array, index = call.args
    if not isinstance(array, Array) or not array.dims:
        return UNKNOWN
    if isinstance(index, Integer):
        return Tuple((Integer(),) * len(array.dims))
    return Tuple((Array((Size((call.point, "flat")),), "i"),) * len(array.dims))


def _like_primal(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    """A gradient that was given the structure of its primal; one from the adjoint memory is refused."""
    if len(values) != 2:
        refuse_memory(interpreter, tree)
    return mirrored(interpreter, values[1].kind, call.region, Mirror.GRADIENT)


def _items_alike(place: int) -> Any:
    """The cotangents of the items of a sequence: a list of things alike, or an array."""

    def kind_of_items(
        interpreter: Interpreter, call: Call, values: list[Value], tree: Tree
    ) -> Kind:
        kind = call.args[place]
        if is_number(kind):
            return alike(kind, call.region)
        item = item_of(interpreter, Value(kind), Integer(), tree).kind
        inside: Regions = frozenset(("items", region) for region in call.region)
        made = List(call.region)
        interpreter.put(
            made.regions, "*", Value(mirrored(interpreter, item, inside, Mirror.ADJOINT))
        )
        return made if kind != UNKNOWN else UNKNOWN

    return kind_of_items


def sum_of_adjoints(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    """Return the kind of the sum of two adjoints of one value; one of them may be an untouched 0.0."""
    a, b = (value.kind for value in values)
    if is_number(a) and is_number(b):
        return elementwise_kind(call)
    whole = [kind for kind in (a, b) if not is_number(kind) and kind != NONE]
    if not whole or UNKNOWN in whole:
        return UNKNOWN
    made = [mirrored(interpreter, kind, call.region, Mirror.ADJOINT) for kind in whole]
    untouched = all(getattr(kind, "or_none", False) for kind in made)  # the sum is, if all are
    first, last = (_may_be_untouched(kind, untouched) for kind in (made[0], made[-1]))
    return first if first == last else UNKNOWN


def _may_be_untouched(kind: Kind, untouched: bool) -> Kind:
    """Return the kind of an adjoint in the place of which an untouched 0.0 may stand, or may not."""
    return replace(kind, or_none=untouched) if is_container(kind) else kind  # type: ignore[call-arg]


def _pieces(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    """A list of arrays of shapes that are not known."""
    made = List(call.region)
    inside: Regions = frozenset(("items", region) for region in call.region)
    interpreter.put(made.regions, "*", Value(Number(inside)))
    return made


def _full_adjoint(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    """A whole adjoint: the given one, but for an untouched 0.0."""
    given, kind = values[0].kind, values[1].kind
    if is_number(kind):
        return alike(kind, call.region)
    if isinstance(given, (Real, Integer)) or given == NONE:
        return mirrored(interpreter, kind, call.region, Mirror.ADJOINT)
    if given == UNKNOWN:
        return partly_untouched(interpreter, kind, call.region)
    if isinstance(given, Array) and is_listed(kind):  # a list that was put into an array
        items = as_nested_items(kind, interpreter.heap, (call.point, "items"))
        made = array(Call([items], {}, call.point, call.region))
        return replace(made, dtype=given.dtype) if isinstance(made, Array) else made
    return UNKNOWN if is_number(given) else given


def _guarded_product(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    factors = [*call.args, *call.keywords.values()]
    return elementwise_kind(Call(factors, {}, call.point, call.region))


def _order(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    return Array((call.size("order"),), "i", call.region)


def _along_axis(interpreter: Interpreter, call: Call, values: list[Value], tree: Tree) -> Kind:
    indices = call.args[0]
    if not isinstance(indices, Array):
        return UNKNOWN
    return Array(tuple(call.size(i) for i in range(len(indices.dims))), "i", call.region)


BUILT_IN_KINDS: dict[Any, Any] = KINDS_OF_MIRRORS | {
    as_gradient: _like_primal,
    full: _full_adjoint,
    times_partial: _guarded_product,
    unbroadcast: _full_adjoint,
    len: _length,
    min: _selected,
    max: _selected,
    sum: _summed,
    abs: _absolute,
    complex_sign: lambda _, call, values, tree: elementwise_kind(call),
    complex: lambda i, c, v, t: Real("c16"),
    float: _as_float,
    int: _as_integer,
    ord: _as_integer,
    bisect.bisect_left: _as_integer,
    bisect.bisect_right: _as_integer,
    index_of_extreme: lambda i, c, v, t: Integer(of_numpy=True),
    round: _rounded,
    list: _copied_list,
    bool: lambda i, c, v, t: BOOL,
    slice: lambda i, c, v, t: Inert("slice"),
    range: lambda i, c, v, t: RANGE,
    isinstance: _is_instance,
    callable: _is_callable,
    finds_method: _finds_method,
    fit_gradient: _fitted,
    np.iscomplexobj: _is_complex,
    is_double: _is_double,
    flat_index: _flat_index,
    shuffled_order: _order,
    diagonal_places: _order,
    along_axis: _along_axis,
    cotangents_of_sum: _items_alike(1),
    add: sum_of_adjoints,
    meshgrid_bar: _pieces,
    split_like: _pieces,
    at_item: _items_alike(2),
}
