"""A list that a loop only fills is written as the list that it is.

    saved = []                           saved = [np.sum(w) for i in range(n)]
    for i in range(n):           ->
        saved.append(np.sum(w))

So is a comprehension of the author's, which is differentiated as such a loop. This is done last: what is
differentiated again, or searched for saves, has loops.
"""

from __future__ import annotations

from itertools import dropwhile, islice
from typing import Any

import gast

from tapeless.optimize.analyses import effects_of
from tapeless.optimize.context import Context
from tapeless.tree.blocks import all_blocks, all_statements, bound
from tapeless.tree.classes import ATTEMPTS, YIELDS
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt

_STRANGE = YIELDS | {gast.Await, gast.NamedExpr, gast.Lambda}


def list_at_once(function: gast.FunctionDef, context: Context) -> None:
    """Write the loops that fill a list of the tool's, and do nothing else, as that list.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(w, n):
    ...     saved = []
    ...     y = 0.0
    ...     for i in range(n):
    ...         saved.append(w[i] * w[i])
    ...     for i in range(n):
    ...         y = y + saved.pop()
    ...     return y
    ... ''').body[0]
    >>> list_at_once(function, Context(temporaries=lambda key: key == "saved"))
    >>> print(unparse(function), end="")
    def f(w, n):
        y = 0.0
        saved = [w[i] * w[i] for i in range(n)]
        for i in range(n):
            y = y + saved.pop()
        return y
    """
    if any(type(s) in ATTEMPTS for s in all_statements(function.body)):
        return
    scoped = effects_of(function, context).scoped
    live = None
    for block in all_blocks(function.body):
        begun = [(s, key) for s in block if (key := _begun(s)) is not None]
        mentions = _mentions(block) if begun else {}
        for s, key in begun:
            if not context.temporaries(key) or key in scoped:
                continue
            loop = _next_mention(mentions[key], s)
            value = _appended(loop, key)
            if value is None:
                continue
            live = live or Liveness(function)
            if not bound(loop) & live.live_after(loop):
                _put_together(block, s, loop, value)
                live = None


def _begun(s: Stmt) -> str | None:
    """Return the name that a statement binds to an empty list."""
    if type(s) is not gast.Assign or len(s.targets) != 1 or type(s.targets[0]) is not gast.Name:
        return None
    empty = type(s.value) is gast.List and not s.value.elts
    return str(s.targets[0].id) if empty else None


def _mentions(block: list[Any]) -> dict[str, list[Any]]:
    """List for each name the statements of a block that mention it, in order."""
    found: dict[str, list[Any]] = {}
    for s in block:
        for key in dict.fromkeys(_names(s)):
            found.setdefault(key, []).append(s)
    return found


def _next_mention(mentioning: list[Any], first: Stmt) -> Any:
    """Return the statement that mentions a name next, after one that does."""
    following = dropwhile(lambda s: s is not first, mentioning)
    return next(islice(following, 1, None), None)


def _names(tree: Any) -> list[str]:
    return [part.id for part in nodes(tree) if type(part) is gast.Name]


def _appended(loop: Any, key: str) -> Any:
    """Return what a loop appends to a list, if that is all that it does."""
    if type(loop) is not gast.For or loop.orelse or len(loop.body) != 1:
        return None
    call: Any = getattr(loop.body[0], "value", None) if type(loop.body[0]) is gast.Expr else None
    if type(call) is not gast.Call or type(call.func) is not gast.Attribute or call.keywords:
        return None
    appends = call.func.attr == "append" and getattr(call.func.value, "id", "") == key
    if not appends or len(call.args) != 1 or type(call.args[0]) is gast.Starred:
        return None
    once = _names(loop).count(key) == 1
    strange = any(type(part) in _STRANGE for part in nodes(loop))
    return call.args[0] if once and not strange else None


def _put_together(block: list[Any], begun: Any, loop: Any, value: Expr) -> None:
    part = gast.comprehension(loop.target, loop.iter, [], 0)
    listed = gast.copy_location(gast.ListComp(value, [part]), loop)
    made = gast.copy_location(gast.Assign(begun.targets, listed, None), loop)
    block[:] = [made if s is loop else s for s in block if s is not begun]
