"""What an item of a thing may be.

Of a tuple every place is known by itself, of a dict every key; a list holds one kind of thing, unless
it is the adjoint of a tuple, whose places stay apart.
"""

from __future__ import annotations

import enum
import inspect
import types
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import gast

from tapeless.analysis.abstract import (
    NOTHING,
    Beside,
    Value,
    any_slot,
    join_all,
    join_values,
    taken_out,
)
from tapeless.analysis.interpret.hidden_methods import refuse_hidden
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.unseen import part_of_unknown
from tapeless.analysis.interpret.variables import as_value, is_mixture, refuse_mixture
from tapeless.analysis.keys import is_any_key, kind_of_key, plain_key, slot_for_key
from tapeless.analysis.tuples import items_of
from tapeless.joins import as_array, classes_of, join
from tapeless.kinds import (
    HASHABLE,
    NONE,
    RANGE,
    SETS,
    SOMETHING,
    TEXT_OF_VARIED,
    UNKNOWN,
    UNREACHED,
    Array,
    Dict,
    Function,
    Inert,
    Instance,
    Integer,
    Iterator,
    Kind,
    List,
    Number,
    Opaque,
    Real,
    Region,
    Regions,
    Sequence,
    Tuple,
    Unreached,
    is_container,
    regions_within,
)
from tapeless.ranks import literal
from tapeless.tree.trees import Expr, Tree
from tapeless.variables import is_variable


def item_of(interpreter: Interpreter, owner: Value, index: Kind, tree: Tree) -> Value:
    """Return what an item of a container, tuple or array may be."""
    if is_variable(owner.kind):
        owner = as_value(interpreter, owner)
    kind, varied = as_array(owner.kind), interpreter.is_varied(owner)
    known, is_slice = literal(index), index == Inert("slice")
    if isinstance(kind, Tuple):
        return _part_of_tuple(interpreter, Value(kind, varied), known, is_slice, tree)
    if isinstance(kind, Sequence):
        item = Value(kind if is_slice else kind.item, varied)
        return taken_out(item, (interpreter.point(tree), known))
    if isinstance(kind, List) and is_slice:
        made = List(interpreter.fresh(tree))
        slot = any_slot(interpreter.heap, kind.regions, interpreter.point(tree))
        interpreter.put(made.regions, "*", slot)
        return Value(made, varied)
    if isinstance(kind, List):
        slot = _list_item(interpreter, kind, known, varied, tree)
        return taken_out(slot, (interpreter.point(tree), known))
    if isinstance(kind, Dict):
        if known is ... or known is None:
            _check_unmixed(interpreter, kind)
        if kind.fills_gaps:
            interpreter.put(kind.regions, slot_for_key(index), NOTHING)
        return dict_item(interpreter, kind, known, varied, tree)
    if isinstance(kind, Array):
        return Value(_row(kind), varied)
    if isinstance(kind, Number):
        return Value(kind, varied)
    if isinstance(kind, Iterator):
        return taken_out(Value(kind.item), (interpreter.point(tree), known))
    members = _members(kind)
    if members:
        read = [Value(interpreter.abstract(m, ("external", id(m)))) for m in members]
        return join_all(read, interpreter.point(tree))
    if kind == RANGE:
        return Value(kind if is_slice else Integer())
    if kind == TEXT_OF_VARIED:
        return Value(kind)
    if isinstance(kind, Opaque):
        return Value(UNKNOWN)
    if kind in SETS:
        return Value(HASHABLE)
    if isinstance(kind, (Inert, Integer, Unreached)):
        return Value(Inert() if not isinstance(kind, Unreached) else kind)
    if isinstance(kind, Instance) and _is_written_out(kind):
        return Value(UNKNOWN, varied)
    refuse_hidden(interpreter, [kind], ["__getitem__", "__iter__"], tree)
    return Value(_item_of_unknown(interpreter, kind), varied)


def may_be_slice(index: Kind) -> bool:
    """Whether an index of a list or tuple may be a slice: it is not known to name one item.

    It is taken for one that names an item, which `single_index` asks at run time.

    Examples
    --------
    >>> may_be_slice(Inert("slice")), may_be_slice(SOMETHING), may_be_slice(Integer())
    (True, True, False)
    """
    if isinstance(index, Opaque):
        return issubclass(slice, index.cls)
    return type(index) is Kind or index in (Inert(), Inert("slice"))


def _is_written_out(kind: Instance) -> bool:
    """Whether what gives the items of an object is in Python: it is written out, and they are known then."""
    methods = [inspect.getattr_static(each.cls, "__iter__", None) for each in kind.alternatives]
    return all(isinstance(method, types.FunctionType) for method in methods)


def _members(kind: Kind) -> list[enum.Enum]:
    """List the members of an enumeration; nothing for anything else."""
    cls = kind.value if isinstance(kind, Function) else None
    return list(cls) if isinstance(cls, enum.EnumMeta) else []


def key_of(interpreter: Interpreter, kind: Dict) -> Value:
    """Return what a key of a dict may be: a text, an integer or a tuple of such where all of them are."""
    slots = [interpreter.heap.get(region) for region in sorted(kind.regions, key=repr)]
    found: Kind = UNREACHED if slots and None not in slots else SOMETHING
    for key in (key for held in slots for key in held or ()):
        if not isinstance(key, Beside):
            found = join(found, kind_of_key(key), "key")
    return Value(plain_key(found) or SOMETHING)


