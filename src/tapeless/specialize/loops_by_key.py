"""A loop over a dict that holds functions, or what has nothing in common, asks which key has come.

So does one that looks up attributes by the keys: `for k, v in options.items(): setattr(self, k, v)`.

So each item is told apart from the others, in whatever order the dict has them. Where the order is known
too, the loop is written out.

    for name, run in steps.items():     ->   for name in steps:
        y = run(y)                               if name == "shift":
                                                     run = steps["shift"]
                                                     y = run(y)
                                                 else:
                                                     run = steps["scale"]
                                                     y = run(y)
"""

from __future__ import annotations

import types
from typing import Any

import gast

from tapeless.analysis.function_values import is_bound, is_told
from tapeless.externals import is_one_of
from tapeless.joins import join
from tapeless.kinds import UNREACHED, Dict, Functions, Instance, Kind
from tapeless.normalize.attributes_by_key import is_sorted_names
from tapeless.runtime import own_names
from tapeless.specialize.loops_over_keys import MOST_PARTS, Visit, is_by_name, written_in_order
from tapeless.specialize.state import Specializer
from tapeless.tree.build import as_store, assign, at_line_of, const, filled, name, quote_expression
from tapeless.tree.classes import FUNCTIONS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds_in_block, nodes
from tapeless.tree.trees import Expr, Stmt


