"""Methods of lists and dicts, called for the container and for its tangent alike.

The tangent of a container has the same items at the same places, so whatever moves items in the one
moves them in the other. Of what a method is given, places and keys stay, and values become tangents.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.differentiate.forward.binding import with_zero
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.differentiate.writer import INSTEAD_OF_METHODS
from tapeless.kinds import Kind
from tapeless.tree.build import assign, call, name
from tapeless.tree.trees import Expr, Stmt


def container_method(writer: TangentWriter, s: Stmt, owner: Kind, key: str | None) -> list[Any]:
    """Write a method of a list or dict, after the same of its tangent."""
    tree = s.value
    method, place = tree.func.attr, tree.func.value
    tangent = writer.tangent(s, place)
    tracked = key is not None and key in writer.tracked
    args = list(tree.args)
    active = [a for a in args if writer.is_active(s, a)]
    if method in ("keys", "index", "count", "__len__", "__contains__"):
        return with_zero(writer, s, str(key)) if tracked else [s]
    if tangent is None:
        if method == "get" and active and tracked:
            return _default_of_get(writer, s, str(key), place, args)
        if active:
            writer.refuse_unknown_store(s, s.value.func)
        return with_zero(writer, s, str(key)) if tracked else [s]
    if tree.keywords or any(type(a) is gast.Starred for a in args):
        writer.refuse(
            s,
            f"which arguments `{method}` gets is not known here",
            "pass them one by one, without `*` and keywords",
        )
    counts = {"append": 0, "extend": 0, "insert": 1, "setdefault": 1, "update": 0, "get": 1}
    if method in counts:
        start = counts[method]
        passed = [*args[:start], *(writer.tangent_or_zero(s, a) for a in args[start:])]
    elif method in ("pop", "popitem", "clear", "reverse", "copy"):
        passed = [*args[:1], *(writer.tangent_or_zero(s, a) for a in args[1:])]
    else:
        if method in ("values", "items") and not tracked:
            return [s]
        writer.refuse_typo(s, s.value.func)
        if method in ("values", "items"):
            writer.refuse(s, f"`.{method}()` is supported in a `for` only", "iterate over it")
        label = type(owner).__name__.lower()
        writer.refuse(
            s, f"the method `{method}` of a {label} is not supported yet", INSTEAD_OF_METHODS[label],
        )  # fmt: skip
    made = gast.Call(gast.Attribute(tangent, method, gast.Load()), passed, [])
    if tracked:
        return [assign(writer.dot(str(key)), made), s]
    if method in ("get", "copy"):
        return [s]
    return [gast.Expr(made), s]


def _default_of_get(
    writer: TangentWriter, s: Stmt, key: str, place: Expr, args: list[Any]
) -> list[Any]:
    """`d.get(k, default)` where only the default varies."""
    found = gast.Compare(args[0], [gast.In()], [place])
    zero = call(name(writer.runtime("zero_tangent")), name(key))
    chosen = gast.IfExp(found, zero, writer.tangent_or_zero(s, args[1]))
    return [s, assign(writer.dot(key), chosen)]