def _item_of_unknown(interpreter: Interpreter, kind: Kind) -> Kind:
    """Return what an item may be of something of which nothing is known: any object that is held anywhere.

    A list that is held beside a number is no reason to take every number for a list.
    """
    held = [value.kind for slots in interpreter.heap.values() for value in slots.values()]
    classes = frozenset().union(*map(classes_of, held)) - {list, tuple}
    return replace(part_of_unknown(interpreter, kind), may_be=classes)


def in_slot(interpreter: Interpreter, region: Region, slot: Hashable, value: Value) -> Value:
    """Return what a store puts into an adjoint: the 0.0 in the place of a container's is no number.

    Generated code writes it where it has taken the adjoint out, and asks `full` for what is there.
    """
    if value.varied or not isinstance(value.kind, Real) or not _is_literal(interpreter.statement):
        return value
    present = interpreter.heap.get(region, {}).get(slot, NOTHING).kind
    return Value(NONE) if is_container(present) or present == NONE else value


def _is_literal(statement: Any) -> bool:
    """Whether a statement stores a number that is written out."""
    return type(getattr(statement, "value", None)) is gast.Constant


def _part_of_tuple(
    interpreter: Interpreter, whole: Value, known: Any, is_slice: bool, tree: Tree
) -> Value:
    """Return what one item of a tuple may be, any of them, or some in a sequence."""
    items = items_of(whole)
    if isinstance(known, int) and -len(items) <= known < len(items):
        part = items[known]
        return Value(part.kind, interpreter.is_varied(part))
    found: Kind = UNREACHED
    for item in items:
        found = join(found, item.kind, interpreter.point(tree))
    return Value(Sequence(found) if is_slice else found, whole.varied)


def _list_item(interpreter: Interpreter, kind: List, known: Any, varied: bool, tree: Tree) -> Value:
    """Return what a list may hold at a place: at this one, where nothing changes what it was made of.

    Other places may vary where this one does not. Nor does anything change what places a list has that is
    the adjoint of a tuple.
    """
    items = interpreter.displayed(kind) or ()
    if isinstance(known, int) and -len(items) <= known < len(items):
        if _live_together(items, any_slot(interpreter.heap, kind.regions, interpreter.point(tree))):
            return replace(items[known], varied=interpreter.is_varied(items[known]))
    if not has_place(interpreter, kind.regions, known):
        _check_unmixed(interpreter, kind)
        slot = any_slot(interpreter.heap, kind.regions, interpreter.point(tree))
        return replace(slot, varied=varied or slot.varied)
    slot = NOTHING
    for region in sorted(kind.regions, key=repr):
        slot = join_values(slot, interpreter.heap[region][known], interpreter.point(tree))
    return replace(slot, varied=varied or slot.varied)


def _live_together(items: tuple[Value, ...], joined: Value) -> bool:
    """Whether the join of arrays and numbers still says where each of them may live.

    An adjoint of the list as a whole is taken apart by what is known of any place.
    """
    kinds = [item.kind for item in items]
    if any(isinstance(kind, (Tuple, Sequence)) or is_container(kind) for kind in kinds):
        return False
    return all(regions_within(kind) <= regions_within(joined.kind) for kind in kinds)


def _row(kind: Array) -> Kind:
    """Return the kind of what an array holds along its first axis."""
    if len(kind.dims) > 1:
        return Array(kind.dims[1:], kind.dtype, kind.regions)
    return Integer(of_numpy=True) if kind.dtype in "ib" else Real(kind.dtype)


def dict_item(interpreter: Interpreter, kind: Dict, known: Any, varied: bool, tree: Tree) -> Value:
    """Return what a dict may hold for a key: that slot, or any where the key is not known."""
    found, whole = NOTHING, False
    several = len(kind.regions) > 1
    for region in sorted(kind.regions, key=repr):
        if several and lacks(interpreter, replace(kind, regions=frozenset([region])), known):
            continue
        slots = interpreter.heap.get(region, {})
        held = [slot for key, slot in slots.items() if key in (known, "*") or is_any_key(key)]
        if known is not ... and held:  # what is at other keys may vary where this does not
            for slot in held:
                found = join_values(found, slot, interpreter.point(tree))
        else:
            whole = varied
            found = join_values(
                found,
                any_slot(interpreter.heap, frozenset([region]), interpreter.point(tree)),
                "any",
            )
    found = taken_out(found, interpreter.point(tree))
    return Value(found.kind, whole or found.varied)


def lacks(interpreter: Interpreter, kind: Dict, known: Any) -> bool:
    """Whether a dict has nothing at a key: no store is met that may put something there."""
    if not isinstance(known, str) or kind.fills_gaps or kind.counts or not kind.regions:
        return False
    unseen = frozenset().union(*interpreter.unseen.values())
    if kind.regions & unseen or not kind.regions <= interpreter.heap.keys():
        return False
    slots = [slot for region in kind.regions for slot in interpreter.heap[region]]
    return not any(slot in (known, "*") or is_any_key(slot) for slot in slots)


def _check_unmixed(interpreter: Interpreter, kind: List | Dict) -> None:
    """Refuse to read an item that may be a Variable or an array."""
    slots = [v.kind for r in kind.regions for v in interpreter.heap.get(r, {}).values()]
    variables = [k for k in slots if is_variable(k)]
    if any(is_mixture(v, k) for v in variables for k in slots):
        refuse_mixture(interpreter, "reads")


def has_place(interpreter: Interpreter, regions: Regions, index: Expr) -> bool:
    """Whether lists are adjoints of tuples, which keep apart what their places hold."""
    slots = [interpreter.heap.get(region, {}) for region in regions]
    return isinstance(index, int) and all(index in s and "*" not in s for s in slots)