def loop_by_key(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write a loop over the items of a dict by their keys; None where one kind says what they are."""
    key, value, over = _targets(s)
    named = _named_of(specializer, s.iter) or _sorted_dict(specializer, s.iter)
    if named is not None and type(s.target) is gast.Name:
        key, value, over = s.target.id, None, named
    if type(over) is not gast.Name or over.id in binds_in_block(s.body):
        return None
    parts = [part for inner in s.body for part in nodes(inner)]
    items = [value.id] if value is not None else _looked_up(parts, over.id, key)
    if key in binds_in_block(s.body) or any(type(part) in FUNCTIONS for part in parts):
        return None
    by_name = key is not None and any(is_by_name(specializer, part, {key}) for part in parts)
    keys = _keys_told(specializer, over, by_name) if items or by_name else None
    if not keys or len(keys) * len(parts) > MOST_PARTS:
        return None
    asked = key or specializer.names.fresh("key")
    in_order = written_in_order(specializer, s, over, Visit(asked, value, list))
    if in_order is not None:
        return in_order
    made: list[Any] = []
    for label in reversed(keys):
        block = [filled(inner, {asked: const(label)}) for inner in s.body]
        if value is not None:
            item = quote_expression("d[k]", d=over, k=const(label))
            block.insert(0, assign(value.id, item))
        test = gast.Compare(name(asked), [gast.Eq()], [const(label)])
        made = [gast.If(test, block, made)] if made else block
    through = over if named is None else s.iter
    return [at_line_of(gast.For(as_store(name(asked)), through, made, s.orelse, None), s)]


def _named_of(specializer: Specializer, over: Expr) -> Any:
    """Return the object through the names of whose attributes a loop goes, in some order."""
    function = specializer.function
    if is_sorted_names(function, over):
        over = over.args[0]
    named = type(over) is gast.Call and function.resolve(over.func) is own_names
    return over.args[0] if named else None


def _sorted_dict(specializer: Specializer, over: Expr) -> Any:
    """Return the dict through whose keys, put into an order, a loop goes; None for any other loop."""
    function = specializer.function
    made = _only_value(function, over)
    if type(made) is not gast.Call or len(made.args) != 1:
        return None
    [owner] = made.args
    ordered = is_one_of(function.resolve(made.func), (sorted, list, tuple))
    if not ordered or type(owner) is not gast.Name or not isinstance(specializer.kind(owner), Dict):
        return None
    given = owner.id in function.parameters and not _stores(function, owner.id)
    return owner if given or _only_value(function, owner) is not None else None


def _only_value(function: CoreFunction, tree: Expr) -> Any:
    """Return what a name stands for that one statement binds; None for another expression."""
    if type(tree) is not gast.Name or len(_stores(function, tree.id)) != 1:
        return None
    bound = (s for s in nodes(function.tree) if type(s) is gast.Assign)
    found = [s.value for s in bound if getattr(s.targets[0], "id", None) == tree.id]
    return found[0] if found and tree.id not in function.parameters else None


def _stores(function: CoreFunction, key: str) -> list[Any]:
    """List the places in which a function binds a name, besides its head."""
    names = (part for part in nodes(function.tree) if type(part) is gast.Name and part.id == key)
    return [part for part in names if type(part.ctx) is gast.Store]


def loop_over_pairs(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write `for p in d.items()` with names for the key and what is held there; None for other loops."""
    called: Any = s.iter.func if type(s.iter) is gast.Call and not s.iter.args else None
    if (
        type(called) is not gast.Attribute
        or called.attr != "items"
        or type(s.target) is not gast.Name
    ):
        return None
    if not isinstance(specializer.kind(called.value), Dict):
        return None
    key, held = (specializer.names.fresh(wish) for wish in ("key", "held"))
    pair = gast.Tuple([name(key), name(held)], gast.Load())
    place = gast.Tuple([as_store(name(key)), as_store(name(held))], gast.Store())
    body = [assign(s.target.id, pair), *s.body]
    return [at_line_of(gast.For(place, s.iter, body, s.orelse, None), s)]


def _targets(s: Stmt) -> tuple[str | None, Any, Any]:
    """Return the name of the key, the place of the item beside it, and what the loop visits."""
    over, place = s.iter, s.target
    if type(over) is gast.Name:
        return (place.id, None, over) if type(place) is gast.Name else (None, None, None)
    called: Any = over.func if type(over) is gast.Call and not over.args else None
    if type(called) is not gast.Attribute or type(called.value) is not gast.Name:
        return None, None, None
    if called.attr in ("keys", "values") and type(place) is gast.Name:
        key = place.id if called.attr == "keys" else None
        return key, None if key else place, called.value
    named = type(place) is gast.Tuple and all(type(part) is gast.Name for part in place.elts)
    if called.attr == "items" and named and len(place.elts) == 2:
        return place.elts[0].id, place.elts[1], called.value
    return None, None, None


def _looked_up(parts: list[Any], owner: str, key: str | None) -> list[str]:
    """List the names to which the items of a dict are bound that are looked up by a key."""
    found = []
    for part in parts:
        read: Any = part.value if type(part) is gast.Assign else None
        if type(read) is gast.Subscript and type(part.targets[0]) is gast.Name:
            places = getattr(read.value, "id", None), getattr(read.slice, "id", None)
            found += [part.targets[0].id] if places == (owner, key) else []
    return found


def _keys_told(specializer: Specializer, over: Expr, by_name: bool) -> list[Any] | None:
    """List the keys that a dict may have, where no kind tells what one of its items is, or names matter."""
    kind, facts = specializer.kind(over), specializer.facts
    if not isinstance(kind, (Dict, Instance)) or kind.or_none:
        return None
    stored = frozenset() if by_name else facts.stored  # a store by any key shows in its slots
    if kind.regions & frozenset(stored).union(*facts.unseen.values()):
        return None
    slots = [facts.heap.get(region, {}) for region in sorted(kind.regions, key=repr)]
    keys = list(dict.fromkeys(key for held in slots for key in held))
    if by_name:
        return keys if all(isinstance(key, str) and key not in ("*", "?") for key in keys) else None
    if not all(type(key) in (str, int) and key not in ("*", "?") for key in keys):
        return None
    one: Kind = UNREACHED
    told = True
    for held in slots:
        for key in held:
            one, told = join(one, held[key].kind, "unlike"), told and _is_told(held[key].kind)
    return keys if len(keys) > 1 and told and not _is_told(one) else None


def _is_told(kind: Kind) -> bool:
    """Whether a kind says what a value is; of functions, which ones that have a name of their own."""
    if is_bound(kind):
        return is_told(kind)
    if isinstance(kind, Functions):
        return all(isinstance(option.value, types.FunctionType) for option in kind.options)
    return type(kind) is not Kind
