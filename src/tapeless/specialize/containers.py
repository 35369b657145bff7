"""Methods and displays of lists and dicts, made of those that move one slot.

items.sort()        ->   v = sorted(items); items[:] = v
del items[i]        ->   items.pop(i)
d.update(e)         ->   for k in e: v = e[k]; d[k] = v
d = {**a, "k": v}   ->   d = {}; for k in a: ...; d["k"] = v
d = {**A, "k": v}   ->   d = A.copy(); d["k"] = v      where A is a plain dict outside
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from tapeless.analysis.interpret.special_calls import has_method
from tapeless.kinds import (
    Dict,
    Inert,
    List,
    Sequence,
    Tuple,
)
from tapeless.runtime import dict_of_mapping
from tapeless.specialize.loops_by_key import loop_by_key
from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import asked_place
from tapeless.tree.build import (
    as_store,
    assign,
    const,
    name,
    quote,
    quote_expression,
)
from tapeless.tree.trees import Expr, Stmt


def _list_extend(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    if to is not None or type(owner) is not gast.Name or len(tree.args) != 1:
        return None
    more = tree.args[0]
    made: list[Any] = []
    if not isinstance(specializer.kind(more), List):
        key = specializer.names.fresh("v")
        made = [assign(key, gast.Call(name("list"), [more], []))]
        more = name(key)
    return [*made, gast.AugAssign(as_store(owner), gast.Add(), more)]


def whole(specializer: Specializer, owner: Expr, value: Expr) -> list[Stmt]:
    """Put a new list into all slots of a list."""
    key = specializer.names.fresh("v")
    slots = gast.Subscript(owner, gast.Slice(None, None, None), gast.Store())
    return [assign(key, value), gast.Assign([slots], name(key), None)]


def _list_sort(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    if to is not None or tree.args:
        return None
    return whole(specializer, owner, gast.Call(name("sorted"), [owner], tree.keywords))


def _list_reverse(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    return (
        None if to is not None else whole(specializer, owner, quote_expression("x[::-1]", x=owner))
    )


def _list_clear(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    return None if to is not None else whole(specializer, owner, gast.List([], gast.Load()))


def _list_remove(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    if to is not None:
        return None
    key = specializer.names.fresh("i")
    found = assign(key, quote_expression("x.index(v)", x=owner, v=tree.args[0]))
    return [found, *quote("x.pop(i)", x=owner, i=key)]


def _list_delete(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    """Write `del items[i]` as a `pop`, and `del items[a:b]` as one for each item, from the end."""
    index = tree.args[0]
    if specializer.kind(index) != Inert("slice"):
        return quote("x.pop(i)", x=owner, i=asked_place(specializer, index))
    text = "for i in sorted(range(len(x))[s], reverse=True):\n    x.pop(i)"
    return quote(text, x=owner, s=index, i=specializer.names.fresh("i"))


def updated(specializer: Specializer, owner: Expr, more: Expr) -> list[Stmt]:
    """Write `owner.update(more)`, for a dict or a list of pairs."""
    key, value = specializer.names.fresh("key"), specializer.names.fresh("v")
    store = quote("d[k] = v", d=owner, k=key, v=value)
    if isinstance(specializer.kind(more), Dict):
        read = assign(value, quote_expression("e[k]", e=more, k=key))
        loop = gast.For(as_store(name(key)), more, [read, *store], [], None)
        return loop_by_key(specializer, loop) or [loop]
    pair = specializer.names.fresh("pair")
    place = gast.Tuple([as_store(name(key)), as_store(name(value))], gast.Store())
    unpack = gast.Assign([place], name(pair), None)
    return [gast.For(as_store(name(pair)), more, [unpack, *store], [], None)]


def _dict_update(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    known = not tree.args or isinstance(specializer.kind(tree.args[0]), (Dict, List, Sequence))
    if to is not None or not known or any(k.arg is None for k in tree.keywords):
        return None
    made = updated(specializer, owner, tree.args[0]) if tree.args else []
    for keyword in tree.keywords:
        slot = gast.Subscript(owner, const(keyword.arg), gast.Store())
        made.append(gast.Assign([slot], keyword.value, None))
    return made or [gast.Pass()]


def _dict_setdefault(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    first, key = specializer.index(tree.args[0])
    value = tree.args[1] if len(tree.args) > 1 else const(None)
    made = [*first, *quote("if k not in d:\n    d[k] = v", d=owner, k=key, v=value)]
    if to is not None:
        made.append(assign(to, quote_expression("d[k]", d=owner, k=key)))
    return made


def _dict_pop(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    if to is None and len(tree.args) == 1:
        return None  # as it is
    first, key = specializer.index(tree.args[0])
    taken = quote("d.pop(k)", d=owner, k=key)
    if to is not None:
        taken = [assign(to, quote_expression("d[k]", d=owner, k=key)), *taken]
    if len(tree.args) > 1:
        there = gast.Compare(key, [gast.In()], [owner])
        other = [gast.Pass()] if to is None else [assign(to, tree.args[1])]
        taken = [gast.If(there, taken, other)]
    return [*first, *taken]


_ITEM_POPPED = """
keys = list(d)
if len(keys) == 0:
    raise KeyError("popitem(): dictionary is empty")
