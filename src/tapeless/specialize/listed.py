"""Iterators of `itertools` that give what carries a derivative, written as the lists of what they give.

v = chain(x, y)               ->   v = [*x, *y]
v = chain.from_iterable(rows) ->   v = []; for row in rows: for item in row: v.append(item)
v = product(x, y)             ->   v = []; for i, j in product(range(len(x)), range(len(y))): ...
                                       v.append((x[i], y[j]))
v = combinations(x, 2)        ->   v = []; for i, j in combinations(range(len(x)), 2): v.append((x[i], x[j]))
v = zip_longest(x, y)         ->   v = []; for i in range(max(len(x), len(y))): ...; v.append((a, b))

A list can be gone through twice and gives nothing to `next`, so this is done where the iterator is used up at
once: by a loop that does not change what it reads, or by `list`, `sum` and their like. `product`,
`combinations` and `permutations` read everything before they give anything: any loop may use them up.
"""

from __future__ import annotations

import itertools
from typing import Any

import gast

from tapeless.analysis.abstract import reachable
from tapeless.analysis.interpret.iterators import AT_ONCE, LISTED
from tapeless.externals import MISSING, is_one_of
from tapeless.kinds import Dict, Instance
from tapeless.normalize.expand_comprehensions import READ_FIRST
from tapeless.ranks import literal
from tapeless.specialize.state import Specializer
from tapeless.specialize.stores import stored_in
from tapeless.tree.blocks import binds_one_name
from tapeless.tree.build import assign, call, const, name, quote, quote_expression, target
from tapeless.tree.names import children, nodes
from tapeless.tree.trees import Expr

_SIDE_BY_SIDE = (zip, enumerate, itertools.chain)


def listed(specializer: Specializer, tree: Expr, found: Any, to: str) -> list[Any] | None:
    """Write `to = chain(x, y)` and its like as a list; None where nothing varies or it is not one."""
    if not is_one_of(found, LISTED):
        return None
    given = [*tree.args, *(k.value for k in tree.keywords)]
    values = [specializer.value(a) for a in given]
    if not any(map(specializer.interpreter.holds_varied, values)):
        return None
    reads_on = not is_one_of(found, READ_FIRST)
    _check_used_up(specializer, tree, to, [v.kind for v in values] if reads_on else [])
    if found is itertools.chain:
        made, stars = [], []
        for arg in tree.args:
            if isinstance(specializer.kind(arg), Instance):
                items = specializer.names.fresh("v")
                made += specializer.items_of(arg, items)
                arg = name(items)
            stars.append(gast.Starred(arg, gast.Load()))
        return [*made, assign(to, gast.List(stars, gast.Load()))]
    if is_one_of(found, (itertools.chain.from_iterable,)):
        row, item = specializer.names.fresh("row"), specializer.names.fresh("item")
        body = [gast.For(target(item), name(row), quote("v.append(i)", v=to, i=item), [], None)]
        return [_empty(to), gast.For(target(row), tree.args[0], body, [], None)]
    pools: list[Any] = []
    made = [_pool(specializer, a, pools) for a in tree.args[: _iterables(found, tree)]]
    if found is itertools.zip_longest:
        return [*made, *_side_by_side(specializer, tree, pools, to)]
    chosen = _chosen(specializer, tree, found, pools)
    return None if chosen is None else [*made, *_by_indices(specializer, tree, chosen, pools, to)]


def _check_used_up(specializer: Specializer, tree: Expr, to: str, kinds: list[Any]) -> None:
    """Refuse an iterator that is kept, or read by a loop that changes what is read."""
    function = specializer.function
    label = gast.unparse(tree.func).strip()
    use: Any = None if to in function.own_names else uses_of(function, to)
    if type(use) is gast.Call:
        called = function.resolve(use.func)
        if called is not MISSING and is_one_of(called, AT_ONCE):
            return
    if type(use) is not gast.For:
        specializer.refuse(
            tree,
            f"what `{label}` gives carries a derivative, and it is not used up where it is written",
            "put `list(...)` around it",
        )
    if reachable(kinds, specializer.facts.heap) & stored_in(specializer, use.body):
        specializer.refuse(
            tree,
            f"`{label}` reads on while the loop runs, and the loop changes what it reads",
            "put `list(...)` around it, if it may read everything first",
        )


