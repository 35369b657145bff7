"""Lists, dicts and subscripts: what they hold, and what a store or a method changes.

A container is a region, and what it holds are slots of the heap: keys of a dict, `*` for anything in a
list, `?` for a key that is not known. A store adds to a slot and never takes away, for another name may
see the same memory.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from typing import Any, NoReturn

import gast

from tapeless.analysis.abstract import (
    Beside,
    Slots,
    Value,
    any_slot,
    is_adjoint_memory,
    join_all,
    join_values,
)
from tapeless.analysis.facts import Environment
from tapeless.analysis.indexing import indexed_kind
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.copying import copy_of, put_items_of, put_slots_of
from tapeless.analysis.interpret.items import dict_item, has_place, in_slot, item_of, key_of, lacks
from tapeless.analysis.interpret.joined_by_brackets import joined_by_brackets
from tapeless.analysis.interpret.special_calls import special_call
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.texts import COUNTING
from tapeless.analysis.interpret.unseen import note_unseen
from tapeless.analysis.interpret.variables import as_value
from tapeless.analysis.interpret.written_out import has_key, note_copied, note_sorted, note_texts
from tapeless.analysis.keys import slot_for_key
from tapeless.analysis.tuples import items_of, tuple_of
from tapeless.joins import as_array
from tapeless.kinds import (
    NONE,
    SOMETHING,
    UNKNOWN,
    Array,
    Dict,
    Function,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Regions,
    Sequence,
    Sparse,
    Tuple,
    Unreached,
    is_container,
    is_structure,
    regions_of,
)
from tapeless.origins import is_generated
from tapeless.ranks import literal
from tapeless.regions import is_mirror, mirror_of
from tapeless.rules.declare import find_written
from tapeless.runtime import AdjointRecord
from tapeless.tree.trees import Expr
from tapeless.variables import is_variable


def list_display(interpreter: Interpreter, tree: Expr, env: Environment) -> Value:
    """Interpret `[a, b]`."""
    made = List(interpreter.fresh(tree))
    interpreter.heap.setdefault(next(iter(made.regions)), {})
    varied = False
    generated = is_generated(interpreter.function.filename)  # perhaps a tuple's adjoint
    values = [value for item in tree.elts for value in displayed(interpreter, item, env)]
    for i, value in enumerate(values):
        varied |= value.varied
        interpreter.put(made.regions, i if generated else "*", value)
    if not any(type(item) is gast.Starred for item in tree.elts):
        interpreter.note_display(made.regions, values, interpreter.point(tree))
    return Value(made, varied)


def displayed(interpreter: Interpreter, tree: Expr, env: Environment) -> list[Value]:
    """Return what an item of a display may be; several of them for `*x`, of which one stands for many."""
    if type(tree) is not gast.Starred:
        return [interpreter.eval(tree, env)]
    found = spread_items(interpreter, tree.value, env)
    if [argument.is_starred for argument in found] != [True]:
        return [argument.value for argument in found]
    owner = found[0].value
    if isinstance(owner.kind, Dict):
        return [key_of(interpreter, owner.kind)]
    return [item_of(interpreter, owner, Integer(), tree)]


def dict_display(interpreter: Interpreter, tree: Expr, env: Environment) -> Value:
    """Interpret `{k: a}`; after `**` of what is not known, or for a key not known, any slot may be meant."""
    made = Dict(interpreter.fresh(tree))
    interpreter.heap.setdefault(next(iter(made.regions)), {})
    varied = False
    for key, item in zip(tree.keys, tree.values, strict=True):
        value = interpreter.eval(item, env)
        varied |= value.varied
        if key is None:
            _put_all_of(interpreter, made.regions, value.kind, tree)
            continue
        index = interpreter.eval(key, env)
        refuse_varied_key(interpreter, index)
        interpreter.put(made.regions, slot_for_key(index.kind), value)
    note_texts(interpreter, made, [getattr(key, "value", None) for key in tree.keys])
    return Value(made, varied)


def subscript(interpreter: Interpreter, tree: Expr, env: Environment) -> Value:
    """Interpret `x[i]`: a view or copy of an array, or an item of a container."""
    owner = as_value(interpreter, interpreter.eval(tree.value, env))
    if isinstance(owner.kind, (Array, Number)):
        kind = indexed_kind(as_array(owner.kind), tree.slice, interpreter, env, tree)
        return Value(kind, interpreter.is_varied(owner))
    if isinstance(owner.kind, Tuple) and type(tree.slice) is gast.Slice:
        parts = [tree.slice.lower, tree.slice.upper, tree.slice.step]
        ends = [None if p is None else literal(interpreter.eval(p, env).kind) for p in parts]
        if all(end is None or isinstance(end, int) for end in ends):
            return tuple_of(items_of(owner)[slice(*ends)])
    index = interpreter.eval(tree.slice, env)
    operands = Argument(tree.value, owner), Argument(tree.slice, index)
    called = special_call(interpreter, "__getitem__", CallSite(tree, operands, env=env))
    if called is not None:
        return called
    if is_adjoint_memory(owner.kind):
        return _adjoint_in_memory(interpreter, index, tree)
    holds = isinstance(owner.kind, (Tuple, Sequence, List, Dict, Integer))
    joined = None if holds else joined_by_brackets(interpreter, tree, env)
    if joined is not None:
        return joined
    if not holds and interpreter.is_varied(index):
        return Value(UNKNOWN, True)
    return item_of(interpreter, owner, index.kind, tree)


def store_item(
    interpreter: Interpreter, owner: Value, place: Expr, value: Value, env: Environment
) -> None:
    """Interpret `x[i] = value`."""
    kind = owner.kind
    regions = regions_of(kind)
    if value.varied and not regions and (kind == UNKNOWN or isinstance(kind, (Inert, Real))):
        _refuse_unseen_store(interpreter, place)
    if value.varied:
        if isinstance(kind, Sparse):
            _refuse_stored_entry(interpreter, place)
        interpreter.varied |= regions
    index = interpreter.eval(place.slice, env)
    if isinstance(kind, Dict) and has_key(interpreter, regions, index):
        interpreter.stored.add_at_keys(regions)
    else:
        interpreter.stored |= regions
    if not isinstance(kind, (List, Dict)):
        return
    slot: Hashable = "*"
    key = literal(index.kind)
    if isinstance(kind, Dict):
        refuse_varied_key(interpreter, index)
        slot = slot_for_key(index.kind)
    elif index.kind == Inert("slice"):
        value = item_of(interpreter, value, Integer(), place)
    elif has_place(interpreter, regions, key):
        slot = key
    for region in sorted(regions, key=repr):
        adjoint = is_mirror(region) or region[0] == "zeros"
        held = in_slot(interpreter, region, slot, value) if adjoint else value
        interpreter.put(frozenset([region]), slot, held)


def _refuse_unseen_store(interpreter: Interpreter, place: Expr) -> None:
    """Refuse a store of what varies into what is not known: nothing would remember it."""
    shown = interpreter.function.spelled(place.value, "this")
    interpreter.refuse_here(
        f"what {shown} is, which is stored into here, is not known",
        "annotate the parameters, or give like=",
    )


def _refuse_stored_entry(interpreter: Interpreter, place: Expr) -> None:
    """Refuse to store what varies into a sparse array, which is taken for one that stays as it is."""
    shown = interpreter.function.spelled(place.value, "here")
    interpreter.refuse_here(
        f"what carries a derivative is stored into the sparse array {shown}",
        "keep rows, columns and entries in lists or arrays, and make it of these at the end: "
        "coo_array((data, (i, j)), shape=(m, n))",
    )


def refuse_varied_key(interpreter: Interpreter, key: Value) -> None:
    """Refuse a key that varies: a loop over the keys would lose its derivative."""
    if interpreter.is_varied(key):
        interpreter.refuse_here(
            "the key of a dict carries a derivative",
            "use a number or text without one as the key, or tl.stop_gradient of it: "
            "its derivative is dropped",
        )


def method_of_counter(kind: Kind, method: str) -> Any:
    """Return the function that stands for a method of counters; None for one that all dicts have."""
    if not isinstance(kind, Dict) or not kind.counts:
        return None
    return find_written(getattr(Counter, method, None))


def container_method(interpreter: Interpreter, owner: Value, method: str, site: CallSite) -> Value:
    """Interpret a method of a list or a dict."""
    kind, tree, values = owner.kind, site.tree, site.values
    regions, point = regions_of(kind), interpreter.point(tree)
    varied = any(v.varied for v in site.given)
    everything = any_slot(interpreter.heap, regions, point)
    if isinstance(kind, List) and method in ("pop", "insert", "remove", "reverse", "sort"):
        interpreter.put(regions, "*", everything)  # its places no longer hold what they held
    if method in ("append", "insert", "extend", "setdefault", "update"):
        interpreter.stored |= regions
        if varied:
            interpreter.varied |= regions
        if isinstance(kind, Dict):
            _put_slots(interpreter, regions, method, site)
        elif method == "extend" and values:
            slot = any_slot(interpreter.heap, regions_of(values[0].kind), point)
            interpreter.put(regions, "*", slot)
        elif values:
            interpreter.put(regions, "*", values[-1])
        return Value(everything.kind if method == "setdefault" else NONE)
    if method in ("pop", "popitem", "clear", "reverse", "sort", "remove"):
        interpreter.stored |= regions
        taken = everything
        if isinstance(kind, Dict) and method == "pop" and values:
            held = _held_at(interpreter, kind, values[0], tree)
            taken = join_all([held, *values[1:]], point)
        return Value(taken.kind, taken.varied or interpreter.is_varied(owner))
    if method == "get":
        return _looked_up(interpreter, kind, values, tree)
    if method == "copy":
        return copy_of(interpreter, owner, False, tree)
    if method in ("values", "items") and (everything.varied or interpreter.is_varied(owner)):
        return Value(UNKNOWN, True)
    if method == "keys" and isinstance(kind, Dict):
        return Value(Inert("dict_keys"))  # what varies is no key
    if method in COUNTING:
        return Value(Integer())
    if method not in _LOOKING_METHODS:
        given = [owner, *site.given]
        note_unseen(interpreter, given)
        return Value(UNKNOWN, any(map(interpreter.holds_varied, given)))
    return Value(SOMETHING)


def _looked_up(interpreter: Interpreter, kind: Kind, values: list[Value], tree: Expr) -> Value:
    """Return what `d.get(key)` gives: what the dict holds at the key, or the default, left out None."""
    default = values[1] if len(values) > 1 else Value(NONE)
    if isinstance(kind, Dict) and lacks(interpreter, kind, literal(values[0].kind)):
        return default
    return join_values(
        _held_at(interpreter, kind, values[0], tree), default, interpreter.point(tree)
    )


def _held_at(interpreter: Interpreter, kind: Kind, key: Value, tree: Expr) -> Value:
    return dict_item(interpreter, kind, literal(key.kind), False, tree)  # type: ignore[arg-type]


_LOOKING_METHODS = ("values", "items", "keys", "__contains__")


def _put_slots(interpreter: Interpreter, regions: Regions, method: str, site: CallSite) -> None:
    """Put into dicts what `setdefault` or `update` may put there, by its key where that is known."""
    tree, values = site.tree, site.values
    for key, value in site.named.items():
        interpreter.put(regions, key, value)
    if method == "setdefault":
        default = values[1] if len(values) > 1 else Value(NONE)
        interpreter.put(regions, slot_for_key(values[0].kind), default)
    elif values:
        put_items_of(interpreter, regions, values[0], tree)


def merged_dict(interpreter: Interpreter, dicts: tuple[Dict, ...], tree: Expr) -> Dict:
    """Return what `a | b` is: a dict with the slots of both."""
    made = Dict(interpreter.fresh(tree))
    interpreter.heap.setdefault(next(iter(made.regions)), {})
    for kind in dicts:
        _put_all_of(interpreter, made.regions, kind, tree)
    return made


def _put_all_of(interpreter: Interpreter, regions: Regions, kind: Kind, tree: Expr) -> None:
    """Put into dicts what another one holds, slot by slot; what is not known to be one may hold any."""
    if not isinstance(kind, Dict):
        interpreter.put(regions, "?", any_slot(interpreter.heap, regions_of(kind), tree))
        return
    put_slots_of(interpreter, regions, kind)


def copied_items(interpreter: Interpreter, cls: Any, value: Value, tree: Expr) -> Value:
    """Return what `list(x)` or `tuple(x)` may be."""
    varied = interpreter.is_varied(value) and not isinstance(value.kind, Dict)
    if cls is tuple and isinstance(value.kind, Sequence):
        return Value(replace(value.kind, may_be_list=False), varied)
    if cls is tuple and isinstance(value.kind, Tuple):
        return Value(value.kind, varied)
    if isinstance(value.kind, Dict):
        item = key_of(interpreter, value.kind)
    else:
        item = item_of(interpreter, value, Integer(), tree)
    items = interpreter.displayed(value.kind)
    if cls is tuple and items:
        return tuple_of(items)
    if cls is tuple:
        return Value(Sequence(item.kind), varied)
    made = List(interpreter.fresh(tree))
    interpreter.heap.setdefault(next(iter(made.regions)), {})
    interpreter.put(made.regions, "*", item)
    note_copied(interpreter, made, value.kind)
    return Value(made, varied)


def sorted_items(interpreter: Interpreter, value: Value, tree: Expr) -> Value:
    """Return what `sorted(x)` may be."""
    made = copied_items(interpreter, list, value, tree)
    note_sorted(interpreter, made.kind, value.kind)
    return made


def members_of(kind: Kind) -> list[str] | None:
    """Name the members of an enumeration, in order; None for anything else.

    Examples
    --------
    >>> side = enum.Enum("Side", ["PAY", "RECEIVE"])
    >>> members_of(Function(side)), members_of(Function(len))
    (['PAY', 'RECEIVE'], None)
    """
    cls: Any = kind.value if isinstance(kind, Function) else None
    if not isinstance(cls, enum.EnumMeta):
        return None
    members: list[Any] = list(cls)
    return [member.name for member in members]


def spread_items(interpreter: Interpreter, tree: Expr, env: Environment) -> list[Argument]:
    """Return the reads of the items that `*tree` passes, if it is known how many."""
    owner = interpreter.eval(tree, env)
    members = members_of(owner.kind)
    if members is not None:
        reads = [gast.Attribute(tree, key, gast.Load()) for key in members]
        return [Argument(read, interpreter.eval(read, env)) for read in reads]
    if not isinstance(owner.kind, Tuple):
        return [Argument(gast.Starred(tree, gast.Load()), owner)]
    made = []
    for i, kind in enumerate(owner.kind.items):
        index = gast.Constant(i, None)
        item = Value(kind, owner.varied or interpreter.is_varied(Value(kind)))
        made.append(Argument(gast.Subscript(tree, index, gast.Load()), item))
    return made


def spread_keywords(
    interpreter: Interpreter, tree: Expr, env: Environment
) -> dict[str, Argument] | None:
    """Return the reads of the slots that `**tree` may pass; None where its keys are not known.

    Whether all of them are there is decided where the call is spelled out.
    """
    owner = interpreter.eval(tree, env)
    keys = keys_of(interpreter.heap, owner.kind)
    if keys is None:
        return None
    made = {}
    for key in keys:
        read = gast.Subscript(tree, gast.Constant(key, None), gast.Load())
        varied = interpreter.is_varied(owner)
        held = dict_item(interpreter, owner.kind, key, varied, tree)  # type: ignore[arg-type]
        made[key] = Argument(read, held)
    return made


def keys_of(heap: Slots, kind: Kind) -> list[str] | None:
    """List the keys that a dict may have, in an order that only the text decides.

    Returns
    -------
    None where it may have others, or is not a dict.
    """
    if not isinstance(kind, Dict):
        return None
    slots = [heap.get(region, {}) for region in sorted(kind.regions, key=repr)]
    keys = list(dict.fromkeys(key for held in slots for key in held))
    return None if "?" in keys or not all(isinstance(k, str) for k in keys) else keys  # type: ignore[return-value]


def _adjoint_in_memory(interpreter: Interpreter, thing: Value, tree: Expr) -> Value:
    """Return what the adjoint memory holds: a view for a view, slots that start at 0.0 for a thing."""
    kind = thing.kind
    if isinstance(kind, Unreached):
        return thing  # what an empty list would hold
    if is_variable(kind) or not regions_of(kind):
        refuse_memory(interpreter, tree)
    mirrors = frozenset(map(mirror_of, regions_of(kind)))
    made: Kind = replace(kind, regions=mirrors)  # type: ignore[call-arg]
    if is_container(kind):
        _mirror_slots(interpreter, kind)
    if isinstance(kind, Instance):
        made = Instance(AdjointRecord, mirrors)
    return Value(made, bool(mirrors & interpreter.varied))


def _mirror_slots(interpreter: Interpreter, kind: Kind) -> None:
    """Return the mirror of a container its slots: 0.0 each, until something is stored there."""
    for region in regions_of(kind):
        mirror = frozenset([mirror_of(region)])
        interpreter.heap.setdefault(mirror_of(region), {})
        for key, slot in list(interpreter.heap.get(region, {}).items()):
            if isinstance(key, Beside):
                continue
            interpreter.put(mirror, key, Value(NONE if is_structure(slot.kind) else Real()))


def refuse_memory(interpreter: Interpreter, tree: Expr) -> NoReturn:
    """Refuse to differentiate again what keeps adjoints by the identity of their things."""
    interpreter.refuse(
        tree,
        "a derivative that keeps the adjoints of objects or of outer state cannot be "
        "differentiated again yet",
        "keep the state in arrays that are parameters or made in the function",
    )
