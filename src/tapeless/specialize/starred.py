"""What `*x` stands for in displays and calls, where the kinds tell.

Of a tuple every item is known by itself: its items stand one by one. Anything else is put together as a
list. The parameters of a function say how many items it is given.

    w = (u, *v)            ->   w = tuple([u] + list(v))
    y = f(u, *t)           ->   a = t[0]; b = t[1]; y = f(u, a, b)
    y = f(u, *v)           ->   a, b = v; y = f(u, a, b)
    y = f(u, *v)           ->   w = tuple(v); y = f(u, *w)              for `def f(u, *w)`
    y = f(u, *v)           ->   items = list(v); a = items[0]; w = items[1:]; y = f(u, a, *w)
                                                                        for `def f(u, a, *w)`
    y = f(*u, *v)          ->   items = list(u) + list(v); a, b, c = items; y = f(a, b, c)
    y = f(*u, *v)          ->   items = list(u) + list(v); y = f(*items)        for `def f(*w)`
    y = f(u, **d)          ->   k = d["k"]; y = f(u, k=k)
    y = f(u, **d)          ->   if "k" in d: k = d["k"]
                                else: k = 1.0                   where the dict was stored into
                                y = f(u, k=k)
"""

from __future__ import annotations

import inspect
import types
from itertools import takewhile
from typing import Any

import gast

from tapeless.analysis.interpret.binding import Default, default_values
from tapeless.analysis.interpret.containers import keys_of
from tapeless.analysis.interpret.renaming import UNLIKE
from tapeless.kinds import Array, Kind, List, Number, Sequence, Tuple, regions_of
from tapeless.rules.traits import traits_of
from tapeless.specialize.positions_taken import arguments_taken, core_called
from tapeless.specialize.spread_items import is_told_apart, parts_of
from tapeless.specialize.state import Specializer
from tapeless.tree.build import (
    as_store,
    assign,
    const,
    is_literal,
    name,
    quote,
    quote_expression,
    unshared,
)
from tapeless.tree.trees import Expr

_MOST_CHOICES = 8


def starred_display(specializer: Specializer, tree: Expr, to: str) -> list[Any] | None:
    """Write `[u, *v]` as the items one by one where it is known how many, else piece by piece."""
    if not _stars(tree.elts):
        return None
    first, items = _spread(specializer, tree.elts)
    if not _stars(items):
        return [*first, assign(to, type(tree)(items, gast.Load()))]
    made, whole = _joined(specializer, items)
    if type(tree) is gast.Tuple:
        whole = gast.Call(name("tuple"), [whole], [])
    return [*first, *made, assign(to, whole)]


def _stars(items: list[Any]) -> list[Any]:
    return [item for item in items if type(item) is gast.Starred]


def _spread(specializer: Specializer, items: list[Any]) -> tuple[list[Any], list[Any]]:
    """Read the items of `*t`, for tuples of known length; return the reads and the whole row."""
    reads: list[Any] = []
    row: list[Any] = []
    for item in items:
        if type(item) is not gast.Starred or not is_told_apart(specializer, item.value):
            row.append(item)
            continue
        for part in parts_of(specializer, item.value):
            key = specializer.names.fresh("v")
            reads.append(assign(key, part))
            row.append(name(key))
    return reads, row


def _joined(specializer: Specializer, items: list[Any]) -> tuple[list[Any], Any]:
    """Put items and starred sequences together in one list; return the statements and the list."""
    pieces: list[Any] = []
    for item in items:
        if type(item) is gast.Starred:
            pieces.append(gast.Call(name("list"), [item.value], []))
        elif pieces and type(pieces[-1]) is gast.List:
            pieces[-1].elts.append(item)
        else:
            pieces.append(gast.List([item], gast.Load()))
    keys = [specializer.names.fresh("items") for _ in pieces]
    made = [assign(key, piece) for key, piece in zip(keys, pieces, strict=True)]
    whole = name(keys[0])
    for key in keys[1:]:
        joined = specializer.names.fresh("items")
        made.append(assign(joined, gast.BinOp(whole, gast.Add(), name(key))))
        whole = name(joined)
    return made, whole


