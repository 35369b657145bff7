"""Which sequences of a function surely have the same length.

A list that one loop fills, once in each trip, has as many items as the loop made trips. So a loop over
`zip(range(n), items)` can be known to use up both.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.tree.classes import OF_AN_OWNER, READ_OR_GIVEN
from tapeless.tree.names import nodes, parameters, reads
from tapeless.tree.trees import Stmt, Tree


def same_length(function: Any, trees: list[Any]) -> bool:
    """Whether the values of expressions surely have the same length, after all that fills them.

    Parameters
    ----------
    function
        A definition of a function.
    trees
        Names and calls of `range`, each a value that a loop of the function goes through.

    Examples
    --------
    >>> function = gast.parse('''
    ... def f(x, n):
    ...     items = []
    ...     for i in range(1, n):
    ...         items.append(x)
    ...     for i, x in zip(range(1, n), items):
    ...         print(i, x)
    ... ''').body[0]
    >>> zipped = function.body[2].iter.args
    >>> same_length(function, zipped)
    True
    """
    found = [_length(function, tree) for tree in trees]
    return None not in found and len(set(found)) == 1


def _length(function: Any, tree: Tree) -> str | None:
    """Return a text that is the same for values of the same length."""
    if type(tree) is gast.Call and type(tree.func) is gast.Name:
        if tree.func.id == "range" and not tree.keywords and _is_steady(function, tree):
            return str(gast.dump(tree))
        return None
    if type(tree) is not gast.Name:
        return None
    loop = _filling_loop(function, tree.id)
    return None if loop is None else _length(function, loop.iter)


def _is_steady(function: Any, tree: Tree) -> bool:
    """Whether an expression of names, numbers and sums is the same wherever it stands."""
    for part in nodes(tree):
        if type(part) is gast.Call and part is not tree:
            return False
        if type(part) in OF_AN_OWNER:
            return False
    own = set(parameters(function))
    bindings = [
        part.id
        for part in nodes(function)
        if type(part) is gast.Name and type(part.ctx) not in READ_OR_GIVEN
    ]
    return all(bindings.count(key) + (key in own) == 1 for key in set(reads(tree)) - {"range"})


def _filling_loop(function: Any, key: str) -> Any:
    """Find the one loop that fills a list, an item in each trip, if nothing else changes it."""
    made = loop = None
    for s in function.body:
        if _makes_list(s, key):
            if made is not None:
                return None
            made = s
        elif type(s) is gast.For and any(_is_append(t, key) for t in s.body):
            if made is None or loop is not None or _may_leave(s):
                return None
            loop = s
    if loop is None or sum(_is_append(t, key) for t in loop.body) != 1:
        return None
    allowed = 2 + sum(_only_looks(part, key) for part in nodes(function))
    mentions = sum(type(p) is gast.Name and p.id == key for p in nodes(function))
    return loop if mentions == allowed else None


def _makes_list(s: Stmt, key: str) -> bool:
    if type(s) is not gast.Assign or type(s.value) is not gast.List or s.value.elts:
        return False
    return len(s.targets) == 1 and getattr(s.targets[0], "id", None) == key


def _is_append(s: Stmt, key: str) -> bool:
    call = getattr(s, "value", None)
    if type(s) is not gast.Expr or not isinstance(call, gast.Call) or len(call.args) != 1:
        return False
    method = call.func
    if type(method) is not gast.Attribute or method.attr != "append":
        return False
    return getattr(method.value, "id", None) == key


def _may_leave(loop: Stmt) -> bool:
    """Whether a loop may end, or a trip be cut short, before its time."""
    jumps = (gast.Break, gast.Continue, gast.Return, gast.Try)
    return any(isinstance(part, jumps) for part in nodes(loop))


def _only_looks(part: Tree, key: str) -> int:
    """Count the mentions of a list, in one expression, that leave its length alone."""
    if type(part) is gast.For:
        return int(getattr(part.iter, "id", None) == key)
    if type(part) is gast.Subscript and type(part.ctx) is gast.Load:
        return int(getattr(part.value, "id", None) == key)
    if type(part) is gast.Call and type(part.func) is gast.Name:
        if part.func.id in ("len", "reversed", "zip", "enumerate"):
            return sum(getattr(arg, "id", None) == key for arg in part.args)
    return 0
