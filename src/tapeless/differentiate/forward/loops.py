"""Loops: the tangents of the items run beside the items.

`for v in x` becomes `for v, v_dot in zip(x, x_dot)`; the tangents of what is counted or zipped are
counted and zipped alike. For `d.items()` they are looked up by key.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.differentiate.unreached import has_no_trips, without_trips
from tapeless.kinds import Dict, Instance, Kind
from tapeless.tree.build import assign, at_line_of, call, name, target
from tapeless.tree.names import binds, nodes
from tapeless.tree.trees import Expr, Stmt, Tree


def for_loop(writer: TangentWriter, s: Stmt) -> list[Any]:
    """Write a loop over the items and their tangents."""
    if has_no_trips(writer, s):
        return [without_trips(writer, s), *(writer.block(s.orelse) if s.orelse else [])]
    made = _iteration(writer, s)
    orelse = writer.block(s.orelse) if s.orelse else []
    place, iterable, start = made
    body = [*(at_line_of(part, s) for part in start), *writer.block(s.body)]
    return [gast.For(place, iterable, body, orelse, None)]


def _iteration(writer: TangentWriter, s: Stmt) -> tuple[Any, Any, list[Any]]:
    """Write the header of a loop, and what its body starts with."""
    tracked = sorted(binds(s.target) & writer.tracked)
    pairs = _iterated(writer, s, s.target, s.iter)
    covered = set() if pairs is None else binds(pairs[0])
    start = [
        assign(writer.dot(k), writer.zero(name(k), _kind_in_body(writer, s, k)))
        for k in tracked
        if writer.dot(k) not in covered
    ]
    if pairs is None:
        by_key = _dict_items(writer, s)
        if by_key is not None:
            lookup, key = by_key
            start = [p for p in start if not (binds(p) & {key})]
            return s.target, s.iter, [lookup, *start]
        if any(writer.known.before.get(s.body[0], {}).get(k, NOTHING).varied for k in tracked):
            writer.refuse(
                s, "items that carry a derivative come from an unknown iterable",
                "iterate over a list, tuple, dict or array",
            )  # fmt: skip
        return s.target, s.iter, start
    place, iterable = pairs
    if type(s.iter) is gast.Name:
        both = gast.Tuple([s.target, place], gast.Store())
        return both, call("zip", s.iter, iterable), start
    if _calls_built_in(writer, s.iter, "enumerate") and type(s.iter.args[0]) is gast.Name:
        if type(s.target) is gast.Tuple and type(place) is gast.Tuple:
            both = gast.Tuple([s.target.elts[1], place.elts[1]], gast.Store())
            zipped = call("zip", s.iter.args[0], iterable.args[0])
            counted = gast.Call(s.iter.func, [zipped, *s.iter.args[1:]], s.iter.keywords)
            return gast.Tuple([s.target.elts[0], both], gast.Store()), counted, start
    both = gast.Tuple([s.target, place], gast.Store())
    return both, call("zip", s.iter, iterable), start


def _kind_in_body(writer: TangentWriter, s: Stmt, key: str) -> Kind:
    return writer.known.before.get(s.body[0], {}).get(key, NOTHING).kind


def _calls_built_in(writer: TangentWriter, tree: Tree, called: str) -> bool:
    return (
        type(tree) is gast.Call
        and type(tree.func) is gast.Name
        and tree.func.id == called
        and called not in writer.function.local
    )


def _dict_items(writer: TangentWriter, s: Stmt) -> tuple[Any, str] | None:
    """For `d.items()` the tangents are looked up by key."""
    tree = s.iter
    if type(tree) is not gast.Call or type(tree.func) is not gast.Attribute:
        return None
    if tree.func.attr != "items" or not writer.is_active(s, tree.func.value):
        return None
    if type(s.target) is not gast.Tuple or not all(type(e) is gast.Name for e in s.target.elts):
        writer.refuse(
            s,
            "`.items()` of what varies is followed where it is unpacked into a key and a value",
            "write `for key, value in ...`, and unpack `value` in the body",
        )
    key, item = s.target.elts
    if item.id not in writer.tracked:
        return None
    slot = gast.Subscript(writer.tangent(s, tree.func.value), name(key.id), gast.Load())
    return assign(writer.dot(item.id), slot), writer.dot(item.id)


def _iterated(writer: TangentWriter, s: Stmt, place: Expr, tree: Tree) -> tuple[Any, Any] | None:
    """Write where the tangents of the items go and what they come from."""
    if not binds(place) & writer.tracked:
        return None
    if type(tree) is gast.Name:
        found = writer.tangent(s, tree)
        if found is None:
            return None
        kind = writer.operand_kind(s, tree)
        if isinstance(kind, Dict):
            return None
        if isinstance(kind, Instance):
            writer.refuse(
                s, f"what the items of an object of class {kind.cls.__name__} are is not followed",
                "iterate over a list, tuple, dict or array",
            )  # fmt: skip
        return _place_of_tangents(writer, s, place), found
    if type(tree) is not gast.Call:
        return None
    if type(tree.func) is gast.Attribute:
        found = writer.tangent(s, tree.func.value)
        if found is None or tree.func.attr != "values":
            return None
        made = gast.Call(gast.Attribute(found, "values", gast.Load()), [], [])
        return _place_of_tangents(writer, s, place), made
    if _calls_built_in(writer, tree, "reversed"):
        inner = _iterated(writer, s, place, tree.args[0])
        return None if inner is None else (inner[0], call(tree.func, inner[1]))
    if _calls_built_in(writer, tree, "enumerate"):
        if type(place) is not gast.Tuple:
            _refuse_whole_item(writer, s, tree)
            return None
        inner = _iterated(writer, s, place.elts[1], tree.args[0])
        if inner is None:
            return None
        return gast.Tuple([target(writer.unread), inner[0]], gast.Store()), call(
            tree.func, inner[1]
        )
    if _calls_built_in(writer, tree, "zip"):
        return _iterated_together(writer, s, place, tree)
    return None


def _iterated_together(
    writer: TangentWriter, s: Stmt, place: Expr, tree: Tree
) -> tuple[Any, Any] | None:
    if type(place) is not gast.Tuple:
        _refuse_whole_item(writer, s, tree)
        return None
    found = [
        _iterated(writer, s, item, part) for item, part in zip(place.elts, tree.args, strict=True)
    ]
    present = [pair for pair in found if pair is not None]
    if not present:
        return None
    if len(present) == 1:
        return present[0]
    places = gast.Tuple([p for p, _ in present], gast.Store())
    return places, gast.Call(tree.func, [i for _, i in present], [])


def _refuse_whole_item(writer: TangentWriter, s: Stmt, tree: Tree) -> None:
    if any(writer.is_active(s, part) for part in nodes(tree) if type(part) is gast.Name):
        writer.refuse(
            s,
            f"the items of {writer.spelled(tree, 'this iterable')} are taken apart in the `for` only",
            "name each of them: `for a, b in ...`",
        )


def _place_of_tangents(writer: TangentWriter, s: Stmt, place: Expr) -> Any:
    if type(place) is gast.Name:
        return target(writer.dot(place.id) if place.id in writer.tracked else writer.unread)
    return gast.Tuple([_place_of_tangents(writer, s, p) for p in place.elts], gast.Store())