key = keys[place]
item = d[key]
d.pop(key)
"""
_MOVED = """
item = d[key]
d.pop(key)
d[key] = item
"""
_OTHERS_MOVED = """
if key not in d:
    raise KeyError(key)
for other in list(d):
    if other != key:
        item = d[other]
        d.pop(other)
        d[other] = item
"""


def _dict_popitem(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    """Write `d.popitem()` as a `pop` of the key that came last, or first."""
    last = _is_last(tree, tree.args)
    if last is None:
        return None
    keys = {wish: specializer.names.fresh(wish) for wish in ("keys", "key", "item")}
    made = quote(_ITEM_POPPED, **keys, d=owner, place=const(-1 if last else 0))
    pair = gast.Tuple([name(keys["key"]), name(keys["item"])], gast.Load())
    return made if to is None else [*made, assign(to, pair)]


def _is_last(tree: Expr, args: list[Any]) -> bool | None:
    """Whether a call means the last item of an ordered dict; None where it does not say plainly."""
    given = [*args, *(k.value for k in tree.keywords if k.arg == "last")]
    if len(given) != len(args) + len(tree.keywords) or len(given) > 1:
        return None
    said = getattr(given[0], "value", None) if given else True
    return said if isinstance(said, bool) else None


def _dict_move_to_end(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    """Write `d.move_to_end(k)` as a `pop` and a store, of all other keys where it is to be the first."""
    last = _is_last(tree, tree.args[1:]) if tree.args else None
    if last is None or to is not None:
        return None
    first, key = specializer.index(tree.args[0])
    item, other = specializer.names.fresh("item"), specializer.names.fresh("other")
    if last:
        return [*first, *quote(_MOVED, d=owner, key=key, item=item)]
    return [*first, *quote(_OTHERS_MOVED, d=owner, key=key, item=item, other=other)]


def _dict_delete(
    specializer: Specializer, tree: Expr, owner: Expr, to: str | None
) -> list[Stmt] | None:
    return quote("d.pop(k)", d=owner, k=tree.args[0])


def made_dict(specializer: Specializer, tree: Expr, to: str, cls: type) -> list[Stmt] | None:
    """Write `dict(pairs, k=v)` as stores in order, into an ordered dict where that is asked for."""
    if any(k.arg is None for k in tree.keywords) or len(tree.args) > 1:
        return None
    if tree.args and not isinstance(specializer.kind(tree.args[0]), (Dict, List, Sequence, Tuple)):
        return None
    if cls is not dict and not tree.args and not tree.keywords:
        return None
    if cls is not dict:
        return _filled_in_order(specializer, tree, to)
    if not tree.args:
        keys = [const(k.arg) for k in tree.keywords]
        return [assign(to, gast.Dict(keys, [k.value for k in tree.keywords]))]
    table = specializer.names.fresh("table")
    made = [*_begun(specializer, tree.args[0], table), *_named(tree, table)]
    return [*made, assign(to, name(table))]


def _filled_in_order(specializer: Specializer, tree: Expr, to: str) -> list[Stmt]:
    """Write `OrderedDict(pairs, k=v)` as stores into an empty one."""
    table = specializer.names.fresh("table")
    made = [assign(table, gast.Call(tree.func, [], []))]
    for given in tree.args:
        made += updated(specializer, name(table), given)
    return [*made, *_named(tree, table), assign(to, name(table))]


def _named(tree: Expr, table: str) -> list[Any]:
    """Write what a call passes by name as stores into a dict."""
    slots = [gast.Subscript(name(table), const(k.arg), gast.Store()) for k in tree.keywords]
    values = [k.value for k in tree.keywords]
    return [gast.Assign([p], v, None) for p, v in zip(slots, values, strict=True)]


def mapping_as_dict(specializer: Specializer, tree: Expr) -> tuple[list[Any], Any]:
    """Return the dict that stands for what `**` spreads, and what makes it of an object with keys."""
    if isinstance(specializer.kind(tree), Dict) or not has_method(specializer.kind(tree), "keys"):
        return [], tree
    table = specializer.names.fresh("table")
    made = gast.Call(name(specializer.external(dict_of_mapping)), [tree], [])
    return [assign(table, made)], name(table)


def merged_display(specializer: Specializer, tree: Expr, to: str) -> list[Stmt] | None:
    """Write `{**a, "k": v}` as stores in order."""
    pairs = list(zip(tree.keys, tree.values, strict=True))
    spread = [mapping_as_dict(specializer, v) if k is None else ([], v) for k, v in pairs]
    tables = [s for made, _ in spread for s in made]
    if tables:
        return [*tables, assign(to, gast.Dict(tree.keys, [value for _, value in spread]))]
    kinds = [specializer.kind(v) for k, v in zip(tree.keys, tree.values, strict=True) if k is None]
    if not all(isinstance(kind, Dict) for kind in kinds):
        return None
    table = specializer.names.fresh("table")
    first = tree.values[0] if tree.keys[0] is None else None
    made = (
        [assign(table, gast.Dict([], []))] if first is None else _begun(specializer, first, table)
    )
    for key, value in zip(tree.keys, tree.values, strict=True):
        if value is first:
            continue
        if key is None:
            made += updated(specializer, name(table), value)
        else:
            made.append(gast.Assign([gast.Subscript(name(table), key, gast.Store())], value,
                                    None))  # fmt: skip
    return [*made, assign(to, name(table))]


def _begun(specializer: Specializer, first: Expr, table: str) -> list[Any]:
    """Begin a dict with what another one holds: each slot stays apart where that is a plain dict."""
    rest = specializer.function.tree.args.kwarg
    keywords = rest is not None and rest.id == getattr(first, "id", None)
    if keywords or type(specializer.function.resolve(first)) is dict:
        return [assign(table, quote_expression("d.copy()", d=first))]
    return [assign(table, gast.Dict([], [])), *updated(specializer, name(table), first)]


_Rewrite = Callable[[Specializer, Expr, Expr, str | None], list[Stmt] | None]
LIST_METHODS: dict[str, _Rewrite] = {
    "extend": _list_extend,
    "sort": _list_sort,
    "reverse": _list_reverse,
    "clear": _list_clear,
    "remove": _list_remove,
    "__delitem__": _list_delete,
}
DICT_METHODS: dict[str, _Rewrite] = {
    "update": _dict_update,
    "setdefault": _dict_setdefault,
    "pop": _dict_pop,
    "popitem": _dict_popitem,
    "move_to_end": _dict_move_to_end,
    "__delitem__": _dict_delete,
}
