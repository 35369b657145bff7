"""Calls of code that is not looked into, which may store into what they are given.

Where what they can reach varies a derivative would be lost: the call is refused. Otherwise what each
array, list or dict that they are given held is kept, and put back in the reverse sweep:

    scale_old = scale.copy()
    rescale(scale)                  # unknown
    ...
    scale[...] = scale_old          # reverse sweep
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any, NoReturn

import gast

from tapeless.analysis.abstract import NOTHING, Abstraction
from tapeless.analysis.function_values import is_bound, is_told
from tapeless.analysis.repeatable import attributes_stored, attributes_updated
from tapeless.differentiate.outside import note_undone, paths_to
from tapeless.differentiate.reverse.definite_attributes import is_there
from tapeless.differentiate.reverse.mirrored import Step
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.stores import put_back
from tapeless.differentiate.writer import Writer
from tapeless.externals import is_runtime
from tapeless.kinds import (
    Array,
    Dict,
    Function,
    Instance,
    Kind,
    List,
    Number,
    Region,
    differentiable,
    regions_of,
)
from tapeless.regions import is_outside
from tapeless.tree.build import assign, at_line_of, const, name, quote, quote_expression
from tapeless.tree.names import reads
from tapeless.tree.trees import Stmt, Tree


def check_unseen(writer: Writer, s: Stmt) -> None:
    """Refuse a call of unknown code that may store into what varies."""
    _refuse_unknown_keywords(writer, s)
    regions = writer.facts.unseen.get(s, set())
    _refuse_unknown_function(writer, s)
    if not any(_may_carry(writer, region) for region in regions & writer.known.varied):
        return
    if s in writer.facts.custom_calls:
        _refuse_custom(writer, s, "and stores into it what varies")
    called = _called(s)
    if called is not None:
        writer.refuse_typo(s, called)
    reached = [*_given(s), *_captured(writer, s)]
    given = [k for k in reached if regions_of(writer.operand_kind(s, name(k))) & regions]
    label, what = _label_of(writer, s), _shown(writer, given[0] if given else None)
    writer.refuse(
        s,
        f"{label} is not looked into, and may store into {what}, which carries a derivative",
        "write what it does in Python, or give it a copy (np.array(x)) and take its result",
    )


def _may_carry(writer: Writer, region: Region) -> bool:
    """Whether memory may hold what carries a derivative: a list of integers does not."""
    slots = writer.known.heap.get(region, {}).values()
    return not slots or any(differentiable(slot.kind) for slot in slots)


def undo_unseen(sweep: Sweep, s: Stmt) -> Step | None:
    """Keep what a call of unknown code may store into; it is put back when the call is reversed."""
    regions = sweep.facts.unseen.get(s)
    check_unseen(sweep, s)
    if not regions:
        return None
    saves: list[Any] = []
    outer, sweep.out = sweep.out, []
    for tree, kind in _things(sweep, s, regions):
        if not regions_of(kind) & regions:
            continue
        regions = regions - regions_of(kind)
        note_undone(sweep, s, tree)
        saves += _kept(sweep, s, tree, kind)
    if regions:
        _refuse_deep(sweep, s, None)
    restores, sweep.out = sweep.out, outer
    for made in [*saves, *restores]:
        at_line_of(made, s)
    return Step(None, saves, restores) if saves else None


def _things(sweep: Sweep, s: Stmt, regions: Set[Region]) -> Iterator[tuple[Any, Kind]]:
    """Return what a call may store into: what it is given or can reach, and what names outside lead to."""
    for key in [*_given(s), *_captured(sweep, s)]:
        yield name(key), sweep.operand_kind(s, name(key))
    for region in sorted(filter(is_outside, regions), key=repr):
        for path, thing in paths_to(sweep, region)[:1]:
            yield path, Abstraction({}, known=sweep.program.known)(thing, region)


def _kept(sweep: Sweep, s: Stmt, tree: Tree, kind: Kind) -> list[Any]:
    """Keep what a thing holds, and write how it is put back."""
    if isinstance(kind, Instance):
        keys = _attributes(sweep, s, kind)
        return [made for key in keys for made in _slot_kept(sweep, s, tree, kind, key)]
    if not isinstance(kind, (Array, Number, List, Dict)):
        _refuse_deep(sweep, s, getattr(tree, "id", None))
    old = sweep.names.fresh(f"{tree.id if type(tree) is gast.Name else tree.attr}_old")
    if isinstance(kind, Number):  # nothing is stored into a number
        holes = {"x": tree, "v": old, "np": sweep.numpy}
        sweep.out += quote("if isinstance(x, np.ndarray):\n    x[...] = v", **holes)
        value = quote_expression("x.copy() if isinstance(x, np.ndarray) else None", **holes)
        return [assign(old, value)]
    if isinstance(kind, Array):
        sweep.out += quote("x[...] = v", x=tree, v=old)
    elif isinstance(kind, List):
        sweep.out += quote("x[:] = v", x=tree, v=old)
    else:
        sweep.out += quote("x.clear()", x=tree) + quote("x.update(v)", x=tree, v=old)
    return [assign(old, quote_expression("x.copy()", x=tree))]


def _attributes(sweep: Sweep, s: Stmt, kind: Instance) -> list[str]:
    """List the attributes of an object that the body of a custom gradient may store into."""
    body = sweep.facts.custom_calls.get(s)
    if body is None or body.callee is None or not isinstance(kind, Instance):
        _refuse_deep(sweep, s, None)
    heap = sweep.known.heap
    held = {key for r in kind.regions for key in heap.get(r, {}) if isinstance(key, str)}
    return sorted(held & attributes_stored(body.callee.facts))


def _slot_kept(sweep: Sweep, s: Stmt, tree: Tree, kind: Instance, key: str) -> list[Any]:
    """Keep what an attribute holds, or that there is none."""
    old = sweep.names.fresh(key)
    place = gast.Attribute(tree, key, gast.Load())
    callee = sweep.facts.custom_calls[s].callee
    if callee is None:
        _refuse_deep(sweep, s, None)
    body = callee.facts
    if key in attributes_updated(body) or is_there(sweep, s, place, kind):
        sweep.out.append(assign(put_back(place, kind), name(old)))
        return [assign(old, place)]
    getter, setter = sweep.runtime("slot"), sweep.runtime("set_slot")
    put = quote_expression("f(x, k, v)", f=setter, x=tree, k=const(key), v=old)
    sweep.out.append(gast.Expr(put))
    return [assign(old, quote_expression("f(x, k)", f=getter, x=tree, k=const(key)))]


def _captured(writer: Writer, s: Stmt) -> list[str]:
    """List what the local functions capture that a call is given."""
    kinds = [writer.operand_kind(s, name(key)) for key in _given(s)]
    return [c for kind in kinds if isinstance(kind, Function) for c in kind.captured]


def _refuse_unknown_keywords(writer: Writer, s: Stmt) -> None:
    """Refuse a call of a known function that is given keywords of which it is not known which."""
    if s not in writer.known.callees and s not in writer.facts.unseen:
        return
    for keyword in getattr(getattr(s, "value", None), "keywords", []):
        if keyword.arg is None:
            writer.refuse(
                s,
                f"which arguments {_label_of(writer, s)} gets by `**` is not known here",
                "pass them by name, make the dict in one piece, keep its keys in a tuple, or give like=",
            )


def _refuse_unknown_function(writer: Writer, s: Stmt) -> None:
    """Refuse a call of, or with, what may be a function that reaches what varies, whatever it returns.

    A function with values of its own is spelled out where it is known which it is. One of several that are
    given unlike values is not, and neither is what it reaches: an object here, a number there.
    """
    func = _called(s)
    if s in writer.known.callees or s in writer.facts.custom_calls:
        return
    before = writer.known.before.get(s, {})
    for key in _given(s):
        kind = before.get(key, NOTHING).kind
        if is_bound(kind) and not is_told(kind):
            writer.refuse_unknown_call(s, name(key))
    value = before.get(func.id, NOTHING) if type(func) is gast.Name else NOTHING
    if type(value.kind) is Kind and value.varied:
        writer.refuse_unknown_call(s, func)


def _refuse_custom(writer: Writer, s: Stmt, why: str) -> None:
    """Refuse a custom gradient whose body changes what is read elsewhere."""
    writer.refuse(
        s,
        f"the custom gradient {_label_of(writer, s)} changes state that is read elsewhere, {why}",
        "let it return what it changes as a second result",
    )


def _refuse_deep(sweep: Sweep, s: Stmt, key: str | None) -> NoReturn:
    if s in sweep.facts.custom_calls:
        _refuse_custom(sweep, s, "which cannot be undone as a whole")
    sweep.refuse(
        s,
        f"{_label_of(sweep, s)} is not looked into, and what it may store into "
        f"{_shown(sweep, key)} cannot be undone",
        "give it arrays, or write what it does in Python",
    )


def _label_of(writer: Writer, s: Stmt) -> str:
    """Return the words for what a statement calls: names of the user's only."""
    called = _called(s)
    own = called is not None and set(reads(called)) <= _names_of_user(writer)
    own = own and not is_runtime(writer.function.resolve(called))
    return f"`{gast.unparse(called).strip()}`" if own else "this call"


def _shown(writer: Writer, key: str | None) -> str:
    return f"`{key}`" if key in _names_of_user(writer) else "what it is given"


def _names_of_user(writer: Writer) -> set[str]:
    written = writer.function.own_names | set(writer.function.externals)
    return set(filter(writer.wrote, written))


def _called(s: Stmt) -> Any:
    call = getattr(s, "value", None)
    return call.func if isinstance(call, gast.Call) else None


def _given(s: Stmt) -> list[str]:
    """List the names that a call is given, with its owner."""
    call = getattr(s, "value", None)
    return list(dict.fromkeys(reads(call))) if type(call) is gast.Call else []