def uses_of(function: Any, key: str) -> Any:
    """Return what a name is used in, if it is read once: a call, a loop, a starred item, an assignment.

    A loop counts also where the name stands in `zip`, `enumerate` or `chain` there.
    """
    own = nodes(function.tree, nested=False)
    parents = {c: p for p in own for c in children(p)}
    reads = [p for p in own if type(p) is gast.Name and p.id == key and type(p.ctx) is gast.Load]
    use: Any = parents.get(reads[0]) if len(reads) == 1 else None
    if isinstance(use, gast.Call) and is_one_of(function.resolve(use.func), _SIDE_BY_SIDE):
        use = parents.get(use)
        joined = binds_one_name(use) and use.targets[0].id not in function.own_names
        return uses_of(function, use.targets[0].id) if joined else use
    return use


def _empty(to: str) -> Any:
    return assign(to, gast.List([], gast.Load()))


def _iterables(found: Any, tree: Expr) -> int:
    """Return how many of the arguments are gone through: of `combinations` the first."""
    several = is_one_of(found, (itertools.product, itertools.zip_longest))
    return len(tree.args) if several else 1


def _pool(specializer: Specializer, tree: Expr, pools: list[Any]) -> Any:
    """Write the list of what is gone through, for a dict its keys."""
    key = specializer.names.fresh("pool")
    pools.append(name(key))
    keys = isinstance(specializer.kind(tree), Dict)
    return assign(key, quote_expression("list(x)" if keys else "[*x]", x=tree))


def _chosen(specializer: Specializer, tree: Expr, found: Any, pools: list[Any]) -> list[int] | None:
    """Return from which pool each part of an item comes; None where it is not known how many there are."""
    given = {k.arg: k.value for k in tree.keywords}
    if found is itertools.product:
        times = literal(specializer.kind(given.get("repeat", const(1))))
        return list(range(len(pools))) * times if isinstance(times, int) else None
    if found is itertools.pairwise:
        return [0, 0]
    count = tree.args[1] if len(tree.args) > 1 else given.get("r")
    known = None if count is None else literal(specializer.kind(count))
    return [0] * known if isinstance(known, int) else None


def _by_indices(
    specializer: Specializer, tree: Expr, chosen: list[int], pools: list[Any], to: str
) -> list[Any]:
    """Fill a list with the items at the places that the same iterator gives for indices."""
    made: list[Any] = []
    places: list[Any] = []
    for pool in pools:
        count, place = specializer.names.fresh("n"), specializer.names.fresh("places")
        made.append(assign(count, call("len", pool)))
        made.append(assign(place, call("range", name(count))))
        places.append(name(place))
    indices, at = specializer.names.fresh("indices"), specializer.names.fresh("at")
    arguments = [*places, *tree.args[len(pools) :]]
    made.append(assign(indices, gast.Call(tree.func, arguments, tree.keywords)))
    body: list[Any] = []
    items: list[Any] = []
    for k, source in enumerate(chosen):
        i, item = specializer.names.fresh("i"), specializer.names.fresh("item")
        body += [assign(i, quote_expression(f"at[{k}]", at=at)),
                 assign(item, quote_expression("x[i]", x=pools[source], i=i))]  # fmt: skip
        items.append(name(item))
    return [*made, *_filled(specializer, to, target(at), name(indices), body, items)]


def _side_by_side(specializer: Specializer, tree: Expr, pools: list[Any], to: str) -> list[Any]:
    """Fill a list with the items side by side, and the fill value where there are none left."""
    fill = next((k.value for k in tree.keywords if k.arg == "fillvalue"), const(None))
    counts = [specializer.names.fresh("n") for _ in pools]
    made: list[Any] = [assign(n, call("len", pool)) for n, pool in zip(counts, pools, strict=True)]
    most, k = specializer.names.fresh("n"), specializer.names.fresh("k")
    longest = call("max", *map(name, counts)) if len(counts) > 1 else name(counts[0])
    made.append(assign(most, longest))
    body: list[Any] = []
    items: list[Any] = []
    for n, pool in zip(counts, pools, strict=True):
        item = specializer.names.fresh("item")
        text = "if k < n:\n    v = x[k]\nelse:\n    v = f"
        body += quote(text, k=k, n=n, v=item, x=pool, f=fill)
        items.append(name(item))
    return [*made, *_filled(specializer, to, target(k), call("range", name(most)), body, items)]


def _filled(
    specializer: Specializer,
    to: str,
    place: Expr,
    iterable: Expr,
    body: list[Any],
    items: list[Any],
) -> list[Any]:
    whole = specializer.names.fresh("v")
    body = [
        *body,
        assign(whole, gast.Tuple(items, gast.Load())),
        *quote("x.append(v)", x=to, v=whole),
    ]
    return [_empty(to), gast.For(place, iterable, body, [], None)]
