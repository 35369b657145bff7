"""A dict or list that is filled as soon as it is made is written as a display.

    p = {}                       v = x[0]
    v = x[0]                     p_a = v
    p["a"] = v             ->    v = x[1]
    v = x[1]                     p_b = v
    p["b"] = v                   p = {"a": p_a, "b": p_b}

So does a list that is filled with `append`. Only what one statement of the user's was written out as:
`dict(zip(names, x))`, the loop that fills an empty dict by its keys, a comprehension over things that are
unlike. It is known of a display what it holds, and in which order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from tapeless.tree.blocks import binds_one_name
from tapeless.tree.build import assign, at_line_of, const, name, unshared
from tapeless.tree.endings import blocks_of
from tapeless.tree.names import captured_names, nodes, reads
from tapeless.tree.trees import Stmt

_SEEN_FROM_ELSEWHERE = (gast.Try, gast.Global, gast.Nonlocal)  # what was filled so far may be read


def filled_displays(tree: gast.FunctionDef, fresh: Callable[[str], str]) -> list[Any]:
    """Return the body of a function in which what fills a new dict or list is joined with what makes it.

    Parameters
    ----------
    tree
        The function.
    fresh
        Gives a name like another one that the function does not have.

    Examples
    --------
    >>> from tapeless.source.printer import unparse
    >>> [f] = gast.parse('''
    ... def f(x):
    ...     p = {}
    ...     v = x[0]; p["a"] = v; v = x[1]; p["b"] = v
    ...     return p''').body
    >>> print(unparse(gast.Module(filled_displays(f, str), [])), end="")
    v = x[0]
    p_a = v
    v = x[1]
    p_b = v
    p = {"a": p_a, "b": p_b}
    return p
    """
    parts = nodes(tree)
    made = {s.targets[0].id for s in parts if _makes_empty(s)} - captured_names(tree)
    if not made or any(type(part) in _SEEN_FROM_ELSEWHERE for part in parts):
        return list(tree.body)
    body: list[Any] = unshared(tree.body)
    waiting = [body]
    while waiting:
        block = waiting.pop()
        for i in reversed(range(len(block))):
            if _makes_empty(block[i]) and block[i].targets[0].id in made:
                block[i:] = _filled(block[i], block[i + 1 :], fresh)
        waiting += [inner for s in block for inner in blocks_of(s)]
    return body


def _makes_empty(s: Stmt) -> bool:
    """Whether a statement binds one name to an empty dict or list."""
    if not binds_one_name(s) or type(s.value) not in (gast.Dict, gast.List):
        return False
    return not (s.value.keys if type(s.value) is gast.Dict else s.value.elts)


def _filled(made: Any, following: list[Any], fresh: Callable[[str], str]) -> list[Any]:
    """Write a new dict or list behind the statements that give it its first items."""
    table, items = made.targets[0].id, dict[str | int, Any]()
    is_list = type(made.value) is gast.List
    before: list[Any] = []
    lines: set[int | None] = set()
    taken = kept = 0
    for count, s in enumerate(following, 1):
        item = _appended(s, table) if is_list else None
        key = len(items) if item is not None else None if is_list else _key_stored(s, table)
        plain = type(s) is gast.Assign and (key is not None or not _is_store(s))
        if not plain and item is None or table in reads(item or s.value):
            break
        if key is None:
            before.append(s)
            continue
        lines.add(getattr(s, "lineno", None))
        if len(lines) > 1:
            break
        items[key] = name(fresh(f"{table}_{key}" if str(key).isidentifier() else table))
        before.append(at_line_of(assign(items[key].id, item or s.value), s))
        taken, kept = count, len(before)
    if not items:
        return [made, *following]
    places, held = [const(key) for key in items], list(items.values())
    display = gast.List(held, gast.Load()) if is_list else gast.Dict(places, held)
    return [*before[:kept], at_line_of(assign(table, display), made), *following[taken:]]


def _appended(s: Any, table: str) -> Any:
    """Return what a statement appends to a list; None for any other statement."""
    call: Any = s.value if type(s) is gast.Expr else None
    if type(call) is not gast.Call or type(call.func) is not gast.Attribute:
        return None
    owned = type(call.func.value) is gast.Name and call.func.value.id == table
    return call.args[0] if owned and call.func.attr == "append" and len(call.args) == 1 else None


def _is_store(s: Any) -> bool:
    """Whether an assignment stores into something rather than binding names."""
    return any(
        type(part) in (gast.Subscript, gast.Attribute) for p in s.targets for part in nodes(p)
    )


def _key_stored(s: Any, table: str) -> str | None:
    """Return the text by which a statement stores into a dict."""
    if type(s) is not gast.Assign or len(s.targets) > 1 or type(s.targets[0]) is not gast.Subscript:
        return None
    place = s.targets[0]
    key = getattr(place.slice, "value", None)
    owned = type(place.value) is gast.Name and place.value.id == table
    return key if owned and type(place.slice) is gast.Constant and isinstance(key, str) else None