def _shown(specializer: Specializer, star: Expr) -> str:
    """Return a starred argument as a message shows it."""
    starred = gast.Starred(star, gast.Load())
    return str(specializer.function.spelled(starred, "the starred argument"))


def starred_call(specializer: Specializer, tree: Expr, to: str | None) -> list[Any] | None:
    """Write `f(u, *v)` with the items of a tuple, or else with an argument for each parameter of `f`."""
    stars = [a.value for a in tree.args if type(a) is gast.Starred]
    if all(is_told_apart(specializer, part) for part in stars):
        first, items = _spread(specializer, tree.args)
        call = gast.Call(tree.func, items, tree.keywords)
        return [*first, gast.Expr(call) if to is None else assign(to, call)]
    of_sequence = traits_of(specializer.facts.object_called(tree)).of_sequence
    if of_sequence is not None and not tree.keywords:
        made, [star] = _all_starred(specializer, tree.args)
        call = gast.Call(name(specializer.external(of_sequence)), [star.value], [])
        return [*made, gast.Expr(call) if to is None else assign(to, call)]
    counts = arguments_taken(specializer, tree)
    if counts is None:
        return None
    filled = None if counts else _filled_before_rest(specializer, tree)
    if filled is not None:
        taken = _taken_apart(specializer, tree, filled, to) if filled else None
        return taken or _rest_as_tuple(specializer, tree, to)
    together = None if counts else _in_one_list(specializer, tree, to)
    if together is not None:
        return together
    if not 0 < len(counts) <= _MOST_CHOICES:
        if any(specializer.value(part).varied for part in stars):
            specializer.refuse(
                tree,
                f"how many arguments {_shown(specializer, stars[0])} passes is not known here",
                "pass them one by one or in a tuple, or let the function take the sequence itself",
            )
        return None
    made, args = _one_starred(specializer, tree.args)
    if counts[-1] + 1 <= len(args):  # no item is taken: what unpacks them says so
        made, args = _all_starred(specializer, tree.args)
    [star] = [item.value for item in args if type(item) is gast.Starred]
    left = [count + 1 - len(args) for count in counts if count + 1 >= len(args)]
    call = _call_of_items(specializer, tree, args, left[-1], to)
    for count in reversed(left[:-1]):
        test = quote_expression("len(x) == n", x=star, n=const(count))
        call = [gast.If(test, _call_of_items(specializer, tree, args, count, to), call)]
    return [*made, *call]


def _filled_before_rest(specializer: Specializer, tree: Expr) -> int | None:
    """Return how many parameters a starred argument fills before the `*args` of a function.

    Returns
    -------
    None where it is not the last and only one, or where what it fills may have defaults.
    """
    starred = [type(argument) is gast.Starred for argument in tree.args]
    core, first = core_called(specializer, tree)
    given = {keyword.arg for keyword in tree.keywords}
    if core is None or core.tree.args.vararg is None or None in given:
        return None
    signature = core.tree.args
    own = [p.id for p in [*signature.posonlyargs, *signature.args] if p.id not in core.captured]
    left = own[first + len(starred) - 1 :]
    required = len(own) - len(signature.defaults)
    alone = starred == [False] * (len(starred) - 1) + [True] and first + len(starred) - 1 <= len(
        own
    )
    if not alone or left and len(own) > required or given & set(left):
        return None
    return len(left)


def _in_one_list(specializer: Specializer, tree: Expr, to: str | None) -> list[Any] | None:
    """Write `f(u, *v, *w, z)` as `f(u, *items)` for a function with `*args`; None for any other call."""
    core, first = core_called(specializer, tree)
    if core is None or core.tree.args.vararg is None:
        return None
    own = len(core.tree.args.posonlyargs) + len(core.tree.args.args) - first
    before = list(takewhile(lambda a: type(a) is not gast.Starred, tree.args[:own]))
    rest = tree.args[len(before) :]
    if len(rest) < 2:
        return None
    made, starred = _all_starred(specializer, rest)
    call = gast.Call(tree.func, [*before, *starred], tree.keywords)
    return [*made, gast.Expr(call) if to is None else assign(to, call)]


def _taken_apart(
    specializer: Specializer, tree: Expr, count: int, to: str | None
) -> list[Any] | None:
    """Write `f(u, *v)` for `def f(u, a, *w)` as `f(u, items[0], *items[1:])`."""
    *args, last = tree.args
    items, rest = specializer.names.fresh("items"), specializer.names.fresh("rest")
    made = [assign(items, gast.Call(name("list"), [last.value], []))]
    keys = [specializer.names.fresh("v") for _ in range(count)]
    made += [quote("v = x[i]", v=k, x=items, i=const(i))[0] for i, k in enumerate(keys)]
    made += quote("r = x[n:]", r=rest, x=items, n=const(count))
    call = gast.Call(tree.func, [*args, *map(name, keys), _starred(rest)], tree.keywords)
    return [*made, gast.Expr(call) if to is None else assign(to, call)]


def _rest_as_tuple(specializer: Specializer, tree: Expr, to: str | None) -> list[Any] | None:
    """Write `f(u, *v)` with a tuple, which is what `*args` of the function holds."""
    *args, last = tree.args
    if isinstance(specializer.kind(last.value), Sequence) or _is_made(specializer, last.value):
        return None
    whole = gast.Call(name("tuple"), [last.value], [])
    key = specializer.names.fresh("items")
    call = gast.Call(tree.func, [*args, _starred(key)], tree.keywords)
    return [assign(key, whole), gast.Expr(call) if to is None else assign(to, call)]


def _is_made(specializer: Specializer, tree: Expr) -> bool:
    """Whether a name stands for a tuple that was made above, whether or not its items are known yet."""
    bound = specializer.function.definitions.get(tree.id) if type(tree) is gast.Name else None
    value = bound[0].value if bound and type(bound[0]) is gast.Assign else None
    if value is None or type(value) is not gast.Call:
        return False
    return specializer.function.resolve(value.func) is tuple


def _one_starred(specializer: Specializer, args: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return arguments of which one is starred, an array or a list, and what makes it."""
    stars = [item.value for item in args if type(item) is gast.Starred]
    if len(stars) == 1 and isinstance(specializer.kind(stars[0]), (Array, List, Number)):
        return [], args
    if len(stars) == 1 and not specializer.value(stars[0]).varied:  # apart from what varies
        key = specializer.names.fresh("items")
        taken = [_starred(key) if type(a) is gast.Starred else a for a in args]
        return [assign(key, gast.Call(name("list"), [stars[0]], []))], taken
    return _all_starred(specializer, args)


def _all_starred(specializer: Specializer, args: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return one starred list of all arguments, and what makes it."""
    made, whole = _joined(specializer, args)
    key = specializer.names.fresh("items")
    return [*made, assign(key, whole)], [_starred(key)]


def _starred(key: str) -> Any:
    return gast.Starred(name(key), gast.Load())


def keywords_call(specializer: Specializer, tree: Expr, to: str | None) -> list[Any] | None:
    """Write `f(**d)` with the slots of a dict whose keys are known; None where they are not."""
    [spread, *_] = [k for k in tree.keywords if k.arg is None]
    kind = specializer.kind(spread.value)
    keys = keys_of(specializer.facts.heap, kind)
    if keys is not None and _has_each_key(specializer, kind):
        choices: dict[str, Default] | None = {}
        gone: set[str] = set()
    else:
        choices, gone = _defaults(specializer, tree, keys)
    if keys is None or choices is None:
        return None
    made: list[Any] = []
    passed: list[Any] = []
    for key in keys:
        if key in gone:
            made += _not_passed(specializer, tree, spread.value, key)
            continue
        slot = specializer.names.fresh(key)
        read = assign(slot, gast.Subscript(spread.value, const(key), gast.Load()))
        if key in choices:
            there = gast.Compare(const(key), [gast.In()], [spread.value])
            made.append(gast.If(there, [read], [assign(slot, const(choices[key].value))]))
        else:
            made.append(read)
        passed.append(gast.keyword(key, name(slot)))
    others = [k for k in tree.keywords if k is not spread]
    call = gast.Call(tree.func, tree.args, [*others, *passed])
    return [*made, gast.Expr(call) if to is None else assign(to, call)]


def _has_each_key(specializer: Specializer, kind: Kind) -> bool:
    """Whether a dict has all the keys that it may have: it is never changed, be it one of several."""
    regions, heap = regions_of(kind), specializer.facts.heap
    several = regions & heap.get(UNLIKE, {}).keys() or any("*" in region for region in regions)
    alike = len({frozenset(heap.get(region, {})) for region in regions}) <= 1
    return alike and not several and not regions & specializer.facts.stored


def _not_passed(specializer: Specializer, tree: Expr, spread: Expr, key: str) -> list[Any]:
    """Write that a call raises where a dict still has a key that the function does not take."""
    there = gast.Compare(const(key), [gast.In()], [spread])
    called = specializer.facts.object_called(tree)
    if isinstance(called, type):
        called = inspect.getattr_static(called, "__init__")
    label = getattr(called, "__qualname__", "the function")
    reason = const(f"{label}() got an unexpected keyword argument {key!r}")
    raised = quote("raise TypeError(reason)", reason=reason)
    return [gast.If(there, raised, [])]


def _defaults(
    specializer: Specializer, tree: Expr, keys: list[str] | None
) -> tuple[dict[str, Default] | None, set[str]]:
    """Return the defaults of parameters that a dict may pass or not, and the keys that are none.

    None for the defaults where it is not known what the call takes.
    """
    starred = any(type(argument) is gast.Starred for argument in tree.args)
    known = None if keys is None or starred else _keywords_taken(specializer, tree)
    if known is None or keys is None:
        return None, set()
    own, taken, defaults = known
    free = taken - {k.arg for k in tree.keywords} - set(own[: len(tree.args)])
    gone = set(keys) - taken - set(own) - {k.arg for k in tree.keywords}
    found = {k: d for k, d in defaults.items() if k in keys}
    plain = all(is_literal(d.value) for d in found.values())
    return (found, gone) if set(keys) <= free | gone and plain else (None, set())


def _keywords_taken(
    specializer: Specializer, tree: Expr
) -> tuple[list[str], set[str], dict[str, Default]] | None:
    """Return what is taken by position, what by name, and the defaults; None where that is not known."""
    cls = specializer.facts.object_called(tree)
    if isinstance(cls, type):
        named = hasattr(cls, "_fields")  # a named tuple
        init = cls.__new__ if named else inspect.getattr_static(cls, "__init__", None)
        return (
            _keywords_of(inspect.signature(init)) if isinstance(init, types.FunctionType) else None
        )
    fields = _fields_replaced(specializer, tree.func)
    if fields is not None:
        return [], fields, {}
    core, first = core_called(specializer, tree)
    if core is None or core.tree.args.kwarg is not None:
        return None
    a = core.tree.args
    own = [p.id for p in [*a.posonlyargs, *a.args] if p.id not in core.captured]
    taken = {*own[len(a.posonlyargs) :], *(p.id for p in a.kwonlyargs)}
    return own[first:], taken - set(own[:first]), default_values(core)


def _fields_replaced(specializer: Specializer, func: Any) -> set[str] | None:
    """Return the fields of the named tuple whose `_replace` is called; None for any other function."""
    owner = specializer.kind(func.value) if type(func) is gast.Attribute else None
    if not isinstance(owner, Tuple) or func.attr != "_replace":
        return None
    return set(getattr(owner.cls, "_fields", ()))


def _keywords_of(
    signature: inspect.Signature,
) -> tuple[list[str], set[str], dict[str, Default]] | None:
    """Return what a constructor takes by position, what by name, and its defaults."""
    _, *own = signature.parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in own):
        return None
    placed = [p.name for p in own if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = {p.name for p in own if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    defaults = {p.name: Default(p.default) for p in own if p.default is not p.empty}
    return placed, named, defaults


def _call_of_items(
    specializer: Specializer, tree: Expr, args: list[Any], count: int, to: str | None
) -> list[Any]:
    """Write a call with the items of its one starred argument, which has so many."""
    keys = [specializer.names.fresh("v") for _ in range(count)]
    at = next(i for i, item in enumerate(args) if type(item) is gast.Starred)
    places = gast.Tuple([as_store(name(key)) for key in keys], gast.Store())
    passed = [*args[:at], *map(name, keys), *args[at + 1 :]]
    call = unshared(gast.Call(tree.func, passed, tree.keywords))
    return [
        *([gast.Assign([places], args[at].value, None)] if keys else []),
        gast.Expr(call) if to is None else assign(to, call),
    ]
